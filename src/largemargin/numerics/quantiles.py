"""Quantiles of weighted values, and a measure of their spread that outliers hardly move."""

import numpy as np

# The interquartile range of a normal distribution, in standard deviations.
NORMAL_RANGE = 1.349


def weighted_quantile(values: np.ndarray, weight: np.ndarray, share: float) -> float:
    """Return the smallest value with at least this share of the weight at or below it.

    A weight of 2 is the value twice.
    """
    order = np.argsort(values, kind="stable")
    mass = np.cumsum(weight[order])
    # Sums of equal weights in another order must not skip a value.
    place = np.searchsorted(mass, share * mass[-1] * (1.0 - 1e-12))
    return float(values[order[min(place, len(order) - 1)]])


def robust_scale(values: np.ndarray, weight: np.ndarray) -> float:
    """Return the spread of values: that of a normal distribution is its deviation.

    It is the interquartile range over 1.349; if that is zero the standard deviation; and 1
    for constant values.
    """
    upper, lower = (weighted_quantile(values, weight, share) for share in (0.75, 0.25))
    if upper > lower:
        return (upper - lower) / NORMAL_RANGE
    if (values == values[0]).all():
        return 1.0
    mean = weight @ values / weight.sum()
    return float(np.sqrt(weight @ (values - mean) ** 2 / weight.sum())) or 1.0
