"""Compiled loops over the margins, each in one pass over memory."""

import numpy as np

from largemargin.numerics.jit import JIT, SUM, njit


@njit(**JIT)
def signed_margins(scores, offset, sign, origin, out):
    """Fill ``out`` with ``sign (score + offset) - origin``."""
    for i in range(scores.shape[0]):
        out[i] = sign[i] * (scores[i] + offset) - origin[i]


@njit(**SUM)
def weighted_variance(values, weight, mean, total):
    """Return the population variance about a known mean."""
    out = 0.0
    for i in range(values.shape[0]):
        out += weight[i] * (values[i] - mean) ** 2
    return out / total


@njit(**SUM)
def square_along(margins, step, weight, mean_step):
    """Return slope and curvature of half the sum of squared margins along a step.

    With the mean of the step as ``mean_step`` the squares are about the mean margin, with
    zero about zero. The third number is the sum of the absolute terms of the slope.
    """
    slope = 0.0
    bend = 0.0
    size = 0.0
    for i in range(margins.shape[0]):
        pull = weight[i] * (step[i] - mean_step)
        slope += pull * margins[i]
        bend += pull * step[i]
        size += abs(pull * margins[i])
    return slope, bend, size


@njit(**SUM)
def sum_and_size(values, weight):
    """Return ``sum weight value`` and the sum of its absolute terms."""
    total = 0.0
    size = 0.0
    for i in range(values.shape[0]):
        term = weight[i] * values[i]
        total += term
        size += abs(term)
    return total, size


@njit(**SUM)
def weighted_forces(beta, level, margins, bend, sign, weight, out):
    """Fill ``out`` with ``sign weight (beta + level - bend margins)``."""
    for i in range(beta.shape[0]):
        out[i] = sign[i] * weight[i] * (beta[i] + level - bend * margins[i])


@njit(**JIT)
def sums_by_sign(sign, weight):
    """Return the sums of the weights of negative and of positive sign.

    What each addition loses is added up separately: certificates rely on these sums.
    """
    totals, lost = np.zeros(2), np.zeros(2)
    for i in range(sign.shape[0]):
        k = 0 if sign[i] < 0.0 else 1
        following = totals[k] + weight[i]
        if totals[k] >= weight[i]:
            lost[k] += (totals[k] - following) + weight[i]
        else:
            lost[k] += (weight[i] - following) + totals[k]
        totals[k] = following
    return totals[0] + lost[0], totals[1] + lost[1]
