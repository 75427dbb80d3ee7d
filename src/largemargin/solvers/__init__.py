"""Solvers: functions from a problem to a solution, whatever the design of its rows."""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from largemargin.designs.base import Capability
from largemargin.problem.checks import refuse_other_hard_margins, refuse_unbounded
from largemargin.problem.objective import Problem
from largemargin.solvers.asgd import solve_asgd
from largemargin.solvers.auto import solve_auto
from largemargin.solvers.dual_cd import solve_dual_cd
from largemargin.solvers.kernel_dual import MAX_FACTOR_ROWS, solve_kernel_dual
from largemargin.solvers.newton import solve_newton
from largemargin.solvers.solution import Memory, Progress, Run, Solution, Start


class Solver(NamedTuple):
    """A solver, its default of ``max_iter``, and what it needs and supports."""

    function: Callable[[Problem, Run], Solution]
    max_iter: int
    needs: tuple[Capability, ...]  # one of these
    one_sided_only: bool = False  # and no prices of squared margins or of the intercept
    without_goal: bool = False  # makes max_iter iterations, whatever the gap

    def refuse_unknown(self, name: str, problem: Problem) -> None:
        """Raise unless the solver supports this problem."""
        problem.design.require(f"solver={name!r}", *self.needs)
        prices = problem.prices
        if self.one_sided_only and not problem.loss.is_one_sided:
            raise ValueError(
                f"solver={name!r} supports only losses that are zero above their kink, "
                f"such as the hinge; got {problem.loss}. Use 'auto'."
            )
        if self.one_sided_only and (prices.lambda_square != 0 or prices.intercept != 0):
            raise ValueError(
                f"solver={name!r} supports no price of squared margins or the intercept; "
                f"got {prices}. Use 'auto'."
            )


FEATURES, ROWS, GRAM = Capability.FEATURES, Capability.ROWS, Capability.GRAM
SOLVERS = {
    "auto": Solver(solve_auto, 500, (GRAM, FEATURES, Capability.PRODUCTS)),
    "newton": Solver(solve_newton, 500, (FEATURES,)),
    "kernel_dual": Solver(solve_kernel_dual, 500, (GRAM,)),
    "dual_cd": Solver(solve_dual_cd, 10_000, (ROWS, GRAM), one_sided_only=True),
    "asgd": Solver(solve_asgd, 5, (ROWS,), without_goal=True),
}
# If the examination finds a gap above tol, the solver goes on with a tol smaller by this.
CLOSER = 0.1
MAX_ATTEMPTS = 3
# Gaps that differ by no more than this factor count as equal.
ALIKE = 1.1


def lives_on_products(problem: Problem, solver: str) -> bool:
    """Return whether a solver asks for many products with a large Gram matrix.

    Sweeps and inverses, which smaller problems take, ask for hardly any, nor does the
    descent on pairs of rows where no squared terms have a price.
    """
    design = problem.design
    if solver not in ("auto", "kernel_dual"):
        return False
    is_large = design.has_any(GRAM) and design.n_rows > MAX_FACTOR_ROWS
    return design.has_any(Capability.PRODUCTS) or (is_large and problem.is_curved)


def solve(
    problem: Problem,
    solver,
    *,
    tol,
    max_iter=None,
    start=None,
    progress=None,
    rng=None,
    n_alike=1,
    memory=None,
) -> Solution:
    """Solve a problem with the solver of that name, and examine the solution.

    Solvers stop by a certificate that ignores rounding. If the examination finds a gap
    above ``tol``, the solver goes on from there; ``"auto"`` then takes Newton steps on the
    rows themselves. ``n_alike`` problems on the same rows have the same squared terms.
    ``memory`` is shared by the problems of a path.
    """
    chosen = SOLVERS[solver]
    chosen.refuse_unknown(solver, problem)
    refuse_other_hard_margins(problem)
    refuse_unbounded(problem)
    max_iter = chosen.max_iter if max_iter is None else max_iter
    learned = memory or Memory()
    run = Run(tol, max_iter, start, progress or Progress(), rng, n_alike, learned)
    # Numbers that overflow never pass the examination.
    with np.errstate(over="ignore", invalid="ignore"):
        return _solve_and_examine(problem, solver, run)


def _solve_and_examine(problem, solver, run):
    chosen, tol = SOLVERS[solver], run.tol
    found = chosen.function(problem, run)
    if not chosen.without_goal:
        found = found.settled(problem)
    best = found.examined_if_finite(problem, tol)
    best.n_iter, best.is_late = found.n_iter, found.is_late or run.progress.is_late
    if chosen.without_goal:
        best.converged |= not best.is_late
        return best
    on_rows = solver == "auto" and problem.design.has_any(FEATURES)
    # A threshold may be flat: settling it changes the size of the terms, if nothing else.
    if on_rows or found.converged or problem.loss.is_threshold:
        go_on = solve_newton if on_rows else chosen.function
        best = _improve(problem, best, found.certificate.gap, go_on, run)
    return best


def _improve(problem, best, own_gap, function, run):
    """Return a solution that passes the examination, or the best of a few attempts.

    ``own_gap`` is the gap of the best solution by the solver, which leaves rounding out.
    """
    goal, n_iter, is_promising = run.tol, best.n_iter, True
    for _ in range(MAX_ATTEMPTS - 1):
        is_over = best.converged or best.is_late or n_iter >= run.max_iter
        if is_over or not is_promising:
            break
        goal *= CLOSER
        left, start = run.max_iter - n_iter, best.as_start()
        again = replace(run, tol=goal, max_iter=left, start=start)
        found = function(problem, again).settled(problem)
        n_iter += found.n_iter
        is_promising = found.converged
        following = found.examined_if_finite(problem, run.tol)
        gap, least = following.certificate.relative, best.certificate.relative
        # If rounding dominates both gaps, trust the certificate of the solver.
        is_alike = least / ALIKE < gap <= ALIKE * least
        if found.certificate.gap <= own_gap if is_alike else gap < least:
            best, own_gap = following, found.certificate.gap
        best.n_iter, best.is_late = n_iter, run.progress.is_late
    return best


__all__ = [
    "CLOSER",
    "SOLVERS",
    "Progress",
    "Run",
    "Solution",
    "Start",
    "lives_on_products",
    "solve",
]
