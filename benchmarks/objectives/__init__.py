"""Objectives, evaluated in float64 NumPy and without the library."""

from benchmarks.objectives.base import Bound, Objective, Prices
from benchmarks.objectives.linear import LinearObjective
from benchmarks.objectives.one_class import OneClassObjective, OneClassPrices
from benchmarks.objectives.rbf import (
    RbfObjective,
    certified,
    gamma_paper,
    gamma_scale,
    rbf,
)
from benchmarks.objectives.regression import (
    RegressionObjective,
    RegressionPrices,
    robust_scale,
)

__all__ = [
    "Bound",
    "LinearObjective",
    "Objective",
    "OneClassObjective",
    "OneClassPrices",
    "Prices",
    "RbfObjective",
    "RegressionObjective",
    "RegressionPrices",
    "certified",
    "gamma_paper",
    "gamma_scale",
    "rbf",
    "robust_scale",
]
