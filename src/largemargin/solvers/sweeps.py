"""Sweeps over the dual variables: the states of dual coordinate descent.

In the dual, an unpenalised intercept is an equality constraint. The method of multipliers
enforces it; the multiplier is the intercept.
"""

import numpy as np

from largemargin.designs.row_loops import row_add, row_dot
from largemargin.numerics.jit import JIT, njit


def row_descent(problem, start):
    """Return the descent on rows that suits the prices of the squared terms."""
    if problem.squares_are_mild:
        return RowDescent(problem, start)
    return CoupledDescent(problem, start)


@njit(**JIT)
def best_in_box(beta, slope, curvature, cap):
    """Return the minimiser over [0, cap] of a parabola, or of a line if a row is zero."""
    if curvature > 0.0:
        return min(max(beta - slope / curvature, 0.0), cap)
    if slope == 0.0:
        return beta
    if slope > 0.0:
        return 0.0
    # Without a bound there is no minimiser: growing values prove inseparability.
    return 2.0 * beta + 1.0 if np.isinf(cap) else cap


class DualDescent:
    """The state of a coordinate descent on the dual variables ``beta``.

    Its primal point is ``element()`` with the intercept ``offset``. ``sweep(rng)`` visits
    variables in random order and returns how many, and the range of their slopes, or
    infinity if it does not compute it. ``refresh(point)`` follows every certificate, the
    first of which comes after ``first_sweeps``.
    """

    first_sweeps = 4

    def __init__(self, problem, start):
        self.problem = problem
        self.signed = problem.sign * problem.weight
        self.beta = np.zeros(problem.design.n_rows)
        self.multiplier = 0.0
        if start is not None:
            self.beta = np.clip(start.beta, *problem.box)
            self.multiplier = start.offset
        # The signed score, intercept included, at which each row is at its kink.
        self.kinks = problem.loss.kink + problem.origin
        norms = problem.design.squared_norms()
        # The intercept acts as one more feature, of this squared length.
        self.coupling = problem.mean(norms) if problem.fit_intercept else 0.0
        # The dual is the same for all losses but for its bound and its diagonal.
        self.ridge, self.cap = problem.ridge, problem.box[1]
        curvature = problem.weight * (norms + self.coupling) + self.ridge
        numbers = self.ridge, self.cap, self.coupling
        # What sweeps read and do not change.
        self.fixed = self.signed, self.kinks, curvature, numbers

    @property
    def offset(self):
        """The intercept that follows from the multiplier and the present forces."""
        return self.multiplier + self.coupling * self.total_force()

    def shuffled(self, rng):
        """Return all rows in random order."""
        return rng.permutation(self.problem.design.n_rows).astype(np.uint32)

    def refresh(self, point):
        """Do nothing: sweeps deferred nothing."""


class GramDescent(DualDescent):
    """Descent on a Gram matrix that keeps the scores up to date."""

    def __init__(self, problem, start):
        super().__init__(problem, start)
        self.scores = problem.design.scores(self.element())

    def element(self):
        """Return the expansion of the current element."""
        return self.problem.forces(self.beta)

    def total_force(self):
        """Return the sum of all forces."""
        return self.element().sum()

    def sweep(self, rng):
        """Visit every dual variable once."""
        self.multiplier = self.offset
        gram, order = self.problem.design.gram_matrix, self.shuffled(rng)
        gram_sweep(gram, self.fixed, self.beta, self.scores, self.offset, order)
        return len(order), np.inf


@njit(**JIT)
def gram_sweep(gram, fixed, beta, scores, offset, order):
    """Move each dual variable to its optimum given the others."""
    signed, kinks, curvature, (ridge, cap, coupling) = fixed
    for i in order:
        # Weights are positive, so that this is the sign of the row.
        sign = 1.0 if signed[i] > 0.0 else -1.0
        slope = sign * (scores[i] + offset) - kinks[i] + ridge * beta[i]
        target = best_in_box(beta[i], slope, curvature[i], cap)
        if target == beta[i]:
            continue
        step = signed[i] * (target - beta[i])
        beta[i] = target
        offset += coupling * step
        for j in range(scores.shape[0]):
            scores[j] += step * gram[i, j]


class RowDescent(DualDescent):
    """Descent on rows; the squared terms are linearised at every certificate."""

    first_sweeps = 2

    def __init__(self, problem, start):
        super().__init__(problem, start)
        design = problem.design
        self.n_active = design.n_rows
        self.active = np.arange(design.n_rows, dtype=np.uint32)
        self.bounds = -np.inf, np.inf
        forces = problem.forces(self.beta)
        if start is not None and start.w is not None:
            margins = problem.margins(design.scores(start.w), start.offset)
            forces = problem.forces(self.beta, margins)
        self._combine(forces)

    def _combine(self, forces):
        self.w = self.problem.design.combine(forces)
        self.rest = forces.sum() - self.signed @ self.beta

    def element(self):
        """Return the current element."""
        return self.w.copy()

    def total_force(self):
        """Return the sum of all forces."""
        return self.rest + self.signed @ self.beta

    def sweep(self, rng):
        """Visit the rows that have not settled at their bounds since the certificate."""
        n_visited, offset = self.n_active, 0.0
        if self.problem.fit_intercept:
            self.multiplier = self.offset
            offset = self.offset
        chances = rng.random(n_visited, dtype=np.float32)
        state = self.beta, self.w, offset, self.active, n_visited, self.bounds
        found = row_sweep(self.problem.design.rows, self.fixed, *state, chances)
        self.n_active, low, high = found
        self.bounds = low if low < 0 else -np.inf, high if high > 0 else np.inf
        return n_visited, high - low

    def refresh(self, point):
        """Linearise at this point, and activate the rows that its margins call for."""
        problem = self.problem
        if problem.is_curved:
            self._combine(problem.forces(self.beta, point.margins))
        slope = point.margins + problem.origin - self.kinks + self.ridge * self.beta
        low, high = self.bounds
        resting = (self.beta == 0.0) & (slope > high)
        resting |= (self.beta == self.cap) & (slope < low)
        moving = np.flatnonzero(~resting)
        self.n_active = len(moving)
        self.active[: self.n_active] = moving


