"""The optimisation problem: objective and dual, losses, intercept, certificate."""

from largemargin.problem.objective import Point, Prices, Problem, Targets
from largemargin.problem.refusals import NoMinimum
from largemargin.problem.separability import NotSeparable

__all__ = ["NoMinimum", "NotSeparable", "Point", "Prices", "Problem", "Targets"]
