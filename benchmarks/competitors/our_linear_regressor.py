"""Our linear regression, solved to a duality gap."""

from dataclasses import dataclass

from benchmarks.competitors.base import Competitor
from benchmarks.objectives import RegressionPrices
from largemargin import LinearLDMRegressor


@dataclass(frozen=True)
class OurLinearRegressor(Competitor):
    """``LinearLDMRegressor`` without an intercept: ``LinearSVR`` penalises its own."""

    prices: RegressionPrices
    tol: float = 1e-3
    name = "largemargin"

    def machine(self, X):
        """Return the estimator."""
        options = self.prices._asdict()
        return LinearLDMRegressor(**options, fit_intercept=False, tol=self.tol)
