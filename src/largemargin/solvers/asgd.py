"""Averaged stochastic gradient descent: the paper's Algorithm 2.

Works on the objective divided by ``C S``. A step draws two rows independently, i for the
loss and j for the mean margin; both are drawn in proportion to their weights, from an
order that depends on what the rows hold and not on where they stand, so that weighting a
row and repeating it are the same run.
"""

from dataclasses import dataclass, replace

import numpy as np
from numba import njit

from largemargin.designs.row_loops import all_dots, row_add, row_dot
from largemargin.numerics.jit import JIT
from largemargin.problem.smoothed import dual_step
from largemargin.solvers.solution import Progress, Solution

EPOCHS_BEFORE_AVERAGING = 2
SAMPLE_FOR_STEP_SIZE = 1000
# Smoothings of the hinge, in units of C, tried for a dual bound at the end.
SMOOTHINGS = (0.1, 1.0, 10.0, 100.0)
# The scale of ``v`` is made one again below this: so much of the average is cancelled.
SMALLEST_SCALE = 1e-6
# Positions in the array of scalars that goes with ``v`` and ``u``.
SCALE, FADE, SHARE, OFFSET, MEAN_OFFSET, N_STEPS, N_AVERAGED = range(7)


@dataclass
class Descent:
    """State of a run. ``w = scale v``; the average is ``fade (u + share v)``.

    In this form a step costs only the entries of its rows, also while averaging.
    """

    v: np.ndarray
    u: np.ndarray
    scalars: np.ndarray
    first_rate: float = 0.0
    weight_seen: float = 0.0

    @classmethod
    def at(cls, w, offset=0.0):
        """Return a fresh run that begins at ``w``."""
        scalars = np.array([1.0, 1.0, 0.0, offset, offset, 0.0, 0.0])
        return cls(w.astype(np.float64), np.zeros(len(w)), scalars)

    def copy(self):
        """Return a run that goes on by itself."""
        return replace(self, v=self.v.copy(), u=self.u.copy(), scalars=self.scalars.copy())

    def average(self):
        """Return the averaged element and intercept, or the last before averaging."""
        if self.scalars[N_AVERAGED] == 0:
            return self.scalars[SCALE] * self.v, self.scalars[OFFSET]
        mean = self.scalars[FADE] * (self.u + self.scalars[SHARE] * self.v)
        return mean, self.scalars[MEAN_OFFSET]


def solve_asgd(problem, *, tol, max_iter, start=None, progress=None, rng=None):
    """Run ``max_iter`` epochs and report the gap that was reached; tol is not a goal."""
    progress = progress or Progress()
    rng = rng or np.random.default_rng(0)
    if problem.is_hard:
        raise ValueError("solver='asgd' needs a finite C; for C=inf use solver='newton'.")
    warm = start is not None and start.w is not None
    state = (
        Descent.at(start.w, start.offset) if warm else Descent.at(problem.design.zeros())
    )
    draws = Draws(problem, rng)
    first_average = min(EPOCHS_BEFORE_AVERAGING, max_iter - 1)
    for epoch in range(max_iter):
        n_iter = epoch + 1
        run_epoch(problem, state, draws, averaging=epoch >= first_average)
        progress.check()
        if progress.is_late:
            break
    w, offset = state.average()
    if not np.isfinite(w @ w + offset**2):
        w, offset = problem.design.zeros(), 0.0
    point, beta, certificate = best_certificate(problem, w, offset)
    progress(certificate)
    # The epochs are the goal, whatever gap they reach.
    return Solution.of(problem, point, beta, certificate, n_iter, np.inf)


class Draws:
    """Draws rows in proportion to their weights, whatever their order."""

    def __init__(self, problem, rng):
        self.rng = rng
        direction = rng.standard_normal(problem.design.n_features)
        keys = np.empty(problem.design.n_rows)
        # Our own loop: BLAS may round equal rows differently in different places.
        all_dots(problem.design.rows, direction, keys)
        order = np.lexsort((problem.sign, keys))
        keys, labels = keys[order], problem.sign[order]
        is_new = np.ones(len(order), dtype=bool)
        is_new[1:] = (np.diff(keys) != 0) | (np.diff(labels) != 0)
        self.rows = order[is_new].astype(np.uint32)
        masses = np.add.reduceat(problem.weight[order], np.flatnonzero(is_new))
        self.reach = np.cumsum(masses)
        # Where the search for each of equal parts of the whole begins.
        parts = np.arange(len(masses)) * (self.reach[-1] / len(masses))
        self.guide = np.searchsorted(self.reach, parts, side="right").astype(np.uint32)

    def __len__(self):
        """Return the number of distinct rows."""
        return len(self.rows)

    def __call__(self, n):
        """Return the numbers of ``n`` rows."""
        found = np.empty(n, np.uint32)
        find_rows(self.rng.random(n), self.reach, self.guide, self.rows, found)
        return found


