"""The objectives of the machines in 80 bits, independent of the library."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from fuzz.exact import EPS, LONG

ZERO = LONG(0)
UNIT = LONG(np.finfo(np.float64).eps) / 2
# Prices that follow from sums over the weights are rounded by a few units in float64.
DERIVED = 16 * UNIT
# Prices this near to those without a minimum may be judged either way.
BORDER = LONG("1e-9")


@dataclass
class Value:
    """An objective with the sizes of its terms added up, and the rounding of the judge."""

    objective: LONG
    scale: LONG
    error: LONG
    margins: np.ndarray
    margin_errors: np.ndarray
    sizes: np.ndarray

    @property
    def smallest(self):
        """The smallest margin."""
        return self.margins.min()


@dataclass
class Pose:
    """One binary machine: signs and weights of the rows that count, and its prices."""

    counted: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    C: float
    lambda_var: float
    lambda_mean: float
    fit_intercept: bool
    band: tuple | None
    slack: LONG
    # The signed score at which a margin is zero: the values of a regression.
    origin: np.ndarray | LONG = ZERO
    # All signs are the same: there is always a minimum.
    is_of_values: bool = False
    # The size below which the objective counts as zero.
    least_scale: LONG = ZERO

    @property
    def total(self):
        """The sum of the weights."""
        return self.weight.sum()

    def value(self, element, intercept, stretch=1):
        """Return the objective at an element and an intercept, both times a factor."""
        stretch, intercept = LONG(stretch), LONG(intercept)
        scores, error, size = (
            stretch * part[self.counted]
            for part in (element.scores, element.error, element.size)
        )
        margins = self.y * (scores + stretch * intercept) - self.origin
        sizes = abs(stretch * intercept) + np.abs(self.origin)
        error = error + 2 * EPS * (np.abs(scores) + sizes)
        size = size + sizes
        norm = stretch**2 * element.norm / 2
        norm_error = stretch**2 * element.norm_error / 2
        mean, variance, spread_error = self.moments(margins, error)
        spread = 2 * LONG(self.lambda_var) * variance
        reward = LONG(self.lambda_mean) * mean
        more, more_reward, more_error = self.other_terms(margins, error, intercept)
        spread, reward = spread + more, reward + more_reward
        loss, loss_error = self.loss(margins, error)
        scale = max(norm, LONG(0)) + spread + abs(reward) + loss
        rounding = (
            norm_error + loss_error + more_error + 2 * LONG(self.lambda_var) * spread_error
        )
        rounding += LONG(self.lambda_mean) * self.mean(error + 4 * EPS * np.abs(margins))
        rounding += (len(margins) + 8) * EPS * scale
        objective = norm + spread - reward + loss
        return Value(
            objective, max(scale, self.least_scale), rounding, margins, error, size
        )

    def on(self, space):
        """Return the pose with all prices as numbers: those of classes are."""
        return self

    def other_terms(self, margins, error, intercept):
        """Return further squares, rewards and their rounding: classes have none."""
        return LONG(0), LONG(0), LONG(0)

    def obeys(self, value):
        """Return the smallest margin if a point obeys a hard margin or can be stretched."""
        smallest = (value.margins - value.margin_errors).min()
        return smallest if smallest > 0 else None

    def has_minimum(self):
        """Return whether the objective surely has a minimum."""
        return self._pull() <= (1 - BORDER) * self._brake()

    def has_no_minimum(self):
        """Return whether the objective surely falls without end."""
        # Weights that balance the classes do so up to their own rounding.
        rounding = len(self.y) * UNIT * LONG(self.lambda_mean)
        return self._pull() > (1 + BORDER) * self._brake() + rounding

    def _pull(self):
        """Return the reward of moving the intercept towards the larger class."""
        is_held = self.lambda_var > 0 or self.band is not None
        if is_held or not self.fit_intercept or self.is_of_values:
            return LONG(0)
        return LONG(self.lambda_mean) * abs(self.mean(self.y))

    def _brake(self):
        """Return what the losses charge for it at the most."""
        smaller = min(self.weight[self.y > 0].sum(), self.weight[self.y < 0].sum())
        return LONG(self.C) * smaller

    def mean(self, values):
        """Return the weighted mean of some values."""
        return self.weight @ values / self.total

    def moments(self, margins, error):
        """Return mean and variance of the margins, and the error of the variance."""
        mean = self.mean(margins)
        centred = margins - mean
        variance = self.mean(centred**2)
        error = error + self.mean(error) + len(margins) * EPS * self.mean(np.abs(margins))
        of_squares = self.mean(error**2)
        return mean, variance, 2 * np.sqrt(variance * of_squares) + of_squares

    def loss(self, margins, error):
        """Return the loss and what an error of the margins makes of it."""
        price = self.weight * LONG(self.C if np.isfinite(self.C) else 0.0)
        if self.band is None:
            return price @ np.maximum(1 - margins, 0), price @ error
        mu, theta = map(LONG, self.band)
        below = np.maximum(1 - theta - margins, 0)
        above = np.maximum(margins - 1 - theta, 0)
        price = price / (1 - theta) ** 2
        loss = price @ (below**2 + mu * above**2)
        error = error + 4 * EPS
        return loss, price @ (2 * (below + mu * above) * error + error**2)


def row_weights(drawn, with_classes=True):
    """Return the weights of the rows, those of the classes multiplied in."""
    n_rows = len(drawn.y)
    weight = np.ones(n_rows) if drawn.sample_weight is None else drawn.sample_weight
    class_weight = drawn.prices["class_weight"] if with_classes else None
    if class_weight is None:
        return weight
    classes, codes = np.unique(drawn.y, return_inverse=True)
    if class_weight == "balanced":
        mass = np.bincount(codes, weight)
        with np.errstate(divide="ignore"):
            factors = mass.sum() / (np.count_nonzero(mass) * mass)
        return np.where(weight > 0, weight * factors[codes], 0.0)
    return weight * np.array([class_weight.get(label, 1.0) for label in classes])[codes]


def signs_of(y, multi_class="ovr"):
    """Return the signs of each machine, zero for rows that it does not have.

    There is one for two classes, else one for each class or for each pair of them.
    """
    classes = np.unique(y)
    if multi_class == "ovo" and len(classes) > 2:
        return [
            np.where(y == second, LONG(1), np.where(y == first, LONG(-1), LONG(0)))
            for first, second in combinations(classes, 2)
        ]
    positives = classes[1:] if len(classes) == 2 else classes
    return [np.where(y == label, LONG(1), LONG(-1)) for label in positives]


def settle(value, C, total):
    """Return a lambda as a number."""
    if not isinstance(value, str):
        return value
    factor = value.removesuffix("scale").removesuffix("*") or 1.0
    return float(factor) * 0.01 * ((C if 0 < C < np.inf else 1.0) * total)


def poses_of(drawn, loss):
    """Return the binary machines that a drawn problem asks for."""
    weight = row_weights(drawn)
    of_weight, prices = weight > 0, drawn.prices
    band = (drawn.band["mu"], drawn.band["theta"]) if loss == "band" else None
    if loss == "squared_hinge" and 0 < prices["C"] < np.inf:
        band = 0.0, 0.0
    poses = []
    for sign in signs_of(drawn.y[of_weight], prices["multi_class"]):
        counted = of_weight.copy()
        counted[of_weight] = sign != 0
        lambdas, derived = [0.0, 0.0], False
        if loss in ("hinge", "squared_hinge"):
            names = "lambda_var", "lambda_mean"
            derived = any(isinstance(prices[name], str) for name in names)
            total = weight[counted].sum()
            lambdas = [settle(prices[name], prices["C"], total) for name in names]
        pose = Pose(
            counted,
            sign[sign != 0],
            weight[counted].astype(LONG),
            prices["C"],
            *lambdas,
            prices["fit_intercept"],
            band,
            DERIVED if derived or prices["class_weight"] else LONG(0),
        )
        poses.append(pose)
    return poses


def settled_gamma(drawn):
    """Return the width of the kernels as a number."""
    gamma, rows = drawn.kernel["gamma"], drawn.rows
    if not isinstance(gamma, str):
        return gamma
    if gamma == "auto":
        return 1 / rows.shape[1]
    weight = row_weights(drawn).astype(LONG)
    share = weight / (weight.sum() * rows.shape[1])
    variance = np.sum(share @ (rows - np.sum(share @ rows)) ** 2)
    return 1 / (rows.shape[1] * variance) if variance > 0 else LONG(1)


@dataclass
class Duel:
    """The problem of a KOMD machine: distributions over the rows of either class."""

    counted: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    lam: float
    ridge: LONG

    def normalise(self, p):
        """Return weights whose sums are one in each class, or None if there are none."""
        p = np.maximum(np.asarray(p, dtype=LONG), 0)
        sums = np.where(self.y > 0, p[self.y > 0].sum(), p[self.y < 0].sum())
        return p / sums if (sums > 0).all() else None

    def value(self, space, p):
        """Return the objective at some distributions, and the rounding of the judge."""
        element = space.of_expansion(self.y * p, np.flatnonzero(self.counted))
        payoff = (1 - LONG(self.lam)) * element.norm
        price = LONG(self.lam) * self.ridge * np.sum(p * p / self.weight)
        error = element.norm_error + (len(p) + 8) * EPS * (abs(payoff) + price)
        return payoff + price, error


def duels_of(drawn):
    """Return the KOMD problems that a drawn problem asks for."""
    weight = row_weights(drawn, with_classes=False)
    counted = weight > 0
    signs = signs_of(drawn.y[counted])
    weight = weight[counted].astype(LONG)
    duels = []
    for sign in signs:
        ridge = LONG(1)
        if drawn.komd["ridge"] == "classes":
            sums = weight[sign > 0].sum(), weight[sign < 0].sum()
            ridge = sums[0] * sums[1] / (sums[0] + sums[1])
        duels.append(Duel(counted, sign, weight, drawn.komd["lam"], ridge))
    return duels
