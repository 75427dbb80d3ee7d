"""Averaged stochastic gradient descent: the paper's Algorithm 2.

It minimises the objective divided by ``C S``. A step draws two rows independently, i for
the loss and j for the mean margin, in proportion to their weights. The rows are sorted by
their contents and not by their positions, so that weighting a row gives the same run as
repeating it. Losses may have two sides and margins origins, as those of values do.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import numpy as np

from largemargin.designs.row_loops import all_dots, row_add, row_dot
from largemargin.numerics.jit import JIT, njit
from largemargin.problem.certificate import Certified
from largemargin.problem.losses import Pull, dual_step
from largemargin.solvers.solution import Run, Solution

EPOCHS_BEFORE_AVERAGING = 2
SAMPLE_FOR_STEP_SIZE = 1000
# For losses with two sides, the step falls with the root of the number of steps, in this
# unit, and averages give the last steps more weight, by this much. At a fixed step, the
# noise of pulls of different sizes would leave an error that averages do not remove.
STEPS_AT_FIRST_RATE, FORGETTING = 100.0, 3.0
# Smoothings of the hinge, in units of C, that are tried for a dual bound at the end.
SMOOTHINGS = (0.1, 1.0, 10.0, 100.0)
# ``v`` is rescaled when its scale falls below this, or the average would lose digits.
SMALLEST_SCALE = 1e-6
# Indices into ``Descent.scalars``.
SCALE, FADE, SHARE, OFFSET, MEAN_OFFSET, N_STEPS, N_AVERAGED = range(7)


class ScaledPrices(NamedTuple):
    """The prices of all other terms divided by ``C S``, and the pull of the loss at C = 1.

    ``sigma`` is the length of the smoothing that the pull has, infinite if it has kinks.
    ``forgetting`` is zero for averages with equal weights, at the steps of the paper.
    """

    norm: float
    variance: float
    square: float
    mean: float
    intercept: float
    sigma: float
    forgetting: float
    pull: Pull

    @classmethod
    def of(cls, problem, total: float) -> Self:
        """Return the scaled prices of a problem whose weights add up to ``total``."""
        C, lambda_var, lambda_mean, lambda_square, intercept = problem.prices
        # Without a price of the losses, the other terms are divided by S alone.
        scale = float(C > 0)
        unit = C * total if C > 0 else total
        _, sigma, pull = problem.loss.exact(1, scale)
        return cls(
            norm=1.0 / unit,
            variance=4.0 * lambda_var / unit,
            square=2.0 * lambda_square / unit,
            mean=lambda_mean / unit,
            intercept=intercept / unit,
            sigma=float(sigma),
            forgetting=0.0 if problem.loss.is_one_sided else FORGETTING,
            pull=Pull(*map(float, pull)),
        )


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
        data = problem.design.rows, problem.targets, first, second
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
        order = np.lexsort((*problem.targets, keys))
        contents = [part[order] for part in (*problem.targets, keys)]
        is_new = np.ones(len(order), dtype=bool)
        is_new[1:] = np.any([np.diff(part) != 0 for part in contents], axis=0)
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
        state.first_rate = find_first_rate(problem, prices, draws, state.scalars[OFFSET])
    first = draws(len(draws))
    second = draws(len(draws)) if problem.prices.lambda_var > 0 else first
    state.steps(problem, first, second, prices, state.first_rate, averaging)


def find_first_rate(problem, prices, draws, offset):
    """Return the step size, a power of two, with the best result of a short run.

    The run begins with a zero element at this intercept.
    """
    n_steps = min(SAMPLE_FOR_STEP_SIZE, len(draws))
    first, second = draws(n_steps), draws(n_steps)

    def cost(rate):
        trial = Descent.at(problem.design.zeros(), offset)
        trial.steps(problem, first, second, prices, rate, False)
        data = problem.design.rows, problem.targets, first
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
    for sigma in map(problem.smoothing_length, SMOOTHINGS):
        smoothing = problem.loss.smoothing(np.zeros_like(margins), sigma, C)
        beta, _ = dual_step(margins, smoothing, problem.weight)
        candidates.append(problem.examine(w, offset, beta, scores))
    return min(candidates, key=lambda one: one.certificate.gap)


@njit(**JIT)
def pull_of(margin, prices):
    """Return the pull of a row with this margin."""
    pull = prices.pull
    if margin < pull.low:
        return min(prices.sigma * (pull.low - margin), pull.cap)
    if margin > pull.high:
        return max(pull.ratio * prices.sigma * (pull.high - margin), pull.floor)
    return pull.rest


@njit(**JIT)
def loss_at(margin, prices):
    """Return the loss of a row with this margin."""
    pulled = pull_of(margin, prices)
    if pulled == 0.0:
        return 0.0
    pull, is_below = prices.pull, margin < prices.pull.low
    distance = (pull.low if is_below else pull.high) - margin
    length = prices.sigma if is_below else pull.ratio * prices.sigma
    return pulled * (distance - 0.5 * pulled / length)


@njit(**JIT)
def margin_of(score, i, targets):
    """Return the margin of row i with this score, intercept included."""
    return targets.sign[i] * score - targets.origin[i]


@njit(**JIT)
def stochastic_slope(margin, other_margin, prices):
    """Return the factor of the signed row i in the paper's stochastic gradient.

    It is the slope in the margin of that row, and leaves the norm out.
    """
    slope = prices.variance * (margin - other_margin) + prices.square * margin
    return slope - prices.mean - pull_of(margin, prices)


@njit(**JIT)
def asgd_steps(
    rows,
    targets,
    first,
    second,
    prices,
    fit_intercept,
    first_rate,
    averaging,
    v,
    u,
    scalars,
):
    """Make one step for each pair of rows; ``v``, ``u`` and ``scalars`` are the state."""
    scale, fade, share, offset, mean_offset, n_steps, n_averaged = scalars
    for k in range(first.shape[0]):
        i, j = first[k], second[k]
        # The power of -3/4, by square roots, which are cheaper.
        root = np.sqrt(1.0 + prices.norm * first_rate * n_steps)
        rate = first_rate / (root * np.sqrt(root))
        if prices.forgetting > 0.0:
            rate /= np.sqrt(1.0 + n_steps / STEPS_AT_FIRST_RATE)
        margin = margin_of(scale * row_dot(*rows, i, v) + offset, i, targets)
        other = margin
        if prices.variance != 0.0:
            other = margin_of(scale * row_dot(*rows, j, v) + offset, j, targets)
        slope = targets.sign[i] * stochastic_slope(margin, other, prices)
        # Implicit in the norm: the scale stays positive, however long the step.
        shrunk = scale / (1.0 + rate * prices.norm)
        step = -rate * slope / shrunk
        scale = shrunk
        if step != 0.0:
            row_add(*rows, i, step, v)
            if n_averaged > 0:
                row_add(*rows, i, -share * step, u)
        if fit_intercept:
            offset -= rate * (slope + prices.intercept)
        if averaging:
            n_averaged += 1.0
            if n_averaged == 1.0:
                fade, share, mean_offset = 1.0, scale, offset
            else:
                mu = (1.0 + prices.forgetting) / (n_averaged + prices.forgetting)
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
def sampled_cost(rows, targets, sample, prices, w, offset):
    """Return the scaled objective on a sample of the rows."""
    total = 0.0
    squares = 0.0
    loss = 0.0
    for i in sample:
        margin = margin_of(row_dot(*rows, i, w) + offset, i, targets)
        total += margin
        squares += margin * margin
        loss += loss_at(margin, prices)
    n = sample.shape[0]
    mean, mean_square = total / n, squares / n
    variance = mean_square - mean * mean
    quadratic = prices.norm * (w @ w) + prices.variance * variance
    quadratic += prices.square * mean_square
    linear = prices.intercept * offset - prices.mean * mean
    return 0.5 * quadratic + linear + loss / n
