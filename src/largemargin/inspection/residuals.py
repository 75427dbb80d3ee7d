"""The distribution of the residuals of a fitted regressor."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import is_regressor
from sklearn.utils.validation import check_array, check_is_fitted

from largemargin.estimators.nesting import innermost
from largemargin.inspection.distribution import Distribution, checked_weight

# What tables call the statistics whose names are not words.
TITLES = {
    "mean_absolute_error": "mean absolute error",
    "r2": "R2",
    "inside": "share inside the tube",
    "pinball_loss": "mean pinball loss",
    "below": "share at or below the quantile",
}


@dataclass(frozen=True, repr=False)
class ResidualDistribution(Distribution):
    """Residuals of rows and their statistics.

    Parameters
    ----------
    residuals : ndarray of shape (n_samples,)
        The residual of each row: its value minus the predicted one.
    values : ndarray of shape (n_samples,)
        The values to predict.
    weight : ndarray of shape (n_samples,)
        Weights of the rows, which all statistics below take into account.
    epsilon : float or None, default=None
        Half the width of the tube; None for a regressor that has none.
    quantile : float or None, default=None
        The quantile that was predicted; None for a regressor of another kind.
    """

    residuals: np.ndarray
    values: np.ndarray
    weight: np.ndarray
    epsilon: float | None = None
    quantile: float | None = None

    @property
    def _values(self) -> np.ndarray:
        return self.residuals

    @property
    def deviation(self) -> float:
        """The standard deviation of the residuals."""
        return float(np.sqrt(self.variance))

    @property
    def mean_squared_error(self) -> float:
        """The mean of the squared residuals."""
        return self._average(self.residuals**2)

    @property
    def mean_absolute_error(self) -> float:
        """The mean of the absolute residuals."""
        return self._average(np.abs(self.residuals))

    @property
    def r2(self) -> float:
        """The share of the variance of the values that the predictions explain.

        Of constant values, it is 1 for exact predictions and otherwise 0.
        """
        variance = self._average((self.values - self._average(self.values)) ** 2)
        if variance == 0:
            return float(self.mean_squared_error == 0)
        return 1.0 - self.mean_squared_error / variance

    @property
    def inside(self) -> float | None:
        """The share of rows in the tube, or None without a tube.

        Support vectors may be at its edge, where rounding decides.
        """
        if self.epsilon is None:
            return None
        return self._average(np.abs(self.residuals) <= self.epsilon)

    @property
    def below(self) -> float:
        """The share of rows whose value is at most the predicted one.

        A predicted quantile passes through some rows, where rounding decides.
        """
        return self._average(self.residuals <= 0)

    @property
    def pinball_loss(self) -> float | None:
        """The mean loss of the quantile, or None if none was predicted."""
        if self.quantile is None:
            return None
        losses = np.maximum(self.quantile * self.residuals, 0.0)
        losses += np.maximum((self.quantile - 1.0) * self.residuals, 0.0)
        return self._average(losses)

    def _summary(self) -> dict[str, Any]:
        names = ["mean", "deviation", "mean_absolute_error", "r2"]
        if self.quantile is not None:
            names = ["mean", "deviation", "quantile", "pinball_loss", "below"]
        elif self.epsilon is not None:
            names += ["epsilon", "inside"]
        # Without positive weights there are no statistics, and a prompt must not raise.
        known = names if self.weight.any() else []
        return {"n": len(self.residuals), **{name: getattr(self, name) for name in known}}

    def _columns(self) -> dict[str, dict[str, Any]]:
        shown = {TITLES.get(name, name): one for name, one in self._summary().items()}
        return {
            "residual": shown | (self._quantiles_by_name() if self.weight.any() else {})
        }


def residual_distribution(
    estimator, X, y, sample_weight=None
) -> ResidualDistribution | list[ResidualDistribution]:
    """Return the residuals of rows under a fitted regressor.

    Parameters
    ----------
    estimator : regressor
        Fitted; also a pipeline or a search.
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Rows.
    y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        Values of the rows.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows.

    Returns
    -------
    distribution : ResidualDistribution or list of ResidualDistribution
        With ``residuals``, ``mean``, ``deviation``, ``mean_absolute_error``, ``r2`` and
        ``quantiles()``; ``inside``, the share of rows in the tube, and of a predicted
        quantile ``below``, the share of rows below it. A list with one for each column of
        the predictions if ``y`` has columns or if there are several quantiles.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.preprocessing import scale
    >>> from largemargin import LinearLDMRegressor, residual_distribution
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = LinearLDMRegressor(C=50, epsilon=20).fit(scale(X), y)
    >>> found = residual_distribution(model, scale(X), y)
    >>> print(f"{found.r2:.2f}, {found.inside:.2f}")
    0.51, 0.28
    """
    check_is_fitted(estimator)
    if not is_regressor(estimator):
        raise TypeError(
            f"Residuals need a regressor; got {type(innermost(estimator)).__name__}. For "
            "classifiers use margin_distribution."
        )
    predictions = np.asarray(estimator.predict(X))
    return distribution_of_predictions(estimator, predictions, y, sample_weight)


def distribution_of_predictions(
    estimator, predictions, y, sample_weight=None
) -> ResidualDistribution | list[ResidualDistribution]:
    """Return the residuals of rows whose predictions are known."""
    y = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")
    is_several = predictions.ndim == 2 and y.ndim == 1  # quantiles of the same values
    if len(y) != len(predictions) or not (is_several or y.shape == predictions.shape):
        raise ValueError(
            f"y must have a value for each prediction, of shape {predictions.shape}; got "
            f"shape {y.shape}."
        )
    weight = checked_weight(sample_weight, len(y))
    n_columns = 1 if predictions.ndim == 1 else predictions.shape[1]
    # Of several quantiles, every column has the same values.
    values = np.broadcast_to(y.reshape(len(y), -1), (len(y), n_columns))
    residuals = values - predictions.reshape(len(y), -1)
    epsilons, quantiles = (
        np.broadcast_to(one, n_columns).tolist() for one in tube_and_quantile(estimator)
    )
    columns = zip(residuals.T, values.T, epsilons, quantiles, strict=True)
    found = [
        ResidualDistribution(residual, value, weight, epsilon, quantile)
        for residual, value, epsilon, quantile in columns
    ]
    return found if predictions.ndim == 2 else found[0]


def tube_and_quantile(estimator):
    """Return epsilon and the quantile of a regressor, each None if it has none.

    There may be one for each column of the predictions.
    """
    machine = innermost(estimator)
    predicts_quantiles = getattr(machine, "loss", "quantile") == "quantile"
    quantile = getattr(machine, "quantile", None) if predicts_quantiles else None
    return getattr(machine, "epsilon_", None), quantile
