"""Solver for a Gram matrix: descent on pairs of rows, completed by Newton's method.

Squared terms with small prices are linearised in rounds, each of which is a plain SVM that
starts from the last one. With larger prices, small problems are solved by sweeps over the
rows if these converge fast, or rewritten as one equivalent SVM; large ones by
``active_kernel``. Few rows, and those that rounding makes hard, are solved on explicit
features.
"""

from dataclasses import replace

import numpy as np

from largemargin.problem.certificate import Certified
from largemargin.problem.intercept import is_bounded
from largemargin.problem.objective import MAX_CONTRACTION
from largemargin.solvers.active_kernel import solve_active
from largemargin.solvers.equivalent_svm import float32_is_enough, solve_as_svm
from largemargin.solvers.gram_sweeps import solve_by_gram_sweeps, sweeps_can_solve
from largemargin.solvers.newton import solve_newton
from largemargin.solvers.pairs import pairs_can_solve, solve_in_pairs
from largemargin.solvers.solution import EASY, Progress, Run, Solution, Start

# Up to this many rows take explicit features, unless sweeps come first or a start leaves
# little to do.
SMALL = 100
# Up to this many rows use them where rounding stops all other methods.
MAX_FACTOR_ROWS = 2000
# Up to this many rows for each problem that shares it, the inverse of a matrix costs less
# than products with it; losses with kinks need more of these.
FEW_ROWS = 600
FEW_ROWS_WITH_KINKS = 1000
# In float32 it does up to so many rows without a start; with one, which leaves few products
# to make, up to the first number for all losses.
NARROW_ROWS = 1200
NARROW_ROWS_WITH_KINKS = 1600
# Other methods start from sweeps that reached this gap.
CLOSE = 0.1


def solve_kernel_dual(problem, run: Run) -> Solution:
    """Minimise the objective on a Gram matrix."""
    is_easy = run.tol >= EASY and problem.spread < run.memory.slow_spread
    if not (is_easy and sweeps_can_solve(problem)):
        return _solve_without_sweeps(problem, run)
    swept = solve_by_gram_sweeps(problem, run)
    n_left = run.max_iter - swept.n_iter
    if swept.converged or n_left <= 0 or run.progress.is_late:
        return swept
    run.memory.slow_spread = problem.spread
    rest = replace(run, max_iter=n_left)
    if swept.certificate.relative <= CLOSE:
        rest = replace(rest, start=swept.as_start())
    solution = _solve_without_sweeps(problem, rest)
    solution.n_iter += swept.n_iter
    return solution


def _solve_without_sweeps(problem, run):
    n_rows = problem.design.n_rows
    is_narrow = float32_is_enough(problem, run)
    few_rows = _few_rows(problem.loss, is_narrow, run.start is not None)
    is_small = n_rows <= SMALL and (run.start is None or run.tol < EASY)
    if is_small or (n_rows <= MAX_FACTOR_ROWS and problem.is_hard):
        return _solve_on_factor(problem, run)
    if not problem.is_curved:
        solution = _solve_svm(problem, run)
    elif problem.squares_are_mild:
        solution = _solve_in_rounds(problem, run)
    elif n_rows <= min(few_rows * run.n_alike, MAX_FACTOR_ROWS):
        dtype = np.float32 if is_narrow else np.float64
        solution = solve_as_svm(problem, _solve_svm, run, dtype)
        n_left = run.max_iter - solution.n_iter
        is_late = solution.is_late or run.progress.is_late
        if is_narrow and not (solution.converged or n_left <= 0 or is_late):
            rest = replace(run, max_iter=n_left, start=solution.as_start())
            n_before, solution = solution.n_iter, solve_active(problem, rest)
            solution.n_iter += n_before
    else:
        solution = solve_active(problem, run)
    is_late = solution.is_late or run.progress.is_late
    is_over = solution.converged or solution.n_iter >= run.max_iter or is_late
    # Features of a rounded matrix would be no more exact than the matrix.
    if is_over or problem.design.is_rounded or n_rows > MAX_FACTOR_ROWS:
        return solution
    return _solve_on_factor(problem, run)


def _few_rows(loss, is_narrow, has_start):
    """Return up to how many rows an inverse costs less than products."""
    if not is_narrow:
        return FEW_ROWS if loss.is_smooth else FEW_ROWS_WITH_KINKS
    if has_start:
        return FEW_ROWS
    if not loss.is_one_sided:  # there are kinks on both sides of most rows
        return MAX_FACTOR_ROWS
    return NARROW_ROWS if loss.is_smooth else NARROW_ROWS_WITH_KINKS


def _solve_on_factor(problem, run):
    """Solve on explicit features: slower for many rows, but safe for a singular Gram."""
    factor, features = problem.design.on_features()
    solution = solve_newton(problem.on(features), run.on_other_features())
    # The forces are the sparsest expansion of w, but only as exact as the gap is small.
    forces = problem.forces(solution.beta, solution.margins)
    point, _, certificate, _ = problem.examine(forces, solution.offset, solution.beta)
    certificate = solution.certificate.at(certificate.primal)
    if certificate.relative <= run.tol:
        found = Certified(point, solution.beta, certificate)
        return Solution.of(problem, found, solution.n_iter, run.tol)
    solution.w = forces + factor.expand(solution.w - factor.rows.T @ forces)
    return solution


def _descend_on_pairs(problem, run):
    """Return the solution of pair descent, None if it does not apply, and how to go on."""
    if not pairs_can_solve(problem):
        return None, run.on_other_features()
    found = solve_in_pairs(problem, run)
    return found, replace(run, start=Start(found.beta, offset=found.offset))


def _solve_svm(problem, run):
    found, run = _descend_on_pairs(problem, run)
    is_over = found is not None and (found.converged or run.progress.is_late)
    return found if is_over else solve_newton(problem, run)


def _solve_in_rounds(problem, run):
    found, run = _descend_on_pairs(problem, run)
    if found is not None and (found.converged or run.progress.is_late):
        return found
    margins = -problem.origin if found is None else found.margins
    start, n_iter, last_gap = run.start, 0, np.inf
    while True:
        svm = problem.linearised(margins)
        if not is_bounded(svm):
            return solve_active(problem, replace(run, start=start))
        left, progress = run.max_iter - n_iter, Progress(run.progress.on_step)
        solution = solve_newton(svm, Run(0.3 * run.tol, left, start, progress))
        n_iter += solution.n_iter
        lifted = problem.examine(solution.w, solution.offset, solution.beta)
        point, beta, certificate, _ = lifted
        run.progress(certificate)
        is_over = n_iter >= run.max_iter or run.progress.is_late
        if certificate.relative <= run.tol or is_over:
            return Solution.of(problem, lifted, n_iter, run.tol)
        start = Start(beta, None, point.offset)
        # An intercept, which nothing penalises, may oscillate from round to round.
        if not certificate.gap < MAX_CONTRACTION * last_gap:
            return solve_active(problem, replace(run, start=start))
        margins, last_gap = point.margins, certificate.gap