@njit(**JIT)
def row_sweep(rows, fixed, beta, w, offset, active, n_active, bounds, chances):
    """Move each active dual variable to its optimum given the others, in random order.

    A row at a bound becomes inactive if its slope exceeds all slopes of the last sweep,
    ``bounds``. Returns the number of rows left and the range of the slopes found.
    """
    signed, kinks, curvature, (ridge, cap, coupling) = fixed
    low, high = np.inf, -np.inf
    k = 0
    while k < n_active:
        other = k + np.int64(chances[k] * (n_active - k))
        i = active[other]
        active[other] = active[k]
        active[k] = i
        sign = 1.0 if signed[i] > 0.0 else -1.0
        slope = sign * (row_dot(*rows, i, w) + offset) - kinks[i] + ridge * beta[i]
        if (beta[i] == 0.0 and slope > bounds[1]) or (beta[i] == cap and slope < bounds[0]):
            n_active -= 1
            active[k] = active[n_active]
            active[n_active] = i
            continue
        k += 1
        target = best_in_box(beta[i], slope, curvature[i], cap)
        if (beta[i] > 0.0 or slope < 0.0) and (beta[i] < cap or slope > 0.0):
            low, high = min(low, slope), max(high, slope)
        if target != beta[i]:
            step = signed[i] * (target - beta[i])
            beta[i] = target
            offset += coupling * step
            row_add(*rows, i, step, w)
    return n_active, min(low, 0.0), max(high, 0.0)


class CoupledDescent(DualDescent):
    """Descent on rows with two variables each: beta, and delta for the margin variance.

    Minimises ``|w|^2 / 2 + sum s (delta^2 / (2 spread) + ridge beta^2 / 2 - kink beta)``,
    written here without origins, with
    ``w = sum s beta z + lambda_mean zbar - sum s delta (z - zbar)``, where ``z = y x``. A
    step changes one row only because ``w`` is kept as ``v + tau zbar``.
    """

    # The margin variance oscillates at first.
    first_sweeps = 8

    def __init__(self, problem, start):
        super().__init__(problem, start)
        design, sign, weight = problem.design, problem.sign, problem.weight
        self.delta = np.zeros(design.n_rows)
        self.mean_row = design.combine(self.signed) / problem.total
        self.mean_sign = problem.mean(sign)
        if start is not None and start.w is not None:
            margins = problem.margins(design.scores(start.w), start.offset)
            self.delta = problem.spread * problem.centred(margins)
        self.v = design.combine(self.signed * (self.beta - self.delta))
        self.tau = problem.prices.lambda_mean + weight @ self.delta
        origin, to_mean = (
            problem.centred(problem.origin),
            sign * design.scores(self.mean_row),
        )
        arrays = sign, weight, origin, self.kinks, design.squared_norms(), to_mean
        means = self.mean_row @ self.mean_row, self.mean_sign
        numbers = self.ridge, self.cap, problem.spread, self.coupling
        self.fixed = arrays, (*means, *numbers)

    def element(self):
        """Return the current element."""
        return self.v + self.tau * self.mean_row

    def total_force(self):
        """Return the sum of all forces."""
        return self.signed @ (self.beta - self.delta) + self.tau * self.mean_sign

    def sweep(self, rng):
        """Visit every pair of dual variables once."""
        self.multiplier = self.offset
        order, v_mean = self.shuffled(rng), self.v @ self.mean_row
        state = self.beta, self.delta, self.v, self.tau, v_mean, self.offset
        self.tau = coupled_sweep(self.problem.design.rows, *self.fixed, *state, order)
        return len(order), np.inf


@njit(**JIT)
def coupled_sweep(rows, arrays, numbers, beta, delta, v, tau, v_mean, offset, order):
    """Move each pair of dual variables to its optimum given the others.

    ``origin`` has mean zero, and ``v_mean`` is ``v . zbar``. Returns the new ``tau``.
    """
    sign, weight, origin, kinks, norms, to_mean = arrays
    mean_norm, mean_sign, ridge, cap, spread, coupling = numbers
    for i in order:
        length = norms[i] + coupling
        near = to_mean[i] + coupling * sign[i] * mean_sign
        centre = mean_norm + coupling * mean_sign * mean_sign
        score = sign[i] * (row_dot(*rows, i, v) + offset) + tau * to_mean[i]
        slope = score - kinks[i] + ridge * beta[i]
        mass = weight[i]
        mean_score = v_mean + tau * mean_norm + mean_sign * offset
        pull = delta[i] / spread - (score - mean_score - origin[i])
        mixed = -mass * (length - near)
        bend = mass * (length - 2.0 * near + centre) + 1.0 / spread
        reduced = mass * length + ridge - mixed * mixed / bend
        target = best_in_box(beta[i], slope - mixed * pull / bend, reduced, cap)
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
