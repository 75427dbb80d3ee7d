"""Solvers: functions from a problem to a solution; they never see how rows are stored."""

from largemargin.designs.kernel import KernelDesign
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
# Those that run their course, whatever gap they reach.
WITHOUT_GOAL = {"asgd"}
# A solution whose certificate does not stand up to examination is made this much better.
CLOSER = 0.1
MAX_ATTEMPTS = 3
# Gaps that differ by no more than this factor are alike.
ALIKE = 1.1


def solve(problem, solver, *, tol, max_iter=None, start=None, progress=None, rng=None):
    """Solve a problem with the solver of that name; examine what it found.

    Solvers stop by a certificate that leaves rounding out. Where the examination finds a
    larger gap than ``tol``, the solver goes on from there; ``"auto"`` takes Newton steps
    on the rows themselves then.
    """
    problem.refuse_unbounded()
    if problem.loss.is_smooth and solver in HINGE_ONLY:
        raise ValueError(
            f"solver={solver!r} knows the hinge loss only; got {problem.loss}. Use 'auto'."
        )
    function, default_limit = SOLVERS[solver]
    limit = default_limit if max_iter is None else max_iter
    progress = progress or Progress()
    options = {"progress": progress, "rng": rng}
    found = function(problem, tol=tol, max_iter=limit, start=start, **options)
    best = found.examined_if_finite(problem, tol)
    best.n_iter, best.is_late = found.n_iter, found.is_late or progress.is_late
    if solver in WITHOUT_GOAL:
        best.converged |= not best.is_late
        return best
    on_rows = solver == "auto" and not isinstance(problem.design, KernelDesign)
    if on_rows or found.converged:
        go_on = solve_newton if on_rows else function
        best = _improve(problem, best, go_on, tol=tol, max_iter=limit, **options)
    return best


def _improve(problem, best, function, *, tol, max_iter, progress, rng):
    """Return a solution that stands up to examination, or the best of a few attempts."""
    goal, n_iter, is_promising = tol, best.n_iter, True
    for _ in range(MAX_ATTEMPTS - 1):
        is_over = best.converged or best.is_late or n_iter >= max_iter
        if is_over or not is_promising:
            break
        goal *= CLOSER
        found = function(
            problem,
            tol=goal,
            max_iter=max_iter - n_iter,
            start=Start(best.beta, best.w, best.offset),
            progress=progress,
            rng=rng,
        )
        n_iter += found.n_iter
        is_promising = found.converged
        following = found.examined_if_finite(problem, tol)
        # Where rounding is most of both gaps, the solver knows better than they do.
        if following.certificate.relative <= ALIKE * best.certificate.relative:
            best = following
        best.n_iter, best.is_late = n_iter, progress.is_late
    return best


__all__ = ["CLOSER", "SOLVERS", "Progress", "Solution", "Start", "solve"]
