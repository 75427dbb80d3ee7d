"""Grids of prices and kernel widths."""

import numpy as np
from sklearn.metrics import pairwise_distances_chunked

from largemargin.estimators.recipe import recipe_of
from largemargin.estimators.self_tuning import WORD
from largemargin.kernels.widths import multiple_of_scale

OF_THE_SCALE = {
    "Cs": tuple(2.0**k for k in range(-6, 9, 2)),
    "gammas": ("0.0625*scale", "0.25*scale", "scale", "4*scale"),
}
PAPER_LAMBDAS = tuple(2.0**k for k in range(-8, -1))
# The paper's kernel widths, in units of the mean distance between training rows.
PAPER_WIDTHS = tuple(2.0**k for k in range(-2, 3))

GRIDS = {
    # A price of 0.3 C sum(s) for the variance, see docs/defaults.
    "scale": {
        **OF_THE_SCALE,
        "lambda_vars": ("30*scale",),
        "lambda_means": (0.0,),
        # Those of the study's fair protocol.
        "mus": (0.2, 1.0),
        "thetas": (0.1,),
    },
    # Prices of 0.03, 0.3, 3 and of 0, 0.3, 1 times C sum(s). Of points with the same score
    # the first one wins; where they differ in the price of the variance alone, it has the
    # largest.
    "wide": {
        **OF_THE_SCALE,
        "lambda_vars": ("300*scale", "30*scale", "3*scale"),
        "lambda_means": (0.0, "30*scale", "100*scale"),
    },
    "paper": {
        "Cs": (10.0, 50.0, 100.0),
        "lambda_vars": PAPER_LAMBDAS,
        "lambda_means": PAPER_LAMBDAS,
    },
}

# Of regressors: C and epsilon in units of the scale of the values, lambdas of 0.3 and 3
# times C sum(s) over this scale. Of points with the same score the first one wins: the one
# with the smallest C, then with the widest tube, the widest kernel and the largest lambda.
VALUE_GRIDS = {
    "scale": {
        "Cs": ("0.01*scale", "0.1*scale", "scale", "10*scale", "100*scale"),
        "epsilons": ("0.5*scale", "0.1*scale"),
        "gammas": ("0.0625*scale", "0.25*scale", "scale"),
        "lambda_squares": (0.0,),
        "lambda_vars": ("300*scale", "30*scale", 0.0),
    }
}
# A quantile has no tube, and no lambda that would move the share of rows below it.
QUANTILE_GRIDS = {
    "epsilons": ("0.1*scale",),
    "lambda_squares": (0.0,),
    "lambda_vars": (0.0,),
}


def grid_without_kernel(grid):
    """Return the grid that a name stands for where there is no kernel.

    There it is not shown that one price of the variance is enough, see docs/defaults.
    """
    return "wide" if grid == "scale" else grid


def paper_gammas(X, weight):
    """Return ``1 / (2 width^2)`` for the paper's widths."""
    # The distances of each row to all others, weighted.
    sums = [part @ weight for part in pairwise_distances_chunked(X)]
    distance = weight @ np.concatenate(sums) / weight.sum() ** 2
    if not distance > 0:
        raise ValueError(
            "grid='paper' takes kernel widths in units of the mean distance between "
            "training rows, which is 0 here: all rows are the same. Pass gammas."
        )
    return tuple(0.5 / (width * distance) ** 2 for width in PAPER_WIDTHS)


def check_values(machine, name, plural, values):
    """Raise unless the estimator accepts every value of a grid."""
    if not values:
        raise ValueError(f"{plural} must hold at least one value; got an empty grid.")
    for value in values:
        if isinstance(value, str) and value == WORD:
            raise ValueError(
                f"{plural} must hold numbers to search; got {WORD!r}, which needs no "
                f"search: use {type(machine).__name__}({name}={WORD!r}), or search around "
                "other values or None, the default grid."
            )
        try:
            machine.set_params(**{name: value})._validate_params()
            recipe_of(machine)  # which may refuse a value along with others
            if (name, value) != ("gamma", "auto"):
                multiple_of_scale(value, plural)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"{plural} must hold values that {name} of "
                f"{type(machine).__name__} accepts; got {value!r}. {error}"
            ) from None
