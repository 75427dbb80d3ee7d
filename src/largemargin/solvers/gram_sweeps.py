"""Coordinate descent on the rows of a Gram matrix, for one price of the margin variance.

The force of a row along its margin is ``s_i (beta_i + reward - v_i)``: the pull of its
loss, the reward of the mean, and the slope of the variance; v has the weighted mean zero.
Over ``beta`` within its bounds and ``v``, descent minimises the dual function

    |w|^2 / 2 + sum s_i v_i^2 / (2 spread) - sum s_i (kink beta_i - ridge beta_i^2 / 2),

where w is the combination of the rows by these forces. The constraints are eliminated.
Without an intercept, ``v_i = d_i - Mean(d)`` for a free number d_i of each row. With one,
the signed forces must add up to zero, too: then ``v_i`` is d_i minus the mean of its own
class, plus a step between the classes that the sum of ``sign_i s_i beta_i`` determines.
So neither the intercept nor the mean margin slows the descent, as they do if they are
updated in turn with the rows. What a change of one beta_i or d_i adds to w is then the row
minus a multiple of the class means, which the sweep accounts for by two numbers.

Each sweep takes as many operations as a product with the matrix. Their number grows with
the curvature of the squared terms, relative to that of the rows: this is the fastest
method for small problems at moderate prices, and slow at large ones.
"""

from typing import NamedTuple

import numpy as np

from largemargin.numerics.jit import JIT, njit
from largemargin.numerics.lines import add_row
from largemargin.numerics.shuffling import draw_row
from largemargin.problem.certificate import Certificate, Certified
from largemargin.solvers.solution import Run, Solution

# Sweeps between two decisions whether to go on.
SWEEPS_PER_CALL = 5
# Other methods cost about as much as this many sweeps, up to so many rows: the inverse of
# a small matrix; then ``active_kernel``, while caches hold the matrix and beyond.
WORTHWHILE = {600: 100, 1200: 60, 2000: 30}
MAX_ROWS = max(WORTHWHILE)
# Fewer rows than this are solved by Newton's method, nearly to the last digit and fast.
LEAST_ROWS = 60
# Sweeps are for variances that are more curved than this part of the loss.
INERT = 0.01
# What is smaller than this part of its terms is rounding.
ROUNDING = 1e-12
# Rounding may add to the gap, and to solve again would cost more than a closer goal.
ON_THE_SAFE_SIDE = 0.8


class Centring(NamedTuple):
    """How constraints are eliminated, with class 0 the positive one.

    ``share[k, l]`` is the part of the mean of class l in what a change of d takes off a row
    of class k; ``tilt`` is the part of the difference of both class means in what a change
    of beta takes off, zero without an intercept.
    """

    weights: np.ndarray  # the total weight of each class
    share: np.ndarray
    tilt: float


class Costs(NamedTuple):
    """The prices as the sweeps see them."""

    spread: float
    reward: float
    kink: float
    ridge: float
    cap: float


def sweeps_can_solve(problem) -> bool:
    """Return whether a small problem has two classes and a price of the variance alone."""
    is_small = LEAST_ROWS <= problem.design.n_rows <= MAX_ROWS
    if not (is_small and problem.is_plain_ldm):
        return False
    if problem.spread <= INERT * problem.loss_curvature():
        return False
    return bool((problem.sign != problem.sign[0]).any())


def solve_by_gram_sweeps(problem, run: Run) -> Solution:
    """Minimise a kernel objective by sweeps over the rows, as long as that is fast."""
    state = GramSweeps(problem, run.start)
    n_rows = problem.design.n_rows
    limit = next(n_sweeps for most, n_sweeps in WORTHWHILE.items() if n_rows <= most)
    goal, n_iter = ON_THE_SAFE_SIDE * run.tol, 0
    while True:
        n_iter += 1
        state.sweep(SWEEPS_PER_CALL, goal)
        run.progress(state.certificate)
        gap = state.certificate.relative
        if gap <= goal or n_iter >= run.max_iter or run.progress.is_late:
            break
        # The gap, about one at first, falls by about the same factor in every sweep.
        is_fast = limit * np.log(min(gap, 1.0)) <= state.n_sweeps * np.log(goal)
        if not is_fast:  # or no number
            break
    return Solution.of(problem, state.certified(), n_iter, run.tol)


