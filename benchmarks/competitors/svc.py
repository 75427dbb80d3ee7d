"""LIBSVM, through scikit-learn."""

from dataclasses import dataclass

from sklearn.svm import SVC

from benchmarks.competitors.base import Competitor


@dataclass(frozen=True)
class LibsvmSVM(Competitor):
    """``SVC`` with an rbf kernel and a cache of two gigabytes."""

    C: float
    gamma: float
    name = "SVC"

    def machine(self, X):
        """Return the estimator."""
        return SVC(C=self.C, kernel="rbf", gamma=self.gamma, tol=1e-3, cache_size=2000)
