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

from largemargin.designs.cholesky import solve_small
from largemargin.designs.gram import MANY_INVERSES, GramDesign
from largemargin.numerics.jit import JIT, njit
from largemargin.problem.certificate import Certified
from largemargin.problem.intercept import is_bounded, squares_hold_it
from largemargin.problem.objective import Problem
from largemargin.solvers.lifting import lift, lift_inexact
from largemargin.solvers.solution import FEW_DIGITS, Run, Solution, Start
from largemargin.solvers.spectral_rows import solve_on_spectrum, spectrum_can_solve

# Operations per second of cubic algorithms: a lower bound.
FLOPS = 2e10
# A solution of the SVM may have a larger gap for the problem itself. Then the SVM is solved
# to these parts of the tolerance in turn; rounding hides gaps below FINEST.
PARTS_OF_TOL = 1.0, 0.1, 1e-2, 1e-3, 1e-4
FINEST = 1e-14
# An inverse is float32 up to this trace of ``E^-1 G``, which rounding must leave visible,
# and for numbers between these, which float32 can hold.
MAX_NARROW_TRACE = 1e7
NARROWEST, WIDEST = 1e-30, 1e30
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

    def lift(self, problem, svm, solution) -> Certified:
        """Return the solution of the SVM, certified for the problem itself."""
        offset = solution.offset
        if self.intercept is not None:
            offset = self.intercept @ svm.forces(solution.beta)
            offset -= self.response * problem.prices.intercept
        how = lift_inexact if self.matrix.dtype == np.float32 else lift
        return how(problem, solution.beta, float(offset), solution.margins)


def equivalent_kernel(problem, n_spreads=1, dtype=np.float64) -> EquivalentKernel:
    """Return the matrix H of a kernel problem with squared terms, computed once.

    ``n_spreads`` is the number of problems on these rows with other squared terms. With
    ``dtype=numpy.float32``, H has the errors of float32.
    """
    design, stiffness = problem.design, problem.stiffness
    inverse = design.damped_inverse(problem.weight, stiffness, n_spreads, dtype)
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
    determined = solve_small(coupling, residual.T)
    matrix = np.empty_like(inverse)
    fill_kernel(inverse, ridge, residual, determined, matrix)
    if not has_intercept:
        return EquivalentKernel(matrix, None, 0.0)
    unit = np.eye(len(coupling))[0]
    response = float(solve_small(coupling, unit)[0])
    return EquivalentKernel(matrix, determined[0], response)


@njit(**JIT)
def fill_kernel(inverse, ridge, residual, determined, out):
    """Fill in H, given the inverse of M and the two factors of the part of low rank."""
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = -ridge[i] * inverse[i, j] * ridge[j]
        for k in range(determined.shape[0]):
            for j in range(out.shape[1]):
                out[i, j] += residual[i, k] * determined[k, j]
        out[i, i] += ridge[i]


def _solve_without_squares(problem, solve_svm, run):
    """Return the better one of the start and the solution without squared terms."""
    found = []
    if run.start is not None:
        found = [Solution.at_start(problem, run.start, run.tol)]
    svm = replace(problem, prices=problem.prices.without_squares())
    if is_bounded(svm):
        solution = solve_svm(svm, replace(run, tol=max(run.tol, ROUGH), start=None))
        result = problem.examine(solution.w, solution.offset, solution.beta)
        found.append(Solution.of(problem, result, solution.n_iter, run.tol))
    found = found or [Solution.at_start(problem, None, run.tol)]
    best = min(found, key=lambda one: one.certificate.relative)
    return replace(best, is_late=True)


def float32_is_enough(problem, run: Run) -> bool:
    """Return whether an inverse in float32, which takes half the time, is exact enough."""
    if run.tol < FEW_DIGITS or problem.is_hard:
        return False
    norms, stiffness = problem.design.squared_norms(), problem.stiffness * problem.weight
    is_held = stiffness.min() >= NARROWEST and norms.max() <= WIDEST
    return bool(is_held and stiffness @ norms <= MAX_NARROW_TRACE)


def solve_as_svm(problem, solve_svm, run: Run, dtype=np.float64) -> Solution:
    """Solve a kernel problem with squared terms by a solver of plain SVMs.

    With ``dtype=numpy.float32`` it may end above ``tol``, and another method has to go on.
    """
    if run.progress.seconds_left < MANY_INVERSES * problem.design.n_rows**3 / FLOPS:
        return _solve_without_squares(problem, solve_svm, run)
    if spectrum_can_solve(problem, run):
        found = solve_on_spectrum(problem, run)
        if found is not None:
            return found
    kernel = equivalent_kernel(problem, run.memory.n_spreads, dtype)
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
        # A float32 matrix is no more exact in another round.
        is_over |= kernel.matrix.dtype == np.float32
        if result.certificate.relative <= run.tol or is_over:
            break
        start = Start(solution.beta, offset=solution.offset)
    return Solution.of(problem, result, n_iter, run.tol)
