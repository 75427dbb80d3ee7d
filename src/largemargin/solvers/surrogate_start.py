"""The start of kernel solvers: the solution on surrogates of the matrix, of rising rank."""

from dataclasses import replace

import numpy as np

from largemargin.numerics.work_log import log_work, timed
from largemargin.solvers.newton import solve_newton
from largemargin.solvers.solution import Progress

# The start is solved on these ranks in turn, if they are well below the final one, by no
# more Newton steps than this,
FIRST_RANKS = 64, 192
WELL_BELOW = 0.6
MAX_START_STEPS = 12
# to these gaps: on small ranks, and in units of tol on the final one.
ROUGH = 0.03
PART_OF_TOL = 0.3
# A start that misses more than this of the trace, in units of the curvature, stays rough.
POOR = 2000.0
# One that misses more than this takes this part of the rank: more of it saves no products.
HOPELESS, PART_OF_RANK = 20_000.0, 0.5
# A block of pivots is worth its cost if it lowers the root of what is missing by this, per
# column and row, for each decade of the gap: see
# docs/design/0011-active-prices-on-kernels.md.
WORTH = 500.0
# The kinks of values are met within one part in so many of their scatter.
SHARP = 10.0
# Goals below this ask for no more rank.
FINEST = 1e-12


def enough_rank(problem, tol):
    """Return the rank of the surrogate, and what it misses, in units of the curvature."""
    design = problem.design
    n_rows, factor = design.n_rows, design.low_rank(problem.weight)
    sharpness = SHARP if problem.origin.any() else 1.0
    steepness = problem.stiffness + sharpness * problem.loss_curvature()
    decades = max(-np.log10(max(tol, FINEST)), 1.0)

    def is_enough(rank, before, after):
        gain = np.sqrt(steepness * before) - np.sqrt(steepness * after)
        return steepness * after < 1 or n_rows * gain * decades < WORTH * rank

    with timed("factor_seconds"):
        rank = factor.grow(is_enough)
    log_work(rank=rank)
    return rank, steepness * factor.left_at(rank)


def solve_on_surrogates(problem, run, rank, left):
    """Return the solution on surrogates of rising rank as a start."""
    if left > HOPELESS:
        rank = problem.design.low_rank(problem.weight).reached(PART_OF_RANK * rank)
    ranks = [one for one in FIRST_RANKS if one < WELL_BELOW * rank] + [rank]
    progress = Progress(run.progress.on_step, deadline=run.progress.deadline)
    options = replace(run, progress=progress, max_iter=MAX_START_STEPS)
    for one in ranks:
        tol = ROUGH if one < rank or left > POOR else PART_OF_TOL * run.tol
        surrogate = problem.design.surrogate(problem.weight, one)
        with timed("start_seconds"):
            found = solve_newton(problem.on(surrogate), replace(options, tol=tol))
        options = replace(options, start=found.as_start())
    return options.start
