"""The large margin distribution machine with a kernel."""

from largemargin._compat import StrOptions
from largemargin.estimators.base import CertifiedClassifier
from largemargin.estimators.kernel_space import KernelExpansion, KernelSpace
from largemargin.estimators.ldm_prices import CONSTRAINTS, ldm_recipe


class LDMClassifier(KernelExpansion, CertifiedClassifier):
    r"""Large margin distribution machine with a kernel.

    Minimises over ``w`` in the feature space ``phi`` of the kernel and over ``b``, with
    the margins ``g_i = y_i (w . phi(x_i) + b)``,

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

    kernel : {"linear", "poly", "rbf", "sigmoid", "laplacian", "cosine", "precomputed"} \
            or callable, default="rbf"
        A callable maps two arrays of rows to the matrix of their inner products. With
        ``"precomputed"`` X is that matrix. ``"sigmoid"``, and ``"poly"`` with a negative
        ``coef0``, need not be positive semi-definite: their negative part is cut off,
        with a warning. A callable or a precomputed matrix that is not is refused.

    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of ``"rbf"``, ``"poly"``, ``"sigmoid"`` and ``"laplacian"``. Raising
        it narrows the kernel. ``"scale"`` is ``1 / (n_features * X.var())`` with the
        rows weighted, ``"auto"`` is ``1 / n_features``.

    degree : int, default=3
        Degree of ``"poly"``.

    coef0 : float, default=0.0
        Constant of ``"poly"`` and ``"sigmoid"``.

    fit_intercept : bool, default=True
        Whether to fit ``b``. False is the machine of the paper.

    class_weight : dict or "balanced", default=None
        Factor on the sample weights of each class; ``"balanced"`` gives every class the
        same sum of weights.

    solver : {"auto", "kernel_dual", "dual_cd"}, default="auto"
        ``"kernel_dual"``, the choice of ``"auto"`` while the Gram matrix fits, descends
        on pairs of rows and finishes by Newton's method; ``"dual_cd"`` is the paper's
        coordinate descent.

    tol : float, default=1e-4
        Relative duality gap at which to stop.

    max_iter : int, default=None
        Limit of Newton steps or sweeps; None means 500 or 10,000.

    time_limit : float, default=None
        Seconds after which a fit stops with the best solution found so far and a warning
        that states its gap. What cannot be stopped half-way, such as the Gram matrix, is
        finished first. None sets no limit.

    n_jobs : int, default=None
        Threads over the classes when there are more than two. The result does not
        depend on it.

    random_state : int, RandomState instance or None, default=None
        Seed of the order of rows in ``"dual_cd"``.

    verbose : int, default=0
        Whether to send each step to the ``largemargin`` logger, at level INFO.

    warm_start : bool, default=False
        Whether to start from the last solution if it has as many rows and classes.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.

    support_ : ndarray of shape (n_support,)
        Numbers of the training rows that matter. A margin variance or mean makes all of
        them matter; then they are as many as span all, where these are few, as for a
        smooth kernel or one of low rank.

    support_vectors_ : {ndarray, sparse matrix} of shape (n_support, n_features)
        Those rows; empty for a precomputed kernel.

    dual_coef_ : ndarray of shape (1, n_support) or (n_classes, n_support)
        The expansion of ``w`` over them.

    low_rank_residual_ : float or None
        Which part of the trace of the Gram matrix is missing in a machine of low rank,
        see Notes; None for an exact one.

    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        ``w``, for ``kernel="linear"`` only.

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
    LinearLDMClassifier : Faster for a linear kernel, and the choice for many rows.

    Notes
    -----
    The Gram matrix takes ``m^2`` numbers for m rows, of float32 beyond 4,000 rows. A
    small ``lambda_var`` (up to about 1/4) costs little beyond the SVM; a large one, such
    as ``"scale"``, one factorisation of the Gram matrix, ``m^3`` operations.

    Where the Gram matrix would take more than 4 GiB, beyond some 32,000 rows,
    ``solver="auto"`` solves a machine of low rank instead: rows are drawn until they
    explain all but a thousandth of the trace, at most 1,000 of them, and the machine
    lives in their span, whose features take ``m`` times as many numbers.
    ``low_rank_residual_`` says what was left out. ``duality_gap_`` is still that of the
    exact problem, so it is seldom below ``tol`` there, and a warning says so. It takes one
    more pass over the Gram matrix, tile by tile, up to 60,000 rows; beyond that it is a
    bound that may be far too large.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from largemargin import LDMClassifier
    >>> X, y = make_moons(noise=0.2, random_state=0)
    >>> machine = LDMClassifier(C=10).fit(X, y)
    >>> machine.duality_gap_ <= machine.tol
    True
    >>> print(f"{machine.score(X, y):.2f}")
    0.97
    """

    _parameter_constraints: dict = {
        **CONSTRAINTS,
        **KernelExpansion._parameter_constraints,
        "solver": [StrOptions({"auto", "kernel_dual", "dual_cd"})],
    }

    def __init__(
        self,
        C=1.0,
        *,
        lambda_var="scale",
        lambda_mean="scale",
        kernel="rbf",
        gamma="scale",
        degree=3,
        coef0=0.0,
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
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
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
        return ldm_recipe(self, KernelSpace(self))
