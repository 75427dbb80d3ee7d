"""How far from the optimum a point is at the most."""

from typing import NamedTuple

import numpy as np


class Certificate(NamedTuple):
    """Value of a primal point and its certified distance from the optimum."""

    primal: float
    gap: float
    scale: float

    @property
    def relative(self):
        """The gap divided by the sizes of the terms of the objective."""
        if self.gap == 0:
            return 0.0
        return self.gap / self.scale if self.scale > 0 else np.inf

    def above(self, bound):
        """Return the certificate of the same point by another lower bound."""
        return self._replace(gap=min(self.gap, max(self.primal - bound, 0.0)))

    def at(self, primal):
        """Return the certificate of another point by the same lower bound."""
        return self._replace(primal=primal, gap=self.gap + max(primal - self.primal, 0.0))
