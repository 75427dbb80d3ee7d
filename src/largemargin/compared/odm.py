"""The optimal margin distribution machine, the successor of the LDM."""

from numbers import Real

from largemargin._compat import Interval
from largemargin.estimators.base import (
    CONSTRAINTS,
    POSITIVE,
    ClassWeight,
    KernelChoice,
    MarginClassifier,
)
from largemargin.estimators.documentation import described_like
from largemargin.estimators.kernel_expansion import KernelExpansion
from largemargin.estimators.kernel_space import space_of
from largemargin.estimators.ldm import LDMClassifier
from largemargin.estimators.recipe import Recipe
from largemargin.estimators.targets import Classes
from largemargin.problem import Prices, Problem
from largemargin.problem.losses import Band


@described_like(LDMClassifier)
class ODMClassifier(KernelExpansion, MarginClassifier):
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
        Price of deviations (regularisation parameter), not divided by the number of
        samples. A larger value fits the training rows more closely.
    mu : float, default=0.5
        Price of margins that are too large relative to those that are too small, in
        [0, 1]. A larger value draws large margins down.
    theta : float, default=0.1
        Deviation from one that costs nothing, in [0, 1). A larger value gives fewer support
        vectors.
    kernel
    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of ``"rbf"``, ``"poly"``, ``"sigmoid"`` and ``"laplacian"``. A larger
        value narrows the kernel. ``"scale"`` is ``1 / (n_features * X.var())`` with the
        rows weighted; ``"auto"`` is ``1 / n_features``.
    degree, coef0, fit_intercept, class_weight, multi_class
    tol, max_iter, time_limit, n_jobs, verbose, warm_start

    Attributes
    ----------
    classes_, gamma_, coef_, support_, support_vectors_, dual_coef_, low_rank_residual_
    intercept_
    dual_beta_ : ndarray of shape (n_samples,) or (n_machines, n_samples)
        Dual variables; negative ones draw margins down.
    duality_gap_, objective_, margin_mean_, margin_variance_, n_iter_, history_
    n_features_in_, feature_names_in_

    Notes
    -----
    The loss is smooth, so Newton's method needs no smoothing: about ten steps, each with a
    factorisation as large as the number of margins outside the band, or of the features if
    these are fewer. ``kernel="linear"`` computes no Gram matrix and stores ``coef_``
    instead of support vectors. Large Gram matrices are treated as in
    :class:`LDMClassifier`.

    References
    ----------
    .. [1] T. Zhang, Z.-H. Zhou. Optimal margin distribution machine. IEEE Transactions on
       Knowledge and Data Engineering 32(6), 2020.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from largemargin import ODMClassifier
    >>> X, y = make_moons(noise=0.2, random_state=0)
    >>> model = ODMClassifier(C=10).fit(X, y)
    >>> model.duality_gap_ <= model.tol
    True
    """

    _parameter_constraints: dict = {
        **CONSTRAINTS,
        "C": [POSITIVE],
        "mu": [Interval(Real, 0, 1, closed="both")],
        "theta": [Interval(Real, 0, 1, closed="left")],
    }

    def __init__(
        self,
        C: float = 1.0,
        *,
        mu: float = 0.5,
        theta: float = 0.1,
        kernel: KernelChoice = "rbf",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        fit_intercept: bool = True,
        class_weight: ClassWeight = None,
        multi_class: str = "ovo",
        tol: float = 1e-4,
        max_iter: int | None = None,
        time_limit: float | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        warm_start: bool = False,
    ) -> None:
        self.C, self.mu, self.theta = C, mu, theta
        self.kernel, self.gamma, self.degree, self.coef0 = kernel, gamma, degree, coef0
        self.fit_intercept, self.class_weight = fit_intercept, class_weight
        self.multi_class = multi_class
        self.tol, self.max_iter, self.time_limit = tol, max_iter, time_limit
        self.n_jobs, self.verbose, self.warm_start = n_jobs, verbose, warm_start

    def __largemargin_recipe__(self):
        prices, loss = Prices(float(self.C)), Band(float(self.mu), float(self.theta))

        def pose(targets, weight, _number):
            return Problem(None, targets, weight, prices, self.fit_intercept, loss)

        encoder = Classes(self.class_weight, self.multi_class)
        return Recipe(encoder, space_of(self), pose)
