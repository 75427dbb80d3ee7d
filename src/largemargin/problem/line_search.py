"""Line search on a quadratic plus the smoothed losses, which is convex and smooth."""

import numpy as np

from largemargin.numerics.jit import JIT, njit
from largemargin.problem.losses import smoothed_slope
from largemargin.problem.margin_loops import square_along

MAX_TRIALS = 100


def search_along(
    problem, margins, step, smoothing, *, slope=0.0, bend=0.0, first=0.0, accuracy=0.0
):
    """Return the best multiple of a step of the margins for a smoothed problem.

    ``smoothing`` is the proximal step that smooths the losses; ``slope`` and ``bend`` are
    the derivatives along the step of the terms that do not depend on the margins.
    """
    reward, size = problem.total_reward(step)
    slope, noise = slope - reward, abs(slope) + size
    for price, mean_step in (problem.spread, problem.mean(step)), (problem.bend, 0.0):
        if price > 0:
            terms = square_along(margins, step, problem.weight, mean_step)
            slope += price * terms[0]
            bend += price * terms[1]
            noise += price * terms[2]
    # Rounding may make a flat direction look concave.
    bend = max(bend, 0.0)
    return minimise_along(
        margins, step, problem.weight, *smoothing, slope, noise, bend, first, accuracy
    )


@njit(**JIT)
def minimise_along(
    margins, step, weight, anchor, sigma, pull, slope, noise, curvature, first, accuracy
):
    """Return t where ``slope + curvature t + (smoothed loss)'(t)`` vanishes.

    Newton's method on a monotone piecewise linear function, kept inside a bracket.
    ``first`` is the first trial. The search ends when the slope is below ``accuracy`` times
    its value at zero, or below rounding; ``noise`` is the sum of the absolute terms of
    ``slope``.
    """
    low, high = -np.inf, np.inf
    t, stride = 0.0, max(abs(first), 1.0)
    goal = -1.0
    for _ in range(MAX_TRIALS):
        loss_slope, loss_curvature, size = smoothed_slope(
            margins, step, weight, anchor, sigma, pull, t
        )
        value = slope + curvature * t + loss_slope
        bend = curvature + loss_curvature
        size += noise + abs(curvature * t)
        if goal < 0.0:
            goal = accuracy * abs(value)
        if abs(value) <= max(goal, 4e-16 * size):
            return t
        if value > 0.0:
            high = t
        else:
            low = t
        following = first if t == 0.0 and first != 0.0 else t - value / bend
        if not (low < following < high):
            if np.isinf(low):
                following = high - stride
                stride *= 4.0
            elif np.isinf(high):
                following = low + stride
                stride *= 4.0
            else:
                following = 0.5 * (low + high)
        if following == t:
            return t
        t = following
    return t
