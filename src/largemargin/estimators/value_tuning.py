"""The word "loo" of regressors: C, the tube and the width, by leave-one-out residuals.

A regressor is close to a ridge regression, whose outputs for rows left out have a closed
form (``numerics.ridge``). In units of the scale of the values, the rule is:

1. Take at most 500 rows. Move values more than three scales away from the median to that
   distance.
2. Compute the residuals of rows left out at a grid of prices and widths. At the point of
   the least mean square, take the outputs, and the scale of the given values around them.
   Move the given values more than three such scales away from the outputs to that distance.
3. Compute the residuals of these values, and choose the point of the least mean square.
   sigma is the scale of the given values around the outputs there.

The price c of the squares of the regression is ``C (2 k_square + 4 k_var + 1 / sigma)``
for the machine, where a lambda is ``k C sum(s)``: the curvature of its squares, and about
that of ``|r|`` for residuals of this scale. The tube is 0.3 sigma wide on either side.
Quantiles have the same C: those far from the median take more rows to find, and want less
of it than the curvature of their loss says.

A scale is a median absolute deviation, so that a tenth of outliers hardly changes the
choice. By the residuals of the values as they are, they would decide on it.
"""

from copy import copy

import numpy as np

from largemargin.estimators.self_tuning import WORD, gammas_of, rows_of, sample_of
from largemargin.kernels.widths import multiple_of_scale
from largemargin.numerics.quantiles import robust_scale, weighted_quantile
from largemargin.numerics.threads import in_threads

KERNEL_PRICES = 2.0 ** np.arange(-6, 15)
LINEAR_PRICES = 2.0 ** np.arange(-14, 11)
# The farthest that values may be from where they are expected, in scales.
FARTHEST = 3.0
# Half the width of the tube, in scales of the residuals.
TUBE = 0.3
# The tube of a C that is not chosen.
PLAIN_TUBE = "0.1*scale"
# The median absolute deviation of a normal distribution, in standard deviations.
NORMAL_DEVIATION = 0.6745
# The least scale of residuals, so that the tube has a width.
LEAST_SCALE = 1e-8
# C counts the scale of residuals as no less than this part of that of the values: without
# noise, it falls as fast as the price of the regression rises, and C would stay small.
LEAST_SCALE_FOR_C = 1e-3


def epsilon_given(machine):
    """Return epsilon; None stands for "loo" if that is C, and for 0.1 scales otherwise."""
    if machine.epsilon is not None:
        return machine.epsilon
    return WORD if machine.C == WORD else PLAIN_TUBE


def words_of(machine):
    """Return which parameters are to be chosen."""
    given = {"C": machine.C, "gamma": getattr(machine, "gamma", None)}
    if machine.loss != "quantile":
        given["epsilon"] = epsilon_given(machine)
    return [name for name, value in given.items() if value == WORD]


def tuned_values(machine, rows, recipe):
    """Return the regressor with numbers in place of "loo", and the results, if any.

    The regressor itself is not changed. With several columns, C and epsilon are multiples
    of the scale of each.
    """
    words = words_of(machine)
    if not words:
        return machine, None
    units = [robust_scale(column, rows.weight) for column in columns_of(rows.labels)]
    given = None if "C" in words else multiple_given(machine.C, units)
    if given is not None and not 0 < given < np.inf:  # no regression has such a price
        return with_values(machine, {"epsilon": PLAIN_TUBE, "gamma": "scale"}, words), None
    Cs, tubes, gammas, errors = points_of(machine, rows, recipe, units)
    best = best_point(errors, Cs, given)
    width = gammas[best[0]]
    C, epsilon = Cs[best], tubes[best]
    if len(units) == 1:
        Cs, C, epsilon = units[0] * Cs, float(units[0] * C), float(units[0] * epsilon)
    else:
        C, epsilon = f"{float(C)!r}*scale", f"{float(epsilon)!r}*scale"
    settled = with_values(machine, {"C": C, "epsilon": epsilon, "gamma": width}, words)
    chosen = {name: getattr(settled, name) for name in words}
    results = {"C": Cs, "gamma": np.array(gammas), "error": errors, "best": best}
    return settled, {**results, "chosen": chosen}


def with_values(machine, values, names):
    """Return a copy of the machine with values of these names."""
    settled = copy(machine)
    for name in names:
        setattr(settled, name, values[name])
    return settled


def columns_of(y):
    """Return the columns of values."""
    return list(y.T) if y.ndim == 2 else [y]


def multiple_given(C, units):
    """Return C as a multiple of the scale; of several scales, of their geometric mean."""
    factor = multiple_of_scale(C, "C")
    return float(C) / np.exp(np.mean(np.log(units))) if factor is None else factor


@np.errstate(over="ignore", invalid="ignore")  # the fit refuses such rows
def points_of(machine, rows, recipe, units):
    """Return C, epsilon and the error of each point in units of the values, and widths."""
    kernel = getattr(machine, "kernel", "linear")
    prices = LINEAR_PRICES if kernel == "linear" else KERNEL_PRICES
    gammas = gammas_of(machine, kernel, rows)
    space = recipe.space if kernel == "precomputed" else None
    sample = sample_of(rows, space, has_classes=False)
    everything = np.arange(len(sample.labels))

    def path_of(gamma):
        own = rows_of(machine, kernel, gamma, sample.X)
        return own.path(everything, sample.weight, machine.fit_intercept)

    paths = in_threads(path_of, gammas)
    errors, scales = np.zeros((2, len(gammas), len(prices)))
    for column, unit in zip(columns_of(sample.labels), units, strict=True):
        own_errors, own_scales = judge_values(paths, column / unit, sample, prices)
        errors += own_errors / len(units)
        scales += own_scales / len(units)
    Cs = prices / (recipe.curvature + 1.0 / np.maximum(scales, LEAST_SCALE_FOR_C))
    return Cs, TUBE * scales, gammas, errors


def judge_values(paths, values, sample, prices):
    """Return the mean squared residual of rows left out, and their scale, at each point."""
    weight = sample.weight

    def judged(moved):
        outputs = np.array([path.left_out(moved, prices, sample.repeats) for path in paths])
        residuals = outputs - moved[:, None]
        return outputs, np.einsum("i,wip->wp", weight, residuals**2) / weight.sum()

    middle = weighted_quantile(values, weight, 0.5)
    reach = FARTHEST * robust_scale(values, weight)
    outputs, errors = judged(np.clip(values, middle - reach, middle + reach))
    width, price = np.unravel_index(np.argmin(finite(errors)), errors.shape)
    expected = outputs[width, :, price]
    reach = FARTHEST * scale_around(expected, values, weight)
    outputs, errors = judged(np.clip(values, expected - reach, expected + reach))
    scales = [[scale_around(column, values, weight) for column in own.T] for own in outputs]
    return errors, np.array(scales)


def scale_around(expected, values, weight):
    """Return the robust scale of values around those that are expected."""
    deviation = weighted_quantile(np.abs(values - expected), weight, 0.5)
    return max(deviation / NORMAL_DEVIATION, LEAST_SCALE)


def finite(errors):
    """Return the errors, infinite where they are not a number."""
    return np.where(np.isfinite(errors), errors, np.inf)


def best_point(errors, Cs, given):
    """Return the indices of the least error; of points with about a given C, if any."""
    errors = finite(errors)
    if given is not None:
        nearest = np.abs(np.log(Cs / given)).argmin(axis=1)
        others = np.arange(Cs.shape[1]) != nearest[:, None]
        errors = np.where(others, np.inf, errors)
    return tuple(int(one) for one in np.unravel_index(np.argmin(errors), errors.shape))
