"""Kernel machines whose squared terms have prices that matter, without m x m factors.

Such prices make every row pull, and the forces ``a`` of the rows are a dual point by
themselves, see ``problem.own_forces``. The dual function of the forces,

    min over margins h { smoothed losses and squared terms of h + sum a_i sign_i h_i }
    - a' G a / 2,

is concave and smooth. Its maximum is sought in the span of all directions that were ever
multiplied by the Gram matrix G, by Newton's method on a few coordinates. Then the span
gets one more direction, the Newton step that a surrogate of G gives, at the cost of one
product. Losses with kinks are smoothed by proximal steps whose anchor follows at every
step. docs/design/0011-active-prices-on-kernels.md has the reasons and what was measured.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy.linalg import cho_solve

from largemargin.designs.base import Curvature
from largemargin.designs.cholesky import damped_factor
from largemargin.designs.expansions import Bordered
from largemargin.designs.surrogate import PreconditionedDesign
from largemargin.numerics.span import Span
from largemargin.numerics.work_log import log_work, timed
from largemargin.problem.intercept import as_intercept_sees_it, centre
from largemargin.problem.losses import step_between
from largemargin.problem.own_forces import (
    certify_by_own_forces,
    split_forces,
    way_to_a_kink,
)
from largemargin.solvers.newton import solve_newton
from largemargin.solvers.solution import Run, Solution, Start
from largemargin.solvers.surrogate_start import enough_rank, solve_on_surrogates

# The length of proximal steps, in units of C.
SIGMA = 3.0
# The span holds at most this many vectors.
ROOM = 150
# Newton steps in the span before the next product.
STEPS_PER_PRODUCT = 3
# if they still raise the dual function by more than this part of the gap.
HARDLY = 0.1
# Which rows are at a kink is judged by margins between those that the forces ask for and
# those that they have; this is the weight of the latter, in units of 1 / G_ii. Either of
# the two alone needs many times the products: the former at small prices, the latter at
# large C.
SPRING = 10.0
# The surrogate is factorised again when more than this share of them has changed.
LAZY = 0.25
# A step in the span is too long if the slope at its end is below this part of the first.
TOO_LONG = -0.5
MAX_TRIALS = 20
LARGE = 1e300
SMALLEST = 1e-12
# Rounding may add to the gap, and to solve again would cost much more than a closer goal.
ON_THE_SAFE_SIDE = 0.8
# After this many products without a notably smaller gap only rounding errors are left.
PATIENCE = 60
NOTABLY = 0.99
# A loss with kinks is minimised directly if the squared terms are less curved than this
# part of it.
INERT = 0.01
# Residuals have kinks on both sides. Where their losses are hardly steeper than the squared
# length of the element, that way is faster at larger prices of squares, too.
INERT_IF_GENTLE = 0.1
GENTLE = 2.0


def solve_active(problem, run: Run) -> Solution:
    """Minimise a kernel objective with squared terms of any price."""
    n_before = problem.design.n_products
    with timed("solve_seconds"):
        solution = _solve(problem, run)
    log_work(products=problem.design.n_products - n_before)
    return solution


def _solve(problem, run):
    """Go the dual or the primal way, or one after the other."""
    kinks = problem.loss.kinks(problem.prices.C)
    inert = INERT_IF_GENTLE if _is_gentle(problem) else INERT
    steepness = inert * problem.loss_curvature()
    if problem.is_hard or (kinks and problem.stiffness < steepness):
        return solve_primal(problem, run)
    solution = _solve_dual(problem, run)
    n_left = run.max_iter - solution.n_iter
    if solution.converged or run.progress.is_late or n_left <= 0:
        return solution
    rest = replace(run, max_iter=n_left, start=solution.as_start())
    other = solve_primal(problem, rest)
    other.n_iter += solution.n_iter
    return min(other, solution, key=lambda one: one.certificate.gap)


def _is_gentle(problem):
    """Return whether losses of two sides are hardly steeper than the squared length."""
    if problem.loss.is_one_sided:
        return False
    norms = problem.mean(problem.design.squared_norms())
    return problem.loss_curvature() * norms <= GENTLE


def solve_primal(problem, run: Run) -> Solution:
    """Minimise a kernel objective by Newton steps on the smoothed objective itself.

    Each step takes several products. This is the way where squared terms are absent, or
    of such small prices that the forces of rows beyond the kinks are hardly a dual point.
    """
    design = problem.design
    rank, left = enough_rank(problem, run.tol)
    if run.start is None:
        run = replace(run, start=solve_on_surrogates(problem, run, rank, left))
    surrogate = design.surrogate(problem.weight, rank)
    return solve_newton(problem.on(PreconditionedDesign(design, surrogate)), run)


def _solve_dual(problem, run):
    """Newton's method on the dual function of the forces, in the span of all products."""
    design = problem.design
    rank, left = enough_rank(problem, run.tol)
    if run.start is None or run.start.w is None:
        run = replace(run, start=solve_on_surrogates(problem, run, rank, left))
    run.progress.check()
    surrogate = design.surrogate(problem.weight, rank)
    state, goal = DualNewton(problem, surrogate, run.start), ON_THE_SAFE_SIDE * run.tol
    best = state.look()
    n_iter = notable_iter = 0
    notable_gap = np.inf
    while True:
        run.progress(best.certificate)
        if best.certificate.gap < NOTABLY * notable_gap:
            notable_gap, notable_iter = best.certificate.gap, n_iter
        is_over = n_iter >= run.max_iter or n_iter - notable_iter >= PATIENCE
        if best.certificate.relative <= goal or is_over:
            break
        if run.progress.is_late and n_iter > 0:
            break
        n_iter += 1
        is_wider = state.widen()
        for _ in range(STEPS_PER_PRODUCT):
            gain = state.climb()
            best = min(best, state.look(), key=lambda one: one.certificate.gap)
            is_done = is_wider and gain < HARDLY * best.certificate.gap
            if is_done or best.certificate.relative <= goal:
                break
    return Solution.of(problem, best, n_iter, run.tol)


