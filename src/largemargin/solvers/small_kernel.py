"""Two classes with few rows of a Gram matrix that several problems share.

With hundreds of rows, the general way from rows to a solution spends most of its time
between the lines of Python. This one is shorter, and leaves what it does not know to that.
"""

import numpy as np

from largemargin.designs.gram import GramDesign
from largemargin.kernels.condensing import FEWEST_ROWS as CONDENSED_ROWS
from largemargin.kernels.gram import gram_block
from largemargin.problem.quick_examination import is_quick
from largemargin.solvers.gram_sweeps import sweeps_can_solve
from largemargin.solvers.kernel_dual import SMALL, solve_kernel_dual
from largemargin.solvers.solution import EASY, Progress, Run, Solution

MAX_ITER = 500


def solve_small_kernel(
    gram, members, entry_error: float, problem, tol: float, progress: Progress
) -> Solution | None:
    """Return the examined solution on some rows of a matrix, None if others must find it.

    The problem has no design yet. ``entry_error`` is that of a ``GramDesign``.
    """
    is_small = SMALL < len(members) < CONDENSED_ROWS and gram.dtype == np.float64
    if not is_small or tol < EASY or not is_quick(problem):
        return None
    problem = problem.on(GramDesign(gram_block(gram, members), entry_error))
    if not sweeps_can_solve(problem):
        return None
    with np.errstate(over="ignore", invalid="ignore"):  # as in ``solve``
        found = solve_kernel_dual(problem, Run(tol, MAX_ITER, progress=progress))
        solution = found.examined_if_finite(problem, tol)
    return solution if solution.converged else None