class GramSweeps:
    """Dual variables, and the scores that their forces produce."""

    def __init__(self, problem, start):
        self.problem, self.gram = problem, problem.design.gram_matrix
        n_rows = problem.design.n_rows
        self.centring = centring_of(problem)
        self.costs = Costs(
            problem.spread,
            problem.reward,
            problem.loss.kink,
            problem.ridge,
            problem.box[1],
        )
        self.rows = problem.sign, problem.weight
        self.means, self.bends = np.zeros((2, n_rows)), np.empty((3, n_rows))
        self.inner = np.empty((2, 2))
        prepare(
            self.gram,
            *self.rows,
            self.centring,
            self.costs,
            self.means,
            self.inner,
            self.bends,
        )
        # beta and d; the forces, the scores, and the margins that the forces ask for.
        self.duals, self.point = np.zeros((2, n_rows)), np.zeros((3, n_rows))
        if start is not None:
            self.duals[0] = np.clip(start.beta, *problem.box)
            # A condensed expansion has other coefficients than the forces.
            if start.w is not None and start.w.all():
                pulls = problem.sign * start.w / problem.weight
                self.duals[1] = self.duals[0] + problem.reward - pulls
        # Sweeps visit rows in random order, which takes fewer of them.
        self.order, self.chance = np.arange(n_rows, dtype=np.uintp), np.ones(1, np.uint64)
        self.n_sweeps, self.offset = 0, 0.0
        self.certificate = Certificate(0.0, np.inf, 1.0)

    def sweep(self, n_sweeps, goal) -> None:
        """Sweep this many times, or until the relative gap is ``goal``."""
        n_done, self.offset, *terms = sweep_rows(
            self.gram,
            *self.rows,
            self.centring,
            self.costs,
            self.means,
            self.inner,
            self.bends,
            self.duals,
            self.point,
            self.order,
            self.chance,
            self.n_sweeps == 0,
            n_sweeps,
            goal,
        )
        self.n_sweeps += n_done
        self.certificate = Certificate(*terms)

    def certified(self) -> Certified:
        """Return the present point with its certificate."""
        forces, scores, tangent = self.point
        point = self.problem.point(forces, scores, self.offset)
        return Certified(point, self.duals[0], self.certificate, tangent)


def centring_of(problem) -> Centring:
    """Return how the constraints of a problem are eliminated."""
    is_positive = problem.sign > 0
    positive = problem.weight[is_positive].sum()
    weights = np.array([positive, problem.weight[~is_positive].sum()])
    if problem.fit_intercept:
        return Centring(weights, np.eye(2), 0.5)
    return Centring(weights, np.tile(weights / weights.sum(), (2, 1)), 0.0)


@njit(**JIT)
def prepare(gram, sign, weight, centring, costs, means, inner, bends):
    """Fill in the scores and inner products of the mean signed rows of both classes.

    ``bends`` are numbers of each row by which a step is found without divisions. Let the
    second derivatives of the dual function be those in d, in both variables, and in beta
    while d follows, all over the squared weight. These are the inverse of the first over
    the weight, the second over the first, and the inverse of the third over the weight.
    """
    weights, share, tilt = centring
    n_rows = sign.shape[0]
    for i in range(n_rows):
        k = 0 if sign[i] > 0.0 else 1
        add_row(gram[i], sign[i] * weight[i] / weights[k], means[k])
    inner[:] = 0.0
    for i in range(n_rows):
        k = 0 if sign[i] > 0.0 else 1
        for other in range(2):
            inner[k, other] += sign[i] * weight[i] / weights[k] * means[other, i]
    total = weights[0] + weights[1]
    apart = inner[0, 0] - inner[0, 1] - inner[1, 0] + inner[1, 1]
    hold = tilt * tilt * total / (weights[0] * weights[1] * costs.spread)
    for i in range(n_rows):
        k = 0 if sign[i] > 0.0 else 1
        along = tilt * (means[0, i] - means[1, i])
        centre = sign[i] * (share[k, 0] * means[0, i] + share[k, 1] * means[1, i])
        centre_square = across = 0.0
        for one in range(2):
            across += share[k, one] * (inner[0, one] - inner[1, one])
            for other in range(2):
                centre_square += share[k, one] * share[k, other] * inner[one, other]
        own = gram[i, i]
        free = (1.0 / weight[i] - share[k, k] / weights[k]) / costs.spread
        in_d = own - 2.0 * centre + centre_square + free
        in_both = -(own - along - centre + sign[i] * tilt * across)
        in_beta = own - 2.0 * along + tilt * tilt * apart + hold + costs.ridge / weight[i]
        # The only row of its class, or one that outweighs all others there, has no
        # deviation from its mean: d stays what it is.
        is_alone = in_d <= ROUNDING * (
            own + centre_square + 1.0 / (weight[i] * costs.spread)
        )
        bends[0, i] = 0.0 if is_alone else 1.0 / (weight[i] * in_d)
        bends[1, i] = 0.0 if is_alone else in_both / in_d
        bend = max(in_beta - bends[1, i] * in_both, ROUNDING * in_beta)
        bends[2, i] = 1.0 / (weight[i] * bend)


