"""The choice of a solver that the user never has to make."""

import numpy as np

from largemargin.designs.base import Capability
from largemargin.designs.features import MAX_FACTORED
from largemargin.solvers.descents import row_descent
from largemargin.solvers.dual_cd import descend
from largemargin.solvers.kernel_dual import solve_kernel_dual
from largemargin.solvers.newton import solve_newton
from largemargin.solvers.solution import Progress, Start

# Up to this many rows Newton's method is soon done.
FEW_ROWS = 300
# Up to this many rows a machine with more features than rows is solved on its Gram matrix,
# as is one with more than can be factored.
MAX_GRAM_ROWS = 5000
# A Newton run costs about as much as so many sweeps over the rows.
SWEEPS_FOR_NARROW = 15
SWEEPS_FOR_WIDE = 1000
# Sweeps over the few rows that still move are cheap: so many count as one step.
SWEEPS_PER_STEP = 20
# Newton's method goes on from sweeps that came this close; else it begins by itself.
CLOSE = 0.1


def solve_auto(problem, *, rng=None, progress=None, **options):
    """Choose by what the design can do, and by cost.

    - The design has a Gram matrix: ``kernel_dual``.
    - It has rows to visit, more than 300, the loss is one-sided at a finite C, and neither
      squares about zero nor the intercept have a price:
        - more than 2,000 features: up to 1,000 sweeps;
        - fewer, sparse, and a mild price of squares: up to 15 sweeps;
      as long as they close the gap fast enough to get there.
    - Where that was not all, Newton's method goes on from there:
        - on inner products, by ``kernel_dual``, where they can be had, rows are at most
          5,000, and features are more than rows or than 2,000;
        - on the features otherwise, factoring up to 2,000 of them, iterating beyond.
    """
    design = problem.design
    options["progress"] = progress or Progress()
    if design.has_any(Capability.GRAM):
        return solve_kernel_dual(problem, **options)
    n_sweeps = _worthwhile_sweeps(problem)
    if n_sweeps > 0:
        solution = _solve_by_sweeps(problem, n_sweeps, **options)
        if solution.converged or options["progress"].is_late:
            return solution
        if solution.certificate.relative <= CLOSE:
            options["start"] = Start(solution.beta, solution.w, solution.offset)
    is_wide = design.n_features > min(MAX_FACTORED, design.n_rows)
    is_short = design.n_rows <= MAX_GRAM_ROWS
    if is_wide and is_short and design.has_any(Capability.INNER_PRODUCTS):
        return _solve_on_gram(problem, **options)
    return solve_newton(problem, **options)


def _worthwhile_sweeps(problem):
    design, prices = problem.design, problem.prices
    if design.n_rows <= FEW_ROWS or not design.has_any(Capability.ROWS):
        return 0
    is_known = problem.loss.is_one_sided and prices.lambda_square == prices.intercept == 0
    if not is_known or not 0 < prices.C < np.inf:
        return 0
    if design.n_features > MAX_FACTORED:
        return SWEEPS_FOR_WIDE
    # Sweeps visit rows in random order, which is slow where BLAS would be fast; and they
    # are many where the margin variance has a weight of its own.
    if not (design.sweeps_are_cheap and problem.squares_are_mild):
        return 0
    return SWEEPS_FOR_NARROW


def _solve_by_sweeps(problem, n_sweeps, *, max_iter, start=None, **options):
    """Sweep until the gap is small, or falls too slowly to get there in time."""
    limit = n_sweeps * problem.design.n_rows
    # The order of the sweeps is random but always the same: so is the result.
    rng = np.random.default_rng(0)
    state = row_descent(problem, start)
    first_gap = 1.0
    if not problem.squares_are_mild:
        certificate = problem.examine(state.element(), state.offset, state.beta)[2]
        first_gap = max(certificate.relative, options["tol"])
    whole_way = np.log(first_gap / options["tol"])

    def is_slow(visits, gap):
        return visits * whole_way > limit * np.log(first_gap / gap)

    max_iter *= SWEEPS_PER_STEP
    return descend(problem, state, rng=rng, max_iter=max_iter, is_slow=is_slow, **options)


def _solve_on_gram(problem, *, start=None, **options):
    """Solve for the expansion of ``w`` over the rows, which exists by Theorem 1."""
    if start is not None:
        start = start.without_element()
    on_gram = problem.on(problem.design.as_kernel())
    solution = solve_kernel_dual(on_gram, start=start, **options)
    solution.w = problem.design.combine(solution.w)
    return solution
