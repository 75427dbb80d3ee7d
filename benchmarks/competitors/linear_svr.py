"""LIBLINEAR's support vector regression, through scikit-learn."""

from dataclasses import dataclass

from sklearn.svm import LinearSVR

from benchmarks.competitors.base import Competitor
from benchmarks.objectives import RegressionPrices


@dataclass(frozen=True)
class LiblinearSVR(Competitor):
    """``LinearSVR`` for a number of epochs: no tolerance stops it earlier."""

    prices: RegressionPrices
    epochs: int
    name = "LinearSVR"

    def machine(self, X):
        """Return the estimator."""
        return LinearSVR(
            C=self.prices.C,
            epsilon=self.prices.epsilon,
            fit_intercept=False,
            tol=1e-12,
            max_iter=self.epochs,
            random_state=0,
        )
