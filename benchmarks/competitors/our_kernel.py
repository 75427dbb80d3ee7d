"""Our LDM with a kernel."""

from dataclasses import dataclass

from benchmarks.competitors.base import Competitor, accepted
from benchmarks.objectives import Prices
from largemargin import LDMClassifier


@dataclass(frozen=True)
class OurKernel(Competitor):
    """``LDMClassifier`` with an rbf kernel and an intercept, as ``SVC`` has."""

    prices: Prices
    gamma: float
    tol: float = 1e-3
    loss: str = "hinge"
    time_limit: float | None = None
    name = "largemargin"

    def machine(self, X):
        """Return the estimator."""
        return LDMClassifier(
            **self.prices._asdict(),
            **accepted(LDMClassifier, loss=self.loss),
            kernel="rbf",
            gamma=self.gamma,
            tol=self.tol,
            time_limit=self.time_limit,
            random_state=0,
        )


@dataclass(frozen=True)
class OurDefault(Competitor):
    """``LDMClassifier`` with its own prices and loss."""

    C: float
    gamma: float
    tol: float = 1e-3
    time_limit: float | None = None
    name = "largemargin"

    def machine(self, X):
        """Return the estimator."""
        return LDMClassifier(
            self.C, gamma=self.gamma, tol=self.tol, time_limit=self.time_limit
        )
