"""scikit-learn's averaged stochastic gradient descent."""

from dataclasses import dataclass

from sklearn.linear_model import SGDClassifier

from benchmarks.competitors.base import Competitor


@dataclass(frozen=True)
class ScikitSGD(Competitor):
    """``SGDClassifier`` on the objective of the SVM, divided by ``C`` and the row count."""

    C: float
    epochs: int = 5
    name = "SGDClassifier"

    def machine(self, X):
        """Return the estimator."""
        return SGDClassifier(
            loss="hinge",
            average=True,
            max_iter=self.epochs,
            tol=None,
            fit_intercept=False,
            alpha=1.0 / (self.C * X.shape[0]),
            random_state=0,
        )
