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
        point, beta, certificate = found
        state.refresh(point)
        if problem.is_hard and np.isinf(certificate.gap):
            refuse_unseparable(separated or problem, beta)
        best = found if best is None else _best_of(best, found)
        certificate = best[2]
        run.progress(certificate)
        if certificate.relative <= run.tol or is_last:
            break
        if is_slow is not None and is_slow(visits, certificate.relative):
            break
        next_check = visits + max(SWEEPS_PER_CHECK * n_rows, SHARE_PER_CHECK * visits)
        goal = SOLVED * violation if np.isfinite(violation) else 0.0
    return Solution.of(problem, *best, n_iter, run.tol)


def _best_of(old, new):
    """Return the better point with the dual variables that bound it best."""
    point, beta, certificate = min(old, new, key=lambda result: result[2].primal)
    for _, other_beta, other in old, new:
        combined = certificate.above(other.primal - other.gap)
        if combined.gap < certificate.gap:
            beta, certificate = other_beta, combined
    return point, beta, certificate
