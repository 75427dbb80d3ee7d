"""LIBSVM's machine of one class, through scikit-learn."""

from dataclasses import dataclass

from sklearn.svm import OneClassSVM

from benchmarks.competitors.base import Competitor


@dataclass(frozen=True)
class LibsvmOneClass(Competitor):
    """``OneClassSVM`` with an rbf kernel and a cache of two gigabytes."""

    nu: float
    gamma: float
    name = "OneClassSVM"

    def machine(self, X):
        """Return the estimator."""
        return OneClassSVM(nu=self.nu, gamma=self.gamma, tol=1e-3, cache_size=2000)
