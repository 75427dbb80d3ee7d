"""Coordinate descent on the dual, in random order.

On a Gram matrix this is the paper's Algorithm 1 on its matrix H, see ``equivalent_svm``; on
rows, each step reads and changes one row, see ``sweeps``.
"""

from itertools import count

import numpy as np

from largemargin.designs.base import Capability
from largemargin.problem.checks import refuse_unseparable
from largemargin.solvers.equivalent_svm import solve_as_svm
from largemargin.solvers.solution import Run, Solution
from largemargin.solvers.sweeps import CoupledDescent, GramDescent, row_descent

# A certificate costs about two sweeps. Between two of them are at least this many sweeps,
# and at least this share of all sweeps so far; ``first_sweeps`` come before the first.
SWEEPS_PER_CHECK = 4
SHARE_PER_CHECK = 0.25
# The rows that still move are solved when their violation fell by this factor.
SOLVED = 0.1
# Objectives that differ by no more than this fraction of their terms are the same.
ROUNDING = 1e-15


def solve_dual_cd(problem, run: Run) -> Solution:
    """Minimise the dual by coordinate descent."""
    rng = run.rng or np.random.default_rng(0)
    if problem.design.has_any(Capability.ROWS):
        # With repeated linearisation of the variance an intercept may oscillate for ever.
        oscillates = problem.fit_intercept and problem.prices.lambda_var > 0
        state = (CoupledDescent if oscillates else row_descent)(problem, run.start)
        return descend(problem, state, run, rng)

    def descend_on_gram(svm, run):
        return descend(svm, GramDescent(svm, run.start), run, rng, separated=problem)

    if not problem.is_curved:
        return descend_on_gram(problem, run)
    return solve_as_svm(problem, descend_on_gram, run)


def descend(problem, state, run: Run, rng, *, is_slow=None, separated=None) -> Solution:
    """Sweep until the gap is at most ``tol``, or until ``is_slow(visits, gap)``.

    The dual rises at every step but the primal may oscillate: the best of each is kept.
    ``separated`` is the problem whose classes a hard margin separates, if another one: an
    equivalent SVM has rows of other lengths.
    """
    n_rows = problem.design.n_rows
    visits, next_check, goal = 0, state.first_sweeps * n_rows, 0.0
    best = None
    for n_iter in count(1):
        visited, violation = state.sweep(rng)
        visits += visited
        run.progress.check()
        is_last = n_iter >= run.max_iter or run.progress.is_late
        if visits < next_check and not violation <= goal and not is_last:
            continue
        found = problem.examine(state.element(), state.offset, state.beta.copy())
        state.refresh(found.point)
        if problem.is_hard and np.isinf(found.certificate.gap):
            refuse_unseparable(separated or problem, found.beta)
        if best is not None:
            found = _best_of(best, found)
        best = found
        run.progress(found.certificate)
        gap = found.certificate.relative
        if gap <= run.tol or is_last or (is_slow is not None and is_slow(visits, gap)):
            break
        next_check = visits + max(SWEEPS_PER_CHECK * n_rows, SHARE_PER_CHECK * visits)
        goal = SOLVED * violation if np.isfinite(violation) else 0.0
    return Solution.of(problem, found, n_iter, run.tol)


def _best_of(old, new):
    """Return the better point with the dual variables that bound it best."""
    rounding = ROUNDING * new.certificate.scale
    best = new if new.certificate.primal <= old.certificate.primal + rounding else old
    for other in old, new:
        bound = other.certificate.primal - other.certificate.gap - rounding
        certificate = best.certificate.above(bound)
        if certificate.gap < best.certificate.gap:
            best = best._replace(beta=other.beta, certificate=certificate)
    return best
