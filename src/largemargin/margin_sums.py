"""Sums over the margins that their variance asks for, each in one pass over memory."""

from numba import njit

from largemargin._jit import SUM


@njit(**SUM)
def weighted_variance(values, weight, mean, total):
    """Return the population variance about a known mean."""
    out = 0.0
    for i in range(values.shape[0]):
        out += weight[i] * (values[i] - mean) ** 2
    return out / total


@njit(**SUM)
def spread_along(margins, step, weight, mean_step):
    """Return slope and bend of half the sum of squares about the mean along a step.

    The last of the three is the sum of the sizes of the terms of the slope.
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
def reward_along(step, weight, reward):
    """Return ``sum weight reward step``, and the sum of the sizes of its terms."""
    gain = 0.0
    size = 0.0
    for i in range(step.shape[0]):
        term = weight[i] * reward[i] * step[i]
        gain += term
        size += abs(term)
    return gain, size


@njit(**SUM)
def weighted_forces(beta, level, margins, spread, y, weight, out):
    """Fill ``out`` with ``y weight (beta + level - spread margins)``."""
    for i in range(beta.shape[0]):
        out[i] = y[i] * weight[i] * (beta[i] + level[i] - spread * margins[i])
