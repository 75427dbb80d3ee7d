"""Averaged stochastic gradient descent: the paper's Algorithm 2.

It minimises the objective divided by ``C S``. A step draws two rows independently, i for
the loss and j for the mean margin, in proportion to their weights. The rows are sorted by
their contents and not by their positions, so that weighting a row gives the same run as
repeating it.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import numpy as np

from largemargin.designs.row_loops import all_dots, row_add, row_dot
from largemargin.numerics.jit import JIT, njit
from largemargin.problem.certificate import Certified
from largemargin.problem.losses import dual_step
from largemargin.solvers.solution import Run, Solution

EPOCHS_BEFORE_AVERAGING = 2
SAMPLE_FOR_STEP_SIZE = 1000
# Smoothings of the hinge, in units of C, that are tried for a dual bound at the end.
SMOOTHINGS = (0.1, 1.0, 10.0, 100.0)
# ``v`` is rescaled when its scale falls below this, or the average would lose digits.
SMALLEST_SCALE = 1e-6
# Indices into ``Descent.scalars``.
SCALE, FADE, SHARE, OFFSET, MEAN_OFFSET, N_STEPS, N_AVERAGED = range(7)


class ScaledPrices(NamedTuple):
    """The prices of norm, variance and mean, divided by ``C S``, and the loss at C = 1."""

    norm: float
    variance: float
    mean: float
    kink: float
    cap: float  # the largest pull of the loss
    ridge: float = 0.0  # as in Loss.ridge

    @classmethod
    def of(cls, problem, total: float) -> Self:
        """Return the scaled prices of a problem whose weights add up to ``total``."""
        C, lambda_var, lambda_mean, *_ = problem.prices
        # Without a price of the losses, the other terms are divided by S alone.
        scale, loss = float(C > 0), problem.loss
        unit = C * total if C > 0 else total
        norm, variance, mean = 1.0 / unit, 4.0 * lambda_var / unit, lambda_mean / unit
        of_loss = loss.kink, loss.box(scale)[1], loss.ridge(scale)
        return cls(norm, variance, mean, *map(float, of_loss))


@dataclass
class Descent:
    """The state of a run: ``w = scale v``, and the average is ``fade (u + share v)``.

    In this form a step changes only the entries of its rows, also while averaging.
    """

    v: np.ndarray
    u: np.ndarray
    scalars: np.ndarray
    first_rate: float = 0.0
    weight_seen: float = 0.0

    @classmethod
    def at(cls, w: np.ndarray, offset: float = 0.0) -> Self:
        """Return a new run that begins at ``w``."""
        scalars = np.array([1.0, 1.0, 0.0, offset, offset, 0.0, 0.0])
        return cls(w.astype(np.float64), np.zeros(len(w)), scalars)

    def copy(self) -> Self:
        """Return an independent copy."""
        return replace(self, v=self.v.copy(), u=self.u.copy(), scalars=self.scalars.copy())

    def steps(self, problem, first, second, prices, rate, averaging) -> None:
        """Make one step for each pair of rows."""
        data = problem.design.rows, problem.sign, first, second
        options = prices, problem.fit_intercept, rate, averaging
        asgd_steps(*data, *options, self.v, self.u, self.scalars)

    def average(self) -> tuple[np.ndarray, float]:
        """Return the averaged element and intercept, or the last ones before averaging."""
        if self.scalars[N_AVERAGED] == 0:
            return self.scalars[SCALE] * self.v, self.scalars[OFFSET]
        mean = self.scalars[FADE] * (self.u + self.scalars[SHARE] * self.v)
        return mean, self.scalars[MEAN_OFFSET]


def solve_asgd(problem, run: Run) -> Solution:
    """Run ``max_iter`` epochs, whatever ``tol``, and certify the result."""
    if problem.is_hard:
        raise ValueError("solver='asgd' needs a finite C; for C=inf use solver='newton'.")
    state, start = Descent.at(problem.design.zeros()), run.start
    if start is not None and start.w is not None:
        state = Descent.at(start.w, start.offset)
    draws = Draws(problem, run.rng or np.random.default_rng(0))
    first_average = min(EPOCHS_BEFORE_AVERAGING, run.max_iter - 1)
    for epoch in range(run.max_iter):
        n_iter = epoch + 1
        run_epoch(problem, state, draws, averaging=epoch >= first_average)
        run.progress.check()
        if run.progress.is_late:
            break
    w, offset = state.average()
    if not np.isfinite(w @ w + offset**2):
        w, offset = problem.design.zeros(), 0.0
    found = best_certificate(problem, w, offset)
    run.progress(found.certificate)
    # The run has converged after its epochs, whatever the gap.
    return Solution.of(problem, found, n_iter, np.inf)


class Draws:
    """Draws rows in proportion to their weights, independently of their order."""

    def __init__(self, problem, rng):
        self.rng = rng
        direction = rng.standard_normal(problem.design.n_features)
        keys = np.empty(problem.design.n_rows)
        # Not BLAS, which may round equal rows differently at different positions.
        all_dots(problem.design.rows, direction, keys)
        order = np.lexsort((problem.sign, keys))
        keys, labels = keys[order], problem.sign[order]
        is_new = np.ones(len(order), dtype=bool)
        is_new[1:] = (np.diff(keys) != 0) | (np.diff(labels) != 0)
        self.rows = order[is_new].astype(np.uint32)
        masses = np.add.reduceat(problem.weight[order], np.flatnonzero(is_new))
        self.reach = np.cumsum(masses)
        # Where the search begins for each of n equal parts of the total weight.
        parts = np.arange(len(masses)) * (self.reach[-1] / len(masses))
        self.guide = np.searchsorted(self.reach, parts, side="right").astype(np.uint32)

    def __len__(self):
        """Return the number of distinct rows."""
        return len(self.rows)

    def __call__(self, n):
        """Return the indices of ``n`` rows."""
        found = np.empty(n, np.uint32)
        find_rows(self.rng.random(n), self.reach, self.guide, self.rows, found)
        return found


@njit(**JIT)
def find_rows(places, reach, guide, rows, found):
    """Fill ``found`` with the rows at these places, given as fractions of the weight."""
    n = rows.shape[0]
    for k in range(places.shape[0]):
        place = places[k] * reach[n - 1]
        row = guide[np.uint32(places[k] * n)]
        # Because of rounding, a part may begin one row late.
        while row > 0 and reach[row - 1] > place:
            row -= 1
        while row < n - 1 and reach[row] <= place:
            row += 1
        found[k] = rows[row]


def run_epoch(problem, state, draws, *, averaging, total=None):
    """Make one step per distinct row; ``total`` is the weight of all rows so far."""
    prices = ScaledPrices.of(problem, problem.total if total is None else total)
    if state.first_rate == 0.0:
        state.first_rate = find_first_rate(problem, prices, draws)
    first = draws(len(draws))
    second = draws(len(draws)) if problem.prices.lambda_var > 0 else first
    state.steps(problem, first, second, prices, state.first_rate, averaging)


def find_first_rate(problem, prices, draws):
    """Return the step size, a power of two, with the best result of a short run."""
    n_steps = min(SAMPLE_FOR_STEP_SIZE, len(draws))
    first, second = draws(n_steps), draws(n_steps)

    def cost(rate):
        trial = Descent.at(problem.design.zeros())
        trial.steps(problem, first, second, prices, rate, False)
        data = problem.design.rows, problem.sign, first
        value = sampled_cost(*data, prices, *trial.average())
        return value if np.isfinite(value) else np.inf

    # If the norm dominates, a step must not be longer than its inverse price.
    rate, factor = 1.0 / max(1.0, prices.norm), 2.0
    best = cost(rate)
    if cost(rate * factor) >= best:
        factor = 0.5
    for _ in range(60):
        following = cost(rate * factor)
        if following > best or (following == best and np.isfinite(best)):
            break
        rate, best = rate * factor, following
    return rate


def best_certificate(problem, w, offset) -> Certified:
    """Certify a point by dual variables from the best of a few smoothings."""
    scores = problem.design.scores(w)
    margins, C = problem.margins(scores, offset), problem.prices.C
    candidates = []
    for sigma in np.multiply(SMOOTHINGS, C or 1.0):
        smoothing = problem.loss.smoothing(np.zeros_like(margins), sigma, C)
        beta, _ = dual_step(margins, smoothing, problem.weight)
        candidates.append(problem.examine(w, offset, beta, scores))
    return min(candidates, key=lambda one: one.certificate.gap)


@njit(**JIT)
def pull_of(margin, prices):
    """Return the pull of a row with this margin."""
    below = prices.kink - margin
    if below <= 0.0:
        return 0.0
    return min(below / prices.ridge, prices.cap) if prices.ridge > 0.0 else prices.cap


@njit(**JIT)
def stochastic_slope(score, other_score, label, other_label, prices):
    """Return the factor of row i in the paper's stochastic gradient, without the norm."""
    deviation = score - label * other_label * other_score
    slope = prices.variance * deviation - prices.mean * label
    return slope - label * pull_of(label * score, prices)


