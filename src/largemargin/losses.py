"""The hinge loss ``C max(0, 1 - margin)``, its dual, and its proximal step.

A sample of weight ``s`` counts ``s`` times; ``beta`` in [0, C] is its dual variable per
unit of weight, so that a row of weight two behaves exactly as the row twice.
"""

import numpy as np
from numba import njit

from largemargin._jit import JIT


def hinge(margins):
    """Return how far each margin falls short of one."""
    return np.maximum(0.0, 1.0 - margins)


def fenchel_gap(margins, beta, C):
    """Return ``C hinge(margin) - beta (1 - margin)``, zero where the two are optimal."""
    excess = margins - 1.0
    return np.where(excess > 0, beta, beta - C) * excess


def proximal_step(margins, anchor, sigma, C):
    """Return the dual variables nearest to the anchor, and where they are free.

    Maximises ``beta (1 - margin) - (beta - anchor)^2 / (2 sigma)`` over [0, C].
    """
    target = anchor + sigma * (1.0 - margins)
    return np.clip(target, 0.0, C), (target > 0.0) & (target < C)


@njit(**JIT)
def smoothed_slope(margins, step, weight, anchor, sigma, C, t):
    """Return slope, curvature and rounding scale of the smoothed loss along a step.

    The loss is the maximum that ``proximal_step`` attains, at ``margins + t step``.
    """
    slope = 0.0
    curvature = 0.0
    size = 0.0
    for i in range(margins.shape[0]):
        target = anchor[i] + sigma * (1.0 - margins[i] - t * step[i])
        if target <= 0.0:
            continue
        pull = weight[i] * step[i]
        if target < C:
            curvature += pull * sigma * step[i]
        else:
            target = C
        slope -= pull * target
        size += abs(pull * target)
    return slope, curvature, size