class DualNewton:
    """Forces in a span, and the directions that widen it."""

    def __init__(self, problem, surrogate, start: Start):
        self.problem, self.surrogate = problem, surrogate
        self._by_intercept = as_intercept_sees_it(problem)
        stiffness, weight = problem.stiffness, problem.weight
        self.span = Span(1.0 / (stiffness * weight), min(ROOM, problem.design.n_rows))
        self._springs = SPRING / np.maximum(weight * problem.design.squared_norms(), 1e-300)
        # Between these, pulls can explain the sum of signed forces.
        rewards = weight @ problem.rewards()
        self._edges = [rewards + problem.total * pull for pull in problem.box]
        forces, anchor = start.place(problem)
        self.smoothing = self._smoothed_at(anchor)
        self.level, self.offset = 1.0, start.offset
        self._solve: Callable | None = None  # on the surrogate, for these rows at kinks
        self._solved = np.zeros(len(weight), dtype=bool)
        self.coordinates = np.zeros(0)
        forces = self._within_reach(self._balanced(forces, problem.prices.intercept))
        scores = problem.design.scores(forces)
        if self.span.add(forces, scores, self._renewed):
            self.coordinates = self.span.coordinates(forces, scores)
        self._place(self.coordinates)

    def _balanced(self, forces, price):
        """Return forces that add up to the price of the intercept, if there is one."""
        problem = self.problem
        if not problem.fit_intercept:
            return forces
        return forces - problem.weight * ((forces.sum() - price) / problem.total)

    def _renewed(self, forces):
        forces = self._balanced(forces, 0.0)
        return forces, self.problem.design.scores(forces)

    def _within_reach(self, forces):
        """Return forces of a start at other prices, stretched to be a dual point.

        If only the variance is squared, its slopes add up to zero, so that the signed
        forces add up to the rewards and the pulls, which are bounded.
        """
        problem = self.problem
        whole, price = problem.sign @ forces, problem.prices.intercept
        if problem.bend > 0 or not whole > 0 or (problem.fit_intercept and price != 0):
            return forces
        lowest, highest = self._edges
        return forces * (min(max(whole, lowest), highest) / whole)

    def _smoothed_at(self, anchor):
        problem = self.problem
        sigma = problem.smoothing_length(SIGMA)
        return problem.loss.smoothing(anchor, sigma, problem.prices.C)

    def _place(self, coordinates):
        """Move to a point of the span."""
        self.coordinates = coordinates
        self.forces = coordinates @ self.span.vectors
        self.scores = coordinates @ self.span.images
        self._split()

    def _split(self):
        problem = self.problem
        self.split = split_forces(problem, self.forces, self.smoothing, self.level)
        self.is_whole = self.split.is_whole
        self.level = self.split.level if self.is_whole else 1.0

    def _lack(self, split, scores):
        """Return the gradient in the forces: the scores they ask for minus their own."""
        problem = self.problem
        return problem.sign * (split.tangent + problem.origin) - scores

    def look(self):
        """Certify the present point; the anchor follows."""
        problem = self.problem
        point = problem.point(self.forces, self.scores, self.offset)
        point = centre(self._by_intercept, point, self.smoothing)
        self.offset, self.margins = point.offset, point.margins
        if not problem.loss.is_smooth and self.is_whole:
            self.smoothing = self._smoothed_at(self.split.beta)
            self._split()
        return certify_by_own_forces(problem, point)

    def climb(self) -> float:
        """Take a Newton step in the span; return by how much it may raise the dual."""
        if not self.is_whole:
            return 0.0
        split = self.split
        if self.problem.spread > 0 and not split.extra.any():
            split = self._beyond_plateau(split)
        slope = self.span.vectors @ self._lack(split, self.scores)
        for mean_is_held in False, True:
            step = self._newton_step(slope, split.extra, mean_is_held)[0]
            room = np.inf if mean_is_held else self._room(step)
            gain, length = slope @ step, 0.0
            if room > SMALLEST:
                length = self._length(step, gain, min(room, 1.0))
            if length > 0:
                self._place(self.coordinates + length * step)
                break
        return gain

    def _beyond_plateau(self, split):
        """Return the split at the level from which the mean of the pulls may change.

        If no row is at a kink, the same forces have splits at a range of levels.
        """
        slope = self.span.vectors @ self._lack(split, self.scores)
        shift = self._newton_step(slope, split.extra, mean_is_held=True)[1]
        way, bends = way_to_a_kink(split.tangent, split.beta, self.smoothing, shift > 0)
        k = np.argmin(way)
        if not way[k] < abs(shift):
            return split
        extra = split.extra.copy()
        extra[k] = bends[k] * self.problem.weight[k]
        return split._replace(
            tangent=split.tangent + np.copysign(way[k], shift), extra=extra
        )

    def _room(self, step):
        """Return the part of a step after which no pulls can explain the forces."""
        if self.problem.spread == 0 or self.problem.bend > 0:
            return np.inf
        whole = self.problem.sign @ self.forces
        change = self.problem.sign @ (step @ self.span.vectors)
        edge = self._edges[0] if change < 0 else self._edges[1]
        return (edge - whole) / change if change != 0 else np.inf

    def _newton_step(self, slope, extra, mean_is_held=False):
        """Return the coordinates of the Newton step, and the shift that holds the mean."""
        problem, span = self.problem, self.span
        system = Bordered.of(self._curvature(extra))
        bent = np.flatnonzero(extra)
        gone = np.sqrt(np.maximum(span.ridge[bent] - system.inverse[bent], 0.0))
        part = span.vectors[:, bent] * gone
        matrix = span.products + span.squares - part @ part.T
        # Without rows at a kink the mean of the pulls cannot change.
        mean_is_held |= problem.spread > 0 and len(bent) == 0
        if problem.spread > 0 and not mean_is_held:
            along, corner = span.vectors @ system.border[:, -1], system.corner[-1, -1]
            matrix += np.outer(along, along / max(corner, SMALLEST))
        factor = damped_factor(matrix)
        step, shift = cho_solve(factor, slope, check_finite=False), 0.0
        if mean_is_held:
            signs = span.vectors @ problem.sign
            held = cho_solve(factor, signs, check_finite=False)
            if signs @ held > 0:
                shift = -(signs @ step) / (signs @ held)
        return (step + shift * held if shift else step), shift

    def _length(self, step, first_slope, length):
        """Return how far to go along a step: as far as told, unless the slope turns."""
        forces, scores = step @ self.span.vectors, step @ self.span.images
        low, high = 0.0, np.inf
        for _ in range(MAX_TRIALS):
            trial, at = self.forces + length * forces, self.scores + length * scores
            split = split_forces(self.problem, trial, self.smoothing, self.level)
            slope = forces @ self._lack(split, at)
            is_whole = split.is_whole
            if is_whole and slope >= TOO_LONG * first_slope:
                if slope > -TOO_LONG * first_slope and length < high < np.inf:
                    low = length
                else:
                    return length
            else:
                high = length
            length = 0.5 * (low + high)
        return low

    def _curvature(self, extra):
        """Return the curvature of the terms in the margins."""
        problem = self.problem
        border = problem.border if problem.fit_intercept else None
        parts = problem.mean_part, border
        return Curvature(problem.weight, problem.stiffness, extra, *parts)

    def widen(self) -> bool:
        """Add a direction to the span; return whether it has anything new."""
        problem = self.problem
        beta, extra = self._near_kinks()
        system = Bordered.of(self._curvature(extra))
        is_bent = extra > 0
        n_changed = np.count_nonzero(is_bent != self._solved)
        if self._solve is None or n_changed > LAZY * np.count_nonzero(is_bent):
            self._solve = None  # which frees the memory of its factor
            self._solve, self._solved = self.surrogate.factorised(system), is_bent
        target = problem.forces(beta, self.margins) - self.forces
        lack = system.border.T @ target
        if problem.fit_intercept:
            lack[0] = 0.0  # the forces stay balanced
        direction = self._balanced(self._solve(target * system.inverse, lack)[0], 0.0)
        if self.span.size == self.span.room:
            self.coordinates = self.span.make_room(self.coordinates)
        image = problem.design.scores(direction)
        is_new = self.span.add(direction, image, self._renewed)
        if is_new:
            self.coordinates = np.append(self.coordinates, 0.0)
        # Forces that are no dual point follow the step of the surrogate.
        if not self.is_whole:
            self._place(self.coordinates + self.span.coordinates(direction, image))
        return is_new

    def _near_kinks(self):
        """Return pulls and curvature by which the next direction is found."""
        problem, margins = self.problem, self.margins
        springs, levels = np.full_like(margins, LARGE), margins
        if self.is_whole:
            own = self.split.tangent - self.split.beta / problem.stiffness
            springs = self._springs + problem.stiffness
            levels = (problem.stiffness * own + self._springs * margins) / springs
        beta, extra = np.empty_like(margins), np.empty_like(margins)
        step_between(margins, levels, springs, *self.smoothing, problem.weight, beta, extra)
        return beta, extra
