"""Our averaged stochastic gradient descent."""

from dataclasses import dataclass

from benchmarks.competitors.base import Competitor
from benchmarks.objectives import Prices
from largemargin import LinearLDMClassifier


@dataclass(frozen=True)
class OurASGD(Competitor):
    """The paper's Algorithm 2, for a number of epochs."""

    prices: Prices
    epochs: int = 5
    name = "largemargin"

    def machine(self, X):
        """Return the estimator."""
        return LinearLDMClassifier(
            **self.prices._asdict(),
            fit_intercept=False,
            solver="asgd",
            max_iter=self.epochs,
            random_state=0,
        )
