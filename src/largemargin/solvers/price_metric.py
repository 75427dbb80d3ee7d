"""A kernel machine as a plain SVM in another metric: the paper's matrix H, without inverse.

Prices and intercept enter only through the scores that forces ``a`` on the rows bring
about. Squares of margins pull back by ``W (scores + b)``, in which
``W = diag((spread + bend) s) - (spread / S) (y s)(y s)'``. With ``E = diag(1 / ((spread +
bend) s))``, ``M = G + E`` and ``q`` the share of the spread in ``spread + bend``,
minimising over the intercept b and the mean margin gives ``scores + b = H a``,

    H = E - E M^-1 E + R K^-1 R',   R = F - E M^-1 N,   K = N' M^-1 N + diag(0, q bend S),

with N = F = [q y], and one more column, -1 in N and 0 in F, for an intercept. G may be
singular, M is not; no term is a difference of nearly equal numbers. Where squares do not
see the intercept, all signs being the same, it has no column and stays free in the SVM.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from largemargin.designs.kernel import KernelDesign
from largemargin.kernels.gram import gram_product
from largemargin.problem.intercept import is_bounded, squares_hold_it
from largemargin.solvers.solution import Solution, Start

# Rows of the metric that are filled in at a time.
BLOCK = 1024
# What is cubic in the rows goes at this speed at least.
FLOPS = 2e10
# A gap counts for more outside the metric than inside it: these parts of the tolerance
# are asked for one after another, as far as rounding lets them be reached.
PARTS_OF_TOL = 1.0, 0.1, 1e-2, 1e-3, 1e-4
FINEST = 1e-14
# Of a machine that can only be a makeshift.
ROUGH = 1e-2


class Metric(NamedTuple):
    """The matrix H of a problem, and how forces determine the intercept, if H holds it.

    ``intercept`` times the forces, less ``response`` times its price, is ``b``.
    """

    matrix: np.ndarray
    intercept: np.ndarray | None
    response: float

    def pose(self, problem):
        """Return the problem as an SVM: no squares, the same values."""
        targets, tangent = problem.targets, problem.tangent
        prices = problem.prices._replace(lambda_var=0.0, lambda_square=0.0)
        if problem.origin.any():
            # Squares are taken about the origins.
            pulled = problem.pulled_back(problem.origin)
            tangent = pulled if tangent is None else tangent + pulled
        if self.intercept is not None and prices.intercept != 0:
            moved = prices.intercept * problem.sign * self.intercept
            targets = targets._replace(origin=targets.origin + moved)
            prices = prices._replace(intercept=0.0)
        return replace(
            problem,
            design=KernelDesign(self.matrix),
            targets=targets,
            prices=prices,
            fit_intercept=problem.fit_intercept and self.intercept is None,
            tangent=tangent,
        )

    def lift(self, problem, svm, solution):
        """Return the point, dual variables and certificate on the problem itself.

        The point is the one that the forces of ``beta`` bring about, so that only their
        complementarity, and no gradient, is left in its gap.
        """
        beta, offset = solution.beta, solution.offset
        forces = svm.dual_forces(beta)
        margins = svm.margins(gram_product(self.matrix, forces), offset)
        if self.intercept is not None:
            offset = self.intercept @ forces - self.response * problem.prices.intercept
        return problem.examine(problem.forces(margins, beta), float(offset), beta)


def metric_of(problem):
    """Return the metric of a kernel problem with prices of squares, made once."""
    inverse = problem.design.damped_inverse(problem.weight, problem.stiffness)
    holds_intercept = problem.fit_intercept and squares_hold_it(problem)
    name = Metric, holds_intercept, problem.bend
    owners = inverse, problem.sign
    return problem.design.once_for(
        name, owners, lambda: make_metric(problem, inverse, holds_intercept)
    )


def make_metric(problem, inverse, holds_intercept):
    """Return the metric, given the inverse of M."""
    sign, stiffness = problem.sign, problem.stiffness
    ridge, share = 1.0 / (stiffness * problem.weight), problem.spread / stiffness
    free, kept, own = [], [], []
    if holds_intercept:
        free, kept, own = [-np.ones_like(sign)], [np.zeros_like(sign)], [0.0]
    if share > 0:
        free, kept = [*free, share * sign], [*kept, share * sign]
        own = [*own, share * problem.bend * problem.total]
    shape = len(free), len(sign)
    free, kept = np.reshape(free, shape).T, np.reshape(kept, shape).T
    response = inverse @ free
    residual = kept - ridge[:, None] * response
    coupling = free.T @ response + np.diag(own)
    determined = solve_small(coupling, residual.T)
    matrix = inverse * -ridge
    for start in range(0, len(matrix), BLOCK):
        block = slice(start, start + BLOCK)
        matrix[block] *= ridge[block, None]
        matrix[block] += residual[block] @ determined
    matrix[np.diag_indices_from(matrix)] += ridge
    if not holds_intercept:
        return Metric(matrix, None, 0.0)
    unit = np.eye(len(coupling))[0]
    return Metric(matrix, determined[0], float(solve_small(coupling, unit)[0]))


def solve_small(matrix, targets):
    """Solve with a matrix of one or two rows, which rounding may have made singular."""
    try:
        return np.linalg.solve(matrix, targets)
    except np.linalg.LinAlgError:
        return np.linalg.lstsq(matrix, targets)[0]


def solve_without_squares(problem, solve_svm, *, tol, max_iter, progress, start):
    """Return the best of the start and the machine without prices of squares.

    There is no time for more; the certificate is that of the problem itself.
    """
    found = [] if start is None else [Solution.at_start(problem, start, tol)]
    prices = problem.prices._replace(lambda_var=0.0, lambda_square=0.0)
    svm = replace(problem, prices=prices)
    if is_bounded(svm):
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
        return solve_without_squares(
            problem, solve_svm, tol=tol, max_iter=max_iter, progress=progress, start=start
        )
    metric = metric_of(problem)
    progress.check()
    svm = metric.pose(problem)
    # What is part of the metric a start need not bring along.
    start = None if start is None else Start(start.beta)
    n_iter = 0
    for part in PARTS_OF_TOL:
        goal = part * tol
        options = {"tol": goal, "max_iter": max_iter - n_iter, "progress": progress}
        solution = solve_svm(svm, start=start, **options)
        n_iter += solution.n_iter
        point, beta, certificate = metric.lift(problem, svm, solution)
        is_over = certificate.relative <= tol or goal <= FINEST
        if is_over or n_iter >= max_iter or progress.is_late:
            break
        start = Start(solution.beta, offset=solution.offset)
    return Solution.of(problem, point, beta, certificate, n_iter, tol)
