"""A kernel problem with squared terms as an equivalent SVM: the paper's matrix H.

The squared terms and the intercept enter a problem only through the scores that forces
``a`` on the rows produce. Their own forces are ``-W (scores + b)`` with
``W = diag((spread + bend) s) - (spread / S) (y s)(y s)'``. Let
``E = diag(1 / ((spread + bend) s))``, ``M = G + E`` and ``q = spread / (spread + bend)``.
Minimising over the intercept b and the mean margin gives ``scores + b = H a``, where H is
the Gram matrix of a plain SVM:

    H = E - E M^-1 E + R K^-1 R',   R = F - E M^-1 N,   K = N' M^-1 N + diag(0, q bend S),

with N = F = [q y], and one more column, -1 in N and 0 in F, for an intercept. G may be
singular, M is not; no term is a difference of nearly equal numbers. If the squared terms do
not depend on the intercept, because all signs are the same, it has no column and remains
free in the SVM.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from largemargin.designs.gram import GramDesign
from largemargin.kernels.gram import gram_product
from largemargin.problem.intercept import is_bounded, squares_hold_it
from largemargin.problem.objective import Problem
from largemargin.solvers.solution import Run, Solution, Start

# Rows of H that are filled in at a time.
BLOCK = 1024
# A lower bound of the speed of cubic operations.
FLOPS = 2e10
# A gap of the SVM may be larger for the problem itself: then it is reduced to these parts
# of the tolerance one after another, as far as rounding allows.
PARTS_OF_TOL = 1.0, 0.1, 1e-2, 1e-3, 1e-4
FINEST = 1e-14
# The tol of a provisional solution.
ROUGH = 1e-2


class EquivalentKernel(NamedTuple):
    """The matrix H of a problem, and how forces determine the intercept, if H includes it.

    ``b`` is ``intercept`` times the forces, minus ``response`` times its price.
    """

    matrix: np.ndarray
    intercept: np.ndarray | None
    response: float

    def pose(self, problem: Problem) -> Problem:
        """Return the equivalent SVM, which has the same values."""
        targets, tangent = problem.targets, problem.tangent
        prices = problem.prices.without_squares()
        if problem.origin.any():
            # The squared terms are squares of the distances from the origins.
            slopes = problem.square_slopes(problem.origin)
            tangent = slopes if tangent is None else tangent + slopes
        if self.intercept is not None and prices.intercept != 0:
            moved = prices.intercept * problem.sign * self.intercept
            targets = targets._replace(origin=targets.origin + moved)
            prices = prices._replace(intercept=0.0)
        is_free = problem.fit_intercept and self.intercept is None
        rest = problem.weight, prices, is_free, problem.loss, tangent
        return Problem(GramDesign(self.matrix), targets, *rest)

    def lift(self, problem, svm, solution):
        """Return the point, dual variables and certificate for the problem itself.

        The point is the one that the forces of ``beta`` produce: its gradient is zero, and
        its gap consists of Fenchel gaps alone.
        """
        beta, offset = solution.beta, solution.offset
        forces = svm.forces(beta)
        margins = svm.margins(gram_product(self.matrix, forces), offset)
        if self.intercept is not None:
            offset = self.intercept @ forces - self.response * problem.prices.intercept
        return problem.examine(problem.forces(beta, margins), float(offset), beta)


def equivalent_kernel(problem) -> EquivalentKernel:
    """Return the matrix H of a kernel problem with squared terms, computed once."""
    inverse = problem.design.damped_inverse(problem.weight, problem.stiffness)
    has_intercept = problem.fit_intercept and squares_hold_it(problem)
    name = EquivalentKernel, has_intercept, problem.bend
    owners = inverse, problem.sign
    return problem.design.once_for(
        name, owners, lambda: _compute_kernel(problem, inverse, has_intercept)
    )


def _compute_kernel(problem, inverse, has_intercept):
    """Compute H, given the inverse of M."""
    sign, stiffness = problem.sign, problem.stiffness
    ridge, share = 1.0 / (stiffness * problem.weight), problem.spread / stiffness
    # The columns of N and F, and the diagonal that K adds.
    free, kept, own = [], [], []
    if has_intercept:
        free, kept, own = [-np.ones_like(sign)], [np.zeros_like(sign)], [0.0]
    if share > 0:
        free, kept = [*free, share * sign], [*kept, share * sign]
        own = [*own, share * problem.bend * problem.total]
    shape = len(free), len(sign)
    free, kept = np.reshape(free, shape).T, np.reshape(kept, shape).T
    response = inverse @ free
    residual = kept - ridge[:, None] * response
    coupling = free.T @ response + np.diag(own)
    determined = _solve_small(coupling, residual.T)
    matrix = inverse * -ridge
    for start in range(0, len(matrix), BLOCK):
        block = slice(start, start + BLOCK)
        matrix[block] *= ridge[block, None]
        matrix[block] += residual[block] @ determined
    matrix[np.diag_indices_from(matrix)] += ridge
    if not has_intercept:
        return EquivalentKernel(matrix, None, 0.0)
    unit = np.eye(len(coupling))[0]
    response = float(_solve_small(coupling, unit)[0])
    return EquivalentKernel(matrix, determined[0], response)


def _solve_small(matrix, targets):
    """Solve with a matrix of one or two rows, which rounding may have made singular."""
    try:
        return np.linalg.solve(matrix, targets)
    except np.linalg.LinAlgError:
        return np.linalg.lstsq(matrix, targets)[0]


def _solve_without_squares(problem, solve_svm, run):
    """Return the better one of the start and the solution without squared terms."""
    found = []
    if run.start is not None:
        found = [Solution.at_start(problem, run.start, run.tol)]
    svm = replace(problem, prices=problem.prices.without_squares())
    if is_bounded(svm):
        solution = solve_svm(svm, replace(run, tol=max(run.tol, ROUGH), start=None))
        result = problem.examine(solution.w, solution.offset, solution.beta)
        found.append(Solution.of(problem, *result, solution.n_iter, run.tol))
    found = found or [Solution.at_start(problem, None, run.tol)]
    best = min(found, key=lambda one: one.certificate.relative)
    return replace(best, is_late=True)


def solve_as_svm(problem, solve_svm, run: Run) -> Solution:
    """Solve a kernel problem with squared terms by a solver of plain SVMs."""
    if run.progress.seconds_left < problem.design.n_rows**3 / FLOPS:
        return _solve_without_squares(problem, solve_svm, run)
    kernel = equivalent_kernel(problem)
    run.progress.check()
    svm = kernel.pose(problem)
    # The kernel accounts for the element and the intercept of a start.
    start = run.start and Start(run.start.beta)
    n_iter = 0
    for part in PARTS_OF_TOL:
        goal = part * run.tol
        left = run.max_iter - n_iter
        solution = solve_svm(svm, replace(run, tol=goal, max_iter=left, start=start))
        n_iter += solution.n_iter
        result = kernel.lift(problem, svm, solution)
        is_over = n_iter >= run.max_iter or run.progress.is_late or goal <= FINEST
        if result[2].relative <= run.tol or is_over:
            break
        start = Start(solution.beta, offset=solution.offset)
    return Solution.of(problem, *result, n_iter, run.tol)
