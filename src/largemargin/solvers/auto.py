"""The automatic choice of a solver."""

from dataclasses import replace

import numpy as np

from largemargin.designs.base import Capability
from largemargin.designs.features import MAX_FACTORED
from largemargin.solvers.dual_cd import descend
from largemargin.solvers.kernel_dual import solve_kernel_dual
from largemargin.solvers.newton import solve_newton
from largemargin.solvers.solution import Run, Solution
from largemargin.solvers.sweeps import row_descent

# Up to this many rows use Newton's method at once.
FEW_ROWS = 300
# Up to this many rows use their Gram matrix if features are more than rows, or more than
# can be factored.
MAX_GRAM_ROWS = 5000
# A run of Newton's method costs about as much as this many sweeps over the rows.
SWEEPS_FOR_NARROW = 15
SWEEPS_FOR_WIDE = 1000
# Sweeps over the few rows that still move are cheap: this many count as one iteration.
SWEEPS_PER_STEP = 20
# Newton's method starts from sweeps that reached this gap, else from zero.
CLOSE = 0.1


def solve_auto(problem, run: Run) -> Solution:
    """Choose a solver by the capabilities of the design, and by cost.

    - The design has a Gram matrix: ``kernel_dual``.
    - It has rows to visit, more than 300, the loss is one-sided, C is positive and finite,
      and neither squares about zero nor the intercept have a price: coordinate descent,
      as long as it closes the gap fast enough to finish in

        - 1,000 sweeps, with more than 2,000 features;
        - 15 sweeps, with fewer features, sparse rows and squared terms of small prices.
    - If this does not suffice, Newton's method continues:

        - on inner products, by ``kernel_dual``, if the design has them, there are at most
          5,000 rows, and features are more than rows or than 2,000;
        - on the features otherwise: it factors up to 2,000, and iterates for more.
    """
    design = problem.design
    if design.has_any(Capability.GRAM):
        return solve_kernel_dual(problem, run)
    n_sweeps = _worthwhile_sweeps(problem)
    if n_sweeps > 0:
        solution = _solve_by_sweeps(problem, n_sweeps, run)
        if solution.converged or run.progress.is_late:
            return solution
        if solution.certificate.relative <= CLOSE:
            run = replace(run, start=solution.as_start())
    is_wide = design.n_features > min(MAX_FACTORED, design.n_rows)
    is_short = design.n_rows <= MAX_GRAM_ROWS
    if is_wide and is_short and design.has_any(Capability.INNER_PRODUCTS):
        # Solve for the expansion of w over the rows, which exists by Theorem 1.
        solution = solve_kernel_dual(
            problem.on(design.as_gram_design()), run.on_other_features()
        )
        solution.w = design.combine(solution.w)
        return solution
    return solve_newton(problem, run)


def _worthwhile_sweeps(problem):
    design, prices = problem.design, problem.prices
    if design.n_rows <= FEW_ROWS or not design.has_any(Capability.ROWS):
        return 0
    is_known = problem.loss.is_one_sided and prices.lambda_square == prices.intercept == 0
    if not is_known or not 0 < prices.C < np.inf:
        return 0
    if design.n_features > MAX_FACTORED:
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
