"""The large margin distribution machine with a kernel, searched."""

import numpy as np

from largemargin.estimators.grids import GRIDS
from largemargin.estimators.ldm import LDMClassifier
from largemargin.estimators.search import MachineSearch, search_constraints

LDM_GRIDS = {"C": "Cs", "lambda_var": "lambda_vars", "lambda_mean": "lambda_means"}
# The support vector machine is part of the choice, and wins where it is equal.
SVM = {"lambda_var": [0.0], "lambda_mean": [0.0]}


class LDMClassifierCV(MachineSearch):
    r"""LDMClassifier with prices and kernel width chosen by cross-validation.

    Gives the scores of ``GridSearchCV`` over :class:`LDMClassifier`, at a fraction of its
    cost: each fold makes one Gram matrix a kernel width, prices are solved from warm
    starts, and a solution that is certified to ``tol`` at other prices too serves them.

    Parameters
    ----------
    grid : {"scale", "paper"}, default="scale"
        Which values are searched where none are given below. ``"scale"`` has C in 2^-6 ..
        2^8 and, beside the SVM, prices that keep their weight against the losses: 320
        points; ``"paper"`` has C in {10, 50, 100}, both lambdas in 2^-8 .. 2^-2 and
        kernel widths 2^-2 d .. 2^2 d, where d is the mean distance between training rows
        and ``gamma = 1 / (2 width^2)``: 735 points.

    Cs, lambda_vars, lambda_means, gammas : array-like, default=None
        Values of ``C``, ``lambda_var``, ``lambda_mean`` and ``gamma``, as
        :class:`LDMClassifier` takes them; None means those of ``grid``.

    kernel, degree, coef0, fit_intercept, class_weight, solver, tol, max_iter :
        As in :class:`LDMClassifier`.

    cv : int, splitter or iterable of splits, default=None
        As in scikit-learn; None means five stratified folds.

    scoring : str or callable, default=None
        A scorer; None means accuracy. It gets the sample weights, if there are any and it
        takes them.

    refit : bool, default=True
        Whether to fit the best machine on all rows.

    error_score : "raise" or float, default=numpy.nan
        Score of a fit that fails, with a warning; NaN never wins. If all fail, that is an
        error. Prices at which the problem has no minimum are passed over: their score is
        always NaN.

    time_limit : float, default=None
        Seconds after which the search stops. Points that it has not fitted in every fold
        are left out, with a warning. None sets no limit.

    n_jobs : int, default=None
        Threads over folds and kernel widths. The result does not depend on it.

    random_state : int, RandomState instance or None, default=None
        Seed of the order of rows in ``solver="dual_cd"``.

    verbose : int, default=0
        Whether to send progress and the time left to the ``largemargin`` logger, INFO.

    Attributes
    ----------
    best_estimator_ : LDMClassifier
        The best machine, fitted on all rows.

    best_params_ : dict
        Its ``C``, ``lambda_var``, ``lambda_mean`` and ``gamma``.

    best_score_ : float
        Its mean score over the folds.

    best_index_ : int
        Its place in ``cv_results_``.

    cv_results_ : dict of ndarray
        As in ``GridSearchCV``; times of shared work are divided evenly.

    unseen_scores_ : ndarray of shape (n_samples,) or (n_samples, n_classes)
        Scores of the training rows by the best point, each fitted without the fold that
        tests the row; NaN where none does. Not kept with ``refit=False``, or where those of
        all points would take more than 256 MB until the best is known.

    n_splits_ : int
        Number of folds.

    n_iter_ : int
        Iterations of the last fit, that of ``best_estimator_``.

    classes_ : ndarray of shape (n_classes,)
        The labels.

    n_features_in_ : int
        Number of features.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if they are strings.

    See Also
    --------
    LDMClassifier : The machine at given prices.
    LinearLDMClassifierCV : The same without a kernel.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from largemargin import LDMClassifierCV
    >>> X, y = make_moons(noise=0.2, random_state=0)
    >>> search = LDMClassifierCV(Cs=[1, 10], gammas=["scale"]).fit(X, y)
    >>> len(search.cv_results_["params"])
    20
    >>> print(f"{search.best_score_:.2f}")
    0.97
    """

    _machine_class = LDMClassifier
    _grids = {**LDM_GRIDS, "gamma": "gammas"}
    _also = SVM
    _parameter_constraints: dict = search_constraints(
        LDMClassifier,
        ["kernel", "degree", "coef0", "fit_intercept", "class_weight", "solver"],
        _grids,
        GRIDS,
    ) | {"random_state": ["random_state"]}

    def __init__(
        self,
        grid="scale",
        *,
        Cs=None,
        lambda_vars=None,
        lambda_means=None,
        gammas=None,
        kernel="rbf",
        degree=3,
        coef0=0.0,
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
        self.gammas = gammas
        self.kernel = kernel
        self.degree = degree
        self.coef0 = coef0
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
