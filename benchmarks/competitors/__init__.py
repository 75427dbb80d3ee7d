"""Competitors: ours and others, each with the settings of the comparison."""

from benchmarks.competitors.base import IMPLIED, Competitor, accepted, imported
from benchmarks.competitors.liblinear_multicore import MulticoreSVM, converted
from benchmarks.competitors.linear_svc import LiblinearSVM, fewest_epochs
from benchmarks.competitors.linear_svr import LiblinearSVR
from benchmarks.competitors.one_class_svm import LibsvmOneClass
from benchmarks.competitors.onedal import OneDalSVM
from benchmarks.competitors.onedal_svr import OneDalSVR
from benchmarks.competitors.our_asgd import OurASGD
from benchmarks.competitors.our_kernel import OurDefault, OurKernel
from benchmarks.competitors.our_linear import OurLinear
from benchmarks.competitors.our_linear_regressor import OurLinearRegressor
from benchmarks.competitors.our_one_class import OurOneClass
from benchmarks.competitors.our_quantile import OurQuantile
from benchmarks.competitors.our_regressor import OurRegressor
from benchmarks.competitors.quantile_regressor import ScikitQuantile
from benchmarks.competitors.sgd import ScikitSGD
from benchmarks.competitors.snap import SnapSVM
from benchmarks.competitors.svc import LibsvmSVM
from benchmarks.competitors.svr import LibsvmSVR

__all__ = [
    "IMPLIED",
    "Competitor",
    "LiblinearSVM",
    "LiblinearSVR",
    "LibsvmOneClass",
    "LibsvmSVM",
    "LibsvmSVR",
    "MulticoreSVM",
    "OneDalSVM",
    "OneDalSVR",
    "OurASGD",
    "OurDefault",
    "OurKernel",
    "OurLinear",
    "OurLinearRegressor",
    "OurOneClass",
    "OurQuantile",
    "OurRegressor",
    "ScikitQuantile",
    "ScikitSGD",
    "SnapSVM",
    "accepted",
    "converted",
    "fewest_epochs",
    "imported",
]
