"""Coordinate descent on the dual, in random order, until a certificate is good enough.

On a Gram matrix this is the paper's Algorithm 1 on its matrix H, see ``metric``; on rows
it is a descent whose steps touch one row each, see ``descents``.
"""

from itertools import count

import numpy as np

from largemargin.designs.base import Capability
from largemargin.problem.separability import refuse_unseparable
from largemargin.solvers.descents import CoupledDescent, GramDescent, row_descent
from largemargin.solvers.price_metric import solve_in_metric
from largemargin.solvers.solution import Progress, Solution

# A certificate costs about two sweeps: so many sweeps are made before the next one, and
# at least this part of all sweeps so far. The first tells whether sweeps get anywhere;
# each kind of descent knows when.
SWEEPS_PER_CHECK = 4
SHARE_PER_CHECK = 0.25
# Rows that are left to sweep are solved well enough when their violation fell this far.
SOLVED = 0.1


def solve_dual_cd(problem, *, tol, max_iter, start=None, progress=None, rng=None):
    """Minimise the dual by coordinate descent until the relative gap is at most tol."""
    progress = progress or Progress()
    rng = rng or np.random.default_rng(0)
    options = {"tol": tol, "max_iter": max_iter, "progress": progress}

    def descend_on_gram(svm, *, start, **options):
        state = GramDescent(svm, start)
        return descend(svm, state, rng=rng, separated=problem, **options)

    if problem.design.has_any(Capability.ROWS):
        # From tangent to tangent of the variance an intercept may swing for ever.
        swings = problem.fit_intercept and problem.prices.lambda_var > 0
        state = (CoupledDescent if swings else row_descent)(problem, start)
        return descend(problem, state, rng=rng, **options)
    if not problem.is_curved:
        return descend_on_gram(problem, start=start, **options)
    return solve_in_metric(problem, descend_on_gram, start=start, **options)


def never(visits, gap):
    """Let a descent take its time."""
    return False


def descend(problem, state, *, tol, max_iter, progress, rng, is_slow=never, separated=None):
    """Sweep until the gap is at most tol, or until ``is_slow(visits, gap)`` says so.

    The dual rises at every step but the primal may swing: the best of each is kept.
    ``separated`` is the problem whose classes a hard margin separates, if another one:
    in the metric of prices rows are as long as prices make them.
    """
    n_rows = problem.design.n_rows
    visits, next_check, goal = 0, state.first_sweeps * n_rows, 0.0
    best = None
    for n_iter in count(1):
        visited, violation = state.sweep(rng)
        visits += visited
        progress.check()
        is_last = n_iter >= max_iter or progress.is_late
        if visits < next_check and not violation <= goal and not is_last:
            continue
        point, beta, certificate = problem.examine(
            state.element(), state.offset, state.beta.copy()
        )
        state.refresh(point)
        if problem.is_hard and np.isinf(certificate.gap):
            refuse_unseparable(separated or problem, beta)
        if best is not None:
            point, beta, certificate = _best_of(best, (point, beta, certificate))
        best = point, beta, certificate
        progress(certificate)
        if certificate.relative <= tol or is_last:
            break
        if is_slow(visits, certificate.relative):
            break
        next_check = visits + max(SWEEPS_PER_CHECK * n_rows, SHARE_PER_CHECK * visits)
        goal = SOLVED * violation if np.isfinite(violation) else 0.0
    return Solution.of(problem, point, beta, certificate, n_iter, tol)


def _best_of(old, new):
    """Return the better point, and the dual variables that bound it best."""
    point, beta, certificate = min(old, new, key=lambda result: result[2].primal)
    for _, other_beta, other in old, new:
        combined = certificate.above(other.primal - other.gap)
        if combined.gap < certificate.gap:
            beta, certificate = other_beta, combined
    return point, beta, certificate
