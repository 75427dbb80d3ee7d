"""The objective of a linear model without an intercept."""

import numpy as np

from benchmarks.objectives.base import Bound, Objective


class LinearObjective(Objective):
    """The objective over ``w``, and the lower bound that dual variables certify."""

    def value(self, w):
        """Return the objective at ``w``."""
        return self.value_at(w @ w, self._margins(w))

    def bound(self, w, beta):
        """Return the bound from a point and dual variables; no number of ours is trusted.

        The gap is half the squared gradient plus the Fenchel gaps.
        """
        C, lambda_var, lambda_mean = self.prices
        n_rows = len(self.y)
        beta = np.clip(beta, 0.0, C if self.power == 1 else np.inf)
        margins = self._margins(w)
        forces = beta + lambda_mean / n_rows
        forces -= 4.0 * lambda_var / n_rows * (margins - margins.mean())
        slope = w - self.X.T @ (self.y * forces)
        slack = 1.0 - margins
        losses = C * np.maximum(0.0, slack) ** self.power
        if self.power == 2:  # the conjugate of the squared hinge
            losses += beta**2 / (4.0 * C)
        gap = 0.5 * (slope @ slope) + (losses - beta * slack).sum()
        value = self.value(w)
        return Bound(value.total - float(gap), value.size)

    def _margins(self, w):
        return self.y * (self.X @ w)
