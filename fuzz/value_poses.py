"""The objectives of regressors and of one class in 80 bits."""

from dataclasses import dataclass, replace

import numpy as np

from fuzz.exact import EPS, LONG
from fuzz.machines import ONE_CLASS, QUANTILE
from fuzz.objective import DERIVED, Pose, row_weights
from largemargin.numerics.quantiles import robust_scale

# What the library adds to the bounds of one class, and the parts of the sizes of rows and
# values below which an objective counts as zero.
SPARE = 1e-12
NOTHING, EXACT = LONG("1e-8"), LONG("1e-14")


@dataclass
class ValuePose(Pose):
    """A regressor or one class: margins are scores minus values, or minus a threshold.

    The loss of a margin g is ``below * [low - g]_+ + above * [g - high]_+``, times C; with
    an infinite C no margin may be outside. Lambdas may be multiples of ``unit``.
    """

    lambda_square: float = 0.0
    price: float = 0.0
    sides: tuple = (0.0, 0.0, 1.0, 1.0)
    quantile: float | None = None
    nu: float | None = None

    def other_terms(self, margins, error, intercept):
        """Return the mean square, what the intercept costs as a reward, their rounding."""
        price, square = LONG(self.lambda_square), self.mean(margins**2)
        of_errors = self.mean(error**2)
        rounding = price * (2 * np.sqrt(square * of_errors) + of_errors)
        gain = -LONG(self.price) * intercept
        return price * square, gain, rounding + 4 * EPS * (price * square + abs(gain))

    def loss(self, margins, error):
        """Return the loss and what an error of the margins makes of it."""
        low, high, below, above = map(LONG, self.sides)
        price = self.weight * LONG(self.C if np.isfinite(self.C) else 0.0)
        excess = below * np.maximum(low - margins, 0) + above * np.maximum(
            margins - high, 0
        )
        return price @ excess, max(below, above) * (price @ error)

    def obeys(self, value):
        """Return one if no margin is outside a hard tube, else None."""
        low, high, _, _ = map(LONG, self.sides)
        errors = value.margin_errors
        inside = (value.margins - errors >= low) & (value.margins + errors <= high)
        return LONG(1) if inside.all() else None

    def on(self, space):
        """Return the pose with all prices as numbers, in the units of a space."""
        square = self.mean(space.squares[self.counted])
        if self.nu is not None:
            unit = LONG("0.01") / (square if square > 0 else 1)
            lambda_var = in_units(self.lambda_var, unit)
            lambda_mean = in_units(self.lambda_mean, LONG("0.01"))
            price = 1 + lambda_mean
            C = (1 + SPARE * price) * self.C
            least = NOTHING * price**2 * square / (1 + 4 * lambda_var * square)
            prices = {"C": C, "lambda_var": lambda_var, "lambda_mean": lambda_mean}
            return replace(self, **prices, price=price, least_scale=least)
        if not self.origin.any():
            return self
        residuals = EXACT * np.abs(self.origin)
        squares = 2 * LONG(self.lambda_var) + LONG(self.lambda_square)
        least = squares * self.mean(residuals**2)
        if np.isfinite(self.C):
            least += LONG(self.C) * max(self.sides[2:]) * (self.weight @ residuals)
        return replace(self, least_scale=least)


def in_units(value, unit):
    """Return a price as a number."""
    if not isinstance(value, str):
        return LONG(value)
    return float(value.removesuffix("scale").removesuffix("*") or 1.0) * unit


def value_poses_of(drawn, loss):
    """Return the problem of a regressor or of one class."""
    weight = row_weights(drawn, with_classes=False)
    counted = weight > 0
    n_rows, weight = np.count_nonzero(counted), weight[counted]
    total = weight.sum()
    common = {
        "counted": counted,
        "y": np.ones(n_rows, dtype=LONG),
        "weight": weight.astype(LONG),
        "band": None,
        "slack": DERIVED,
        "is_of_values": True,
    }
    if loss == ONE_CLASS:
        given = drawn.one_class
        return [
            ValuePose(
                **common,
                C=1.0 / (given["nu"] * float(total)),
                lambda_var=given["lambda_var"],
                lambda_mean=given["lambda_mean"],
                fit_intercept=True,
                origin=np.zeros(n_rows, dtype=LONG),
                sides=(0.0, 0.0, 1.0, 0.0),
                nu=given["nu"],
            )
        ]
    given, values = drawn.regression, drawn.values[counted]
    scale = robust_scale(values, weight)
    C = float(in_units(given["C"], scale))
    unit = 0.01 * (C if 0 < C < np.inf else scale) * float(total) / scale
    epsilon = float(in_units(given["epsilon"], scale))
    quantile = given["quantile"] if loss == QUANTILE else None
    sides = -epsilon, epsilon, 1.0, 1.0
    if quantile is not None:
        sides = 0.0, 0.0, quantile, 1.0 - quantile
    square = 0.0 if quantile is not None else given["lambda_square"]
    return [
        ValuePose(
            **common,
            C=C,
            lambda_var=float(in_units(given["lambda_var"], unit)),
            lambda_mean=0.0,
            lambda_square=float(in_units(square, unit)),
            fit_intercept=given["fit_intercept"],
            origin=values.astype(LONG),
            sides=sides,
            quantile=quantile,
        )
    ]