@njit(**JIT)
def find_rows(places, reach, guide, rows, found):
    """Fill ``found`` with the rows in whose reach the places lie, as parts of the whole."""
    n = rows.shape[0]
    for k in range(places.shape[0]):
        place = places[k] * reach[n - 1]
        row = guide[np.uint32(places[k] * n)]
        # Rounding may let a part begin one row late.
        while row > 0 and reach[row - 1] > place:
            row -= 1
        while row < n - 1 and reach[row] <= place:
            row += 1
        found[k] = rows[row]


def run_epoch(problem, state, draws, *, averaging, total=None):
    """Make as many steps as there are distinct rows; ``total`` is the weight of all."""
    prices = scaled_prices(problem, problem.total if total is None else total)
    if state.first_rate == 0.0:
        state.first_rate = find_first_rate(problem, prices, draws)
    n_steps = len(draws)
    first = draws(n_steps)
    asgd_steps(
        problem.design.rows,
        problem.sign,
        first,
        draws(n_steps) if problem.prices.lambda_var > 0 else first,
        prices,
        problem.fit_intercept,
        state.first_rate,
        averaging,
        state.v,
        state.u,
        state.scalars,
    )


def scaled_prices(problem, total):
    """Return the prices of norm, variance, mean and loss, divided by ``C total``.

    The last number is the margin at which the loss has its kink.
    """
    C, lambda_var, lambda_mean, *_ = problem.prices
    unit = (C if C > 0 else 1.0) * total
    parts = 1.0, 4.0 * lambda_var, lambda_mean
    rest = 1.0 if C > 0 else 0.0, problem.loss.kink
    return np.array([*(part / unit for part in parts), *rest])


def find_first_rate(problem, prices, draws):
    """Return the step size, a power of two, that serves a short run best."""
    n_steps = min(SAMPLE_FOR_STEP_SIZE, len(draws))
    first, second = draws(n_steps), draws(n_steps)

    def cost(rate):
        trial = Descent.at(problem.design.zeros())
        asgd_steps(
            problem.design.rows,
            problem.sign,
            first,
            second,
            prices,
            problem.fit_intercept,
            rate,
            False,
            trial.v,
            trial.u,
            trial.scalars,
        )
        value = sampled_cost(
            problem.design.rows,
            problem.sign,
            first,
            prices,
            trial.scalars[SCALE] * trial.v,
            trial.scalars[OFFSET],
        )
        return value if np.isfinite(value) else np.inf

    # Where the norm is all that counts, a step must not be longer than it.
    rate, factor = 1.0 / max(1.0, prices[0]), 2.0
    best = cost(rate)
    if cost(rate * factor) >= best:
        factor = 0.5
    for _ in range(60):
        following = cost(rate * factor)
        if following > best or (following == best and np.isfinite(best)):
            break
        rate, best = rate * factor, following
    return rate


def best_certificate(problem, w, offset):
    """Return the tightest certificate among a few smoothings of the loss."""
    scores = problem.design.scores(w)
    margins, C = problem.margins(scores, offset), problem.prices.C
    smoothings = [
        problem.loss.smoothing(np.zeros_like(margins), sigma, C)
        for sigma in np.multiply(SMOOTHINGS, C or 1.0)
    ]
    candidates = [
        problem.examine(w, offset, dual_step(problem, margins, smoothing)[0], scores)
        for smoothing in smoothings
    ]
    return min(candidates, key=lambda candidate: candidate[2].gap)


@njit(**JIT)
def stochastic_slope(score, other_score, label, other_label, prices):
    """Return the factor of row i in the paper's stochastic gradient, less the norm."""
    slope = prices[1] * (score - label * other_label * other_score) - prices[2] * label
    if label * score < prices[4]:
        slope -= prices[3] * label
    return slope


@njit(**JIT)
def asgd_steps(
    rows, y, first, second, prices, fit_intercept, first_rate, averaging, v, u, scalars
):
    """Make one step for each pair of rows; ``v``, ``u`` and ``scalars`` are the state."""
    scale, fade, share, offset, mean_offset, n_steps, n_averaged = scalars
    for k in range(first.shape[0]):
        i, j = first[k], second[k]
        # To the power of -3/4, by roots, which are cheaper.
        root = np.sqrt(1.0 + prices[0] * first_rate * n_steps)
        rate = first_rate / (root * np.sqrt(root))
        score = scale * row_dot(*rows, i, v) + offset
        other_score = 0.0
        if prices[1] != 0.0:
            other_score = scale * row_dot(*rows, j, v) + offset
        slope = stochastic_slope(score, other_score, y[i], y[j], prices)
        # Implicit in the norm: the factor stays positive however long the step.
        shrunk = scale / (1.0 + rate * prices[0])
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
            # The average forgets the scales so far: u and share v would cancel.
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
        loss += max(0.0, prices[4] - margin)
    n = sample.shape[0]
    mean = total / n
    variance = squares / n - mean * mean
    norm = 0.5 * prices[0] * (w @ w)
    return norm + 0.5 * prices[1] * variance - prices[2] * mean + prices[3] * loss / n
