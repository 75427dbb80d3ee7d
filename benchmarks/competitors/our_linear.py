"""Our linear LDM, solved to a duality gap."""

from dataclasses import dataclass

from benchmarks.competitors.base import Competitor, accepted
from benchmarks.objectives import Prices
from largemargin import LinearLDMClassifier


@dataclass(frozen=True)
class OurLinear(Competitor):
    """``LinearLDMClassifier`` with the default solver, which stops on its own gap."""

    prices: Prices
    tol: float = 1e-3
    loss: str = "hinge"
    name = "largemargin"

    def machine(self, X):
        """Return the estimator."""
        return LinearLDMClassifier(
            **self.prices._asdict(),
            **accepted(LinearLDMClassifier, loss=self.loss),
            fit_intercept=False,
            tol=self.tol,
            random_state=0,
        )
