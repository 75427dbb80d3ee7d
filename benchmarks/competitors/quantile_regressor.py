"""Quantile regression by linear programming, through scikit-learn."""

from dataclasses import dataclass

from sklearn.linear_model import QuantileRegressor

from benchmarks.competitors.base import Competitor


@dataclass(frozen=True)
class ScikitQuantile(Competitor):
    """``QuantileRegressor`` without its L1 penalty."""

    quantile: float
    name = "QuantileRegressor"

    def machine(self, X):
        """Return the estimator."""
        return QuantileRegressor(quantile=self.quantile, alpha=0.0)
