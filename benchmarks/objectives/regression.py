"""The objective of regression, given norm and residuals.

|w|^2 / 2 + lambda_var 2 Var(r) + lambda_square Mean(r^2) + C sum max(0, |r_i| - epsilon)
"""

from typing import NamedTuple

import numpy as np

from benchmarks.objectives.base import Bound, Value
from benchmarks.objectives.rbf import expansion

# Half the width of the tube, in units of the scale of the values.
EPSILON = 0.1


def robust_scale(y):
    """Return the interquartile range over 1.349: a deviation outliers hardly move."""
    lower, upper = np.quantile(y, (0.25, 0.75), method="inverted_cdf")
    return float(upper - lower) / 1.349


class RegressionPrices(NamedTuple):
    """The prices of residuals, in the units of the values."""

    C: float
    epsilon: float
    lambda_var: float = 0.0
    lambda_square: float = 0.0

    @classmethod
    def named(cls, name, C, y):
        """Return prices for values; C is in units of their scale, as is epsilon.

        "svm" has zero lambdas, "0.01, 0.01" has k_var and k_square, in units of C times
        the rows over the scale.
        """
        scale = robust_scale(y)
        lambdas = (0.0, 0.0) if name == "svm" else map(float, name.split(","))
        return cls(C * scale, EPSILON * scale, *(k * C * len(y) for k in lambdas))


class RegressionObjective:
    """The objective on some rows, for a kernel with an intercept or for neither."""

    def __init__(self, X, y, prices):
        self.X, self.y, self.prices = X, y, prices

    def value_at(self, norm, residuals):
        """Return the objective for a squared norm and the residuals of the rows."""
        C, epsilon, lambda_var, lambda_square = self.prices
        total = 0.5 * norm + 2.0 * lambda_var * residuals.var()
        total += lambda_square * (residuals**2).mean()
        total += C * np.maximum(0.0, np.abs(residuals) - epsilon).sum()
        return Value(float(total), float(total))

    def kernel_value(self, machine, gamma):
        """Return the objective of a machine with an rbf kernel: ours or ``SVR``."""
        norm, scores = expansion(machine, self.X, gamma)
        return self.value_at(norm, self.y - scores - machine.intercept_[0])

    def linear_value(self, w):
        """Return the objective of a linear machine without an intercept."""
        return self.value_at(w @ w, self.y - self.X @ w)

    def linear_bound(self, w, beta):
        """Return the bound from a point and dual variables; no number of ours is trusted.

        The gap is half the squared gradient plus the Fenchel gaps.
        """
        C, epsilon, lambda_var, lambda_square = self.prices
        n_rows, residuals = len(self.y), self.y - self.X @ w
        beta = np.clip(beta, -C, C)
        forces = beta + 2.0 * lambda_square / n_rows * residuals
        forces += 4.0 * lambda_var / n_rows * (residuals - residuals.mean())
        slope = w - self.X.T @ forces
        gaps = C * np.maximum(0.0, np.abs(residuals) - epsilon) + epsilon * np.abs(beta)
        gap = 0.5 * (slope @ slope) + (gaps - beta * residuals).sum()
        value = self.linear_value(w)
        return Bound(value.total - float(gap), value.size)
