"""LIBSVM's support vector regression, through scikit-learn."""

from dataclasses import dataclass

from sklearn import svm

from benchmarks.competitors.base import Competitor
from benchmarks.objectives import RegressionPrices


@dataclass(frozen=True)
class LibsvmSVR(Competitor):
    """``SVR`` with an rbf kernel, a cache of two gigabytes and a given tolerance."""

    prices: RegressionPrices
    gamma: float
    tol: float
    name = "SVR"

    def library(self):
        """Return the module that has the estimator."""
        return svm

    def machine(self, X):
        """Return the estimator."""
        C, epsilon, *_ = self.prices
        options = {"gamma": self.gamma, "tol": self.tol, "cache_size": 2000}
        return self.library().SVR(C=C, epsilon=epsilon, kernel="rbf", **options)
