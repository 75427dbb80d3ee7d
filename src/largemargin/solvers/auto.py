"""The automatic choice of a solver."""

from dataclasses import replace

import numpy as np

from largemargin.designs.base import Capability
from largemargin.designs.features import MAX_FACTORED
from largemargin.designs.in_memory import MAX_GRAM_ROWS
from largemargin.solvers.dual_cd import descend
from largemargin.solvers.equivalent_rows import rows_can_solve, solve_on_equivalent_rows
from largemargin.solvers.kernel_dual import solve_kernel_dual
from largemargin.solvers.newton import solve_newton
from largemargin.solvers.solution import Run, Solution
from largemargin.solvers.sweeps import row_descent
from largemargin.solvers.tiled_kernel import solve_by_products

# Up to this many rows use Newton's method at once; with large prices of squared terms, up
# to so many.
FEW_ROWS = 300
FEWEST_ROWS = 100
# A run of Newton's method costs about as much as this many sweeps over the rows.
SWEEPS_FOR_NARROW = 15
SWEEPS_FOR_WIDE = 1000
SWEEPS_FOR_STIFF = 100
SWEEPS_FOR_MANY = 5000
# Sweeps over the few rows that still move are cheap: this many count as one iteration.
SWEEPS_PER_STEP = 20
# Newton's method starts from sweeps that reached this gap, else from zero.
CLOSE = 0.1


def solve_auto(problem, run: Run) -> Solution:
    """Choose a solver by the capabilities of the design, and by cost.

    Squared terms are called mild if repeated linearisation handles them, see
    ``Problem.squares_are_mild``; otherwise their prices are large.

    1. If the design has a Gram matrix, use ``kernel_dual``.
    2. If it has products with a Gram matrix that is not stored, use ``tiled_kernel``.
    3. If prices of squared terms are large, rows more than 100, features at most 500,
       numbers at most 4 million, the loss is zero above its kink, C positive and finite,
       and neither origins nor a price of the intercept exist, use coordinate descent on
       the rows of an equivalent SVM, see ``equivalent_rows``. These are dense: not if
       they had more than a million numbers and most numbers of the given rows are zero.
    4. Begin with coordinate descent if the design has more than 300 rows that can be
       visited one at a time, the loss is zero above its kink, C is positive and finite,
       and neither squares about zero nor the intercept have a price. Continue as long as
       the gap falls fast enough to reach ``tol`` within

       - 15 sweeps, with up to 2,000 features, if rows are sparse and squared terms mild;
         none if rows are dense or prices large;
       - with more than 2,000 features, where Newton steps are slow, and up to 5,000 rows:
         1,000 sweeps, or 100 if prices of squared terms are large;
       - with more than 2,000 features and more rows than that: 5,000 sweeps, or 1,000 if
         prices of squared terms are large.
    5. If this was not enough, use Newton's method on the features. It factors systems of
       up to 2,000 features and iterates on larger ones, see
       ``InMemoryDesign.preconditioner``.
    6. There is an exception for at most 5,000 rows with more features than rows, or than
       2,000, whose inner products the design can compute: use ``kernel_dual`` on these
       instead. With more than 300 rows, more than 2,000 features and large prices of
       squared terms, it comes only if Newton's method on the features did not converge.
    """
    design = problem.design
    if design.has_any(Capability.GRAM):
        return solve_kernel_dual(problem, run)
    if design.has_any(Capability.PRODUCTS):
        return solve_by_products(problem, run)
    if design.n_rows > FEWEST_ROWS and rows_can_solve(problem):
        solution = solve_on_equivalent_rows(problem, run)
        if solution is not None:
            if solution.converged or run.progress.is_late:
                return solution
            if solution.certificate.relative <= CLOSE:
                run = replace(run, start=solution.as_start())
    n_sweeps = _worthwhile_sweeps(problem)
    if n_sweeps > 0:
        solution = _solve_by_sweeps(problem, n_sweeps, run)
        if solution.converged or run.progress.is_late:
            return solution
        if solution.certificate.relative <= CLOSE:
            run = replace(run, start=solution.as_start())
    if not _has_few_rows(design):
        return solve_newton(problem, run)
    if _is_stiff(problem):
        solution = solve_newton(problem, run)
        if solution.converged or run.progress.is_late or solution.n_iter >= run.max_iter:
            return solution
    # Solve for the expansion of w over the rows, which exists by Theorem 1.
    gram_design = design.as_gram_design()
    solution = solve_kernel_dual(problem.on(gram_design), run.on_other_features())
    solution.w = design.combine(solution.w)
    return solution


def _has_few_rows(design):
    """Return whether inner products of all rows cost less than Newton systems."""
    is_wide = design.n_features > min(MAX_FACTORED, design.n_rows)
    is_short = design.n_rows <= MAX_GRAM_ROWS
    return is_wide and is_short and design.has_any(Capability.INNER_PRODUCTS)


def _is_stiff(problem):
    """Return whether squared terms couple all rows of many features, C being finite."""
    design = problem.design
    is_large = design.n_rows > FEW_ROWS and design.n_features > MAX_FACTORED
    return is_large and not problem.is_hard and not problem.squares_are_mild


def _worthwhile_sweeps(problem):
    design, prices = problem.design, problem.prices
    if design.n_rows <= FEW_ROWS or not design.has_any(Capability.ROWS):
        return 0
    is_known = problem.loss.is_one_sided and prices.lambda_square == prices.intercept == 0
    if not is_known or not 0 < prices.C < np.inf:
        return 0
    if design.n_features > MAX_FACTORED:
        has_few, is_stiff = _has_few_rows(design), _is_stiff(problem)
        if has_few == is_stiff:
            return SWEEPS_FOR_STIFF if is_stiff else SWEEPS_FOR_MANY
        return SWEEPS_FOR_WIDE
    # Sweeps visit rows in random order, which is slow where BLAS would be fast; and large
    # prices of squared terms require many sweeps.
    if not (design.sweeps_are_cheap and problem.squares_are_mild):
        return 0
    return SWEEPS_FOR_NARROW


def _solve_by_sweeps(problem, n_sweeps, run):
    """Sweep until the gap is small, or falls too slowly to get there in time."""
    limit = n_sweeps * problem.design.n_rows
    state = row_descent(problem, run.start)
    first_gap = 1.0
    if not problem.squares_are_mild:
        certificate = problem.examine(state.element(), state.offset, state.beta)[2]
        first_gap = max(certificate.relative, run.tol)
    whole_way = np.log(first_gap / run.tol)

    def is_slow(visits, gap):
        return visits * whole_way > limit * np.log(first_gap / gap)

    # The order of the sweeps is random but always the same, and so is the result.
    rng, max_iter = np.random.default_rng(0), SWEEPS_PER_STEP * run.max_iter
    return descend(problem, state, replace(run, max_iter=max_iter), rng, is_slow=is_slow)
