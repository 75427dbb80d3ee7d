"""Losses of a margin: their values, duals and proximal steps.

A sample of weight ``s`` counts ``s`` times; ``beta`` is its dual variable per unit of
weight, so that a row of weight two behaves exactly like the row twice. The slope of every
loss here, smoothed if it has kinks, is piecewise linear in the margin: a ``Pull``.
docs/add_a_loss.md derives what a loss must provide.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from largemargin.numerics.jit import JIT, SUM, njit

# A hard margin counts as this steep.
STEEPEST = 1e100


class Pull(NamedTuple):
    """The pull of a row at its margin: the slope of the loss with its sign changed.

    It falls from ``cap`` to ``rest`` at the margin ``low``, and to ``floor`` at ``high``.
    Smoothed by a proximal step of length sigma from an anchor it follows the ramps

        anchor + sigma (low - margin)           between rest and cap,
        anchor + ratio sigma (high - margin)    between floor and rest.
    """

    low: float
    cap: float
    rest: float = 0.0
    high: float = 0.0
    floor: float = 0.0
    ratio: float = 0.0


class Smoothing(NamedTuple):
    """A proximal step: its anchor, its length and the pull that it smooths."""

    anchor: np.ndarray
    sigma: float
    pull: Pull

    def after_a_move(self, stiffness: float) -> "Smoothing":
        """Return the step that finds the pull at ``margin + pull / stiffness``.

        An infinite sigma smooths nothing; one with a finite sigma needs no anchor, or has
        two ramps of the same length.
        """
        sigma, upper = self.sigma, self.sigma * self.pull.ratio
        if np.isinf(sigma):
            pull = self.pull._replace(ratio=1.0)
            return Smoothing(np.zeros_like(self.anchor), stiffness, pull)
        lower = sigma * stiffness / (sigma + stiffness)
        ratio = upper * stiffness / (upper + stiffness) / lower if lower > 0 else 0.0
        anchor = self.anchor * (stiffness / (sigma + stiffness))
        return Smoothing(anchor, lower, self.pull._replace(ratio=ratio))


class Loss:
    """A convex function of the margin, times the price C.

    A loss is piecewise linear with one or two kinks, zero at the lower one, and ``pull(C)``
    alone defines it. A smooth loss such as ``Band`` overrides the methods that follow, see
    docs/add_a_loss.md.
    """

    # Whether the slope is continuous; if not, solvers smooth it by proximal steps.
    is_smooth = False
    # Whether the best intercept leaves a given share of the rows below the kink, and
    # whether it is a threshold, so that those at the kink count as above it.
    counts_shares = is_threshold = False

    def pull(self, C: float) -> Pull:
        """Return the slope of the loss, its sign changed."""
        raise NotImplementedError

    def smoothing(self, anchor: np.ndarray, sigma: float, C: float) -> Smoothing:
        """Return the proximal step, of the same length at both kinks."""
        return Smoothing(anchor, sigma, self.pull(C)._replace(ratio=1.0))

    def exact(self, n_rows: int, C: float) -> Smoothing:
        """Return the proximal step that leaves the loss as it is."""
        return self.smoothing(np.zeros(n_rows), np.inf, C)

    def curvature(self, C: float) -> float:
        """Return the second derivative; with kinks, by how much the slope changes.

        See ``Problem.loss_curvature``.
        """
        return min(C, STEEPEST)

    def kinks(self, C: float) -> tuple[tuple[float, float], ...]:
        """Return the margins at which the slope jumps, each with the size of the jump."""
        pull = self.pull(C)
        jumps = (pull.low, pull.cap - pull.rest), (pull.high, pull.rest - pull.floor)
        return tuple(one for one in jumps if one[1] > 0)

    def value_and_gap(self, margins, beta, weight, C: float) -> tuple[float, float]:
        """Return the summed loss and the summed Fenchel gaps."""
        pull = self.pull(C)
        if np.isinf(pull.cap):  # a hard margin, which no row violates
            return 0.0, weight @ (beta * np.abs(pull.low - margins))
        return linear_value_and_gap(margins, beta, weight, pull)

    def worst_gaps(self, margins, errors, beta, C: float, out) -> None:
        """Fill in the gap of each row, per unit of weight, at its worst margin nearby."""
        pull = self.pull(C)
        if np.isinf(pull.cap):
            out[:] = beta * (np.abs(pull.low - margins) + errors)
        else:
            worst_linear_gaps(margins, errors, beta, pull, out)

    def sensitivity(self, margins, beta, C: float) -> np.ndarray:
        """Return a bound of what a unit of change in each beta adds to the gap."""
        return np.max([np.abs(kink - margins) for kink, _ in self.kinks(1.0)], axis=0)

    def steepness(self, margins, C: float) -> np.ndarray:
        """Return the absolute slope of the loss at these margins."""
        pull = self.pull(C)
        above = np.where(margins > pull.high, abs(pull.floor), abs(pull.rest))
        return np.where(margins < pull.low, abs(pull.cap), above)

    def box(self, C: float) -> tuple[float, float]:
        """Return the bounds of the dual variables."""
        pull = self.pull(C)
        return pull.floor, pull.cap

    @property
    def kink(self) -> float:
        """The margin below which the loss rises."""
        return self.pull(1.0).low

    @property
    def is_one_sided(self) -> bool:
        """Whether the loss is zero above its kink.

        A row then adds ``ridge(C) beta^2 / 2 - kink beta`` to the dual, per unit of weight,
        with ``beta`` within the box.
        """
        pull = self.pull(1.0)
        return pull.rest == pull.floor == 0.0

    def ridge(self, C: float) -> float:
        """Return what a one-sided loss adds to the diagonal of the dual."""
        return 0.0


@dataclass(frozen=True)
class Hinge(Loss):
    """The hinge ``max(0, 1 - margin)``."""

    def pull(self, C):
        """Return a pull of C below the margin one."""
        return Pull(1.0, C)


@dataclass(frozen=True)
class Band(Loss):
    """The smooth loss of the optimal margin distribution machine.

    ``([1 - theta - margin]_+^2 + mu [margin - 1 - theta]_+^2) / (1 - theta)^2``: zero
    between ``1 - theta`` and ``1 + theta``, and ``mu`` times as large above as below. With
    both parameters zero it is the squared hinge.
    """

    mu: float = 0.0
    theta: float = 0.0
    is_smooth = True

    def pull(self, C):
        """Return a pull that is not bounded on either side of the band."""
        cap = np.inf if C > 0 else 0.0
        floor = -cap if self.mu > 0 else 0.0
        low, high = 1.0 - self.theta, 1.0 + self.theta
        return Pull(low, cap, 0.0, high, floor, self.mu)

    def ridge(self, C):
        """Return the inverse of the stiffness; without a price, all beta are zero."""
        return 1.0 / self._edges(C)[2] if C > 0 else 0.0

    def smoothing(self, anchor, sigma, C):
        """Return a proximal step that leaves the loss as it is."""
        # Without a price there is no pull, whatever the length of the step.
        sigma = self._edges(C)[2] or 1.0
        return Smoothing(np.zeros_like(anchor), sigma, self.pull(C))

    def curvature(self, C):
        """Return the second derivative below the band."""
        return self._edges(C)[2]

    def kinks(self, C):
        """Return no kinks."""
        return ()

    def _edges(self, C):
        """Return both edges of the band, and the second derivatives beyond them."""
        below = 2.0 * C / (1.0 - self.theta) ** 2
        return 1.0 - self.theta, 1.0 + self.theta, below, self.mu * below

    def value_and_gap(self, margins, beta, weight, C):
        """Return the summed loss and gaps, each a sum of squares."""
        return band_and_gap(margins, beta, weight, *self._edges(C))

    def worst_gaps(self, margins, errors, beta, C, out):
        """Fill in the larger gap of the two ends of each error interval."""
        worst_band_gaps(margins, errors, beta, *self._edges(C), out)

    def sensitivity(self, margins, beta, C):
        """Return the bound for changes of no more than the size of each beta."""
        low, high, below, above = self._edges(C)
        stiffness = np.where(beta < 0, above, below)
        edge = np.where(beta < 0, high, low)
        # A zero beta may come with zero stiffness, as at C = 0, or above at mu = 0.
        reach = np.divide(2.0 * beta, stiffness, out=np.zeros_like(beta), where=beta != 0)
        return np.abs(margins - edge) + np.abs(reach)

    def steepness(self, margins, C):
        """Return the stiffness times the distance beyond an edge."""
        low, high, below, above = self._edges(C)
        under, over = np.maximum(low - margins, 0.0), np.maximum(margins - high, 0.0)
        return below * under + above * over


HINGE, SQUARED_HINGE = Hinge(), Band()
LOSSES = {"hinge": HINGE, "squared_hinge": SQUARED_HINGE}


def loss_named(name: str, C: float) -> Loss:
    """Return the loss of that name; with an infinite C all are the same hard margin."""
    return HINGE if np.isinf(C) else LOSSES[name]


@njit(**JIT)
def linear_gap(margin, beta, pull):
    """Return the Fenchel gap of one row, as a sum of products that are not negative."""
    below = max(pull.low - margin, 0.0)
    if beta >= pull.rest:
        gap = (pull.cap - beta) * below + (beta - pull.rest) * max(margin - pull.low, 0.0)
        if pull.floor < pull.rest:
            gap += (pull.rest - pull.floor) * max(margin - pull.high, 0.0)
        return gap
    above = max(margin - pull.high, 0.0)
    inside = (pull.rest - beta) * max(pull.high - margin, 0.0)
    return (pull.cap - pull.rest) * below + inside + (beta - pull.floor) * above


@njit(**SUM)
def linear_value_and_gap(margins, beta, weight, pull):
    """Return the sums of a piecewise linear loss and of its Fenchel gaps."""
    loss = 0.0
    gap = 0.0
    for i in range(margins.shape[0]):
        pulled = pull.cap if margins[i] < pull.low else pull.rest
        value = pulled * (pull.low - margins[i])
        if pull.floor < pull.rest:
            value += (pull.rest - pull.floor) * max(margins[i] - pull.high, 0.0)
        loss += weight[i] * value
        gap += weight[i] * linear_gap(margins[i], beta[i], pull)
    return loss, gap


@njit(**JIT)
def worst_linear_gaps(margins, errors, beta, pull, out):
    """Fill in the larger gap of each row at both ends of its error interval."""
    for i in range(margins.shape[0]):
        lower = linear_gap(margins[i] - errors[i], beta[i], pull)
        upper = linear_gap(margins[i] + errors[i], beta[i], pull)
        out[i] = max(lower, upper)


@njit(**JIT)
def worst_band_gaps(margins, errors, beta, low, high, below, above, out):
    """Fill in the larger gap of each row at both ends of its error interval."""
    for i in range(margins.shape[0]):
        stiffness = below if beta[i] >= 0.0 else above
        # The gap is the square of a difference, which has a rounding error of its own.
        reach = abs(beta[i] / stiffness) if beta[i] != 0.0 else 0.0
        error = errors[i] + 1e-15 * (abs(margins[i]) + high + reach)
        lower = band_gap(margins[i] - error, beta[i], low, high, below, above)
        upper = band_gap(margins[i] + error, beta[i], low, high, below, above)
        out[i] = max(lower, upper)


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

    If ``above`` is zero, no dual variable may be negative.
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


def dual_step(margins, smoothing: Smoothing, weight):
    """Return the dual variables after a proximal step, and the curvature there."""
    beta, curvature = np.empty_like(margins), np.empty_like(margins)
    proximal_step(margins, *smoothing, weight, beta, curvature)
    return beta, curvature


@njit(**JIT)
def proximal_step(margins, anchor, sigma, pull, weight, beta, curvature):
    """Fill in the dual variables of a smoothed pull, and its curvature in the margins.

    For the hinge they maximise ``beta (1 - margin) - (beta - anchor)^2 / (2 sigma)``.
    """
    other_sigma = sigma * pull.ratio
    for i in range(margins.shape[0]):
        lower = anchor[i] + sigma * (pull.low - margins[i])
        upper = anchor[i] + other_sigma * (pull.high - margins[i])
        on_lower = lower > pull.rest
        bend = sigma if on_lower and lower < pull.cap else 0.0
        bend += other_sigma if not on_lower and pull.floor < upper < pull.rest else 0.0
        inside = min(max(upper, pull.floor), pull.rest)
        beta[i] = min(lower, pull.cap) if on_lower else inside
        curvature[i] = bend * weight[i]


@njit(**SUM)
def smoothed_slope(margins, step, weight, anchor, sigma, pull, t):
    """Return slope, curvature and sum of absolute terms of the smoothed loss along a step.

    The loss is the one whose slope ``proximal_step`` returns, at ``margins + t step``.
    """
    slope = 0.0
    curvature = 0.0
    size = 0.0
    other_sigma = sigma * pull.ratio
    for i in range(margins.shape[0]):
        margin = margins[i] + t * step[i]
        lower = anchor[i] + sigma * (pull.low - margin)
        upper = anchor[i] + other_sigma * (pull.high - margin)
        on_lower = lower >= pull.rest
        inside = min(max(upper, pull.floor), pull.rest)
        beta = min(lower, pull.cap) if on_lower else inside
        bend = sigma if on_lower else other_sigma
        bend = bend if beta == (lower if on_lower else upper) else 0.0
        lever = weight[i] * step[i]
        curvature += bend * lever * step[i]
        slope -= lever * beta
        size += abs(lever * beta)
    return slope, curvature, size


@njit(**JIT)
def step_between(margins, levels, springs, anchor, sigma, pull, weight, beta, curvature):
    """Fill in pulls of the ramps that rows are on, and their curvature.

    Which ramp a row is on is judged at the margin x with ``x = level + pull / spring``; its
    pull is that of the ramp at ``margins``, even beyond the ends of the ramp.
    """
    other_sigma = sigma * pull.ratio
    for i in range(margins.shape[0]):
        lower = anchor[i] + sigma * (pull.low - levels[i])
        lower *= springs[i] / (springs[i] + sigma)
        upper = anchor[i] + other_sigma * (pull.high - levels[i])
        upper *= springs[i] / (springs[i] + other_sigma)
        curvature[i] = 0.0
        if lower >= pull.cap:
            beta[i] = pull.cap
        elif lower > pull.rest:
            beta[i] = anchor[i] + sigma * (pull.low - margins[i])
            curvature[i] = sigma * weight[i]
        elif upper >= pull.rest:
            beta[i] = pull.rest
        elif upper > pull.floor:
            beta[i] = anchor[i] + other_sigma * (pull.high - margins[i])
            curvature[i] = other_sigma * weight[i]
        else:
            beta[i] = pull.floor
