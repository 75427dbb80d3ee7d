"""Descent on pairs of rows of a Gram matrix, the best pair first, as in LIBSVM.

The two rows of a step exchange force, so that the sum of the forces does not change, as an
intercept requires. Without an intercept, rows may also exchange force with an imagined row
of zeros; few rows are then first visited one at a time, in random order. The first row of a
pair is the one that gains most by more force, the second one maximises the gain of the
pair. The scores of all rows are kept up to date, so that a certificate needs no product
with the Gram matrix.

A loss with two kinks asks for one score while the force of its row is above that between
the kinks, and for another one below. Steps end there, as they do at bounds.

Squared terms of small prices are linearised. When the linearised problem is solved, they
are linearised again, which needs one product.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from largemargin.numerics.jit import EXTREME, JIT, njit
from largemargin.numerics.shuffling import draw_row
from largemargin.problem.certificate import Certified
from largemargin.problem.intercept import settle
from largemargin.solvers.solution import EASY, Run, Solution, Start
from largemargin.solvers.sweeps import best_in_box

# Steps between two certificates; fewer after a warm start, which may leave little to do.
STEPS_PER_CALL = 1000
WARM_STEPS = 125
# Leave the rest to Newton's method after this many steps per row.
MAX_STEPS_PER_ROW = 300
# A linearised problem is solved when its gap is this fraction of the goal.
SOLVED = 0.3
# Up to this many rows, to search for the best pair costs more than it saves.
FEW_ROWS = 2000
# Rows are visited at most this often; then the best pairs continue.
MAX_VISITS_PER_ROW = 50
# Extremes are searched in blocks of this many rows.
BLOCK = 256
# Pulls that differ by less, relative to their size, are equal.
ROUNDING = 1e-14
# A point is discarded if many small steps have changed its scores by more than this,
# relative to their size, from the scores of its element.
DRIFT = 1e-7
# Curvatures below this fraction of the largest one are rounding errors.
FLAT = 1e-12


def pairs_can_solve(problem) -> bool:
    """Return whether the loss is piecewise linear or one-sided, and C neither 0 nor inf."""
    is_known = problem.loss.is_one_sided or not problem.loss.is_smooth
    return is_known and 0 < problem.prices.C < np.inf


def solve_in_pairs(problem, run: Run) -> Solution:
    """Minimise a kernel problem while descent is fast; squared terms must be mild."""
    is_plain = not (problem.fit_intercept or problem.is_curved)
    if is_plain and problem.loss.is_one_sided and problem.design.n_rows <= FEW_ROWS:
        first = solve_row_by_row(problem, run)
        if first.certificate.relative <= max(run.tol, EASY) or run.progress.is_late:
            return first
        run = replace(run, start=Start(first.beta))
    state = PairDescent(problem, run.start)
    goal = max(run.tol, EASY)
    gap, n_steps, n_iter = 1.0, 0, 0
    while n_iter < run.max_iter:
        n_iter += 1
        steps_left = MAX_STEPS_PER_ROW * problem.design.n_rows - n_steps
        n_steps += state.solve(SOLVED * max(goal, gap), steps_left, run.progress)
        found = state.certify()
        run.progress(found.certificate)
        last_gap, gap = gap, found.certificate.relative
        if gap <= goal or gap > 0.9 * last_gap or run.progress.is_late:
            break
    if gap <= goal:
        scores = found.point.scores
        drift = np.abs(problem.design.scores(found.point.w) - scores).max()
        if not drift <= DRIFT * max(1.0, np.abs(scores).max()):
            found = found._replace(certificate=found.certificate._replace(gap=np.inf))
    return Solution.of(problem, found, n_iter, run.tol)


def solve_row_by_row(problem, run: Run) -> Solution:
    """Minimise a plain kernel SVM without intercept, one dual variable at a time."""
    design, n_rows, cap = problem.design, problem.design.n_rows, problem.box[1]
    beta = np.zeros(n_rows)
    if run.start is not None:
        beta = np.clip(run.start.beta, *problem.box)
    scores = design.scores(problem.forces(beta))
    signed, kinks = problem.sign * problem.weight, problem.loss.kink + problem.origin
    curvature = problem.weight * design.squared_norms() + problem.ridge
    fixed = signed, kinks, curvature, (problem.ridge, cap)
    goal, limit, n_iter = 0.0, n_rows, 0
    while n_iter < run.max_iter:
        n_iter += 1
        descend_row_by_row(design.gram_matrix, fixed, beta, scores, goal, limit)
        point = problem.point(problem.forces(beta), scores)
        certificate = problem.certify(point, beta, None, 0.0)
        run.progress(certificate)
        is_slow = n_iter > 1 and certificate.gap > goal
        if certificate.relative <= run.tol or is_slow or run.progress.is_late:
            break
        # The first sweep shows how large the terms of the objective are.
        goal = SOLVED * max(run.tol, EASY) * certificate.scale
        limit = MAX_VISITS_PER_ROW * n_rows
    return Solution.of(problem, Certified(point, beta, certificate), n_iter, run.tol)


class Bounds(NamedTuple):
    """The lowest force of each row, that between its kinks, the highest.

    And half the distance of the kinks, zero if there is one.
    """

    low: np.ndarray
    between: np.ndarray
    high: np.ndarray
    reach: np.ndarray


class PairDescent:
    """Forces of dual variables within their bounds, and the scores they produce."""

    def __init__(self, problem, start):
        signed, design = problem.sign * problem.weight, problem.design
        self.problem = problem
        # What the loss adds to the diagonal of the Gram matrix.
        self.ridge = problem.ridge / problem.weight
        self.diagonal = design.squared_norms() + self.ridge
        limits = np.outer(problem.box, signed)
        low, high = limits.min(axis=0), limits.max(axis=0)
        # The score, intercept included, at which each row is halfway between its kinks.
        pull = problem.loss.pull(problem.prices.C)
        last = pull.high if pull.rest > pull.floor else pull.low
        self.wanted = problem.sign * (0.5 * (pull.low + last) + problem.origin)
        reach = np.full(design.n_rows, 0.5 * (last - pull.low))
        self.bounds = Bounds(low, signed * pull.rest, high, reach)
        self.forces = np.zeros(design.n_rows)
        if start is not None:
            self.forces = signed * np.clip(start.beta, *problem.box)
        # The forces of mean and squared terms are fixed between two linearisations.
        self.rest = problem.forces(np.zeros(design.n_rows))
        self._balance()
        self.scores = design.scores(self.forces + self.rest)
        self.offset = 0.0
        self.n_next = STEPS_PER_CALL if start is None else WARM_STEPS

    @property
    def beta(self):
        """The dual variables, per unit of weight."""
        problem = self.problem
        pulls = problem.sign * self.forces / problem.weight
        return np.clip(pulls, *problem.box)

    @property
    def point(self):
        """The point that the forces produce."""
        return self.problem.point(self.forces + self.rest, self.scores, self.offset)

    def _balance(self):
        """Balance the forces for an intercept, by changing as few as possible."""
        if not self.problem.fit_intercept:
            return
        low, _, high, _ = self.bounds
        need = self.problem.prices.intercept - (self.forces.sum() + self.rest.sum())
        room = (high if need > 0 else low) - self.forces
        # Rows without a bound can share all of the need by their weights.
        unbounded = np.isinf(room)
        weight = self.problem.weight[unbounded]
        room[unbounded] = need * weight / weight.sum()
        # Rows between their bounds come first: they remain there.
        at_bound = (self.forces == low) | (self.forces == high)
        order = np.argsort(at_bound, kind="stable")
        filled = np.cumsum(room[order])
        room = np.abs(room[order])
        change = np.clip(abs(need) - (np.abs(filled) - room), 0.0, room)
        self.forces[order] += np.copysign(change, need)
        np.clip(self.forces, low, high, out=self.forces)

    @property
    def _is_balanced(self):
        if not self.problem.fit_intercept:
            return True
        forces, price = self.forces + self.rest, self.problem.prices.intercept
        return abs(forces.sum() - price) <= 1e-9 * (np.abs(forces).sum() + abs(price))

    def solve(self, goal, max_steps, progress):
        """Descend until the gap of the linearised problem is at most ``goal``."""
        problem = self.problem
        pulls = self.wanted - self.scores - self.ridge * self.forces
        arrays = self.diagonal, self.ridge, self.bounds, self.forces, pulls
        n_steps = 0
        while n_steps < max_steps and self._is_balanced:
            violation, self.offset = descend_on_pairs(
                problem.design.gram_matrix, *arrays, problem.fit_intercept, self.n_next
            )
            n_steps += self.n_next
            self.n_next = min(2 * self.n_next, STEPS_PER_CALL)
            self.scores = self.wanted - pulls - self.ridge * self.forces
            progress.check()
            frozen = problem.certify(self.point, self.beta, None, 0.0)
            if frozen.relative <= goal or violation <= 1e3 * ROUNDING or progress.is_late:
                break
        return n_steps

    def certify(self) -> Certified:
        """Return the point with its certificate, and linearise again."""
        problem, point = self.problem, self.point
        slope, slope_norm = None, 0.0
        if problem.is_curved and self._is_balanced:
            self.rest = problem.forces(np.zeros_like(self.forces), point.margins)
            self._balance()
            slope = point.w - (self.forces + self.rest)
            image = problem.design.scores(slope)
            slope_norm = slope @ image
            self.scores = self.scores - image
        else:
            point = settle(problem, point)
        certificate = problem.certify(point, self.beta, slope, slope_norm)
        # Forces that are not balanced bound nothing.
        gap = certificate.gap if self._is_balanced else np.inf
        return Certified(point, self.beta, certificate._replace(gap=gap))


@njit(**JIT)
def descend_on_pairs(gram, diagonal, ridge, bounds, forces, pulls, balanced, max_steps):
    """Let the best pair of rows exchange force, ``max_steps`` times.

    ``pulls`` are the wanted scores minus the present ones, and minus ``ridge`` times the
    forces; they are kept up to date with ``forces``. ``diagonal`` includes ``ridge``.
    Returns the largest difference of pulls that is left for a pair, and the intercept.
    """
    n_rows = forces.shape[0]
    floor = max(FLAT * (diagonal - ridge).max(), 1e-300)
    nothing = np.zeros(n_rows, gram.dtype)
    low, between, high, reach = bounds
    # What to add to the pull of each row for more force, and to subtract for less.
    rise, fall = np.empty(n_rows), np.empty(n_rows)
    for k in range(n_rows):
        rise[k], fall[k] = kink_ahead(forces[k], low[k], between[k], high[k], reach[k])
    n_blocks = -(-n_rows // BLOCK)
    tops, bottoms, best = np.empty(n_blocks), np.empty(n_blocks), np.empty(n_blocks)
    gains = np.empty(n_rows)
    exchange(nothing, nothing, 0.0, pulls, rise, fall, tops, bottoms)
    for _ in range(max_steps):
        top, bottom = tops.max(), bottoms.min()
        i, row, own = -1, nothing, 0.0
        if not balanced:
            bottom = min(bottom, 0.0)
        if balanced or top > 0.0:
            i = find_largest(pulls, rise, tops.argmax())
            row, own = gram[i], diagonal[i]
        else:
            top = 0.0
        if top - bottom <= ROUNDING * max(1.0, abs(top), abs(bottom)):
            break
        find_gains(row, own, top, floor, diagonal, pulls, fall, gains, best)
        j, other = -1, nothing
        if balanced or i == -1 or best.max() >= 2.0 * top * top / max(own, floor):
            j = find_largest(gains, gains, best.argmax())
            other = gram[j]
            lead = top - (pulls[j] - fall[j])
            step = lead / max(own + diagonal[j] - 2.0 * row[j], floor)
        else:
            step = top / max(own, floor)
        room_above = room_below = most = least = np.inf
        if i >= 0:
            most = between[i] if forces[i] < between[i] else high[i]
            room_above = most - forces[i]
        if j >= 0:
            least = between[j] if forces[j] > between[j] else low[j]
            room_below = forces[j] - least
        step = min(step, room_above, room_below)
        # Put forces exactly on their bounds: rounding must not leave them free.
        if i >= 0:
            forces[i] = most if step == room_above else forces[i] + step
            pulls[i] -= step * ridge[i]
        if j >= 0:
            forces[j] = least if step == room_below else forces[j] - step
            pulls[j] += step * ridge[j]
        for k in (i, j):
            if k >= 0:
                ahead = kink_ahead(forces[k], low[k], between[k], high[k], reach[k])
                rise[k], fall[k] = ahead
        exchange(row, other, step, pulls, rise, fall, tops, bottoms)
    top, bottom = tops.max(), bottoms.min()
    if not balanced:
        return max(top, 0.0) - min(bottom, 0.0), 0.0
    if np.isinf(top) or np.isinf(bottom):  # all rows on one side are at their bounds
        return top - bottom, bottom if np.isinf(top) else top
    return top - bottom, 0.5 * (top + bottom)


@njit(**JIT)
def kink_ahead(force, low, between, high, reach):
    """Return how far the kinks met by more and by less force are from their middle.

    The latter with its sign changed; a row at its bound has an infinitely small pull.
    """
    rise = -reach if force >= between else reach
    fall = reach if force > between else -reach
    return rise if force < high else -np.inf, fall if force > low else -np.inf


@njit(**JIT)
def descend_row_by_row(gram, fixed, beta, scores, goal, max_visits):
    """Move each dual variable to its optimum, until the sum of all gaps is ``goal``."""
    signed, kinks, curvature, (ridge, cap) = fixed
    n_rows = beta.shape[0]
    order, chance = np.arange(n_rows), np.ones(1, np.uint64)
    for _ in range(max_visits // n_rows):
        for k in range(n_rows):
            i = draw_row(order, k, n_rows, chance)
            sign = 1.0 if signed[i] > 0.0 else -1.0
            slope = sign * scores[i] - kinks[i] + ridge * beta[i]
            target = best_in_box(beta[i], slope, curvature[i], cap)
            if target != beta[i]:
                step = signed[i] * (target - beta[i])
                beta[i] = target
                for j in range(n_rows):
                    scores[j] += step * gram[i, j]
        gap = 0.0
        for i in range(n_rows):
            sign = 1.0 if signed[i] > 0.0 else -1.0
            below = kinks[i] - sign * scores[i]
            if ridge == 0.0:
                own = (cap - beta[i]) * max(below, 0.0) + beta[i] * max(-below, 0.0)
            else:
                short = max(below, 0.0) - ridge * beta[i]
                own = 0.5 * short * short / ridge + beta[i] * max(-below, 0.0)
            gap += abs(signed[i]) * own
        if gap <= goal:
            break


@njit(**EXTREME)
def exchange(row, other, step, pulls, rise, fall, tops, bottoms):
    """Update the pulls after an exchange of force; find the extremes of each block."""
    for k in range(pulls.shape[0]):
        pulls[k] -= step * (np.float64(row[k]) - np.float64(other[k]))
    find_block_extremes(1.0, pulls, rise, tops)
    find_block_extremes(-1.0, pulls, fall, bottoms)


@njit(**EXTREME)
def find_gains(row, own, top, floor, diagonal, pulls, fall, gains, best):
    """Find the gain of each row as the second one; and the best of each block."""
    for k in range(pulls.shape[0]):
        lead = max(top - pulls[k] + fall[k], 0.0)
        bend = max(own + diagonal[k] - 2.0 * np.float64(row[k]), floor)
        gains[k] = lead * lead / bend
    find_block_extremes(1.0, gains, gains, best)


@njit(**EXTREME)
def find_block_extremes(sign, values, bias, out):
    """Find the largest ``value + bias`` of each block, or the least ``value - bias``."""
    for block in range(out.shape[0]):
        part = values[block * BLOCK : (block + 1) * BLOCK]
        its_bias = bias[block * BLOCK : (block + 1) * BLOCK]
        # Four at a time, since the compiler does not do it.
        first = second = third = fourth = -np.inf
        n = part.shape[0]
        for k in range(n // 4):
            first = max(first, sign * part[4 * k] + its_bias[4 * k])
            second = max(second, sign * part[4 * k + 1] + its_bias[4 * k + 1])
            third = max(third, sign * part[4 * k + 2] + its_bias[4 * k + 2])
            fourth = max(fourth, sign * part[4 * k + 3] + its_bias[4 * k + 3])
        for k in range(n - n % 4, n):
            first = max(first, sign * part[k] + its_bias[k])
        out[block] = sign * max(max(first, second), max(third, fourth))


@njit(**JIT)
def find_largest(values, bias, block):
    """Return the index of the largest ``value + bias`` of a block."""
    start = block * BLOCK
    found = start
    for k in range(start, min(values.shape[0], start + BLOCK)):
        if values[k] + bias[k] > values[found] + bias[found]:
            found = k
    return found
