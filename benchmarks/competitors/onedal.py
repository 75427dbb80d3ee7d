"""oneDAL's SVM, through scikit-learn-intelex."""

from dataclasses import dataclass

from benchmarks.competitors.base import Competitor, imported


@dataclass(frozen=True)
class OneDalSVM(Competitor):
    """``sklearnex.svm.SVC`` with the settings of LIBSVM's."""

    C: float
    gamma: float
    name = "oneDAL"

    def machine(self, X):
        """Return the estimator."""
        svm = imported("sklearnex.svm", "scikit-learn-intelex")
        return svm.SVC(C=self.C, kernel="rbf", gamma=self.gamma, tol=1e-3, cache_size=2000)
