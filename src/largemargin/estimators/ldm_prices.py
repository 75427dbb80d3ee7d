"""What the large margin distribution machines share: their prices."""

from numbers import Real

import numpy as np

from largemargin._compat import Interval
from largemargin.estimators.base import CLASS_WEIGHT, CertifiedClassifier
from largemargin.estimators.recipe import Recipe
from largemargin.estimators.targets import Classes
from largemargin.kernels.widths import multiple_of_scale
from largemargin.problem import Prices, Problem

# lambda="scale" stands for this constant times C times the sum of the weights: the
# largest that hardly ever does worse than an SVM, see docs/defaults.
SCALES = {"lambda_var": 0.01, "lambda_mean": 0.01}

CONSTRAINTS = {
    **CertifiedClassifier._parameter_constraints,
    "C": [Interval(Real, 0, None, closed="both")],
    "fit_intercept": ["boolean"],
    "class_weight": CLASS_WEIGHT,
    "random_state": ["random_state"],
    "warm_start": ["boolean"],
    "lambda_var": [Interval(Real, 0, None, closed="left"), str],
    "lambda_mean": [Interval(Real, 0, None, closed="left"), str],
}


def ldm_recipe(machine, space):
    """Return the recipe of a large margin distribution machine in a space."""

    def pose(targets, weight):
        prices = ldm_prices(machine, weight.sum())
        return Problem(None, targets, weight, prices, machine.fit_intercept)

    return Recipe(Classes(machine.class_weight), space, pose, machine.solver)


def ldm_prices(machine, total):
    """Return C and both lambdas as numbers; ``"scale"`` depends on the sum of weights."""
    C = float(machine.C)
    # Without a price of violations to relate to, "scale" counts C as one.
    unit = (C if 0 < C < np.inf else 1.0) * total
    prices = {}
    for name, constant in SCALES.items():
        value = getattr(machine, name)
        factor = multiple_of_scale(value, name)
        prices[name] = float(value) if factor is None else factor * constant * unit
    return Prices(C, **prices)
