"""Newton's method on the augmented Lagrangian: exact whatever C is.

The dual variables are moved from an ``anchor`` by proximal steps of length ``sigma``,
which smooths the hinge; each smoothed problem is solved by Newton's method, then the
anchor follows. Both errors show in the duality gap, one as the squared gradient, the
other as the complementarity, so the gap is known at every step. A smooth loss needs no
anchor: there the Newton steps are all.
"""

from typing import NamedTuple

import numpy as np

from largemargin.certificate import Certificate
from largemargin.problem import NotSeparable, Point
from largemargin.solvers.solution import Progress, Solution

# Smoothing of the hinge at the start, in units of C; it sharpens by GROWTH a round.
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
# A separating margin below this fraction of the rows' length counts as none.
NO_MARGIN = 1e-7


class Best(NamedTuple):
    """The pair with the smallest gap so far."""

    point: Point
    beta: np.ndarray
    slope: np.ndarray
    slope_norm: float
    certificate: Certificate


def solve_newton(problem, *, tol, max_iter, start=None, progress=None, rng=None):
    """Minimise the objective by Newton steps until the relative gap is at most tol."""
    progress = progress or Progress()
    design = problem.design
    point, anchor = _begin(problem, start)
    sigma = _first_sigma(problem, start)
    largest_sigma = MAX_GROWTH * sigma
    n_iter = n_moves = notable_iter = 0
    best, notable_gap = None, np.inf
    while True:
        point = problem.centre(point, anchor, sigma)
        beta, extra = problem.dual_step(point.margins, anchor, sigma)
        slope = problem.slope(point, beta)
        slope_norm = design.inner(slope, slope)
        certificate = problem.certify(point, beta, slope, slope_norm)
        progress(certificate)
        if best is None or certificate.gap < best.certificate.gap:
            best = Best(point, beta, slope, slope_norm, certificate)
        if certificate.gap < NOTABLY * notable_gap:
            notable_gap, notable_iter, n_moves = certificate.gap, n_iter, 0
        bounded = np.isfinite(best.certificate.gap)
        stuck = bounded and max(n_iter - notable_iter, n_moves) >= PATIENCE
        if stuck or n_iter >= max_iter or n_moves >= MAX_MOVES:
            break
        # However short the time, a warm start must get on.
        if progress.is_late and n_iter > 0:
            break
        if certificate.relative <= tol:
            break
        moved = problem.mean((beta - anchor) ** 2) * problem.total
        if not problem.loss.is_smooth and slope_norm <= ACCURACY * moved / sigma:
            if np.isinf(problem.C):
                refuse_unseparable(problem, beta)
            anchor = beta
            n_moves += 1
            sigma = min(GROWTH * sigma, largest_sigma * (1.0 if bounded else MAX_GROWTH))
            continue
        n_iter += 1
        point, length = _newton_step(problem, point, anchor, sigma, slope, extra)
        if length < 1 and not extra.any():
            # The step met kinks that it could not see: they are too sharp from here.
            sigma /= GROWTH**2
    point = problem.settle(best.point)
    certificate = problem.certify(point, best.beta, best.slope, best.slope_norm)
    return Solution.of(problem, point, best.beta, certificate, n_iter, tol)


def _begin(problem, start):
    design = problem.design
    if start is None:
        nothing = np.zeros(design.n_rows)
        return problem.point(design.zeros(), nothing), nothing
    beta = np.clip(start.beta, *problem.loss.box(problem.C))
    w = start.w
    if w is None:
        w = design.combine(problem.dual_forces(beta))
    return problem.point(w, design.scores(w), start.offset), beta


def _first_sigma(problem, start):
    if np.isinf(problem.C):
        norms = problem.design.squared_norms()
        return 1.0 / max(problem.mean(norms), np.finfo(float).tiny)
    return problem.C * (FIRST_SIGMA if start is None else WARM_SIGMA) or 1.0


def _newton_step(problem, point, anchor, sigma, slope, extra):
    design = problem.design
    solve = design.newton_system(problem.curvature(extra))
    step = solve(-slope, 0.1)
    scores = design.scores(step)
    offset = problem.offset_step(scores, extra)
    length = problem.search(
        point.margins,
        problem.y * (scores + offset),
        anchor,
        sigma,
        slope=design.inner(step, point.w, point.scores),
        bend=design.inner(step, step, scores),
        first=1.0,
        accuracy=0.1,
    )
    following = problem.point(
        point.w + length * step,
        point.scores + length * scores,
        point.offset + length * offset,
    )
    return following, length


def refuse_unseparable(problem, beta):
    """Raise if these weights, all >= 0, prove that no hyperplane separates the classes.

    They form two combinations of rows, one a class, and no margin can be wider than the
    distance of the two.
    """
    design = problem.design
    weighted = problem.weight * beta
    length = np.sqrt(design.squared_norms().max())
    imbalance = length * (problem.y @ weighted) if problem.fit_intercept else 0.0
    exact = np.zeros_like(weighted)
    distance = design.slope_length(design.zeros(), problem.y * weighted, exact)
    width = np.hypot(distance, imbalance)
    if 0 < weighted.sum() < np.inf and width <= NO_MARGIN * length * weighted.sum():
        raise NotSeparable(
            "C=inf asks for a hard margin, but the classes cannot be separated beyond "
            f"rounding: every margin is below {width / weighted.sum():.1e}. Use a finite C "
            "or another kernel."
        )
