"""Competitors: ours and others, each with the settings of the comparison."""

from benchmarks.competitors.base import IMPLIED, Competitor, accepted, imported
from benchmarks.competitors.liblinear_multicore import MulticoreSVM, converted
from benchmarks.competitors.linear_svc import LiblinearSVM, fewest_epochs
from benchmarks.competitors.onedal import OneDalSVM
from benchmarks.competitors.our_asgd import OurASGD
from benchmarks.competitors.our_kernel import OurDefault, OurKernel
from benchmarks.competitors.our_linear import OurLinear
from benchmarks.competitors.sgd import ScikitSGD
from benchmarks.competitors.snap import SnapSVM
from benchmarks.competitors.svc import LibsvmSVM

__all__ = [
    "IMPLIED",
    "Competitor",
    "LiblinearSVM",
    "LibsvmSVM",
    "MulticoreSVM",
    "OneDalSVM",
    "OurASGD",
    "OurDefault",
    "OurKernel",
    "OurLinear",
    "ScikitSGD",
    "SnapSVM",
    "accepted",
    "converted",
    "fewest_epochs",
    "imported",
]
