"""The large margin distribution machine on explicit features."""

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.multiclass import check_classification_targets

from largemargin._compat import StrOptions, fit_context
from largemargin.estimators.base import CertifiedClassifier
from largemargin.estimators.fitting import all_or_nothing
from largemargin.estimators.ldm_prices import CONSTRAINTS, ldm_prices, ldm_recipe
from largemargin.estimators.linear_space import LinearSpace, design_of
from largemargin.estimators.rows import validated_rows
from largemargin.estimators.targets import Classes
from largemargin.numerics.memory import check_width
from largemargin.problem import Problem
from largemargin.solvers.asgd import Descent, Draws, run_epoch


class LinearLDMClassifier(CertifiedClassifier):
    r"""Large margin distribution machine without a kernel.

    Minimises over ``w`` and ``b``, with the margins ``g_i = y_i (w . x_i + b)``,

    ``|w|^2 / 2 + lambda_var * 2 var(g) - lambda_mean * mean(g) + C * sum(s * loss)``

    where ``loss_i = max(0, 1 - g_i)`` and ``s`` are the sample weights, which count in
    mean and variance too. Zero lambdas give the support vector machine, ``C=numpy.inf`` a
    hard margin. The intercept ``b`` is not penalised.

    Parameters
    ----------
    C : float, default=1.0
        Price of margin violations, not divided by the number of samples. Raising it
        follows the training rows more closely. ``numpy.inf`` forbids violations and
        raises an error if the classes cannot be separated; 0 ignores them.

    lambda_var : float or "scale", default="scale"
        Price of the margin variance, the lambda_1 of the paper. Raising it draws the
        margins together. ``"scale"`` is ``0.01 * C * sum(s)``, which keeps its weight
        against the losses whatever C and the number of samples are (C counts as 1 where
        it is 0 or infinite).

    lambda_mean : float or "scale", default="scale"
        Reward of the margin mean, the lambda_2 of the paper. Raising it pushes all
        margins up, those beyond one too. ``"scale"`` is ``0.01 * C * sum(s)``.

    fit_intercept : bool, default=True
        Whether to fit ``b``. False is the machine of the paper.

    class_weight : dict or "balanced", default=None
        Factor on the sample weights of each class; ``"balanced"`` gives every class the
        same sum of weights.

    solver : {"auto", "newton", "dual_cd", "asgd"}, default="auto"
        ``"newton"`` is exact at any price, ``"dual_cd"`` visits one row at a time and
        suits sparse rows and small C, ``"asgd"`` is the paper's averaged stochastic
        gradient. ``"auto"`` sweeps over sparse and wide rows while that gets on fast, and
        takes Newton steps, on features or rows, whichever are fewer.

    tol : float, default=1e-4
        Relative duality gap at which to stop. ``"asgd"`` runs its epochs instead.

    max_iter : int, default=None
        Limit of Newton steps, sweeps or epochs; None means 500, 10,000 or 5.

    time_limit : float, default=None
        Seconds after which a fit stops with the best solution found so far and a warning
        that states its gap. What cannot be stopped half-way, such as the Gram matrix, is
        finished first. None sets no limit.

    n_jobs : int, default=None
        Threads over the classes when there are more than two. The result does not
        depend on it.

    random_state : int, RandomState instance or None, default=None
        Seed of the order of rows in ``"dual_cd"`` and ``"asgd"``.

    verbose : int, default=0
        Whether to send each step to the ``largemargin`` logger, at level INFO.

    warm_start : bool, default=False
        Whether to start from the last solution if it has as many rows and classes.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.

    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        ``w``, a row a machine.

    intercept_ : ndarray of shape (1,) or (n_classes,)
        ``b``.

    duality_gap_ : float or ndarray of shape (n_classes,)
        Certified distance of the objective from its optimum, relative to its size. It
        holds for the numbers that are kept, rounding included.

    objective_ : float or ndarray of shape (n_classes,)
        The minimised objective.

    margin_mean_, margin_variance_ : float or ndarray of shape (n_classes,)
        Of the training rows.

    dual_beta_ : ndarray of shape (n_samples,) or (n_classes, n_samples)
        Dual variables, between 0 and ``C * s_i``.

    n_iter_ : int
        Iterations of the longest run.

    history_ : dict or list of dict
        ``objective``, ``duality_gap`` and ``seconds`` after each step.

    n_features_in_ : int
        Number of features.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if they are strings.

    See Also
    --------
    LDMClassifier : The same with a kernel.

    Notes
    -----
    A Newton step costs O(m k^2) for m rows and k features up to 2,000, and a few tens of
    steps suffice whatever C is. Memory beyond the data: O(k^2 + m).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import minmax_scale
    >>> from largemargin import LinearLDMClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> machine = LinearLDMClassifier().fit(minmax_scale(X), y)
    >>> machine.duality_gap_ <= machine.tol
    True
    >>> print(f"{machine.score(minmax_scale(X), y):.2f}")
    0.98
    """

    _parameter_constraints: dict = {
        **CONSTRAINTS,
        "solver": [StrOptions({"auto", "newton", "dual_cd", "asgd"})],
    }

    def __init__(
        self,
        C=1.0,
        *,
        lambda_var="scale",
        lambda_mean="scale",
        fit_intercept=True,
        class_weight=None,
        solver="auto",
        tol=1e-4,
        max_iter=None,
        time_limit=None,
        n_jobs=None,
        random_state=None,
        verbose=0,
        warm_start=False,
    ):
        self.C = C
        self.lambda_var = lambda_var
        self.lambda_mean = lambda_mean
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start

    def __largemargin_recipe__(self):
        return ldm_recipe(self, LinearSpace(self.fit_intercept))

    def _scores(self, X):
        return safe_sparse_dot(X, self.coef_.T, dense_output=True)

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Make one pass of averaged stochastic gradient descent over a batch.

        Prices refer to all rows seen so far. The margin variance is estimated from pairs
        of rows in the same batch, so batches want some tens of rows at least. Averaging
        begins with the second batch.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows of the batch.

        y : array-like of shape (n_samples,)
            Their labels.

        classes : array-like of shape (n_classes,), default=None
            All labels that will ever come; needed in the first call only.

        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        self : LinearLDMClassifier
            The estimator, one batch wiser.
        """
        with all_or_nothing(self):
            if np.isinf(self.C) or self.class_weight == "balanced":
                raise ValueError(
                    "partial_fit needs a finite C and class weights that do not depend on "
                    f"the batch; got C={self.C}, class_weight={self.class_weight!r}. Use "
                    "fit, or a dict of class weights."
                )
            first = not hasattr(self, "coef_")
            encoder = Classes(self.class_weight)
            rows = validated_rows(self, encoder, X, y, sample_weight, reset=first)
            check_width(rows.X.shape[1])
            self._check_batch_classes(rows.y, classes, first)
            self._learn_batch(rows, encoder)
        return self

    def _check_batch_classes(self, y, classes, first):
        if first and classes is None:
            raise ValueError(
                "The first call of partial_fit needs classes, all labels that will come: "
                "pass classes=numpy.unique(all_labels)."
            )
        if first:
            self.classes_ = np.unique(classes)
            check_classification_targets(self.classes_)
            if len(self.classes_) < 2:
                raise ValueError(
                    f"classes must hold at least two classes; got {self.classes_!r}."
                )
        elif classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise ValueError(
                f"classes must stay as they were in the first call, {self.classes_!r}; got "
                f"{np.unique(classes)!r}."
            )
        unknown = np.setdiff1d(y, self.classes_)
        if len(unknown):
            raise ValueError(
                f"y must hold only the known classes {self.classes_!r}; got {unknown!r}."
            )

    def _learn_batch(self, rows, encoder):
        positives, weight = encoder.positives(self.classes_), rows.weight
        descents = self._resume(len(positives), rows.X.shape[1])
        rng = check_random_state(self.random_state)
        design = design_of(rows.used)
        for label, descent in zip(positives, descents, strict=True):
            descent.weight_seen += weight.sum()
            problem = Problem(
                design,
                encoder.signs(rows.labels, label),
                weight,
                ldm_prices(self, descent.weight_seen),
                self.fit_intercept,
            )
            draws = Draws(problem, np.random.default_rng(rng.randint(2**31 - 1)))
            averaging = descent.weight_seen > weight.sum()
            run_epoch(
                problem, descent, draws, averaging=averaging, total=descent.weight_seen
            )
        averages = [descent.average() for descent in descents]
        self._descents = descents
        self.coef_ = np.array([w for w, _ in averages])
        self.intercept_ = np.array([offset for _, offset in averages])
        self.n_iter_ = 1
        # What would need all the rows again is not known.
        self.duality_gap_ = np.nan
        for name in (
            "objective_",
            "margin_mean_",
            "margin_variance_",
            "dual_beta_",
            "history_",
        ):
            vars(self).pop(name, None)

    def _resume(self, n_machines, n_features):
        """Return copies of the runs so far, begun where the last fit ended if any."""
        if getattr(self, "_descents", None):
            return [descent.copy() for descent in self._descents]
        if hasattr(self, "coef_"):
            return [
                Descent.at(w, offset)
                for w, offset in zip(self.coef_, self.intercept_, strict=True)
            ]
        return [Descent.at(np.zeros(n_features)) for _ in range(n_machines)]
