"""Our linear quantile regression, solved to a duality gap."""

from dataclasses import dataclass

from benchmarks.competitors.base import Competitor
from largemargin import LinearLDMRegressor


@dataclass(frozen=True)
class OurQuantile(Competitor):
    """``LinearLDMRegressor`` with the loss of a quantile and its default, zero lambdas."""

    quantile: float
    C: float
    tol: float = 1e-3
    name = "largemargin"

    def machine(self, X):
        """Return the estimator."""
        return LinearLDMRegressor(
            self.C, loss="quantile", quantile=self.quantile, tol=self.tol
        )
