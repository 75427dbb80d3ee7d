"""The optimisation problem: objective and dual, losses, intercept, certificate."""

from largemargin.problem.certificate import Point
from largemargin.problem.checks import NoMinimum, NotSeparable
from largemargin.problem.objective import Problem
from largemargin.problem.terms import Prices, Targets

__all__ = ["NoMinimum", "NotSeparable", "Point", "Prices", "Problem", "Targets"]
