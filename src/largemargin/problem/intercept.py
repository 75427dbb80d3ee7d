"""The free intercept: what bounds it, its best value, and the balance of forces it needs.

Nothing penalises ``b`` itself, so the forces of all rows must add up to its price. How the
squared terms depend on ``b`` is a matter of the targets: the variance of the margins
depends on it only if signs differ; if all signs are the same, it does not.
"""

from dataclasses import replace

import numpy as np

from largemargin.problem.line_search import search_along
from largemargin.problem.losses import Pull, Smoothing, dual_step


def squares_hold_it(problem) -> bool:
    """Return whether the squared terms alone bound the intercept."""
    if problem.prices.lambda_square > 0:
        return True
    return problem.prices.lambda_var > 0 and min(problem.weights_of_signs) > 0


def as_intercept_sees_it(problem):
    """Return the problem without a variance that does not depend on the intercept."""
    # Such a variance would move the intercept by its rounding errors.
    if not problem.is_curved or squares_hold_it(problem):
        return problem
    return replace(problem, prices=problem.prices._replace(lambda_var=0.0))


def pull_of(problem) -> float:
    """Return the reward for raising the intercept by one unit, without the losses."""
    pull = np.sum(problem.weight * problem.rewards() * problem.sign)
    return pull - problem.prices.intercept


def brakes(problem) -> tuple[float, float]:
    """Return the most that the losses charge per unit of lowering and of raising it."""
    floor, cap = problem.box
    negative, positive = problem.weights_of_signs

    def charge(slope, mass):  # zero weight times an infinite slope is zero
        return slope * mass if mass > 0 else 0.0

    lowering = charge(cap, positive) + charge(-floor, negative)
    raising = charge(-floor, positive) + charge(cap, negative)
    return lowering, raising


def is_bounded(problem) -> bool:
    """Return whether the objective has a minimum: the intercept must not diverge."""
    if not problem.fit_intercept or squares_hold_it(problem):
        return True
    sizes = abs(problem.reward) * problem.total + abs(problem.prices.intercept)
    if problem.tangent is not None:
        sizes += problem.weight @ np.abs(problem.tangent)
    pull, rounding = pull_of(problem), 1e-12 * sizes
    lowering, raising = brakes(problem)
    return -lowering - rounding <= pull <= raising + rounding


def centre(problem, point, smoothing):
    """Return the point with the best intercept, for a problem ``as_intercept_sees_it``."""
    # If neither squared terms nor losses hold it, only rounding would move it.
    is_held = problem.is_curved or problem.box != (0.0, 0.0)
    if not problem.fit_intercept or not is_held:
        return point
    shift = search_along(
        problem, point.margins, problem.sign, smoothing, slope=problem.prices.intercept
    )
    return problem.point(point.w, point.scores, point.offset + shift)


def settle(problem, point, errors=0.0):
    """Return the point with the best intercept for the objective itself.

    If the squared terms do not hold it and the loss has kinks, the objective is piecewise
    linear in the intercept. If it is flat at its minimum, take the middle of that part.
    Scores are lowered by ``errors``, so that those at the threshold of one class do not
    fall below it by rounding.
    """
    C = problem.prices.C
    if not problem.fit_intercept or squares_hold_it(problem):
        return point
    if C == 0 and 0.0 in problem.weights_of_signs:
        # Nothing holds the intercept of values: their mean residual becomes zero.
        return problem.point(point.w, point.scores, _mean_offset(problem, point))
    kinks = problem.loss.kinks(C)
    if not kinks or not 0 < C < np.inf:
        return point
    sign, weight = problem.sign, problem.weight
    scores = point.scores - errors
    places = [sign * (kink + problem.origin) - scores for kink, _ in kinks]
    charges = [jump * weight for _, jump in kinks]
    places, charges = np.concatenate(places), np.concatenate(charges)
    order = np.argsort(places, kind="stable")
    places = places[order]
    # Below all kinks the losses pull as hard as they can; each kink passed reduces that.
    floor, cap = problem.box
    slope = -pull_of(problem) - weight @ np.where(sign > 0, cap, -floor)
    slopes = slope + np.cumsum(charges[order])
    flat = 1e-12 * charges.sum()
    first = min(np.searchsorted(slopes, -flat), len(places) - 1)
    last = min(np.searchsorted(slopes, flat, side="right"), len(places) - 1)
    return problem.point(point.w, point.scores, 0.5 * (places[first] + places[last]))


def _mean_offset(problem, point):
    """Return the intercept at which the mean margin of rows of one sign is zero."""
    wanted = problem.sign * problem.origin
    # The middle is taken off first: the mean of equal numbers must not be rounded.
    middle = wanted[0]
    return middle + problem.mean(wanted - middle - point.scores)


def balance(problem, scores, offset, beta):
    """Return an intercept and dual variables near these whose forces balance.

    With a free intercept, dual variables whose forces do not balance bound nothing.
    """
    if not problem.fit_intercept:
        return offset, beta
    linear = as_intercept_sees_it(problem)
    if linear.is_curved:
        linear = problem.linearised(problem.margins(scores, offset))
        if not is_bounded(linear):
            return _balancing_offset(problem, scores, offset, beta), beta
    # A proximal step of length one along the signs, clipped to the box.
    level = np.ones_like(beta)
    floor, cap = problem.box
    projection = Smoothing(beta, 1.0, Pull(1.0, cap, floor, 0.0, floor))
    slope = problem.prices.intercept
    shift = search_along(linear, level, problem.sign, projection, slope=slope)
    return offset, dual_step(level + shift * problem.sign, projection, problem.weight)[0]


def _balancing_offset(problem, scores, offset, beta):
    """Return the intercept at which the squared terms balance the forces, if any does."""
    whole = problem.border.sum()
    if not whole > 0:
        return offset
    excess = problem.forces(beta, problem.margins(scores)).sum() - problem.prices.intercept
    return excess / whole
