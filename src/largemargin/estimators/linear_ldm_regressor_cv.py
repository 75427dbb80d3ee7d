"""The large margin distribution regressor on explicit features, with a search."""

from typing import Any

import numpy as np

from largemargin.estimators.documentation import described_like
from largemargin.estimators.ldm_regressor import LDMRegressor
from largemargin.estimators.ldm_regressor_cv import VALUE_PRICES, LDMRegressorCV
from largemargin.estimators.linear_ldm_cv import suits_products
from largemargin.estimators.linear_ldm_regressor import LinearLDMRegressor
from largemargin.estimators.regressor_search import RegressorSearch
from largemargin.estimators.search import Scoring, Values, search_constraints


@described_like(LDMRegressorCV, LinearLDMRegressor)
class LinearLDMRegressorCV(RegressorSearch):
    """LinearLDMRegressor with prices and tube chosen by cross-validation.

    Computes the scores of ``GridSearchCV`` over :class:`LinearLDMRegressor` at a fraction
    of its cost, because points are solved from warm starts. With ``solver="auto"``, fewer
    rows than features and less than 10,000 rows, each fold computes the inner products of
    all rows once and works on these.

    Parameters
    ----------
    grid : {"scale"}, default="scale"
        The values to search for parameters without values below: C in 10^-2 .. 10^2 and
        epsilon in {0.1, 0.5} times the scale of the values, and ``lambda_var`` in {0,
        "30*scale", "300*scale"}, where 0 is support vector regression: 30 points.
    Cs, epsilons, lambda_vars, lambda_squares : array-like, default=None
        Values of ``C``, ``epsilon``, ``lambda_var`` and ``lambda_square`` to search; None
        uses those of ``grid``. For ``loss="quantile"``, that has one value of all but
        ``C``.
    loss, quantile, fit_intercept, cv, scoring, refit, error_score
    solver : {"auto", "newton"}, default="auto"
        As in :class:`LinearLDMRegressor`.
    tol
    max_iter : int, default=None
        Maximum number of Newton steps of a fit. None allows 500.
    time_limit, n_jobs, verbose

    Attributes
    ----------
    best_estimator_, best_params_, best_score_, best_index_, cv_results_
    unseen_predictions_, n_splits_, n_iter_, n_features_in_, feature_names_in_

    See Also
    --------
    LinearLDMRegressor : The estimator at given prices.
    LDMRegressorCV : The same with a kernel.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.preprocessing import StandardScaler
    >>> from largemargin import LinearLDMRegressorCV
    >>> X, y = load_diabetes(return_X_y=True)
    >>> X = StandardScaler().fit_transform(X)
    >>> search = LinearLDMRegressorCV().fit(X, y)
    >>> print(f"{search.best_score_:.2f}")
    0.48
    """

    _machine_class = LinearLDMRegressor
    _grids = VALUE_PRICES
    _parameter_constraints: dict = search_constraints(LinearLDMRegressor, _grids)

    def __init__(
        self,
        grid: str = "scale",
        *,
        Cs: Values = None,
        epsilons: Values = None,
        lambda_vars: Values = None,
        lambda_squares: Values = None,
        loss: str = "epsilon_insensitive",
        quantile: float = 0.5,
        fit_intercept: bool = True,
        cv: Any = None,
        scoring: Scoring = None,
        refit: bool = True,
        error_score: float | str = np.nan,
        solver: str = "auto",
        tol: float = 1e-4,
        max_iter: int | None = None,
        time_limit: float | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.grid, self.Cs, self.epsilons = grid, Cs, epsilons
        self.lambda_vars, self.lambda_squares = lambda_vars, lambda_squares
        self.loss, self.quantile, self.fit_intercept = loss, quantile, fit_intercept
        self.cv, self.scoring, self.refit = cv, scoring, refit
        self.error_score, self.solver, self.tol = error_score, solver, tol
        self.max_iter, self.time_limit = max_iter, time_limit
        self.n_jobs, self.verbose = n_jobs, verbose

    def _searched_machine(self, X):
        machine = self._machine()
        if not suits_products(self, X):
            return machine
        shared = machine.get_params()
        shared.pop("random_state")  # of streams
        return LDMRegressor(kernel="linear", **shared)
