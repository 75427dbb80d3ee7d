"""The large margin distribution regressor on explicit features."""

from typing import Any

from sklearn.utils.extmath import safe_sparse_dot

from largemargin._compat import StrOptions
from largemargin.estimators.base import Seed
from largemargin.estimators.documentation import described_like
from largemargin.estimators.ldm_regressor import REGRESSION_CONSTRAINTS, LDMRegressor
from largemargin.estimators.linear_space import LinearSpace
from largemargin.estimators.regression import regression_recipe
from largemargin.estimators.streaming_values import StreamingRegressor


@described_like(LDMRegressor)
class LinearLDMRegressor(StreamingRegressor):
    r"""Large margin distribution machine for regression and quantiles, without a kernel.

    Minimises over ``w`` and ``b``, with the residuals ``r_i = t_i - (w . x_i + b)``,

    ``|w|^2 / 2 + lambda_var * 2 var(r) + lambda_square * mean(r^2) + C * sum(s * loss)``

    where ``loss_i = max(0, |r_i| - epsilon)`` and ``s`` are the sample weights, which also
    weight the mean and the variance. Zero lambdas give linear support vector regression,
    ``C=0`` ridge regression. The intercept ``b`` is not penalised. With
    ``loss="quantile"``, ``loss_i`` is ``quantile * r_i`` for a positive residual and
    ``(quantile - 1) * r_i`` for a negative one.

    Parameters
    ----------
    C, epsilon, loss
    quantile : float or array-like of floats, default=0.5
        Which quantile, between 0 and 1, ``loss="quantile"`` predicts. With several
        quantiles, predictions have a column for each.
    lambda_var, lambda_square, fit_intercept
    solver : {"auto", "newton"}, default="auto"
        ``"newton"`` is Newton's method. ``"auto"`` uses it too, or the matrix of inner
        products where rows are few and features many.
    tol
    max_iter : int, default=None
        Maximum number of Newton steps. None allows 500.
    time_limit, n_jobs
    random_state : int, RandomState instance or None, default=None
        Random seed for the order of rows in ``partial_fit``.
    verbose, warm_start

    Attributes
    ----------
    C_, epsilon_, loo_results_
    coef_ : ndarray of shape (1, n_features) or (n_machines, n_features)
        The vector ``w``; one per column of ``y`` or per quantile, if there are several.
    intercept_, duality_gap_, objective_, residual_mean_, residual_variance_, dual_beta_
    n_iter_, history_, n_features_in_, feature_names_in_

    See Also
    --------
    LDMRegressor : The same with a kernel.

    Notes
    -----
    Time and memory are those of :class:`LinearLDMClassifier`: O(m k^2) for a Newton step on
    m rows of k features up to 2,000, and a few tens of steps for any C.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.preprocessing import StandardScaler
    >>> from largemargin import LinearLDMRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> X = StandardScaler().fit_transform(X)
    >>> model = LinearLDMRegressor().fit(X, y)
    >>> model.duality_gap_ <= model.tol
    True
    >>> print(f"{model.score(X, y):.2f}")
    0.51
    """

    _parameter_constraints: dict = {
        **REGRESSION_CONSTRAINTS,
        "solver": [StrOptions({"auto", "newton"})],
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
        fit_intercept: bool = True,
        solver: str = "auto",
        tol: float = 1e-4,
        max_iter: int | None = None,
        time_limit: float | None = None,
        n_jobs: int | None = None,
        random_state: Seed = None,
        verbose: int = 0,
        warm_start: bool = False,
    ) -> None:
        self.C, self.epsilon, self.loss, self.quantile = C, epsilon, loss, quantile
        self.lambda_var, self.lambda_square = lambda_var, lambda_square
        self.fit_intercept, self.solver, self.tol = fit_intercept, solver, tol
        self.max_iter, self.time_limit, self.n_jobs = max_iter, time_limit, n_jobs
        self.random_state = random_state
        self.verbose, self.warm_start = verbose, warm_start

    def __largemargin_recipe__(self):
        return regression_recipe(self, LinearSpace(self.fit_intercept))

    def _scores(self, X):
        return safe_sparse_dot(X, self.coef_.T, dense_output=True)
