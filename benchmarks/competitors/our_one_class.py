"""Our machine of one class."""

from dataclasses import dataclass

from benchmarks.competitors.base import Competitor
from benchmarks.objectives import OneClassPrices
from largemargin import OneClassLDM


@dataclass(frozen=True)
class OurOneClass(Competitor):
    """``OneClassLDM`` with an rbf kernel."""

    prices: OneClassPrices
    gamma: float
    tol: float = 1e-3
    time_limit: float | None = None
    name = "largemargin"

    def machine(self, X):
        """Return the estimator."""
        return OneClassLDM(
            **self.prices._asdict(),
            gamma=self.gamma,
            tol=self.tol,
            time_limit=self.time_limit,
        )
