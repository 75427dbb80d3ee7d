"""Targets: what is claimed, one file per target."""

from benchmarks.targets.asgd import ASGD
from benchmarks.targets.big_kernel import BigKernel
from benchmarks.targets.classes import Classes
from benchmarks.targets.defaults import Defaults
from benchmarks.targets.growth import Growth
from benchmarks.targets.kernel import Kernel
from benchmarks.targets.leave_one_out import LeaveOne
from benchmarks.targets.linear import Linear
from benchmarks.targets.linear_peers import LinearPeers
from benchmarks.targets.linear_regression import LinearRegression
from benchmarks.targets.memory import Memory
from benchmarks.targets.one_class import OneClass
from benchmarks.targets.prediction import Prediction
from benchmarks.targets.price import Price
from benchmarks.targets.quantiles import Quantiles
from benchmarks.targets.reading import Reading
from benchmarks.targets.regression import Regression
from benchmarks.targets.searches import Searches
from benchmarks.targets.selection import Selection
from benchmarks.targets.startup import Startup
from benchmarks.targets.value_searches import ValueSearches

CLASSES = (
    Linear,
    Price,
    Kernel,
    ASGD,
    Memory,
    Prediction,
    Startup,
    Growth,
    BigKernel,
    Selection,
    LeaveOne,
    Reading,
    LinearPeers,
    Searches,
    Classes,
    Defaults,
    Regression,
    LinearRegression,
    Quantiles,
    OneClass,
    ValueSearches,
)
TARGETS = {cls.name: cls() for cls in CLASSES}

__all__ = ["TARGETS"]
