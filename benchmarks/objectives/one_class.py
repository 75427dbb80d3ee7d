"""The objective of one class with an rbf kernel, given its scores and the threshold.

|w|^2 / 2 - rho + Mean(max(0, rho - f)) / nu + lambda_var 2 Var(f) - lambda_mean Mean(f)
"""

from typing import NamedTuple

import numpy as np

from benchmarks.objectives.base import Value
from benchmarks.objectives.rbf import expansion


class OneClassPrices(NamedTuple):
    """The share of outliers, the price of variance, and the reward of the mean score."""

    nu: float
    lambda_var: float = 0.0
    lambda_mean: float = 0.0

    @classmethod
    def named(cls, name, nu):
        """Return prices by name: "svm", or both lambdas, such as "0.01, 0.01"."""
        return cls(nu) if name == "svm" else cls(nu, *map(float, name.split(",")))


class OneClassObjective:
    """The objective on some rows."""

    def __init__(self, X, gamma, prices):
        self.X, self.gamma, self.prices = X, gamma, prices

    def value(self, machine, unit=1.0):
        """Return the objective of a machine whose numbers are ``unit`` times larger."""
        norm, scores = expansion(machine, self.X, self.gamma)
        threshold = -machine.intercept_[0] / unit
        return self.value_at(norm / unit**2, scores / unit, threshold)

    def value_at(self, norm, scores, threshold):
        """Return the objective for a squared norm, scores and the threshold."""
        nu, lambda_var, lambda_mean = self.prices
        costs = 0.5 * norm + 2.0 * lambda_var * scores.var()
        costs += np.maximum(0.0, threshold - scores).mean() / nu
        reward = threshold + lambda_mean * scores.mean()
        return Value(float(costs - reward), float(costs + abs(reward)))
