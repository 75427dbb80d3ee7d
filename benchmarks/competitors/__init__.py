"""Competitors: ours and scikit-learn's, each with the settings of the comparison."""

from benchmarks.competitors.linear_svc import LiblinearSVM, fewest_epochs
from benchmarks.competitors.our_asgd import OurASGD
from benchmarks.competitors.our_kernel import OurKernel
from benchmarks.competitors.our_linear import OurLinear
from benchmarks.competitors.sgd import ScikitSGD
from benchmarks.competitors.svc import LibsvmSVM

__all__ = [
    "LiblinearSVM",
    "LibsvmSVM",
    "OurASGD",
    "OurKernel",
    "OurLinear",
    "ScikitSGD",
    "fewest_epochs",
]
