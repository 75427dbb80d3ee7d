"""Coordinate descent on the dual, one variable at a time in random order.

On a Gram matrix this is the paper's Algorithm 1 on its matrix H, see ``metric``. On rows
it is a descent on pairs ``(beta_i, delta_i)``, where delta carries the margin variance:

    min  |w|^2 / 2 + sum s delta^2 / (2 spread) - sum s beta,
    w = sum s beta z + lambda_mean zbar - sum s delta (z - zbar),   z_i = y_i x_i,

whose steps touch one row each. An unpenalised intercept is an equality constraint in the
dual; it is met by the method of multipliers, the multiplier being the intercept.
"""

import numpy as np
from numba import njit

from largemargin._jit import JIT
from largemargin.designs.kernel import KernelDesign
from largemargin.designs.row_loops import row_add, row_dot
from largemargin.solvers.metric import metric_of
from largemargin.solvers.newton import refuse_unseparable
from largemargin.solvers.solution import Progress, Solution, Start

# Sweeps between two certificates; each certificate costs about two sweeps.
SWEEPS_PER_CHECK = 5


def solve_dual_cd(problem, *, tol, max_iter, start=None, progress=None, rng=None):
    """Minimise the dual by coordinate descent until the relative gap is at most tol."""
    progress = progress or Progress()
    rng = rng or np.random.default_rng(0)
    options = {"tol": tol, "max_iter": max_iter, "progress": progress, "rng": rng}
    if not isinstance(problem.design, KernelDesign):
        return _descend(problem, RowDescent(problem, start), **options)
    if problem.lambda_var == 0:
        return _descend(problem, GramDescent(problem, start), **options)
    metric = metric_of(problem)
    progress.check()
    svm = metric.pose(problem)
    start = None if start is None else Start(start.beta)
    solution = _descend(svm, GramDescent(svm, start), **options)
    point, beta, certificate = metric.lift(problem, solution.beta)
    return Solution.of(problem, point, beta, certificate, solution.n_iter, tol)


def _descend(problem, state, *, tol, max_iter, progress, rng):
    for n_iter in range(1, max_iter + 1):
        order = rng.permutation(problem.design.n_rows).astype(np.uint32)
        state.sweep(order)
        progress.check()
        if n_iter % SWEEPS_PER_CHECK and n_iter < max_iter:
            continue
        point, beta, certificate = problem.examine(
            state.element(), state.offset, state.beta
        )
        progress(certificate)
        if certificate.relative <= tol:
            break
        if np.isinf(problem.C):
            refuse_unseparable(problem, beta)
    return Solution.of(problem, point, beta, certificate, n_iter, tol)


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
    return C if slope < 0.0 else 0.0


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

    def sweep(self, order):
        """Visit every dual variable once."""
        problem = self.problem
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
            order,
        )


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
    """Descent on rows; ``w`` is kept as ``v + tau zbar``."""

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
            if start.w is not None and problem.lambda_var > 0:
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

    def sweep(self, order):
        """Visit every pair of dual variables once."""
        problem = self.problem
        self.multiplier = self.offset
        self.tau = row_sweep(
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
            order,
        )


@njit(**JIT)
def row_sweep(
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
        margin = y[i] * (row_dot(rows, i, v) + offset) + tau * to_mean[i]
        slope = margin - 1.0
        mass = weight[i]
        if spread == 0.0:
            target = best_in_box(beta[i], slope, mass * length, C)
            step = target - beta[i]
            shift = 0.0
        else:
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
            row_add(rows, i, y[i] * move, v)
            v_mean += move * to_mean[i]
    return tau
