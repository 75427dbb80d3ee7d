"""Our regression with a kernel."""

from dataclasses import dataclass

from benchmarks.competitors.base import Competitor
from benchmarks.objectives import RegressionPrices
from largemargin import LDMRegressor


@dataclass(frozen=True)
class OurRegressor(Competitor):
    """``LDMRegressor`` with an rbf kernel and an intercept, as ``SVR`` has."""

    prices: RegressionPrices
    gamma: float
    tol: float = 1e-3
    time_limit: float | None = None
    name = "largemargin"

    def machine(self, X):
        """Return the estimator."""
        return LDMRegressor(
            **self.prices._asdict(),
            gamma=self.gamma,
            tol=self.tol,
            time_limit=self.time_limit,
        )
