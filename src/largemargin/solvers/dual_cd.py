"""Coordinate descent on the dual, one variable at a time in random order.

On a Gram matrix this is the paper's Algorithm 1 on its matrix H, see ``metric``. On rows
it is a descent on pairs ``(beta_i, delta_i)``, where delta carries the margin variance:

    min  |w|^2 / 2 + sum s delta^2 / (2 spread) - sum s beta,
    w = sum s beta z + lambda_mean zbar - sum s delta (z - zbar),   z_i = y_i x_i,

whose steps touch one row each. An unpenalised intercept is an equality constraint in the
dual; it is met by the method of multipliers, the multiplier being the intercept.
"""

from itertools import count

import numpy as np
from numba import njit

from largemargin._jit import JIT
from largemargin.designs.kernel import KernelDesign
from largemargin.designs.row_loops import row_add, row_dot
from largemargin.solvers.metric import solve_in_metric
from largemargin.solvers.newton import refuse_unseparable
from largemargin.solvers.solution import Progress, Solution

# A certificate costs about two sweeps: so many sweeps are made before the next one, and
# at least this part of all sweeps so far.
SWEEPS_PER_CHECK = 4
SHARE_PER_CHECK = 0.25
# Rows that are left to sweep are solved well enough when their violation fell this far.
SOLVED = 0.1


def solve_dual_cd(problem, *, tol, max_iter, start=None, progress=None, rng=None):
    """Minimise the dual by coordinate descent until the relative gap is at most tol."""
    progress = progress or Progress()
    rng = rng or np.random.default_rng(0)
    options = {"tol": tol, "max_iter": max_iter, "progress": progress}

    def descend_on_gram(svm, *, start, **options):
        return descend(svm, GramDescent(svm, start), rng=rng, **options)

    if not isinstance(problem.design, KernelDesign):
        return descend(problem, row_descent(problem, start), rng=rng, **options)
    if problem.lambda_var == 0:
        return descend_on_gram(problem, start=start, **options)
    return solve_in_metric(problem, descend_on_gram, start=start, **options)


def row_descent(problem, start):
    """Return the descent on rows that suits the price of the variance."""
    if problem.variance_is_mild:
        return RowDescent(problem, start)
    return PairDescent(problem, start)


def never(visits, gap):
    """Let a descent take its time."""
    return False


def descend(problem, state, *, tol, max_iter, progress, rng, is_slow=never):
    """Sweep until the gap is at most tol, or until ``is_slow(visits, gap)`` says so.

    The dual rises at every step but the primal may swing: the best of each is kept.
    """
    n_rows = problem.design.n_rows
    visits, next_check, goal = 0, SWEEPS_PER_CHECK * n_rows, 0.0
    best = None
    for n_iter in count(1):
        visited, violation = state.sweep(rng)
        visits += visited
        progress.check()
        if visits < next_check and not violation <= goal and n_iter < max_iter:
            continue
        point, beta, certificate = problem.examine(
            state.element(), state.offset, state.beta.copy()
        )
        state.refresh(point)
        if np.isinf(problem.C) and np.isinf(certificate.gap):
            refuse_unseparable(problem, beta)
        if best is not None:
            point, beta, certificate = _best_of(best, (point, beta, certificate))
        best = point, beta, certificate
        progress(certificate)
        if certificate.relative <= tol or n_iter >= max_iter:
            break
        if is_slow(visits, certificate.relative):
            break
        next_check = visits + max(SWEEPS_PER_CHECK * n_rows, SHARE_PER_CHECK * visits)
        goal = SOLVED * violation if np.isfinite(violation) else 0.0
    return Solution.of(problem, point, beta, certificate, n_iter, tol)


def _best_of(old, new):
    """Return the better point, and the dual variables that bound it best."""
    point, beta, certificate = min(old, new, key=lambda result: result[2].primal)
    for _, other_beta, other in old, new:
        combined = certificate.above(other.primal - other.gap)
        if combined.gap < certificate.gap:
            beta, certificate = other_beta, combined
    return point, beta, certificate


def _first_beta(problem, start):
    if start is None:
        return np.zeros(problem.design.n_rows)
    return np.clip(start.beta, 0.0, problem.C)


@njit(**JIT)
def best_in_box(beta, slope, curvature, C):
    """Return the minimiser over [0, C] of a parabola, or of a line for a row at zero."""
    if curvature > 0.0:
        return min(max(beta - slope / curvature, 0.0), C)
    if slope == 0.0:
        return beta
    if slope > 0.0:
        return 0.0
    # Without a bound no value is best: ever larger ones prove that nothing separates.
    return 2.0 * beta + 1.0 if np.isinf(C) else C