@njit(**JIT)
def asgd_steps(
    rows, y, first, second, prices, fit_intercept, first_rate, averaging, v, u, scalars
):
    """Make one step for each pair of rows; ``v``, ``u`` and ``scalars`` are the state."""
    scale, fade, share, offset, mean_offset, n_steps, n_averaged = scalars
    for k in range(first.shape[0]):
        i, j = first[k], second[k]
        # The power of -3/4, by square roots, which are cheaper.
        root = np.sqrt(1.0 + prices.norm * first_rate * n_steps)
        rate = first_rate / (root * np.sqrt(root))
        score = scale * row_dot(*rows, i, v) + offset
        other_score = 0.0
        if prices.variance != 0.0:
            other_score = scale * row_dot(*rows, j, v) + offset
        slope = stochastic_slope(score, other_score, y[i], y[j], prices)
        # Implicit in the norm: the scale stays positive, however long the step.
        shrunk = scale / (1.0 + rate * prices.norm)
        step = -rate * slope / shrunk
        scale = shrunk
        if step != 0.0:
            row_add(*rows, i, step, v)
            if n_averaged > 0:
                row_add(*rows, i, -share * step, u)
        if fit_intercept:
            offset -= rate * slope
        if averaging:
            n_averaged += 1.0
            if n_averaged == 1.0:
                fade, share, mean_offset = 1.0, scale, offset
            else:
                mu = 1.0 / n_averaged
                fade *= 1.0 - mu
                share += mu * scale / fade
                mean_offset += mu * (offset - mean_offset)
        if scale < SMALLEST_SCALE:
            # Rescale, or u and share v would cancel in the average.
            for column in range(v.shape[0]):
                u[column] += share * v[column]
                v[column] *= scale
            share, scale = 0.0, 1.0
        n_steps += 1.0
    scalars[:] = scale, fade, share, offset, mean_offset, n_steps, n_averaged


@njit(**JIT)
def sampled_cost(rows, y, sample, prices, w, offset):
    """Return the scaled objective on a sample of the rows."""
    total = 0.0
    squares = 0.0
    loss = 0.0
    for i in sample:
        margin = y[i] * (row_dot(*rows, i, w) + offset)
        total += margin
        squares += margin * margin
        pull = pull_of(margin, prices)
        loss += pull * (prices.kink - margin - 0.5 * prices.ridge * pull)
    n = sample.shape[0]
    mean = total / n
    variance = squares / n - mean * mean
    quadratic = 0.5 * prices.norm * (w @ w) + 0.5 * prices.variance * variance
    return quadratic - prices.mean * mean + loss / n
