"""Losses of a margin: their values, duals and proximal steps.

A sample of weight ``s`` counts ``s`` times; ``beta`` is its dual variable per unit of
weight, so that a row of weight two behaves exactly as the row twice. Every loss here has
a slope, smoothed or its own, that is piecewise linear in the margin: a ``Pull``.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numba import njit

from largemargin._jit import JIT, SUM

# A margin that no row ever has; infinity would make NaN of nothing times it.
NEVER = np.finfo(np.float64).max


class Pull(NamedTuple):
    """How a row pulls at its margin: the slope of the loss, with the sign turned.

    The sum of ``clip(anchor + sigma (low - margin), floor, cap)`` and, where it is
    negative, ``over (high - margin)``.
    """

    low: float
    floor: float
    cap: float
    high: float = NEVER
    over: float = 0.0


@dataclass(frozen=True)
class Hinge:
    """The hinge ``max(0, 1 - margin)``; it has a kink, which solvers smooth."""

    is_smooth = False

    def box(self, C):
        """Return between which numbers the dual variables lie."""
        return 0.0, C

    def pull(self, C):
        """Return the slope of the loss, smoothed by a proximal step."""
        return Pull(1.0, 0.0, C)

    def value_and_gap(self, margins, beta, weight, C):
        """Return the loss, and what margins and dual variables lack to be optimal."""
        if np.isinf(C):
            return 0.0, weight @ (beta * np.abs(1.0 - margins))
        return hinge_and_gap(margins, beta, weight, C)

    def worst_gaps(self, margins, errors, beta, C, out):
        """Fill in the gap of each row, per unit of weight, at its worst margin nearby."""
        if np.isinf(C):
            out[:] = beta * (np.abs(1.0 - margins) + errors)
        else:
            worst_hinge_gaps(margins, errors, beta, C, out)

    def sensitivity(self, margins, beta, C):
        """Return what a change of each dual variable adds to the gap at the most."""
        return np.abs(1.0 - margins)

    def steepness(self, margins, C):
        """Return how fast the loss falls at these margins."""
        return np.where(margins < 1.0, C, 0.0)


@dataclass(frozen=True)
class Band:
    """The loss of the optimal margin distribution machine, which has its own slope.

    ``([1 - theta - margin]_+^2 + mu [margin - 1 - theta]_+^2) / (1 - theta)^2``: free
    between ``1 - theta`` and ``1 + theta``, and ``mu`` times as dear above as below. With
    both zero it is the squared hinge.
    """

    mu: float = 0.0
    theta: float = 0.0
    is_smooth = True

    def box(self, C):
        """Return between which numbers the dual variables lie."""
        return (-np.inf if self.mu > 0 else 0.0), np.inf

    def stiffness(self, C):
        """Return the second derivative of the loss below the band."""
        return 2.0 * C / (1.0 - self.theta) ** 2

    def pull(self, C):
        """Return the slope of the loss, for a proximal step as long as the stiffness."""
        over = self.mu * self.stiffness(C)
        return Pull(1.0 - self.theta, 0.0, np.inf, 1.0 + self.theta, over)

    def value_and_gap(self, margins, beta, weight, C):
        """Return the loss, and what margins and dual variables lack to be optimal."""
        below = self.stiffness(C)
        edges = 1.0 - self.theta, 1.0 + self.theta
        return band_and_gap(margins, beta, weight, *edges, below, self.mu * below)

    def worst_gaps(self, margins, errors, beta, C, out):
        """Fill in the gap of each row, per unit of weight, at its worst margin nearby."""
        below = self.stiffness(C)
        edges = 1.0 - self.theta, 1.0 + self.theta
        worst_band_gaps(margins, errors, beta, *edges, below, self.mu * below, out)

    def sensitivity(self, margins, beta, C):
        """Return what a change of each dual variable adds to the gap at the most.

        None may change by more than its own size.
        """
        below = self.stiffness(C)
        stiffness = np.where(beta < 0, self.mu * below, below)
        edge = np.where(beta < 0, 1.0 + self.theta, 1.0 - self.theta)
        return np.abs(margins - edge) + 2.0 * np.abs(beta) / stiffness

    def steepness(self, margins, C):
        """Return how fast the loss changes at these margins."""
        below = np.maximum(1.0 - self.theta - margins, 0.0)
        above = np.maximum(margins - 1.0 - self.theta, 0.0)
        return self.stiffness(C) * (below + self.mu * above)


HINGE = Hinge()


@njit(**SUM)
def hinge_and_gap(margins, beta, weight, C):
    """Return the sums of ``C hinge(margin)`` and ``C hinge(margin) - beta (1 - margin)``.

    No term of the second is negative; it is zero where margin and beta are optimal.
    """
    loss = 0.0
    gap = 0.0
    for i in range(margins.shape[0]):
        above = weight[i] * max(margins[i] - 1.0, 0.0)
        below = weight[i] * max(1.0 - margins[i], 0.0)
        loss += below
        gap += beta[i] * above + (C - beta[i]) * below
    return C * loss, gap


@njit(**JIT)
def worst_hinge_gaps(margins, errors, beta, C, out):
    """Fill in the largest gap of each row over all margins within its error."""
    for i in range(margins.shape[0]):
        above = max(margins[i] + errors[i] - 1.0, 0.0)
        below = max(1.0 - margins[i] + errors[i], 0.0)
        out[i] = max(beta[i] * above, (C - beta[i]) * below)


@njit(**JIT)
def worst_band_gaps(margins, errors, beta, low, high, below, above, out):
    """Fill in the largest gap of each row over all margins within its error."""
    for i in range(margins.shape[0]):
        stiffness = below if beta[i] >= 0.0 else above
        # The gap is a square, of a difference that rounds by itself.
        error = errors[i] + 1e-15 * (abs(margins[i]) + high + abs(beta[i] / stiffness))
        out[i] = max(
            band_gap(margins[i] - error, beta[i], low, high, below, above),
            band_gap(margins[i] + error, beta[i], low, high, below, above),
        )


@njit(**JIT)
def band_gap(margin, beta, low, high, below, above):
    """Return the Fenchel gap of one row."""
    if beta >= 0.0:
        over = 0.5 * above * max(margin - high, 0.0) ** 2
        return over + side_gap(low - margin, beta, below)
    under = 0.5 * below * max(low - margin, 0.0) ** 2
    return under + side_gap(margin - high, -beta, above)


@njit(**SUM)
def band_and_gap(margins, beta, weight, low, high, below, above):
    """Return the sums of the loss and of its Fenchel gaps, each a sum of squares.

    ``below`` and ``above`` are the stiffnesses on either side of the band; where the
    second is zero no dual variable may be negative.
    """
    loss = 0.0
    gap = 0.0
    for i in range(margins.shape[0]):
        under = 0.5 * below * max(low - margins[i], 0.0) ** 2
        over = 0.5 * above * max(margins[i] - high, 0.0) ** 2
        loss += weight[i] * (under + over)
        gap += weight[i] * band_gap(margins[i], beta[i], low, high, below, above)
    return loss, gap


@njit(**JIT)
def side_gap(excess, beta, stiffness):
    """Return ``stiffness [excess]_+^2 / 2 + beta^2 / (2 stiffness) - beta excess``."""
    if beta == 0.0:
        return 0.5 * stiffness * max(excess, 0.0) ** 2
    if excess > 0.0 and stiffness > 0.0:
        return 0.5 * stiffness * (excess - beta / stiffness) ** 2
    return beta * (0.5 * beta / stiffness - excess)


@njit(**JIT)
def proximal_step(margins, anchor, sigma, pull, weight, beta, curvature):
    """Fill in the dual variables that a pull gives, and their curvature over the margins.

    For the hinge they maximise ``beta (1 - margin) - (beta - anchor)^2 / (2 sigma)``.
    """
    for i in range(margins.shape[0]):
        target = anchor[i] + sigma * (pull.low - margins[i])
        beyond = margins[i] - pull.high
        bend = sigma if pull.floor < target < pull.cap else 0.0
        bend += pull.over if beyond > 0.0 else 0.0
        beta[i] = min(max(target, pull.floor), pull.cap) - pull.over * max(beyond, 0.0)
        curvature[i] = bend * weight[i]


@njit(**SUM)
def smoothed_slope(margins, step, weight, anchor, sigma, pull, t):
    """Return slope, curvature and rounding scale of the smoothed loss along a step.

    The loss is the one that ``proximal_step`` differentiates, at ``margins + t step``.
    """
    slope = 0.0
    curvature = 0.0
    size = 0.0
    for i in range(margins.shape[0]):
        margin = margins[i] + t * step[i]
        target = anchor[i] + sigma * (pull.low - margin)
        beyond = margin - pull.high
        kept = min(max(target, pull.floor), pull.cap)
        bend = sigma if kept == target else 0.0
        bend += pull.over if beyond > 0.0 else 0.0
        beta = kept - pull.over * max(beyond, 0.0)
        lever = weight[i] * step[i]
        curvature += bend * lever * step[i]
        slope -= lever * beta
        size += abs(lever * beta)
    return slope, curvature, size