class GramDescent:
    """Descent on a Gram matrix; the margins are kept up to date."""

    def __init__(self, problem, start):
        self.problem = problem
        self.beta = _first_beta(problem, start)
        self.diagonal = problem.design.squared_norms()
        self.coupling = problem.mean(self.diagonal) if problem.fit_intercept else 0.0
        self.multiplier = 0.0 if start is None else start.offset
        self.scores = problem.design.scores(self.element())

    def element(self):
        """Return the expansion of the current element."""
        return self.problem.dual_forces(self.beta)

    @property
    def offset(self):
        """The intercept that the multiplier and the current forces imply."""
        return self.multiplier + self.coupling * self.element().sum()

    def sweep(self, rng):
        """Visit every dual variable once; the violation is not looked at."""
        problem = self.problem
        n_rows = problem.design.n_rows
        self.multiplier = self.offset
        gram_sweep(
            problem.design.gram,
            problem.y,
            problem.weight,
            self.diagonal + self.coupling,
            problem.C,
            self.coupling,
            self.beta,
            self.scores,
            self.offset,
            rng.permutation(n_rows).astype(np.uint32),
        )
        return n_rows, np.inf

    def refresh(self, point):
        """Nothing was put off until a certificate."""


@njit(**JIT)
def gram_sweep(gram, y, weight, curvature, C, coupling, beta, scores, offset, order):
    """Move each dual variable to its optimum given the others."""
    for i in order:
        slope = y[i] * (scores[i] + offset) - 1.0
        target = best_in_box(beta[i], slope, weight[i] * curvature[i], C)
        if target == beta[i]:
            continue
        step = y[i] * weight[i] * (target - beta[i])
        beta[i] = target
        offset += coupling * step
        for j in range(scores.shape[0]):
            scores[j] += step * gram[i, j]


class RowDescent:
    """Descent on rows, the margin variance replaced by its tangent at the last certificate.

    Rows that seem to stay at their bounds are left out of the sweeps until the next one.
    """

    def __init__(self, problem, start):
        design = problem.design
        self.problem = problem
        self.beta = _first_beta(problem, start)
        self.signed = problem.y * problem.weight
        lengths = design.squared_norms()
        self.coupling = problem.mean(lengths) if problem.fit_intercept else 0.0
        self.curvature = problem.weight * (lengths + self.coupling)
        self.multiplier = 0.0 if start is None else start.offset
        self.active = np.arange(design.n_rows, dtype=np.uint32)
        self.n_active = design.n_rows
        self.bounds = -np.inf, np.inf
        forces = problem.dual_forces(self.beta)
        if start is not None and start.w is not None:
            margins = problem.y * (design.scores(start.w) + start.offset)
            forces = problem.forces(margins, self.beta)
        self._combine(forces)

    def _combine(self, forces):
        self.w = self.problem.design.combine(forces)
        self.rest = forces.sum() - self.signed @ self.beta

    def element(self):
        """Return the current element."""
        return self.w.copy()

    @property
    def offset(self):
        """The intercept that the multiplier and the current forces imply."""
        return self.multiplier + self.coupling * (self.rest + self.signed @ self.beta)

    def sweep(self, rng):
        """Visit the rows that may still move; return their number and violation."""
        problem, n_visited = self.problem, self.n_active
        offset = 0.0
        if problem.fit_intercept:
            self.multiplier = self.offset
            offset = self.offset
        self.n_active, low, high = row_sweep(
            problem.design.rows,
            self.signed,
            self.curvature,
            problem.C,
            self.coupling,
            self.beta,
            self.w,
            offset,
            self.active,
            n_visited,
            self.bounds,
            rng.random(n_visited, dtype=np.float32),
        )
        self.bounds = low if low < 0 else -np.inf, high if high > 0 else np.inf
        return n_visited, high - low

    def refresh(self, point):
        """Take up the variance of this point, and the rows that its margins call for."""
        if self.problem.lambda_var > 0:
            self._combine(self.problem.forces(point.margins, self.beta))
        slope = point.margins - 1.0
        low, high = self.bounds
        resting = (self.beta == 0.0) & (slope > high)
        resting |= (self.beta == self.problem.C) & (slope < low)
        moving = np.flatnonzero(~resting)
        self.n_active = len(moving)
        self.active[: self.n_active] = moving


