"""The optimisation problem; the only place where the objective is written down.

    P(w, b) = |w|^2 / 2 + lambda_var 2 Var(g) + lambda_square Mean(g^2)
              - lambda_mean Mean(g) + intercept b + C sum s_i loss(g_i)
    g_i = sign_i (w . x_i + b) - origin_i

The loss is the hinge ``max(0, 1 - g_i)`` or another one of ``losses``; classes have signs
and no origins, values of a regression are origins whose signs are all one. Mean and
(population) variance carry the weights ``s``; ``S`` is their sum. With
``spread = 4 lambda_var / S``, ``bend = 2 lambda_square / S`` and
``reward = lambda_mean / S`` every term is a sum over the rows, and optimality reads
``w = sum sign_i force_i x_i`` with

    force_i = s_i (beta_i + reward - spread (g_i - Mean(g)) - bend g_i),
    -beta_i in C loss'(g_i),   sum sign_i force_i = intercept  where b is free.

Any such beta bounds the optimum from below, and the distance of the bounds is a sum of
squares and Fenchel gaps: it is computed without subtraction. "Force" is what a row adds
to ``w``, "pull" the part of it that its loss has.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from largemargin.problem.certificate import Certificate
from largemargin.problem.intercept import balance, border
from largemargin.problem.losses import HINGE, Loss
from largemargin.problem.smoothed import SmoothedProblem
from largemargin.problem.sums import (
    signed_margins,
    sum_and_size,
    weighted_forces,
    weighted_variance,
)
from largemargin.problem.tangents import squares_are_mild

# Squared lengths may fall below zero by this part of the objective.
ROUNDING = 1e-12


class Prices(NamedTuple):
    """What the terms of the objective cost; ``intercept`` is the price of ``b`` itself."""

    C: float
    lambda_var: float = 0.0
    lambda_mean: float = 0.0
    lambda_square: float = 0.0
    intercept: float = 0.0


class Targets(NamedTuple):
    """What is wanted of each row: ``margin = sign (score + intercept) - origin``."""

    sign: np.ndarray
    origin: np.ndarray

    @classmethod
    def of_classes(cls, sign):
        """Return the targets of two classes, -1 and 1."""
        return cls(sign, np.zeros_like(sign))

    @classmethod
    def of_values(cls, values):
        """Return the targets of a regression: margins are residuals, sign turned."""
        return cls(np.ones_like(values), values)


class Point(NamedTuple):
    """A place in the primal space: element, intercept, scores and margins."""

    w: np.ndarray
    offset: float
    scores: np.ndarray
    margins: np.ndarray


class Terms(NamedTuple):
    """The terms of the objective at a point, and the gap of its losses."""

    quadratic: float
    reward: float
    loss: float
    gap: float

    @property
    def primal(self):
        """The objective."""
        return self.quadratic - self.reward + self.loss

    @property
    def scale(self):
        """The sum of the sizes of the terms."""
        return self.quadratic + abs(self.reward) + self.loss


class Moments(NamedTuple):
    """The weighted sums of x, sign x and sign origin x over all rows."""

    first: np.ndarray
    signed: np.ndarray
    origin: np.ndarray


@dataclass(frozen=True)
class Problem:
    """One machine on a design: targets, weights, prices and loss.

    ``tangent`` is a reward of each margin beside that of the mean: it stands for a
    linearised margin variance.
    """

    design: object
    targets: Targets
    weight: np.ndarray
    prices: Prices
    fit_intercept: bool = True
    loss: Loss = HINGE
    tangent: np.ndarray | None = None

    @property
    def sign(self):
        """The sign of each row."""
        return self.targets.sign

    @property
    def origin(self):
        """The signed score, intercept included, at which the margin of each row is zero."""
        return self.targets.origin

    @cached_property
    def total(self):
        """Sum of the weights."""
        return self.weight.sum()

    @property
    def spread(self):
        """Curvature of the variance term for one unit of weight."""
        return 4.0 * self.prices.lambda_var / self.total

    @property
    def bend(self):
        """Curvature of the term of mean squares for one unit of weight."""
        return 2.0 * self.prices.lambda_square / self.total

    @property
    def stiffness(self):
        """Curvature of both for one unit of weight, where the mean margin is held."""
        return self.spread + self.bend

    @cached_property
    def border(self):
        """Mixed derivative of intercept and scores by the prices of squares, made once."""
        return border(self)

    @property
    def reward(self):
        """Reward of a margin for one unit of weight."""
        return self.prices.lambda_mean / self.total

    @property
    def is_curved(self):
        """Whether margins have a price of their squares, about their mean or zero."""
        return self.prices.lambda_var > 0 or self.prices.lambda_square > 0

    @property
    def is_hard(self):
        """Whether no violation is allowed at any price."""
        return np.isinf(self.prices.C)

    @property
    def box(self):
        """Between which numbers the dual variables lie."""
        return self.loss.box(self.prices.C)

    def mean(self, values):
        """Return the weighted mean over the rows."""
        return self.weight @ values / self.total

    def centred(self, values):
        """Return the values less their weighted mean."""
        return values - self.mean(values)

    def pulled_back(self, values):
        """Return how the prices of squares pull at margins of these values."""
        return self.spread * self.centred(values) + self.bend * values

    def margins(self, scores, offset=0.0):
        """Return the margins of rows with these scores."""
        out = np.empty(len(scores))
        signed_margins(scores, offset, self.sign, self.origin, out)
        return out

    def point(self, w, scores, offset=0.0):
        """Return the point with this element, whose scores are known."""
        return Point(w, offset, scores, self.margins(scores, offset))

    def forces(self, margins, beta):
        """Return how hard each row pulls: ``w`` is optimal if they combine to it."""
        if not self.is_curved:
            return self.dual_forces(beta)
        level = self.reward + self.spread * self.mean(margins)
        return self._forces(beta, level, margins, self.stiffness)

    def dual_forces(self, beta):
        """Return the forces of dual variables and mean, without those of squares."""
        return self._forces(beta, self.reward, beta, 0.0)

    def _forces(self, beta, level, margins, stiffness):
        out = np.empty_like(beta)
        weighted_forces(beta, level, margins, stiffness, self.sign, self.weight, out)
        if self.tangent is not None:
            out += self.sign * self.weight * self.tangent
        return out

    def slope(self, point, beta):
        """Return the gradient: ``w`` less the combination of the forces."""
        if self._moments is None:
            return point.w - self.design.combine(self.forces(point.margins, beta))
        # Most dual variables are zero, and their rows pull by their squares alone.
        moments = self._moments
        level = self.reward + self.spread * self.mean(point.margins)
        bound = self.design.combine(self.sign * self.weight * beta)
        scattered = self.design.moment_product(self.weight, point.w)
        scattered += point.offset * moments.first - moments.origin
        return point.w - bound - level * moments.signed + self.stiffness * scattered

    @cached_property
    def _moments(self):
        """Sums over all rows by which margins pull, if they come cheap."""
        cheap = self.is_curved and self.tangent is None and self.design.has_cheap_moments
        if not cheap:
            return None
        signed = self.sign * self.weight
        parts = self.weight, signed, signed * self.origin
        return Moments(*map(self.design.combine, parts))

    def rewards(self):
        """Return the reward of each margin for one unit of weight."""
        if self.tangent is None:
            return np.full(len(self.weight), self.reward)
        return self.reward + self.tangent

    def rewarded(self, margins):
        """Return the reward of these margins, and the sum of the sizes of its terms."""
        gain, size = 0.0, 0.0
        if self.reward != 0:
            gain, size = sum_and_size(margins, self.weight)
            gain, size = self.reward * gain, abs(self.reward) * size
        if self.tangent is not None:
            more = sum_and_size(margins, self.weight * self.tangent)
            gain, size = gain + more[0], size + more[1]
        return gain, size

    def at(self, prices):
        """Return the same problem at other prices."""
        return replace(self, prices=prices, tangent=None)

    def on(self, design):
        """Return the same problem on another design of the same rows."""
        return replace(self, design=design)

    def smoothed(self, start=None):
        """Return what Newton's method drives, at its start."""
        return SmoothedProblem(self, start)

    @cached_property
    def squares_are_mild(self):
        """Whether steps from tangent to tangent of the squares close in fast."""
        return squares_are_mild(self)

    def stretch(self, margins):
        """Return the factor that lifts all margins to the kink of a hard margin."""
        if not self.is_hard:
            return 1.0
        smallest = margins.min() / self.loss.kink
        return max(1.0, 1.0 / smallest) if smallest > 0 else 1.0

    def stretched(self, point):
        """Return the point, stretched to the margins that it must keep."""
        stretch = self.stretch(point.margins)
        return point if stretch == 1.0 else Point(*(stretch * part for part in point))

    def examine(self, w, offset, beta, scores=None):
        """Return the point, the dual variables and the certificate of any pair."""
        design = self.design
        scores = design.scores(w) if scores is None else scores
        offset, beta = balance(self, scores, offset, beta)
        point = self.point(w, scores, offset)
        slope = self.slope(point, beta)
        return point, beta, self.certify(point, beta, slope, design.inner(slope, slope))

    def certify(self, point, beta, slope, slope_norm):
        """Return the certificate of a point, given the gradient left at it.

        ``slope`` is ``w`` less the combination of the forces, ``slope_norm`` its
        squared length. A hard margin needs all margins above its kink: there the point is
        stretched until they are.
        """
        design, margins = self.design, point.margins
        norm = design.inner(point.w, point.w, point.scores)
        stretch = self.stretch(margins)
        if self.is_hard and stretch * margins.min() <= 0:
            return Certificate(np.inf, np.inf, 1.0)
        extra = stretch - 1.0
        stretched = margins if stretch == 1.0 else stretch * margins
        terms = self.terms(stretched, stretch * point.offset, beta, stretch**2 * norm)
        gap = terms.gap + 0.5 * max(slope_norm, 0.0)
        if extra > 0:
            gap += extra * design.inner(slope, point.w, point.scores)
            gap += (extra / stretch) ** 2 * terms.quadratic
        # Rounding can make a Gram matrix indefinite; a point that shows it proves nothing.
        if min(norm, slope_norm + 1e-6 * norm) < -ROUNDING * terms.scale:
            return Certificate(np.inf, np.inf, 1.0)
        return Certificate(terms.primal, max(gap, 0.0), terms.scale)

    def terms(self, margins, offset, beta, norm):
        """Return the terms of the objective; ``norm`` is the squared length of ``w``."""
        C, lambda_var, _, lambda_square, intercept = self.prices
        quadratic = 0.5 * max(norm, 0.0)
        if lambda_var > 0:
            arguments = self.weight, self.mean(margins), self.total
            quadratic += 2.0 * lambda_var * weighted_variance(margins, *arguments)
        if lambda_square > 0:
            mean_square = weighted_variance(margins, self.weight, 0.0, self.total)
            quadratic += lambda_square * mean_square
        reward = self.rewarded(margins)[0] - intercept * offset
        return Terms(
            quadratic, reward, *self.loss.value_and_gap(margins, beta, self.weight, C)
        )
