"""Tubes that no residual may leave: how much narrower a tube solvers should aim at.

The certificate is about the tube as it was asked for, so aiming at a narrower one costs a
part of the gap, which depends on the dual variables. Rounding may leave residuals outside
if it is not narrower by enough.
"""

from dataclasses import replace

import numpy as np

from largemargin.solvers import solve

# The first slack is this part of tol, and never more than the second number.
PART_OF_TOL = 0.01
LARGEST = 1e-5
# Afterwards it may become this, or this many times as large.
SMALLEST, LONGEST = 1e-12, 1e-3
WIDER = 100.0
MAX_ATTEMPTS = 4


def solve_hard_tube(problem, solver, *, tol, start=None, **options):
    """Return the best solution of a few tubes that are narrower by other fractions."""
    slack, best, n_iter = min(PART_OF_TOL * tol, LARGEST), None, 0
    for _ in range(MAX_ATTEMPTS):
        narrower = replace(problem, loss=replace(problem.loss, slack=slack))
        found = solve(narrower, solver, tol=tol, start=start, **options)
        n_iter += found.n_iter
        gap = found.certificate.relative
        if best is None or gap < best.certificate.relative:
            best, start = found, found.as_start()
        if best.converged or found.is_late or slack == LONGEST:
            break
        slack *= WIDER if np.isinf(gap) else max(0.1 * tol / gap, 1.0 / WIDER)
        slack = min(slack, LONGEST)
        if slack < SMALLEST:
            break
    best.n_iter = n_iter
    return best
