"""The optimisation problem; the only place where the objective is written down.

    P(w, b) = |w|^2 / 2 + lambda_var 2 Var(g) + lambda_square Mean(g^2)
              - lambda_mean Mean(g) + intercept b + C sum s_i loss(g_i)
    g_i = sign_i (w . x_i + b) - origin_i

The loss is the hinge ``max(0, 1 - g_i)`` or another loss of ``losses``. Classes have signs
and zero origins; the values of a regression are origins, and all signs are one. Mean and
(population) variance use the weights ``s``, whose sum is ``S``. The *squared terms* are
those of ``lambda_var`` and ``lambda_square``. With ``spread = 4 lambda_var / S``,
``bend = 2 lambda_square / S`` and ``reward = lambda_mean / S`` a point is optimal if
``w = sum force_i x_i`` with

    force_i = sign_i s_i (beta_i + reward - spread (g_i - Mean(g)) - bend g_i),
    -beta_i in C loss'(g_i),   sum force_i = intercept  if b is free.

The *force* of a row is its coefficient in ``w``. Its *pull* is the part of the force that
comes from the loss, per unit of weight: the slope of the loss with its sign changed, which
raises the margin. The dual variable ``beta`` is a pull.

Any beta for which the forces balance bounds the optimum from below. The difference of the
two bounds, the duality gap, is a sum of squares and Fenchel gaps, so that it is computed
without subtraction.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from largemargin.designs.base import Design
from largemargin.problem.certificate import Certificate, Certified, Point
from largemargin.problem.intercept import balance
from largemargin.problem.losses import HINGE, Loss
from largemargin.problem.margin_loops import (
    signed_margins,
    sum_and_size,
    sums_by_sign,
    weighted_forces,
    weighted_variance,
)
from largemargin.problem.smoothed import SmoothedProblem
from largemargin.problem.terms import Prices, Targets, Terms

# Squared lengths may fall below zero by this fraction of the objective.
ROUNDING = 1e-12
# An objective below this part of what rows of one direction would have is rounding.
NOTHING = 1e-8
# Residuals below this part of the values are rounding.
EXACT = 1e-14
# Linearising repeatedly is worthwhile if it reduces the error by this factor each time.
MAX_CONTRACTION = 0.5


@dataclass(frozen=True)
class Problem:
    """The problem of one binary classifier or of one regressor."""

    design: Design
    targets: Targets
    weight: np.ndarray  # all positive: estimators leave rows of weight zero out
    prices: Prices
    fit_intercept: bool = True
    loss: Loss = HINGE
    # An additional reward of each margin, which stands for linearised squared terms.
    tangent: np.ndarray | None = None

    @property
    def sign(self) -> np.ndarray:
        """The sign of each row."""
        return self.targets.sign

    @property
    def origin(self) -> np.ndarray:
        """The signed score, intercept included, at which the margin of each row is zero."""
        return self.targets.origin

    @cached_property
    def total(self) -> float:
        """The sum of the weights."""
        return self.weight.sum()

    @cached_property
    def weights_of_signs(self) -> tuple[float, float]:
        """The total weights of the rows of negative and of positive sign."""
        return sums_by_sign(self.sign, self.weight)

    @property
    def spread(self) -> float:
        """The curvature of the variance term per unit of weight."""
        return 4.0 * self.prices.lambda_var / self.total

    @property
    def bend(self) -> float:
        """The curvature of the mean square term per unit of weight."""
        return 2.0 * self.prices.lambda_square / self.total

    @property
    def stiffness(self) -> float:
        """The curvature of both per unit of weight while the mean margin is fixed."""
        return self.spread + self.bend

    @property
    def reward(self) -> float:
        """The reward of a margin per unit of weight."""
        return self.prices.lambda_mean / self.total

    @property
    def is_curved(self) -> bool:
        """Whether the objective has squared terms."""
        return self.prices.lambda_var > 0 or self.prices.lambda_square > 0

    @property
    def is_hard(self) -> bool:
        """Whether C is infinite, so that no margin may be where the loss is positive."""
        return np.isinf(self.prices.C)

    @property
    def has_hard_margin(self) -> bool:
        """Whether no margin may be below a kink, which larger elements achieve."""
        return self.is_hard and self.loss.is_one_sided

    @cached_property
    def is_plain_ldm(self) -> bool:
        """Whether it is an LDM with a positive and finite C, and nothing else.

        Its loss is zero above the kink, only the variance and the mean have prices, and
        margins have no origins.
        """
        prices = self.prices
        has_other = prices.lambda_square != 0 or prices.intercept != 0
        is_finite = self.loss.is_one_sided and 0 < prices.C < np.inf
        is_alone = self.tangent is None and not self.origin.any()
        return bool(is_finite and is_alone and not has_other)

    @property
    def box(self) -> tuple[float, float]:
        """The bounds of the dual variables."""
        return self.loss.box(self.prices.C)

    @property
    def ridge(self) -> float:
        """What a one-sided loss adds to the diagonal of the dual per unit of weight."""
        return self.loss.ridge(self.prices.C)

    @cached_property
    def border(self) -> np.ndarray:
        """The mixed derivative of the squared terms in the intercept and each score."""
        curvature = np.zeros_like(self.weight)
        if self.prices.lambda_var > 0:
            # Twice the share of the other sign: exactly zero if there is none.
            negative, positive = self.weights_of_signs
            others = np.where(self.sign > 0, negative, positive) / self.total
            curvature += self.spread * self.weight * (2.0 * others)
        if self.prices.lambda_square > 0:
            curvature += self.bend * self.weight
        return curvature

    @cached_property
    def mean_part(self) -> np.ndarray | None:
        """What the mean margin takes off the curvature, a vector u of ``- u u'``."""
        if self.prices.lambda_var == 0:
            return None
        return np.sqrt(self.spread / self.total) * self.sign * self.weight

    @property
    def squares_are_mild(self) -> bool:
        """Whether repeated linearisation of the squared terms converges fast."""
        # A cached property of Python 3.11 has one lock for all problems, but the products
        # here may have to wait for those of other problems.
        if not self.is_curved:
            return True
        # It is the same at all prices of the mean.
        name = "mild", self.spread, self.bend
        return self.design.once_for(name, (self.weight, self.sign), self._is_contraction)

    def _is_contraction(self):
        # It reduces the error by the largest eigenvalue of the squared terms, relative to
        # |w|^2 / 2, which the sum of the squared lengths of the rows bounds.
        design, root = self.design, np.sqrt(self.weight)
        if self.stiffness * (self.weight @ design.row_lengths**2) <= MAX_CONTRACTION:
            return True
        # Power iteration; any fixed start with a part along the top eigenvector will do.
        vector = np.cos(np.arange(design.n_rows, dtype=float))
        for _ in range(4):
            vector /= np.linalg.norm(vector)
            image = design.combine(self.sign * root * vector)
            vector = root * self.square_slopes(self.sign * design.scores(image))
            size = np.linalg.norm(vector)
            if size > MAX_CONTRACTION or size == 0:
                break
        return bool(size <= MAX_CONTRACTION)

    def mean(self, values):
        """Return the weighted mean over the rows."""
        return self.weight @ values / self.total

    def centred(self, values):
        """Return the values minus their weighted mean."""
        return values - self.mean(values)

    def square_slopes(self, values):
        """Return the slope of the squared terms per unit of weight at these margins."""
        return self.spread * self.centred(values) + self.bend * values

    def margins(self, scores, offset=0.0):
        """Return the margins of rows with these scores."""
        out = np.empty(len(scores))
        signed_margins(scores, offset, self.sign, self.origin, out)
        return out

    def point(self, w, scores, offset=0.0) -> Point:
        """Return the point of this element, whose scores are known."""
        return Point(w, offset, scores, self.margins(scores, offset))

    def forces(self, beta, margins=None):
        """Return the forces; without margins, those of the squared terms are left out."""
        out, squares = np.empty_like(beta), (self.reward, beta, 0.0)
        if margins is not None and self.is_curved:
            level = self.reward + self.spread * self.mean(margins)
            squares = level, margins, self.stiffness
        weighted_forces(beta, *squares, self.sign, self.weight, out)
        if self.tangent is not None:
            out += self.sign * self.weight * self.tangent
        return out

    def slope(self, point, beta):
        """Return the gradient: ``w`` minus the combination of the forces."""
        if self._moments is None:
            return point.w - self.design.combine(self.forces(beta, point.margins))
        # Most dual variables are zero: only the squared terms need all rows.
        first_moment, signed_moment, origin_moment = self._moments
        level = self.reward + self.spread * self.mean(point.margins)
        bound = self.design.combine(self.sign * self.weight * beta)
        scattered = self.design.moment_product(self.weight, point.w)
        scattered += point.offset * first_moment - origin_moment
        return point.w - bound - level * signed_moment + self.stiffness * scattered

    @cached_property
    def _moments(self):
        """The weighted sums of x, sign x and sign origin x over all rows, if cheap."""
        if not (self.is_curved and self.tangent is None and self.design.has_cheap_moments):
            return None

        def combine():
            signed = self.sign * self.weight
            parts = self.weight, signed, signed * self.origin
            return [self.design.combine(part) for part in parts]

        # They are the same at all prices.
        return self.design.once_for("moments", (self.weight, *self.targets), combine)

    def rewards(self):
        """Return the reward of each margin per unit of weight."""
        rewards = np.full(len(self.weight), self.reward)
        return rewards if self.tangent is None else rewards + self.tangent

    def total_reward(self, margins):
        """Return the reward of these margins, and the sum of its absolute terms."""
        gain, size = 0.0, 0.0
        if self.reward != 0:
            gain, size = sum_and_size(margins, self.weight)
            gain, size = self.reward * gain, abs(self.reward) * size
        if self.tangent is not None:
            more = sum_and_size(margins, self.weight * self.tangent)
            gain, size = gain + more[0], size + more[1]
        return gain, size

    def at(self, prices: Prices) -> Self:
        """Return the same problem at other prices."""
        return replace(self, prices=prices, tangent=None)

    def on(self, design: Design) -> Self:
        """Return the same problem on another design of the same rows."""
        return replace(self, design=design)

    def linearised(self, margins) -> Self:
        """Return the problem with its squared terms linearised at these margins."""
        tangent = -self.square_slopes(margins)
        if self.tangent is not None:
            tangent += self.tangent
        return replace(self, prices=self.prices.without_squares(), tangent=tangent)

    def smoothing_length(self, sharpness: float) -> float:
        """Return the length of proximal steps; ``sharpness`` is in units of C."""
        return self.prices.C * sharpness / self.margin_unit or 1.0

    def loss_curvature(self) -> float:
        """Return the typical second derivative of the loss, smoothed if it has kinks."""
        curvature = self.loss.curvature(self.prices.C)
        return curvature if self.loss.is_smooth else curvature / self.margin_unit

    @property
    def margin_unit(self) -> float:
        """The size of margins: of classes about one, of values the scatter of these."""
        scatter = np.sqrt(self.mean(self.centred(self.origin) ** 2))
        if scatter > ROUNDING * np.abs(self.origin).max():
            return scatter
        return self._size_of_scores or 1.0

    @cached_property
    def _size_of_scores(self):
        """About how large scores of one class are at most."""
        # Its forces add up to the price of the threshold, and squared terms shorten w.
        square = float(self.mean(self.design.squared_norms()))
        whole = self.stiffness * self.total * square
        return abs(self.prices.intercept) * square / (1.0 + whole)

    def smoothed(self, start=None) -> SmoothedProblem:
        """Return the smoothed problem that Newton's method minimises, at its start."""
        return SmoothedProblem(self, start)

    def stretch(self, margins):
        """Return the factor that raises all margins to the kink of a hard margin."""
        if not self.has_hard_margin:
            return 1.0
        smallest = margins.min() / self.loss.kink
        return max(1.0, 1.0 / smallest) if smallest > 0 else 1.0

    def stretched(self, point: Point) -> Point:
        """Return the point, stretched to keep a hard margin."""
        stretch = self.stretch(point.margins)
        return point if stretch == 1.0 else Point(*(stretch * part for part in point))

    def examine(self, w, offset, beta, scores=None) -> Certified:
        """Balance the dual variables of any pair, and certify it."""
        design = self.design
        scores = design.scores(w) if scores is None else scores
        offset, beta = balance(self, scores, offset, beta)
        point = self.point(w, scores, offset)
        slope = self.slope(point, beta)
        certificate = self.certify(point, beta, slope, design.inner(slope, slope))
        return Certified(point, beta, certificate)

    def certify(self, point, beta, slope, slope_norm) -> Certificate:
        """Return the certificate of a point, stretched if it does not keep a hard margin.

        ``slope`` is the gradient there, ``slope_norm`` its squared length.
        """
        design, margins = self.design, point.margins
        norm = design.inner(point.w, point.w, point.scores)
        stretch = self.stretch(margins)
        if self.has_hard_margin and stretch * margins.min() <= 0:
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

    def terms(self, margins, offset, beta, norm) -> Terms:
        """Return the terms of the objective; ``norm`` is the squared length of ``w``."""
        quadratic = 0.5 * max(norm, 0.0) + self.squares(margins)
        reward = self.total_reward(margins)[0] - self.prices.intercept * offset
        loss, gap = self.loss.value_and_gap(margins, beta, self.weight, self.prices.C)
        return Terms(quadratic, reward, loss, gap, self.least_scale)

    @cached_property
    def least_scale(self) -> float:
        """The size below which an objective counts as zero.

        Values that are predicted exactly leave nothing but the rounding of the values.
        And if the origin is among the rows of one class, the best element is zero, and all
        terms vanish with it: they are small beside those of rows in one direction.
        """
        if self.origin.any():
            return self._size_of_residuals(EXACT * np.abs(self.origin))
        if self.prices.intercept == 0:
            return 0.0
        return NOTHING * abs(self.prices.intercept) * self._size_of_scores

    def _size_of_residuals(self, residuals):
        """Return the price of residuals, as if they were independent and outside a tube."""
        _, lambda_var, _, lambda_square, _ = self.prices
        squares = (2.0 * lambda_var + lambda_square) * self.mean(residuals**2)
        steepness = max(map(abs, self.box))
        if not np.isfinite(steepness):
            return float(squares)
        return float(squares + steepness * (self.weight @ residuals))

    def squares(self, margins) -> float:
        """Return the squared terms of these margins."""
        squares = 0.0
        if self.prices.lambda_var > 0:
            about = self.mean(margins), self.total
            variance = weighted_variance(margins, self.weight, *about)
            squares += 2.0 * self.prices.lambda_var * variance
        if self.prices.lambda_square > 0:
            mean_square = weighted_variance(margins, self.weight, 0.0, self.total)
            squares += self.prices.lambda_square * mean_square
        return squares
