"""Losses of values: of residuals, and of scores below a threshold.

The margin of a value is the score minus the value, a residual with its sign changed. The
margin of one class is the score minus the threshold. See ``losses`` for what a loss is.
"""

from dataclasses import dataclass

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

    def pull(self, C):
        """Return a pull upwards below the value, and one downwards above it."""
        upwards, downwards = self.quantile * C, (self.quantile - 1.0) * C
        return Pull(0.0, upwards, downwards, 0.0, downwards)


@dataclass(frozen=True)
class Shortfall(Loss):
    """The loss ``max(0, -margin)`` of a score below the threshold."""

    def pull(self, C):
        """Return a pull of C below the threshold."""
        return Pull(0.0, C)