@njit(**JIT)
def row_sweep(
    rows,
    signed,
    curvature,
    C,
    coupling,
    beta,
    w,
    offset,
    active,
    n_active,
    bounds,
    chances,
):
    """Move each active dual variable to its optimum given the others, in random order.

    ``signed`` are the labels times the weights; the intercept is one more feature, of
    squared length ``coupling``. A row at a bound that pulls outwards more than any did in
    the last sweep, ``bounds``, becomes inactive. Returns how many rows are left and the
    range of the slopes that were found.
    """
    low, high = np.inf, -np.inf
    k = 0
    while k < n_active:
        other = k + np.int64(chances[k] * (n_active - k))
        i = active[other]
        active[other] = active[k]
        active[k] = i
        label = 1.0 if signed[i] > 0.0 else -1.0
        slope = label * (row_dot(*rows, i, w) + offset) - 1.0
        if (beta[i] == 0.0 and slope > bounds[1]) or (beta[i] == C and slope < bounds[0]):
            n_active -= 1
            active[k] = active[n_active]
            active[n_active] = i
            continue
        k += 1
        target = best_in_box(beta[i], slope, curvature[i], C)
        if (beta[i] > 0.0 or slope < 0.0) and (beta[i] < C or slope > 0.0):
            low, high = min(low, slope), max(high, slope)
        if target != beta[i]:
            step = signed[i] * (target - beta[i])
            beta[i] = target
            offset += coupling * step
            row_add(*rows, i, step, w)
    return n_active, min(low, 0.0), max(high, 0.0)


class PairDescent:
    """Descent on rows and pairs of variables; ``w`` is kept as ``v + tau zbar``."""

    def __init__(self, problem, start):
        design, y, weight = problem.design, problem.y, problem.weight
        self.problem = problem
        self.beta = _first_beta(problem, start)
        self.delta = np.zeros(design.n_rows)
        self.mean_row = design.combine(y * weight) / problem.total
        self.to_mean = y * design.scores(self.mean_row)
        self.norms = design.squared_norms()
        self.coupling = problem.mean(self.norms) if problem.fit_intercept else 0.0
        self.multiplier = 0.0
        if start is not None:
            self.multiplier = start.offset
            if start.w is not None:
                margins = y * (design.scores(start.w) + start.offset)
                self.delta = problem.spread * problem.centred(margins)
        self.v = design.combine(y * weight * (self.beta - self.delta))
        self.tau = problem.lambda_mean + weight @ self.delta

    def element(self):
        """Return the current element."""
        return self.v + self.tau * self.mean_row

    @property
    def offset(self):
        """The intercept that the multiplier and the current forces imply."""
        problem = self.problem
        pull = (problem.y * problem.weight) @ (self.beta - self.delta)
        return self.multiplier + self.coupling * (pull + self.tau * problem.mean(problem.y))

    def sweep(self, rng):
        """Visit every pair of dual variables once; the violation is not looked at."""
        problem = self.problem
        n_rows = problem.design.n_rows
        self.multiplier = self.offset
        self.tau = pair_sweep(
            problem.design.rows,
            problem.y,
            problem.weight,
            self.norms,
            self.to_mean,
            self.mean_row @ self.mean_row,
            problem.mean(problem.y),
            problem.C,
            problem.spread,
            self.coupling,
            self.beta,
            self.delta,
            self.v,
            self.tau,
            self.v @ self.mean_row,
            self.offset,
            rng.permutation(n_rows).astype(np.uint32),
        )
        return n_rows, np.inf

    def refresh(self, point):
        """Nothing was put off until a certificate."""


@njit(**JIT)
def pair_sweep(
    rows,
    y,
    weight,
    norms,
    to_mean,
    mean_norm,
    mean_label,
    C,
    spread,
    coupling,
    beta,
    delta,
    v,
    tau,
    v_mean,
    offset,
    order,
):
    """Move each pair of dual variables to its optimum given the others.

    Keeps ``v_mean = v . zbar``; returns the new ``tau``. The intercept is one more
    feature, of squared length ``coupling``.
    """
    for i in order:
        length = norms[i] + coupling
        near = to_mean[i] + coupling * y[i] * mean_label
        centre = mean_norm + coupling * mean_label * mean_label
        margin = y[i] * (row_dot(*rows, i, v) + offset) + tau * to_mean[i]
        slope = margin - 1.0
        mass = weight[i]
        mean_margin = v_mean + tau * mean_norm + mean_label * offset
        pull = delta[i] / spread - (margin - mean_margin)
        mixed = -mass * (length - near)
        bend = mass * (length - 2.0 * near + centre) + 1.0 / spread
        reduced = mass * length - mixed * mixed / bend
        target = best_in_box(beta[i], slope - mixed * pull / bend, reduced, C)
        step = target - beta[i]
        shift = -(pull + mixed * step) / bend
        delta[i] += shift
        tau += mass * shift
        beta[i] = target
        move = mass * (step - shift)
        offset += coupling * (move * y[i] + mass * shift * mean_label)
        if move != 0.0:
            row_add(*rows, i, y[i] * move, v)
            v_mean += move * to_mean[i]
    return tau
