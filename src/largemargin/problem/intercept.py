"""The free intercept: what holds it, where it settles, the balance of forces it needs.

Nothing penalises ``b``, so the forces of all rows must add up to its price. What prices of
squares see of it depends on the targets: the variance of margins sees a shift of ``b``
only as far as signs differ, and where all are the same it sees nothing.
"""

from dataclasses import replace

import numpy as np

from largemargin.problem.line_search import search_along
from largemargin.problem.losses import Pull, proximal_step
from largemargin.problem.tangents import freeze_squares


def shares_of_signs(problem):
    """Return which part of the weight has negative signs, and which positive ones."""
    positive = problem.weight[problem.sign > 0].sum() / problem.total
    negative = problem.weight[problem.sign < 0].sum() / problem.total
    return negative, positive


def border(problem):
    """Return the mixed derivative of intercept and scores by the prices of squares."""
    weight = problem.weight
    curvature = np.zeros_like(weight)
    if problem.prices.lambda_var > 0:
        # Twice the share of the other sign: zero, without rounding, where there is none.
        negative, positive = shares_of_signs(problem)
        others = np.where(problem.sign > 0, 2.0 * negative, 2.0 * positive)
        curvature += problem.spread * weight * others
    if problem.prices.lambda_square > 0:
        curvature += problem.bend * weight
    return curvature


def squares_hold_it(problem):
    """Return whether prices of squares alone keep the intercept from running away."""
    return problem.is_curved and problem.border.sum() > 0


def without_unseen_squares(problem):
    """Return the problem as the intercept sees it.

    A variance that does not see it would move it by rounding, as far as there is nothing
    else to hold it.
    """
    if not problem.is_curved or squares_hold_it(problem):
        return problem
    return replace(problem, prices=problem.prices._replace(lambda_var=0.0))


def pull_of(problem):
    """Return the reward of raising the intercept by one unit, losses left aside."""
    pull = np.sum(problem.weight * problem.rewards() * problem.sign)
    return pull - problem.prices.intercept


def brakes(problem):
    """Return what the losses charge at the most for lowering it, and for raising it."""
    floor, cap = problem.box
    positive, negative = (
        problem.weight[some].sum() for some in (problem.sign > 0, problem.sign < 0)
    )

    def charge(slope, mass):  # nothing times an unlimited slope is nothing
        return slope * mass if mass > 0 else 0.0

    lowering = charge(cap, positive) + charge(-floor, negative)
    raising = charge(-floor, positive) + charge(cap, negative)
    return lowering, raising


def is_bounded(problem):
    """Return whether the objective has a minimum: the intercept must not run away."""
    if not problem.fit_intercept or squares_hold_it(problem):
        return True
    sizes = abs(problem.reward) * problem.total + abs(problem.prices.intercept)
    if problem.tangent is not None:
        sizes += problem.weight @ np.abs(problem.tangent)
    pull, rounding = pull_of(problem), 1e-12 * sizes
    lowering, raising = brakes(problem)
    return -lowering - rounding <= pull <= raising + rounding


def centre(problem, point, smoothing):
    """Return the point with the best intercept for the smoothed problem.

    The problem must be one ``without_unseen_squares``.
    """
    # Where neither squares nor losses hold it, only rounding would move it.
    is_held = problem.is_curved or problem.box != (0.0, 0.0)
    if not problem.fit_intercept or not is_held:
        return point
    shift = search_along(
        problem, point.margins, problem.sign, smoothing, slope=problem.prices.intercept
    )
    return problem.point(point.w, point.scores, point.offset + shift)


def settle(problem, point):
    """Return the point with the best intercept for the objective itself.

    Where squares do not hold it and the loss has kinks, the objective is piecewise linear
    in the intercept, and flat where no margin is at a kink: then the middle of the flat
    part is taken.
    """
    C = problem.prices.C
    kinks = problem.loss.kinks(C)
    is_free = problem.fit_intercept and kinks and 0 < C < np.inf
    if not is_free or squares_hold_it(problem):
        return point
    sign, weight = problem.sign, problem.weight
    places = [sign * (kink + problem.origin) - point.scores for kink, _ in kinks]
    charges = [jump * weight for _, jump in kinks]
    places, charges = np.concatenate(places), np.concatenate(charges)
    order = np.argsort(places, kind="stable")
    places = places[order]
    # Left of all kinks losses pull as hard as they can; each kink passed lets go.
    floor, cap = problem.box
    slope = -pull_of(problem) - weight @ np.where(sign > 0, cap, -floor)
    slopes = slope + np.cumsum(charges[order])
    flat = 1e-12 * charges.sum()
    first = min(np.searchsorted(slopes, -flat), len(places) - 1)
    last = min(np.searchsorted(slopes, flat, side="right"), len(places) - 1)
    return problem.point(point.w, point.scores, 0.5 * (places[first] + places[last]))


def balance(problem, scores, offset, beta):
    """Return intercept and dual variables nearby whose forces balance.

    Without this the dual variables bound nothing: the intercept is free.
    """
    if not problem.fit_intercept:
        return offset, beta
    frozen = without_unseen_squares(problem)
    if frozen.is_curved:
        frozen = freeze_squares(problem, problem.margins(scores, offset))
        if not is_bounded(frozen):
            return _offset_in_balance(problem, scores, offset, beta), beta
    # A step of length one along the signs, cut off where dual variables must end.
    level = np.ones_like(beta)
    floor, cap = problem.box
    projection = beta, 1.0, Pull(1.0, cap, floor, 0.0, floor)
    slope = problem.prices.intercept
    shift = search_along(frozen, level, problem.sign, projection, slope=slope)
    balanced, curvature = np.empty_like(beta), np.empty_like(beta)
    proximal_step(
        level + shift * problem.sign, *projection, problem.weight, balanced, curvature
    )
    return offset, balanced


def _offset_in_balance(problem, scores, offset, beta):
    """Return the intercept at which the squares balance the forces, if they see it."""
    whole = problem.border.sum()
    if not whole > 0:
        return offset
    excess = problem.forces(problem.margins(scores), beta).sum() - problem.prices.intercept
    return excess / whole
