"""What a problem is made of: prices and targets; and the terms of its objective."""

from typing import NamedTuple, Self

import numpy as np


class Prices(NamedTuple):
    """The prices of the terms of the objective; ``intercept`` is the price of ``b``."""

    C: float
    lambda_var: float = 0.0
    lambda_mean: float = 0.0
    lambda_square: float = 0.0
    intercept: float = 0.0

    def without_squares(self) -> Self:
        """Return the same prices without those of the squared terms."""
        return self._replace(lambda_var=0.0, lambda_square=0.0)


class Targets(NamedTuple):
    """The target of each row: ``margin = sign (score + intercept) - origin``."""

    sign: np.ndarray
    origin: np.ndarray

    @classmethod
    def of_classes(cls, sign: np.ndarray) -> Self:
        """Return the targets of two classes, -1 and 1."""
        return cls(sign, np.zeros_like(sign))

    @classmethod
    def of_values(cls, values: np.ndarray) -> Self:
        """Return the targets of a regression, in which margins are negative residuals."""
        return cls(np.ones_like(values), values)


class Terms(NamedTuple):
    """The terms of the objective at a point, and the summed Fenchel gaps of its losses."""

    quadratic: float
    reward: float
    loss: float
    gap: float
    least_scale: float = 0.0

    @property
    def primal(self) -> float:
        """The objective."""
        return self.quadratic - self.reward + self.loss

    @property
    def scale(self) -> float:
        """The sum of the absolute values of the terms, but no less than the least scale."""
        return max(self.quadratic + abs(self.reward) + self.loss, self.least_scale)
