"""Newton's method on the augmented Lagrangian: exact whatever C is.

The dual variables are moved from an ``anchor`` by proximal steps of length ``sigma``,
which smooths the losses; each smoothed problem is solved by Newton's method, then the
anchor follows. Both errors show in the duality gap, one as the squared gradient, the
other as the complementarity, so the gap is known at every step. A smooth loss needs no
anchor: there the Newton steps are all.

What is iterated here are numbers: all that has one number per row belongs to the smoothed
problem, see ``problem.smoothed``.
"""

import numpy as np

from largemargin.solvers.solution import Progress, Solution

# Smoothing of the losses at the start, in units of C; it sharpens by GROWTH a round.
FIRST_SIGMA = 0.3
WARM_SIGMA = 3.0
GROWTH = 3.0
# Beyond this many times its first value sigma would magnify rounding into the dual.
MAX_GROWTH = 1e5
# The anchor follows when the gradient is this small against the proximal step.
ACCURACY = 0.25
# So many steps without a notably smaller gap mean that rounding is all that is left; while
# no gap is known, as for a hard margin not yet reached, the anchor may move more often.
NOTABLY = 0.99
PATIENCE = 100
MAX_MOVES = 1000


def solve_newton(problem, *, tol, max_iter, start=None, progress=None, rng=None):
    """Minimise the objective by Newton steps until the relative gap is at most tol."""
    progress = progress or Progress()
    smoothed = problem.smoothed(start)
    sigma = smoothed.first_sigma(FIRST_SIGMA if start is None else WARM_SIGMA)
    largest_sigma = MAX_GROWTH * sigma
    n_iter = n_moves = notable_iter = 0
    least_gap = notable_gap = np.inf
    while True:
        look = smoothed.look(sigma)
        gap = look.certificate.gap
        progress(look.certificate)
        least_gap = min(least_gap, gap)
        if gap < NOTABLY * notable_gap:
            notable_gap, notable_iter, n_moves = gap, n_iter, 0
        bounded = np.isfinite(least_gap)
        stuck = bounded and max(n_iter - notable_iter, n_moves) >= PATIENCE
        if stuck or n_iter >= max_iter or n_moves >= MAX_MOVES:
            break
        # However short the time, a warm start must get on.
        if progress.is_late and n_iter > 0:
            break
        if look.certificate.relative <= tol:
            break
        if not smoothed.is_smooth and look.slope_square <= ACCURACY * look.moved / sigma:
            smoothed.follow()
            n_moves += 1
            sigma = min(GROWTH * sigma, largest_sigma * (1.0 if bounded else MAX_GROWTH))
            continue
        n_iter += 1
        length = smoothed.step(sigma)
        if length < 1 and not look.is_bent:
            # The step met kinks that it could not see: they are too sharp from here.
            sigma /= GROWTH**2
    return Solution.of(problem, *smoothed.result(), n_iter, tol)
