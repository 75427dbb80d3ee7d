"""The objective of the large margin distribution machine, given norm and margins.

|w|^2 / 2 + lambda_var 2 Var(g) - lambda_mean Mean(g) + C sum max(0, 1 - g_i)

The squared hinge has max(0, 1 - g_i)^2 in the last term.
"""

from typing import NamedTuple

import numpy as np


class Prices(NamedTuple):
    """The prices of violations and of margin variance, the reward of the margin mean."""

    C: float
    lambda_var: float = 0.0
    lambda_mean: float = 0.0

    @classmethod
    def paper(cls, C):
        """Return lambdas from the middle of the paper's range."""
        return cls(C, 2.0**-4, 2.0**-4)

    @classmethod
    def active(cls, C, n_rows, k_var, k_mean=0.0):
        """Return lambdas in units of C times the rows, as ``"scale"`` has them."""
        return cls(C, k_var * C * n_rows, k_mean * C * n_rows)

    @classmethod
    def named(cls, name, C, n_rows):
        """Return prices by name: "svm", "paper", or active ones such as "0.1, 0.3"."""
        if name == "svm":
            return cls(C)
        if name == "paper":
            return cls.paper(C)
        return cls.active(C, n_rows, *map(float, name.split(",")))


class Value(NamedTuple):
    """The objective at a point and the sum of the sizes of its terms."""

    total: float
    size: float


class Bound(NamedTuple):
    """A certified lower bound on an optimum, and the size that gaps are relative to."""

    lower: float
    size: float

    def above(self, total):
        """Return how far an objective lies above the bound, relative to its size."""
        return (total - self.lower) / self.size


class Objective:
    """The objective on some rows; subclasses say what norms and margins are."""

    def __init__(self, X, y, prices, loss="hinge"):
        self.X = X
        self.y = y
        self.prices = prices
        self.power = 2 if loss == "squared_hinge" else 1

    def value_at(self, norm, margins):
        """Return the objective for a squared norm and the margins of the rows."""
        C, lambda_var, lambda_mean = self.prices
        costs = 0.5 * norm + 2.0 * lambda_var * margins.var()
        costs += C * (np.maximum(0.0, 1.0 - margins) ** self.power).sum()
        reward = lambda_mean * margins.mean()
        return Value(float(costs - reward), float(costs + abs(reward)))
