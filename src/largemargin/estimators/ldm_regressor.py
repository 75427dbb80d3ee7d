"""The large margin distribution regressor with a kernel."""

from typing import Any

from largemargin._compat import StrOptions
from largemargin.estimators.base import CONSTRAINTS, NOT_NEGATIVE, KernelChoice
from largemargin.estimators.documentation import described_like
from largemargin.estimators.kernel_expansion import KernelExpansion
from largemargin.estimators.kernel_space import KernelSpace
from largemargin.estimators.ldm import LDMClassifier
from largemargin.estimators.regression import (
    MarginRegressor,
    regression_recipe,
)

# The values of parameters that regressors have and classifiers have not, or not so.
REGRESSION_CONSTRAINTS = {
    **CONSTRAINTS,
    "C": [*CONSTRAINTS["C"][:1], str],
    "epsilon": [NOT_NEGATIVE, str, None],
    "lambda_var": [NOT_NEGATIVE, str],
    "loss": [StrOptions({"epsilon_insensitive", "quantile"})],
}


@described_like(LDMClassifier)
class LDMRegressor(KernelExpansion, MarginRegressor):
    r"""Large margin distribution machine for regression and quantiles, with a kernel.

    Minimises over ``w`` in the feature space ``phi`` of the kernel and over ``b``, with
    the residuals ``r_i = t_i - (w . phi(x_i) + b)``,

    ``|w|^2 / 2 + lambda_var * 2 var(r) + lambda_square * mean(r^2) + C * sum(s * loss)``

    where ``loss_i = max(0, |r_i| - epsilon)`` and ``s`` are the sample weights, which also
    weight the mean and the variance. Zero lambdas give support vector regression, ``C=0``
    kernel ridge regression. The intercept ``b`` is not penalised. With
    ``loss="quantile"``, ``loss_i`` is ``quantile * r_i`` for a positive residual and
    ``(quantile - 1) * r_i`` for a negative one.

    Parameters
    ----------
    C : float, "scale" or "loo", default="loo"
        Price of residuals beyond the tube (regularisation parameter), not divided by the
        number of samples, as in ``SVR``. A larger value fits the training rows more
        closely. ``"loo"`` chooses it inside the fit by leave-one-out residuals, a choice
        that a tenth of outliers among the values hardly changes, see the Notes. ``"scale"``
        is the scale of the values, their weighted interquartile range over 1.349, so that
        predictions follow the units of ``y``; multiples such as ``"10*scale"`` are accepted
        too. ``numpy.inf`` keeps every row inside the tube, or raises an error if that is
        impossible; 0 leaves the squares alone.
    epsilon : float, "scale", "loo" or None, default=None
        Half the width of the tube, within which residuals cost nothing. A larger value
        gives fewer support vectors where both lambdas are zero. ``"loo"`` is 0.3 times the
        scale of leave-one-out residuals, ``"scale"`` the same as for C. None is ``"loo"``
        if that is C, and ``"0.1*scale"`` otherwise.
    loss : {"epsilon_insensitive", "quantile"}, default="epsilon_insensitive"
        The loss of a residual. With ``"quantile"``, predictions are quantiles of the
        values, given the row, and ``epsilon`` is not used.
    quantile : float or array-like of floats, default=0.5
        Which quantile, between 0 and 1, ``loss="quantile"`` predicts. Several quantiles are
        fitted on one Gram matrix, and predictions have a column for each.
    lambda_var : float or "scale", default=0.0
        Price of the variance of the residuals. A larger value draws them together, and
        leaves their level to the tube. ``"scale"`` is ``0.01 * C * sum(s)`` divided by the
        scale of the values; multiples such as ``"10*scale"`` are accepted too. With
        ``loss="quantile"``, a positive price keeps the share of all rows that are below the
        quantile, but not the share at each ``x``.
    lambda_square : float or "scale", default=0.0
        Price of the mean squared residual, which also draws the level to the mean.
        Squares follow outliers: the user guide on self-tuning has figures.
        ``"scale"`` means the same as above; with ``loss="quantile"`` a positive price is
        refused.
    kernel
    gamma : {"loo", "scale", "auto"} or float, default="loo"
        Coefficient of ``"rbf"``, ``"poly"``, ``"sigmoid"`` and ``"laplacian"``. A larger
        value narrows the kernel. ``"loo"`` chooses it like C, from 1/16, 1/4, 1 and 4 times
        ``"scale"``. ``"scale"`` is ``1 / (n_features * X.var())`` with the
        rows weighted by ``s``; ``"auto"`` is ``1 / n_features``.
    degree, coef0, fit_intercept
    solver : {"auto", "kernel_dual"}, default="auto"
        ``"kernel_dual"`` stores the Gram matrix. It optimises pairs of dual variables
        without squares, and uses Newton's method on the dual otherwise. ``"auto"`` does the
        same, but stores no matrix that would be too large, as in :class:`LDMClassifier`.
    tol
    max_iter : int, default=None
        Maximum number of iterations: Newton steps, or products with the Gram matrix. None
        allows 500.
    time_limit
    n_jobs : int, default=None
        Number of threads that fit several columns or quantiles in parallel; -1 uses all
        cores. The result does not depend on it.
    verbose
    warm_start : bool, default=False
        Whether to start from the solution of the last fit, if that was on the same number
        of rows and columns.

    Attributes
    ----------
    C_, epsilon_ : float or ndarray of shape (n_machines,)
        ``C`` and ``epsilon`` as numbers. Here and below, there is one entry per column of
        ``y`` or per quantile, if there are several.
    gamma_
    loo_results_ : dict
        With ``"loo"`` only: arrays ``C`` and ``error``, the mean squared leave-one-out
        residual in units of the scale, of shape (n_gammas, n_prices); ``gamma``; the
        indices ``best``; and the parameters ``chosen``. With several columns of ``y``,
        ``C`` and ``chosen`` are in multiples of their scales. :class:`LeaveOneOutDisplay`
        draws them.
    support_ : ndarray of shape (n_support,)
        Indices of the support vectors among the training rows. A positive lambda gives
        every row a coefficient. If a few rows span all others, as is common for smooth
        kernels, the solution is expressed by these few.
    support_vectors_
    dual_coef_ : ndarray of shape (1, n_support) or (n_machines, n_support)
        Coefficients of the support vectors in the expansion of ``w``.
    low_rank_residual_, coef_, intercept_, duality_gap_, objective_
    residual_mean_, residual_variance_ : float or ndarray of shape (n_machines,)
        Weighted mean and variance of the residuals of the training rows.
    dual_beta_ : ndarray of shape (n_samples,) or (n_machines, n_samples)
        Dual variables, between ``-C * s_i`` and ``C * s_i``: positive where the prediction
        is drawn upwards.
    n_iter_, history_, n_features_in_, feature_names_in_

    See Also
    --------
    LinearLDMRegressor : Faster for a linear kernel, and suited to many rows.

    Notes
    -----
    The rule behind ``"loo"`` is that of a ridge regression on at most 500 rows, whose
    residuals for rows left out have a closed form; values far from where they are expected
    are moved nearer before. It was chosen with both lambdas zero. With ``C=0`` or an
    infinite C, ``epsilon="loo"`` and ``gamma="loo"`` are ``"0.1*scale"`` and ``"scale"``.

    Where the intercept is not determined, it is the middle of its possible values.
    Memory and time are those of :class:`LDMClassifier`.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.preprocessing import StandardScaler
    >>> from largemargin import LDMRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> X = StandardScaler().fit_transform(X)
    >>> model = LDMRegressor().fit(X, y)
    >>> model.duality_gap_ <= model.tol
    True
    >>> median = LDMRegressor(loss="quantile", quantile=0.5).fit(X, y)
    >>> print(f"{(y < median.predict(X)).mean():.2f}")
    0.50
    """

    _parameter_constraints: dict = {
        **REGRESSION_CONSTRAINTS,
        "solver": [StrOptions({"auto", "kernel_dual"})],
    }

    def __init__(
        self,
        C: float | str = "loo",
        *,
        epsilon: float | str | None = None,
        loss: str = "epsilon_insensitive",
        quantile: float | Any = 0.5,
        lambda_var: float | str = 0.0,
        lambda_square: float | str = 0.0,
        kernel: KernelChoice = "rbf",
        gamma: float | str = "loo",
        degree: int = 3,
        coef0: float = 0.0,
        fit_intercept: bool = True,
        solver: str = "auto",
        tol: float = 1e-4,
        max_iter: int | None = None,
        time_limit: float | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        warm_start: bool = False,
    ) -> None:
        self.C, self.epsilon, self.loss, self.quantile = C, epsilon, loss, quantile
        self.lambda_var, self.lambda_square = lambda_var, lambda_square
        self.kernel, self.gamma, self.degree, self.coef0 = kernel, gamma, degree, coef0
        self.fit_intercept = fit_intercept
        self.solver, self.tol, self.max_iter = solver, tol, max_iter
        self.time_limit, self.n_jobs, self.verbose = time_limit, n_jobs, verbose
        self.warm_start = warm_start

    def __largemargin_recipe__(self):
        return regression_recipe(self, KernelSpace(self))