@njit(**JIT)
def sweep_rows(
    gram,
    sign,
    weight,
    centring,
    costs,
    means,
    inner,
    bends,
    duals,
    point,
    order,
    chance,
    is_first,
    n_sweeps,
    goal,
):
    """Minimise over both dual variables of each row in turn, in random order.

    Fill in forces, scores and the margins that the forces ask for. Return the number of
    sweeps, the intercept, and objective, gap and scale of the certificate.
    """
    weights, share, tilt = centring
    spread, reward, kink, ridge, cap = costs
    beta, d = duals
    scores, n_rows = point[1], sign.shape[0]
    total = weights[0] + weights[1]
    # The step between the classes for a unit of the sum of sign s beta.
    unit = tilt * total / (weights[0] * weights[1])
    # For each class: the mean of d, the mean margin without intercept, and what its mean
    # row adds to the scores.
    level, mean_margin, parts = np.zeros(2), np.zeros(2), np.zeros(2)
    inverse_weights, softness = 1.0 / weights, 1.0 / spread
    between = unit * reward * (weights[0] - weights[1])
    for i in range(n_rows):
        k = 0 if sign[i] > 0.0 else 1
        level[k] += weight[i] * d[i] / weights[k]
        between += unit * sign[i] * weight[i] * beta[i]
    if is_first:
        fill_forces(sign, weight, centring, reward, duals, level, between, point[0])
        scores[:] = 0.0
        for i in range(n_rows):
            if point[0, i] != 0.0:
                add_row(gram[i], point[0, i], scores)
    n_done = 0
    while True:
        n_done += 1
        mean_margin[:] = 0.0
        for i in range(n_rows):
            k = 0 if sign[i] > 0.0 else 1
            mean_margin[k] += sign[i] * weight[i] * scores[i] / weights[k]
        for step in range(n_rows):
            i = draw_row(order, step, n_rows, chance)
            k = 0 if sign[i] > 0.0 else 1
            score = scores[i] + parts[0] * means[0, i] + parts[1] * means[1, i]
            offset = tilt * (between * softness - mean_margin[0] + mean_margin[1])
            centre = share[k, 0] * mean_margin[0] + share[k, 1] * mean_margin[1]
            own_level = share[k, 0] * level[0] + share[k, 1] * level[1]
            slope = sign[i] * (score + offset) - kink + ridge * beta[i]
            slope_d = (d[i] - own_level) * softness - sign[i] * score + centre
            target = beta[i] - (slope - bends[1, i] * slope_d) * bends[2, i]
            change = min(max(target, 0.0), cap) - beta[i]
            change_d = -slope_d * bends[0, i] - bends[1, i] * change
            beta[i] += change
            d[i] += change_d
            force, force_d = weight[i] * change, weight[i] * change_d
            level[k] += force_d * inverse_weights[k]
            between += unit * sign[i] * force
            first = -tilt * sign[i] * force + share[k, 0] * force_d
            second = tilt * sign[i] * force + share[k, 1] * force_d
            parts[0] += first
            parts[1] += second
            moved = sign[i] * (force - force_d)
            for one in range(2):
                mean_margin[one] += moved * means[one, i]
                mean_margin[one] += first * inner[0, one] + second * inner[1, one]
            add_row(gram[i], moved, scores)
        for k in range(2):
            add_row(means[k], parts[k], scores)
            parts[k] = 0.0
        fill_forces(sign, weight, centring, reward, duals, level, between, point[0])
        offset, primal, gap, scale = certify(
            sign, weight, centring, costs, duals, point, between
        )
        if gap <= goal * scale or n_done == n_sweeps:
            break
    return n_done, offset, primal, gap, scale


@njit(**JIT)
def fill_forces(sign, weight, centring, reward, duals, level, between, out):
    """Fill in the forces, given the mean of d in each class and the step between them."""
    weights, share, _ = centring
    total = weights[0] + weights[1]
    for i in range(sign.shape[0]):
        k = 0 if sign[i] > 0.0 else 1
        slope = duals[1, i] - share[k, 0] * level[0] - share[k, 1] * level[1]
        slope += sign[i] * between * weights[1 - k] / total
        out[i] = sign[i] * weight[i] * (duals[0, i] + reward - slope)


@njit(**JIT)
def certify(sign, weight, centring, costs, duals, point, between):
    """Return the intercept, and objective, gap and scale; fill in the tangent."""
    weights, _, tilt = centring
    spread, reward, kink, ridge, cap = costs
    forces, scores, tangent = point
    total = weights[0] + weights[1]
    offset, n_rows = tilt * between / spread, sign.shape[0]
    for i in range(n_rows):
        k = 0 if sign[i] > 0.0 else 1
        offset -= tilt * weight[i] * scores[i] / weights[k]
    mean = square = 0.0
    for i in range(n_rows):
        mean += weight[i] * sign[i] * (scores[i] + offset) / total
        square += forces[i] * scores[i]
    loss = gap = variance = 0.0
    for i in range(n_rows):
        margin = sign[i] * (scores[i] + offset)
        below, beta = kink - margin, duals[0, i]
        away = beta + reward - sign[i] * forces[i] / weight[i] - spread * (margin - mean)
        tangent[i] = margin + away / spread
        if ridge == 0.0:
            loss += weight[i] * cap * max(below, 0.0)
            own = (cap - beta) * max(below, 0.0) + beta * max(-below, 0.0)
        else:
            loss += 0.5 * weight[i] * max(below, 0.0) ** 2 / ridge
            short = max(below, 0.0) - ridge * beta
            own = 0.5 * short * short / ridge + beta * max(-below, 0.0)
        gap += weight[i] * (own + 0.5 * away * away / spread)
        variance += weight[i] * (margin - mean) ** 2
    quadratic = 0.5 * max(square, 0.0) + 0.5 * spread * variance
    gain = reward * total * mean
    return offset, quadratic - gain + loss, gap, quadratic + abs(gain) + loss
