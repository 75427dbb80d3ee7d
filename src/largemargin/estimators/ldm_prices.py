"""The prices of large margin distribution machines, and their problem."""

import numpy as np

from largemargin.estimators.recipe import Recipe
from largemargin.estimators.targets import Classes
from largemargin.numerics.scale_words import multiple_of_scale
from largemargin.problem import Prices, Problem

# lambda="scale" means this constant times C times the sum of the weights: the largest
# value that is hardly ever worse than an SVM, see docs/defaults.
SCALES = {"lambda_var": 0.01, "lambda_mean": 0.01}


def ldm_recipe(machine, space):
    """Return the recipe of a large margin distribution machine in a space."""

    def pose(targets, weight):
        prices = ldm_prices(machine, weight.sum())
        return Problem(None, targets, weight, prices, machine.fit_intercept)

    return Recipe(Classes(machine.class_weight), space, pose, machine.solver)


def ldm_prices(machine, total):
    """Return C and both lambdas as numbers, given the sum of weights for ``"scale"``."""
    C = float(machine.C)
    # "scale" cannot refer to a C that is zero or infinite: one takes its place.
    unit = (C if 0 < C < np.inf else 1.0) * total
    prices = {}
    for name, constant in SCALES.items():
        value = getattr(machine, name)
        factor = multiple_of_scale(value, name)
        prices[name] = float(value) if factor is None else factor * constant * unit
    return Prices(C, **prices)
