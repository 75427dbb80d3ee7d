"""Solver for kernels whose Gram matrix is too large to store: products, tile by tile.

The start is the solution on a surrogate of low rank. Products with the whole matrix, which
is computed anew for each of them, improve it until the certificate of the exact problem is
small enough. A product takes seconds at 60,000 rows, so solvers here save products rather
than anything else. Problems with squared terms are left to ``active_kernel``; others, and
hard margins, to Newton's method preconditioned by the surrogate.
"""

from dataclasses import replace

from largemargin.solvers.active_kernel import solve_active, solve_primal
from largemargin.solvers.solution import Run, Solution


def solve_by_products(problem, run: Run) -> Solution:
    """Minimise a kernel objective on a design that has products only."""
    solve = solve_active if problem.is_curved else solve_primal
    solution = solve(problem, run)
    return replace(solution, pass_seconds=problem.design.pass_seconds)
