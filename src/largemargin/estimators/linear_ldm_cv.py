"""The large margin distribution machine on explicit features, searched."""

import numpy as np

from largemargin._compat import StrOptions
from largemargin.designs.in_memory import without_offsets
from largemargin.estimators.grids import GRIDS
from largemargin.estimators.ldm import LDMClassifier
from largemargin.estimators.ldm_cv import LDM_GRIDS, SVM
from largemargin.estimators.linear_ldm import LinearLDMClassifier
from largemargin.estimators.linear_space import design_of
from largemargin.estimators.search import MachineSearch, search_constraints

# Wide rows with more of them than this are not searched by a Gram matrix.
MAX_SEARCHED_GRAM_ROWS = 10_000


class LinearLDMClassifierCV(MachineSearch):
    """LinearLDMClassifier with prices chosen by cross-validation.

    Gives the scores of ``GridSearchCV`` over :class:`LinearLDMClassifier`, at a fraction
    of its cost: prices are solved from warm starts, and a solution that is certified to
    ``tol`` at other prices too serves them.

    Parameters
    ----------
    grid : {"scale", "paper"}, default="scale"
        Which values are searched where none are given below. ``"scale"`` has C in 2^-6 ..
        2^8 and, beside the SVM, prices that keep their weight against the losses: 80
        points; ``"paper"`` has C in {10, 50, 100} and both lambdas in 2^-8 .. 2^-2: 147
        points.

    Cs, lambda_vars, lambda_means : array-like, default=None
        Values of ``C``, ``lambda_var`` and ``lambda_mean``, as
        :class:`LinearLDMClassifier` takes them; None means those of ``grid``.

    solver : {"auto", "newton", "dual_cd"}, default="auto"
        As in :class:`LinearLDMClassifier`; ``"asgd"``, which has no goal to reach, cannot
        be searched this way.

    fit_intercept, class_weight, tol, max_iter, random_state :
        As in :class:`LinearLDMClassifier`.

    cv, scoring, refit, error_score, time_limit, n_jobs, verbose :
        As in :class:`LDMClassifierCV`; threads work on folds.

    Attributes
    ----------
    best_estimator_ : LinearLDMClassifier
        The best machine, fitted on all rows.

    best_params_ : dict
        Its ``C``, ``lambda_var`` and ``lambda_mean``.

    best_score_, best_index_, cv_results_, unseen_scores_, n_splits_, n_iter_ :
        As in :class:`LDMClassifierCV`.

    classes_ : ndarray of shape (n_classes,)
        The labels.

    n_features_in_ : int
        Number of features.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if they are strings.

    See Also
    --------
    LinearLDMClassifier : The machine at given prices.
    LDMClassifierCV : The same with a kernel.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import minmax_scale
    >>> from largemargin import LinearLDMClassifierCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> search = LinearLDMClassifierCV(Cs=[0.1, 1, 10]).fit(minmax_scale(X), y)
    >>> print(f"{search.best_score_:.2f}")
    0.98
    """

    _machine_class = LinearLDMClassifier
    _grids = LDM_GRIDS
    _also = SVM
    _parameter_constraints: dict = search_constraints(
        LinearLDMClassifier, ["fit_intercept", "class_weight"], _grids, GRIDS
    ) | {
        "solver": [StrOptions({"auto", "newton", "dual_cd"})],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        grid="scale",
        *,
        Cs=None,
        lambda_vars=None,
        lambda_means=None,
        fit_intercept=True,
        class_weight=None,
        cv=None,
        scoring=None,
        refit=True,
        error_score=np.nan,
        solver="auto",
        tol=1e-4,
        max_iter=None,
        time_limit=None,
        n_jobs=None,
        random_state=None,
        verbose=0,
    ):
        self.grid = grid
        self.Cs = Cs
        self.lambda_vars = lambda_vars
        self.lambda_means = lambda_means
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.cv = cv
        self.scoring = scoring
        self.refit = refit
        self.error_score = error_score
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _searched_machine(self, X):
        n_rows, n_features = X.shape
        if self.solver != "auto" or not n_rows < min(n_features, MAX_SEARCHED_GRAM_ROWS):
            return self._machine()
        if self.fit_intercept and without_offsets(design_of(X)).shift is not None:
            return self._machine()
        # Inner products are fewer numbers than such rows, and made once a fold.
        return LDMClassifier(kernel="linear", **self._machine().get_params())
