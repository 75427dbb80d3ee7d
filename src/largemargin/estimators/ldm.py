"""What the large margin distribution machines share: their prices."""

from numbers import Real

import numpy as np

from largemargin._compat import Interval
from largemargin.estimators.base import CLASS_WEIGHT
from largemargin.estimators.certified import CertifiedClassifier
from largemargin.problem import Problem
from largemargin.scales import multiple_of_scale

# lambda="scale" stands for this constant times C times the sum of the weights: the
# largest that hardly ever does worse than an SVM, see docs/defaults.
SCALES = {"lambda_var": 0.01, "lambda_mean": 0.01}


class BaseLDMClassifier(CertifiedClassifier):
    """A large margin distribution machine on rows of any kind."""

    _parameter_constraints: dict = {
        **CertifiedClassifier._parameter_constraints,
        "C": [Interval(Real, 0, None, closed="both")],
        "fit_intercept": ["boolean"],
        "class_weight": CLASS_WEIGHT,
        "random_state": ["random_state"],
        "warm_start": ["boolean"],
        "lambda_var": [Interval(Real, 0, None, closed="left"), str],
        "lambda_mean": [Interval(Real, 0, None, closed="left"), str],
    }

    def _prices(self, total):
        """Return C and both lambdas as numbers, for this sum of weights."""
        return settle_prices(self.C, self.lambda_var, self.lambda_mean, total)

    def _problem(self, sign, weight):
        """Return the problem of one machine, still without a design."""
        prices = self._prices(weight.sum())
        return Problem(None, sign, weight, *prices, self.fit_intercept)


def settle_prices(C, lambda_var, lambda_mean, total):
    """Return C and both lambdas as numbers; ``"scale"`` depends on the sum of weights."""
    # Without a price of violations to relate to, "scale" counts C as one.
    unit = (C if 0 < C < np.inf else 1.0) * total
    prices = [float(C)]
    for (name, constant), value in zip(
        SCALES.items(), (lambda_var, lambda_mean), strict=True
    ):
        factor = multiple_of_scale(value, name)
        prices.append(float(value) if factor is None else factor * constant * unit)
    return tuple(prices)
