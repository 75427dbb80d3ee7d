"""The states of coordinate descent: what one sweep over the dual variables changes.

A state tells its dual variables ``beta``, its ``element()`` and ``offset``; ``sweep(rng)``
visits variables in random order and returns how many and how far their slopes were off;
``refresh(point)`` takes up what was put off until a certificate, the first of which
comes after ``first_sweeps``.

An unpenalised intercept is an equality constraint in the dual; it is met by the method of
multipliers, the multiplier being the intercept.
"""

import numpy as np
from numba import njit

from largemargin.designs.row_loops import row_add, row_dot
from largemargin.numerics.jit import JIT


def row_descent(problem, start):
    """Return the descent on rows that suits the price of the variance."""
    if problem.squares_are_mild:
        return RowDescent(problem, start)
    return CoupledDescent(problem, start)


def first_beta(problem, start):
    """Return the dual variables to begin with."""
    if start is None:
        return np.zeros(problem.design.n_rows)
    return np.clip(start.beta, *problem.box)


def kinks_of(problem):
    """Return the signed score, intercept included, at which each row is at its kink."""
    return problem.loss.kink + problem.origin


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

    first_sweeps = 4

    def __init__(self, problem, start):
        self.problem = problem
        self.beta = first_beta(problem, start)
        self.kinks = kinks_of(problem)
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
            problem.design.gram_matrix,
            problem.sign,
            problem.weight,
            self.kinks,
            self.diagonal + self.coupling,
            problem.prices.C,
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
def gram_sweep(
    gram, sign, weight, kinks, curvature, C, coupling, beta, scores, offset, order
):
    """Move each dual variable to its optimum given the others."""
    for i in order:
        slope = sign[i] * (scores[i] + offset) - kinks[i]
        target = best_in_box(beta[i], slope, weight[i] * curvature[i], C)
        if target == beta[i]:
            continue
        step = sign[i] * weight[i] * (target - beta[i])
        beta[i] = target
        offset += coupling * step
        for j in range(scores.shape[0]):
            scores[j] += step * gram[i, j]


class RowDescent:
    """Descent on rows, the margin variance replaced by its tangent at the last certificate.

    Rows that seem to stay at their bounds are left out of the sweeps until the next one.
    """

    first_sweeps = 2

    def __init__(self, problem, start):
        design = problem.design
        self.problem = problem
        self.beta = first_beta(problem, start)
        self.signed, self.kinks = problem.sign * problem.weight, kinks_of(problem)
        lengths = design.squared_norms()
        self.coupling = problem.mean(lengths) if problem.fit_intercept else 0.0
        self.curvature = problem.weight * (lengths + self.coupling)
        self.multiplier = 0.0 if start is None else start.offset
        self.active = np.arange(design.n_rows, dtype=np.uint32)
        self.n_active = design.n_rows
        self.bounds = -np.inf, np.inf
        forces = problem.dual_forces(self.beta)
        if start is not None and start.w is not None:
            margins = problem.margins(design.scores(start.w), start.offset)
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
            self.kinks,
            self.curvature,
            problem.prices.C,
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
        problem = self.problem
        if problem.is_curved:
            self._combine(problem.forces(point.margins, self.beta))
        slope = point.margins + problem.origin - self.kinks
        low, high = self.bounds
        resting = (self.beta == 0.0) & (slope > high)
        resting |= (self.beta == problem.prices.C) & (slope < low)
        moving = np.flatnonzero(~resting)
        self.n_active = len(moving)
        self.active[: self.n_active] = moving


@njit(**JIT)
def row_sweep(
    rows,
    signed,
    kinks,
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

    ``signed`` are the signs times the weights; the intercept is one more feature, of
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
        sign = 1.0 if signed[i] > 0.0 else -1.0
        slope = sign * (row_dot(*rows, i, w) + offset) - kinks[i]
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


class CoupledDescent:
    """Descent on rows, two variables each: beta, and delta for the margin variance.

    Minimises ``|w|^2 / 2 + sum s delta^2 / (2 spread) - sum s kink beta``, written here
    without origins, with ``w = sum s beta z + lambda_mean zbar - sum s delta (z - zbar)``,
    where ``z = y x``. A step touches one row because ``w`` is kept as ``v + tau zbar``.
    """

    # The margin variance swings at first.
    first_sweeps = 8

    def __init__(self, problem, start):
        design, sign, weight = problem.design, problem.sign, problem.weight
        self.problem = problem
        self.beta, self.kinks = first_beta(problem, start), kinks_of(problem)
        self.delta = np.zeros(design.n_rows)
        self.mean_row = design.combine(sign * weight) / problem.total
        self.to_mean = sign * design.scores(self.mean_row)
        self.norms = design.squared_norms()
        self.coupling = problem.mean(self.norms) if problem.fit_intercept else 0.0
        self.multiplier = 0.0
        if start is not None:
            self.multiplier = start.offset
            if start.w is not None:
                margins = problem.margins(design.scores(start.w), start.offset)
                self.delta = problem.spread * problem.centred(margins)
        self.v = design.combine(sign * weight * (self.beta - self.delta))
        self.tau = problem.prices.lambda_mean + weight @ self.delta

    def element(self):
        """Return the current element."""
        return self.v + self.tau * self.mean_row

    @property
    def offset(self):
        """The intercept that the multiplier and the current forces imply."""
        problem = self.problem
        pull = (problem.sign * problem.weight) @ (self.beta - self.delta)
        pull += self.tau * problem.mean(problem.sign)
        return self.multiplier + self.coupling * pull

    def sweep(self, rng):
        """Visit every pair of dual variables once; the violation is not looked at."""
        problem = self.problem
        n_rows = problem.design.n_rows
        self.multiplier = self.offset
        self.tau = coupled_sweep(
            problem.design.rows,
            problem.sign,
            problem.weight,
            problem.centred(problem.origin),
            self.kinks,
            self.norms,
            self.to_mean,
            self.mean_row @ self.mean_row,
            problem.mean(problem.sign),
            problem.prices.C,
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
def coupled_sweep(
    rows,
    sign,
    weight,
    origin,
    kinks,
    norms,
    to_mean,
    mean_norm,
    mean_sign,
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
    feature, of squared length ``coupling``. ``origin`` has mean zero.
    """
    for i in order:
        length = norms[i] + coupling
        near = to_mean[i] + coupling * sign[i] * mean_sign
        centre = mean_norm + coupling * mean_sign * mean_sign
        score = sign[i] * (row_dot(*rows, i, v) + offset) + tau * to_mean[i]
        slope = score - kinks[i]
        mass = weight[i]
        mean_score = v_mean + tau * mean_norm + mean_sign * offset
        pull = delta[i] / spread - (score - mean_score - origin[i])
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
        offset += coupling * (move * sign[i] + mass * shift * mean_sign)
        if move != 0.0:
            row_add(*rows, i, sign[i] * move, v)
            v_mean += move * to_mean[i]
    return tau
