"""Solvers: functions from a problem to a solution; they never see how rows are stored."""

from largemargin.solvers.asgd import solve_asgd
from largemargin.solvers.auto import solve_auto
from largemargin.solvers.dual_cd import solve_dual_cd
from largemargin.solvers.kernel_dual import solve_kernel_dual
from largemargin.solvers.newton import solve_newton
from largemargin.solvers.solution import Progress, Solution, Start

# name: (function, default limit of iterations)
SOLVERS = {
    "auto": (solve_auto, 500),
    "newton": (solve_newton, 500),
    "kernel_dual": (solve_kernel_dual, 500),
    "dual_cd": (solve_dual_cd, 10_000),
    "asgd": (solve_asgd, 5),
}


HINGE_ONLY = {"dual_cd", "asgd"}


def solve(problem, solver, *, max_iter=None, **options):
    """Solve a problem with the solver of that name."""
    problem.refuse_unbounded()
    if problem.loss.is_smooth and solver in HINGE_ONLY:
        raise ValueError(
            f"solver={solver!r} knows the hinge loss only; got {problem.loss}. Use 'auto'."
        )
    function, default_limit = SOLVERS[solver]
    limit = default_limit if max_iter is None else max_iter
    return function(problem, max_iter=limit, **options)


__all__ = ["SOLVERS", "Progress", "Solution", "Start", "solve"]
