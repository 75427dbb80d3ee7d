"""The LDM as a plain SVM in another metric: the paper's matrix H, without its inverse.

Prices and intercept enter a kernel machine only through the scores that forces ``a`` on
the rows bring about, ``scores = H a``. With ``E = diag(1 / (spread s))`` and
``M = G + E``, minimising over the intercept and the mean margin gives

    H = E - E M^-1 E + R (N' M^-1 N)^-1 R',   R = F - E M^-1 N,

with N = [y], F = [y], and one more column -1 in N and 0 in F for the intercept. G may be
singular, M is not; no term is a difference of nearly equal numbers.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from largemargin.designs.kernel import KernelDesign
from largemargin.problem import Problem
from largemargin.solvers.solution import Solution, Start

# Rows of the metric that are filled in at a time.
BLOCK = 1024
# What is cubic in the rows goes at this speed at least.
FLOPS = 2e10
# Of a machine that can only be a makeshift.
ROUGH = 1e-2


class Metric(NamedTuple):
    """The matrix H of a problem, and how forces determine the intercept."""

    matrix: np.ndarray
    intercept: np.ndarray

    def pose(self, problem):
        """Return the problem as an SVM: no variance, no intercept, the same values."""
        return Problem(
            KernelDesign(self.matrix),
            problem.y,
            problem.weight,
            problem.C,
            fit_intercept=False,
            reward=problem.reward,
            loss=problem.loss,
        )

    def lift(self, problem, beta):
        """Return the point, dual variables and certificate on the problem itself.

        The point is the one that the forces of ``beta`` bring about, so that only their
        complementarity, and no gradient, is left in its gap.
        """
        forces = problem.dual_forces(beta)
        margins = problem.y * (self.matrix @ forces)
        offset = float(self.intercept @ forces)
        return problem.examine(problem.forces(margins, beta), offset, beta)


def metric_of(problem):
    """Return the metric of a kernel problem whose variance has a price, made once."""
    inverse = problem.design.damped_inverse(problem.weight, problem.spread)
    name, owners = ("metric", problem.fit_intercept), (inverse, problem.y)
    return problem.design.memo(name, owners, lambda: make_metric(problem, inverse))


def make_metric(problem, inverse):
    """Return the metric, given the inverse of M."""
    y, ridge = problem.y, 1.0 / (problem.spread * problem.weight)
    free, kept = y[:, None], y[:, None]
    if problem.fit_intercept:
        free = np.column_stack([-np.ones_like(y), y])
        kept = np.column_stack([np.zeros_like(y), y])
    response = inverse @ free
    residual = kept - ridge[:, None] * response
    determined = solve_small(free.T @ response, residual.T)
    matrix = inverse * -ridge
    for start in range(0, len(matrix), BLOCK):
        block = slice(start, start + BLOCK)
        matrix[block] *= ridge[block, None]
        matrix[block] += residual[block] @ determined
    matrix[np.diag_indices_from(matrix)] += ridge
    intercept = determined[0] if problem.fit_intercept else np.zeros_like(y)
    return Metric(matrix, intercept)


def solve_small(matrix, targets):
    """Solve with a matrix of one or two rows, which rounding may have made singular."""
    try:
        return np.linalg.solve(matrix, targets)
    except np.linalg.LinAlgError:
        return np.linalg.lstsq(matrix, targets)[0]


def solve_without_variance(problem, solve_svm, *, tol, max_iter, progress, start):
    """Return the best of the start and the machine without a margin variance.

    There is no time for more; the certificate is that of the problem itself.
    """
    found = [] if start is None else [Solution.at_start(problem, start, tol)]
    svm = replace(problem, lambda_var=0.0)
    if svm.is_bounded:
        options = {"tol": max(tol, ROUGH), "max_iter": max_iter, "progress": progress}
        solution = solve_svm(svm, start=None, **options)
        result = problem.examine(solution.w, solution.offset, solution.beta)
        found.append(Solution.of(problem, *result, solution.n_iter, tol))
    found = found or [Solution.at_start(problem, None, tol)]
    best = min(found, key=lambda one: one.certificate.relative)
    return replace(best, is_late=True)


def solve_in_metric(problem, solve_svm, *, tol, max_iter, progress, start):
    """Solve a kernel problem by a solver of plain SVMs, in the metric of its prices."""
    if progress.seconds_left < problem.design.n_rows**3 / FLOPS:
        return solve_without_variance(
            problem, solve_svm, tol=tol, max_iter=max_iter, progress=progress, start=start
        )
    metric = metric_of(problem)
    progress.check()
    svm = metric.pose(problem)
    # The intercept is part of the metric, so a start brings none along.
    start = None if start is None else Start(start.beta)
    n_iter = 0
    # A gap counts for more outside the metric: what is too large there is made smaller.
    for goal in tol, 0.1 * tol, 0.01 * tol:
        options = {"tol": goal, "max_iter": max_iter - n_iter, "progress": progress}
        solution = solve_svm(svm, start=start, **options)
        n_iter += solution.n_iter
        point, beta, certificate = metric.lift(problem, solution.beta)
        if certificate.relative <= tol or n_iter >= max_iter or progress.is_late:
            break
        start = Start(solution.beta)
    return Solution.of(problem, point, beta, certificate, n_iter, tol)
