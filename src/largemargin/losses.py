"""The hinge loss ``C max(0, 1 - margin)``, its dual, and its proximal step.

A sample of weight ``s`` counts ``s`` times; ``beta`` in [0, C] is its dual variable per
unit of weight, so that a row of weight two behaves exactly as the row twice.
"""

import numpy as np
from numba import njit

from largemargin._jit import JIT, SUM


@njit(**SUM)
def loss_and_gap(margins, beta, weight, C):
    """Return the sums of ``C hinge(margin)`` and ``C hinge(margin) - beta (1 - margin)``.

    No term of the second is negative; it is zero where margin and beta are optimal.
    """
    loss = 0.0
    gap = 0.0
    for i in range(margins.shape[0]):
        above = weight[i] * max(margins[i] - 1.0, 0.0)
        below = weight[i] * max(1.0 - margins[i], 0.0)
        loss += below
        gap += beta[i] * above + (C - beta[i]) * below
    return C * loss, gap


@njit(**JIT)
def proximal_step(margins, anchor, sigma, C, weight):
    """Return the dual variables nearest to the anchor, and the curvature they give.

    Maximises ``beta (1 - margin) - (beta - anchor)^2 / (2 sigma)`` over [0, C]; there is
    curvature where beta is free.
    """
    beta = np.empty_like(margins)
    curvature = np.empty_like(margins)
    for i in range(margins.shape[0]):
        target = anchor[i] + sigma * (1.0 - margins[i])
        beta[i] = min(max(target, 0.0), C)
        curvature[i] = sigma * weight[i] if 0.0 < target < C else 0.0
    return beta, curvature


@njit(**SUM)
def smoothed_slope(margins, step, weight, anchor, sigma, C, t):
    """Return slope, curvature and rounding scale of the smoothed loss along a step.

    The loss is the maximum that ``proximal_step`` attains, at ``margins + t step``.
    """
    slope = 0.0
    curvature = 0.0
    size = 0.0
    for i in range(margins.shape[0]):
        target = anchor[i] + sigma * (1.0 - margins[i] - t * step[i])
        beta = min(max(target, 0.0), C)
        pull = weight[i] * step[i]
        curvature += pull * step[i] if beta == target else 0.0
        slope -= pull * beta
        size += abs(pull * beta)
    return slope, sigma * curvature, size
