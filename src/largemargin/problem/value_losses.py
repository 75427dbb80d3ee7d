"""Losses of values: of residuals, and of scores below a threshold.

The margin of a value is the score minus the value, a residual with its sign changed. The
margin of one class is the score minus the threshold. See ``losses`` for what a loss is.
"""

from dataclasses import dataclass

import numpy as np

from largemargin.problem.losses import Loss, Pull


@dataclass(frozen=True)
class Tube(Loss):
    """The epsilon-insensitive loss ``max(0, |residual| - epsilon)``."""

    epsilon: float

    def pull(self, C):
        """Return a pull of C towards the tube from either side."""
        return Pull(-self.epsilon, C, 0.0, self.epsilon, -C)


@dataclass(frozen=True)
class Pinball(Loss):
    """The loss ``max(quantile residual, (quantile - 1) residual)`` of a quantile."""

    quantile: float
    counts_shares = True

    def pull(self, C):
        """Return a pull upwards below the value, and one downwards above it."""
        upwards, downwards = self.quantile * C, (self.quantile - 1.0) * C
        return Pull(0.0, upwards, downwards, 0.0, downwards)


@dataclass(frozen=True)
class Shortfall(Loss):
    """The loss ``max(0, -margin)`` of a score below the threshold."""

    counts_shares = is_threshold = True

    def pull(self, C):
        """Return a pull of C below the threshold."""
        return Pull(0.0, C)


@dataclass(frozen=True)
class HardTube(Loss):
    """A tube that no residual may leave, whatever the price.

    Solvers aim at a tube that is narrower by the fraction ``slack``, because no method
    reaches an edge exactly, see ``solvers.hard_tube``.
    """

    epsilon: float
    slack: float = 0.0

    def pull(self, C):
        """Return a pull without a bound beyond the edges of the narrower tube."""
        inner = self.epsilon * (1.0 - self.slack)
        return Pull(-inner, np.inf, 0.0, inner, -np.inf)

    def value_and_gap(self, margins, beta, weight, C):
        """Return zero and the summed Fenchel gaps, infinite if a residual is outside."""
        gaps = np.empty_like(margins)
        self.worst_gaps(margins, np.zeros_like(margins), beta, C, gaps)
        return 0.0, weight @ gaps

    def worst_gaps(self, margins, errors, beta, C, out):
        """Fill in the gap of each row, infinite if it may be outside."""
        np.abs(beta, out=out)
        out *= self.epsilon + errors
        out += beta * margins
        out[np.abs(margins) + errors > self.epsilon] = np.inf

    def steepness(self, margins, C):
        """Return zeros: no residual is outside."""
        return np.zeros_like(margins)
