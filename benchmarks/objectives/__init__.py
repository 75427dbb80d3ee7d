"""Objectives, evaluated in float64 NumPy and without the library."""

from benchmarks.objectives.base import Bound, Objective, Prices
from benchmarks.objectives.linear import LinearObjective
from benchmarks.objectives.rbf import RbfObjective, gamma_paper, gamma_scale, rbf

__all__ = [
    "Bound",
    "LinearObjective",
    "Objective",
    "Prices",
    "RbfObjective",
    "gamma_paper",
    "gamma_scale",
    "rbf",
]
