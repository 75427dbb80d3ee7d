"""Newton's method on the augmented Lagrangian: exact for every C.

Proximal steps of length ``sigma`` from an ``anchor`` smooth the losses. Each smoothed
problem is solved by Newton's method, then the anchor moves to the dual variables. Both
errors are part of the duality gap, the gradient by its square and the smoothing by the
Fenchel gaps, so the gap is known at every step. A smooth loss needs no anchor.

This loop handles numbers only: every array with one number per row belongs to the smoothed
problem, see ``problem.smoothed``.
"""

import numpy as np

from largemargin.solvers.solution import Run, Solution

# The first sigma in units of C, cold and warm; it grows by GROWTH per round.
FIRST_SIGMA = 0.3
WARM_SIGMA = 3.0
GROWTH = 3.0
# A sigma above this many times its first value would magnify rounding errors of the dual.
MAX_GROWTH = 1e5
# The anchor moves when the gradient is this small relative to the proximal step.
ACCURACY = 0.25
# After PATIENCE steps without a notably smaller gap only rounding errors are left. While
# no gap is known, as for a hard margin not yet reached, the anchor may move more often.
NOTABLY = 0.99
PATIENCE = 100
# The model of a step is exact enough within this part of the gap that is allowed, or of
# the present gap.
ENOUGH = 0.1
ENOUGH_NOW = 0.05
MAX_MOVES = 1000


def solve_newton(problem, run: Run) -> Solution:
    """Minimise the objective by Newton steps."""
    smoothed = problem.smoothed(run.start)
    sigma = smoothed.first_sigma(FIRST_SIGMA if run.start is None else WARM_SIGMA)
    largest_sigma = MAX_GROWTH * sigma
    n_iter = n_moves = notable_iter = 0
    least_gap = notable_gap = np.inf
    while True:
        look = smoothed.look(sigma)
        gap = look.certificate.gap
        run.progress(look.certificate)
        least_gap = min(least_gap, gap)
        if gap < NOTABLY * notable_gap:
            notable_gap, notable_iter, n_moves = gap, n_iter, 0
        bounded = np.isfinite(least_gap)
        stuck = bounded and max(n_iter - notable_iter, n_moves) >= PATIENCE
        if stuck or n_iter >= run.max_iter or n_moves >= MAX_MOVES:
            break
        # However short the time, a warm start must make progress.
        if run.progress.is_late and n_iter > 0:
            break
        if look.certificate.relative <= run.tol:
            break
        if not smoothed.is_smooth and look.slope_square <= ACCURACY * look.moved / sigma:
            smoothed.follow()
            n_moves += 1
            sigma = min(GROWTH * sigma, largest_sigma * (1.0 if bounded else MAX_GROWTH))
            continue
        n_iter += 1
        scale = look.certificate.scale
        enough = max(ENOUGH * run.tol * scale, ENOUGH_NOW * min(gap, scale))
        length = smoothed.step(sigma, enough)
        if length < 1 and not look.is_bent:
            # The step met kinks beyond its linear model: they are too sharp from here.
            sigma /= GROWTH**2
    return Solution.of(problem, smoothed.result(), n_iter, run.tol)
