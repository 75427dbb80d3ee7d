"""The optimal margin distribution machine, the successor of the LDM."""

from numbers import Real

from largemargin._compat import Interval
from largemargin.estimators.base import CLASS_WEIGHT, CertifiedClassifier
from largemargin.estimators.kernel_space import KernelExpansion, space_of
from largemargin.estimators.recipe import Recipe
from largemargin.estimators.targets import Classes
from largemargin.problem import Prices, Problem
from largemargin.problem.losses import Band


class ODMClassifier(KernelExpansion, CertifiedClassifier):
    r"""Optimal margin distribution machine, with a kernel or on explicit rows.

    Minimises over ``w`` and ``b``, with the margins ``g_i = y_i (w . phi(x_i) + b)``,

    ``|w|^2 / 2 + C * sum(s * loss)``,

    ``loss_i = ([1 - theta - g_i]_+^2 + mu * [g_i - 1 - theta]_+^2) / (1 - theta)^2``,

    so that margins are drawn towards one from both sides. The lambda of the paper [1]_ is
    ``C`` times the sum of the sample weights ``s``. ``mu=theta=0`` is the support vector
    machine with squared hinge loss, ``mu=1, theta=0`` the least squares machine.

    Parameters
    ----------
    C : float, default=1.0
        Price of deviations, not divided by the number of samples. Raising it follows the
        training rows more closely.

    mu : float, default=0.5
        Price of margins that are too large, in units of that of margins too small, in
        [0, 1]. Raising it draws large margins down.

    theta : float, default=0.1
        Deviations from one that cost nothing, in [0, 1). Raising it makes fewer rows
        matter.

    kernel : {"linear", "poly", "rbf", "sigmoid", "laplacian", "cosine", "precomputed"} \
            or callable, default="rbf"
        As in :class:`LDMClassifier`, but ``"linear"`` makes no Gram matrix.

    gamma, degree, coef0 :
        As in :class:`LDMClassifier`.

    fit_intercept : bool, default=True
        Whether to fit ``b``, which is not penalised. The paper has none.

    class_weight : dict or "balanced", default=None
        Factor on the sample weights of each class.

    tol : float, default=1e-4
        Relative duality gap at which to stop.

    max_iter : int, default=None
        Limit of Newton steps; None means 500.

    time_limit : float, default=None
        Seconds after which a fit stops with the best solution found so far and a warning
        that states its gap. What cannot be stopped half-way, such as the Gram matrix, is
        finished first. None sets no limit.

    n_jobs : int, default=None
        Threads over the classes when there are more than two.

    verbose : int, default=0
        Whether to send each step to the ``largemargin`` logger, at level INFO.

    warm_start : bool, default=False
        Whether to start from the last solution if it has as many rows and classes.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.

    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        ``w``, for ``kernel="linear"`` only.

    support_, support_vectors_, dual_coef_ : ndarray
        The rows that matter and the expansion of ``w`` over them, for other kernels.

    low_rank_residual_ : float or None
        As in :class:`LDMClassifier`.

    intercept_ : ndarray of shape (1,) or (n_classes,)
        ``b``.

    dual_beta_ : ndarray of shape (n_samples,) or (n_classes, n_samples)
        Dual variables; those below zero pull margins down.

    duality_gap_, objective_, margin_mean_, margin_variance_, n_iter_, history_ :
        As in :class:`LDMClassifier`.

    n_features_in_ : int
        Number of features.

    Notes
    -----
    The loss is smooth, so Newton's method needs no smoothing: some ten steps, each with a
    factor as large as the number of rows off the band, or of the features if those are
    fewer. Where the Gram matrix would take more than 4 GiB a machine of low rank is solved
    instead, as in :class:`LDMClassifier`.

    References
    ----------
    .. [1] T. Zhang, Z.-H. Zhou. Optimal margin distribution machine. IEEE Transactions on
       Knowledge and Data Engineering 32(6), 2020.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from largemargin import ODMClassifier
    >>> X, y = make_moons(noise=0.2, random_state=0)
    >>> machine = ODMClassifier(C=10).fit(X, y)
    >>> machine.duality_gap_ <= machine.tol
    True
    """

    _parameter_constraints: dict = {
        **CertifiedClassifier._parameter_constraints,
        **KernelExpansion._parameter_constraints,
        "C": [Interval(Real, 0, None, closed="neither")],
        "mu": [Interval(Real, 0, 1, closed="both")],
        "theta": [Interval(Real, 0, 1, closed="left")],
        "fit_intercept": ["boolean"],
        "class_weight": CLASS_WEIGHT,
        "warm_start": ["boolean"],
    }

    def __init__(
        self,
        C=1.0,
        *,
        mu=0.5,
        theta=0.1,
        kernel="rbf",
        gamma="scale",
        degree=3,
        coef0=0.0,
        fit_intercept=True,
        class_weight=None,
        tol=1e-4,
        max_iter=None,
        time_limit=None,
        n_jobs=None,
        verbose=0,
        warm_start=False,
    ):
        self.C = C
        self.mu = mu
        self.theta = theta
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.warm_start = warm_start

    def __largemargin_recipe__(self):
        prices, loss = Prices(float(self.C)), Band(float(self.mu), float(self.theta))

        def pose(targets, weight):
            return Problem(None, targets, weight, prices, self.fit_intercept, loss)

        return Recipe(Classes(self.class_weight), space_of(self), pose)
