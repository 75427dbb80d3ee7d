"""A point of a problem, and how far it is from the optimum at most."""

from typing import NamedTuple, Self

import numpy as np


class Point(NamedTuple):
    """A point of the primal space: element, intercept, scores and margins."""

    w: np.ndarray
    offset: float
    scores: np.ndarray
    margins: np.ndarray


class Certificate(NamedTuple):
    """The objective at a primal point, and a bound of its distance from the optimum."""

    primal: float
    gap: float
    scale: float

    @property
    def relative(self) -> float:
        """The gap divided by the sum of the absolute terms of the objective."""
        if self.gap == 0:
            return 0.0
        return self.gap / self.scale if self.scale > 0 else np.inf

    def above(self, bound: float) -> Self:
        """Return the certificate of the same point by another lower bound."""
        return self._replace(gap=min(self.gap, max(self.primal - bound, 0.0)))

    def at(self, primal: float) -> Self:
        """Return the certificate of another point by the same lower bound."""
        return self._replace(primal=primal, gap=self.gap + max(primal - self.primal, 0.0))
