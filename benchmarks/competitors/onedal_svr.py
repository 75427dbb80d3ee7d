"""oneDAL's support vector regression, through scikit-learn-intelex."""

from benchmarks.competitors.base import imported
from benchmarks.competitors.svr import LibsvmSVR


class OneDalSVR(LibsvmSVR):
    """``sklearnex.svm.SVR`` with the settings of LIBSVM's."""

    name = "oneDAL"

    def library(self):
        """Return the module that has the estimator."""
        return imported("sklearnex.svm", "scikit-learn-intelex")
