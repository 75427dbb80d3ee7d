"""Solvers: functions from a problem to a solution; they never see how rows are stored."""

from collections.abc import Callable
from typing import NamedTuple

from largemargin.designs.base import Capability
from largemargin.problem.refusals import refuse_other_hard_margins, refuse_unbounded
from largemargin.solvers.asgd import solve_asgd
from largemargin.solvers.auto import solve_auto
from largemargin.solvers.dual_cd import solve_dual_cd
from largemargin.solvers.kernel_dual import solve_kernel_dual
from largemargin.solvers.newton import solve_newton
from largemargin.solvers.solution import Progress, Solution, Start


class Solver(NamedTuple):
    """A solver by its function, and what it declares.

    ``needs`` are capabilities of a design of which it needs one. One that is
    ``one_sided_only`` knows no other losses, and no prices of squares about zero or of the
    intercept; one for ``classes_only`` knows no origins; one ``without_goal`` runs its
    course, whatever the gap.
    """

    function: Callable
    max_iter: int
    needs: tuple[Capability, ...]
    one_sided_only: bool = False
    classes_only: bool = False
    without_goal: bool = False

    def refuse_unknown(self, name, problem):
        """Raise unless the solver knows this problem."""
        problem.design.require(f"solver={name!r}", *self.needs)
        prices = problem.prices
        if self.one_sided_only and not problem.loss.is_one_sided:
            raise ValueError(
                f"solver={name!r} knows losses of one kink only, such as the hinge loss; "
                f"got {problem.loss}. Use 'auto'."
            )
        if self.one_sided_only and (prices.lambda_square != 0 or prices.intercept != 0):
            raise ValueError(
                f"solver={name!r} knows no price of squared margins or of the intercept; "
                f"got {prices}. Use 'auto'."
            )
        if self.classes_only and problem.origin.any():
            raise ValueError(f"solver={name!r} knows classes only, no values. Use 'auto'.")


FEATURES, ROWS, GRAM = Capability.FEATURES, Capability.ROWS, Capability.GRAM
SOLVERS = {
    "auto": Solver(solve_auto, 500, (GRAM, FEATURES)),
    "newton": Solver(solve_newton, 500, (FEATURES,)),
    "kernel_dual": Solver(solve_kernel_dual, 500, (GRAM,)),
    "dual_cd": Solver(solve_dual_cd, 10_000, (ROWS, GRAM), one_sided_only=True),
    "asgd": Solver(
        solve_asgd, 5, (ROWS,), one_sided_only=True, classes_only=True, without_goal=True
    ),
}
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
    chosen = SOLVERS[solver]
    chosen.refuse_unknown(solver, problem)
    refuse_other_hard_margins(problem)
    refuse_unbounded(problem)
    function = chosen.function
    limit = chosen.max_iter if max_iter is None else max_iter
    progress = progress or Progress()
    options = {"progress": progress, "rng": rng}
    found = function(problem, tol=tol, max_iter=limit, start=start, **options)
    best = found.examined_if_finite(problem, tol)
    best.n_iter, best.is_late = found.n_iter, found.is_late or progress.is_late
    if chosen.without_goal:
        best.converged |= not best.is_late
        return best
    on_rows = solver == "auto" and problem.design.has_any(FEATURES)
    if on_rows or found.converged:
        go_on = solve_newton if on_rows else function
        own = found.certificate.gap
        best = _improve(problem, best, own, go_on, tol=tol, max_iter=limit, **options)
    return best


def _improve(problem, best, own_gap, function, *, tol, max_iter, progress, rng):
    """Return a solution that stands up to examination, or the best of a few attempts.

    ``own_gap`` is the gap of the best solution by the solver, rounding left out.
    """
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
        gap, least = following.certificate.relative, best.certificate.relative
        # Where rounding is most of both gaps, the solver knows better than they do.
        is_alike = least / ALIKE < gap <= ALIKE * least
        if found.certificate.gap <= own_gap if is_alike else gap < least:
            best, own_gap = following, found.certificate.gap
        best.n_iter, best.is_late = n_iter, progress.is_late
    return best


__all__ = ["CLOSER", "SOLVERS", "Progress", "Solution", "Start", "solve"]
