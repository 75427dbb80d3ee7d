"""Our LDM with a kernel."""

from dataclasses import dataclass

from benchmarks.competitors.base import Competitor
from benchmarks.objectives import Prices
from largemargin import LDMClassifier


@dataclass(frozen=True)
class OurKernel(Competitor):
    """``LDMClassifier`` with an rbf kernel and an intercept, as ``SVC`` has."""

    prices: Prices
    gamma: float
    tol: float = 1e-3
    name = "largemargin"

    def machine(self, X):
        """Return the estimator."""
        return LDMClassifier(
            **self.prices._asdict(),
            kernel="rbf",
            gamma=self.gamma,
            tol=self.tol,
            random_state=0,
        )
