"""The large margin distribution regressor with a kernel, with a search."""

from typing import Any

import numpy as np

from largemargin.estimators.base import KernelChoice
from largemargin.estimators.documentation import described_like
from largemargin.estimators.ldm_regressor import LDMRegressor
from largemargin.estimators.regressor_search import RegressorSearch
from largemargin.estimators.search import (
    MachineSearch,
    Scoring,
    Values,
    search_constraints,
)

VALUE_PRICES = {
    "C": "Cs",
    "epsilon": "epsilons",
    "lambda_var": "lambda_vars",
    "lambda_square": "lambda_squares",
}


@described_like(MachineSearch, LDMRegressor)
class LDMRegressorCV(RegressorSearch):
    r"""LDMRegressor with prices, tube and kernel width chosen by cross-validation.

    Computes the scores of ``GridSearchCV`` over :class:`LDMRegressor` at a fraction of its
    cost: each fold computes one Gram matrix, and one factor of low rank, per kernel width,
    and points are solved from warm starts.

    Parameters
    ----------
    grid : {"scale"}, default="scale"
        The values to search for parameters without values below: C in 10^-2 .. 10^2 and
        epsilon in {0.1, 0.5} times the scale of the values, ``lambda_var`` in {0,
        "30*scale", "300*scale"}, where 0 is support vector regression, and three kernel
        widths: 90 points, or 30 without a kernel width to search.
    Cs, epsilons, lambda_vars, lambda_squares, gammas : array-like, default=None
        Values of ``C``, ``epsilon``, ``lambda_var``, ``lambda_square`` and ``gamma`` to
        search; None uses those of ``grid``. For ``loss="quantile"``, that has one value of
        all but ``C`` and ``gamma``.
    loss
    quantile : float, default=0.5
        Which quantile, between 0 and 1, ``loss="quantile"`` predicts.
    kernel, degree, coef0, fit_intercept
    cv : int, splitter or iterable of splits, default=None
        Cross-validation splits, as in scikit-learn; None uses five folds.
    scoring : str or callable, default=None
        A scorer of scikit-learn, or its name; None uses R2. With ``loss="quantile"``, None
        uses ``d2_pinball_score`` at the quantile, which is the same for the pinball loss:
        1 for perfect predictions and 0 for the best constant, whatever the units of ``y``.
        If a scorer accepts sample weights, it receives them.
    refit
    error_score : "raise" or float, default=numpy.nan
        Score of a fit that fails, with a warning; NaN never wins. If all fits fail, an
        error is raised.
    solver, tol, max_iter, time_limit
    n_jobs, verbose

    Attributes
    ----------
    best_estimator_, best_params_, best_score_, best_index_, cv_results_
    unseen_predictions_ : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        Predictions for the training rows at the best parameters, each by the fit without
        the fold that tests the row; NaN if no fold does. Not stored with ``refit=False``,
        or if those of all points would take more than 256 MB during the search.
    n_splits_, n_iter_, n_features_in_, feature_names_in_

    See Also
    --------
    LDMRegressor : The estimator at given prices.
    LinearLDMRegressorCV : The same without a kernel.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.preprocessing import StandardScaler
    >>> from largemargin import LDMRegressorCV
    >>> X, y = load_diabetes(return_X_y=True)
    >>> X = StandardScaler().fit_transform(X)
    >>> search = LDMRegressorCV(Cs=["scale"], gammas=["0.1*scale"]).fit(X, y)
    >>> len(search.cv_results_["params"])
    6
    >>> print(f"{search.best_score_:.2f}")
    0.49
    """

    _machine_class = LDMRegressor
    _grids = {**VALUE_PRICES, "gamma": "gammas"}
    _parameter_constraints: dict = search_constraints(LDMRegressor, _grids)

    def __init__(
        self,
        grid: str = "scale",
        *,
        Cs: Values = None,
        epsilons: Values = None,
        lambda_vars: Values = None,
        lambda_squares: Values = None,
        gammas: Values = None,
        loss: str = "epsilon_insensitive",
        quantile: float = 0.5,
        kernel: KernelChoice = "rbf",
        degree: int = 3,
        coef0: float = 0.0,
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
        self.grid, self.Cs, self.epsilons, self.gammas = grid, Cs, epsilons, gammas
        self.lambda_vars, self.lambda_squares = lambda_vars, lambda_squares
        self.loss, self.quantile = loss, quantile
        self.kernel, self.degree, self.coef0 = kernel, degree, coef0
        self.fit_intercept, self.cv, self.scoring = fit_intercept, cv, scoring
        self.refit, self.error_score, self.solver = refit, error_score, solver
        self.tol, self.max_iter, self.time_limit = tol, max_iter, time_limit
        self.n_jobs, self.verbose = n_jobs, verbose
