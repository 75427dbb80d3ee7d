"""The optimisation problem; the only place where the objective is written down.

    P(w, b) = |w|^2 / 2 + lambda_var 2 Var(g) - lambda_mean Mean(g)
              + C sum s_i loss(g_i)
    g_i = y_i (w . x_i + b)

The loss is the hinge ``max(0, 1 - g_i)`` or another one of ``losses``.
Mean and (population) variance carry the weights ``s``; ``S`` is their sum. With
``spread = 4 lambda_var / S`` and ``reward = lambda_mean / S`` every term is a sum over
the rows, and optimality reads ``w = sum y_i force_i x_i`` with

    force_i = s_i (beta_i + reward - spread (g_i - Mean(g))),   -beta_i in C loss'(g_i).

Any such beta bounds the optimum from below, and the distance of the bounds is a sum of
squares and Fenchel gaps: it is computed without subtraction.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from largemargin.certificate import Certificate
from largemargin.designs.linear import Curvature
from largemargin.line_search import minimise_along
from largemargin.losses import HINGE, Band, Hinge, Pull, proximal_step
from largemargin.margin_sums import (
    reward_along,
    spread_along,
    weighted_forces,
    weighted_variance,
)

# Squared lengths may fall below zero by this part of the objective.
ROUNDING = 1e-12
# Steps from tangent to tangent of the margin variance are worth it if each shrinks the
# error by this factor at least.
MAX_CONTRACTION = 0.5


# Sums of weights, and their products with prices, lie between these.
SMALLEST, LARGEST = 1e-100, 1e100


class NoMinimum(ValueError):
    """Raised for prices at which the objective falls without end."""


class NotSeparable(ValueError):
    """Raised where a hard margin is asked of classes that no hyperplane separates."""


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
    """The weighted sums of x and y x over all rows."""

    first: np.ndarray
    signed: np.ndarray


@dataclass(frozen=True)
class Problem:
    """One binary machine on a design: labels, weights and prices.

    ``reward`` may be an array: then it stands for a linearised margin variance too.
    """

    design: object
    y: np.ndarray
    weight: np.ndarray
    C: float
    lambda_var: float = 0.0
    lambda_mean: float = 0.0
    fit_intercept: bool = True
    reward: np.ndarray | float | None = None
    loss: Hinge | Band = HINGE

    def __post_init__(self):
        if self.reward is None:
            object.__setattr__(self, "reward", self.lambda_mean / self.total)

    @property
    def is_bounded(self):
        """Whether the objective has a minimum: the intercept must not run away."""
        if self.lambda_var > 0 or not self.fit_intercept:
            return True
        rounding = 1e-12 * np.sum(np.abs(self.weight * self.reward))
        return self._pull() <= self._brake() + rounding

    def _pull(self):
        """Return the reward of moving the intercept towards the larger class."""
        return abs(np.sum(self.weight * self.reward * self.y))

    def _brake(self):
        """Return what the losses charge for it at the most."""
        positive = self.weight[self.y > 0].sum()
        smaller = min(positive, self.total - positive)
        _, steepest = self.loss.box(self.C)
        return steepest * smaller if smaller > 0 else 0.0

    def refuse_unbounded(self):
        """Raise if the objective has no minimum."""
        if not self.is_bounded:
            raise NoMinimum(
                f"The problem has no minimum: lambda_mean={self.lambda_mean:g} rewards "
                f"moving the intercept towards the larger class by {self._pull():g} a "
                f"unit, while C={self.C:g} charges {self._brake():g} at the most. Lower "
                "lambda_mean, raise C, set lambda_var > 0, weight the classes evenly "
                "or use fit_intercept=False."
            )

    def refuse_overflow(self):
        """Raise if prices or weights leave no room for the squares of forces."""
        C = self.C if np.isfinite(self.C) else 1.0
        largest = max(self.total, C * self.total, self.lambda_var, self.lambda_mean)
        if not (self.total > SMALLEST and largest < LARGEST):
            raise ValueError(
                f"The sample weights add up to {self.total:g}, at C={self.C:g}, lambda_var="
                f"{self.lambda_var:g} and lambda_mean={self.lambda_mean:g}; expected their "
                f"sum above {SMALLEST:g} and its product with each price below "
                f"{LARGEST:g}. Scale the weights or lower the prices."
            )

    @cached_property
    def total(self):
        """Sum of the weights."""
        return self.weight.sum()

    @property
    def spread(self):
        """Curvature of the variance term for one unit of weight."""
        return 4.0 * self.lambda_var / self.total

    def mean(self, values):
        """Return the weighted mean over the rows."""
        return self.weight @ values / self.total

    def centred(self, values):
        """Return the values less their weighted mean."""
        return values - self.mean(values)

    def point(self, w, scores, offset=0.0):
        """Return the point with this element, whose scores are known."""
        return Point(w, offset, scores, self.y * (scores + offset))

    def forces(self, margins, beta):
        """Return how hard each row pulls: ``w`` is optimal if they combine to it."""
        if self.lambda_var == 0:
            return self.dual_forces(beta)
        level = self.reward + self.spread * self.mean(margins)
        return self._forces(beta, level, margins, self.spread)

    def slope(self, point, beta):
        """Return the gradient: ``w`` less the combination of the forces."""
        if self._moments is None:
            return point.w - self.design.combine(self.forces(point.margins, beta))
        # Most dual variables are zero, and their rows pull by the margin variance alone.
        moments = self._moments
        level = self.reward + self.spread * self.mean(point.margins)
        bound = self.design.combine(self.y * self.weight * beta)
        scattered = self.design.moment_product(self.weight, point.w)
        scattered += point.offset * moments.first
        return point.w - bound - level * moments.signed + self.spread * scattered

    @cached_property
    def _moments(self):
        """Sums over all rows by which the margin variance pulls, if they come cheap."""
        if self.lambda_var == 0 or not self.design.has_cheap_moments:
            return None
        combine = self.design.combine
        return Moments(combine(self.weight), combine(self.y * self.weight))

    def dual_forces(self, beta):
        """Return the forces of the dual variables and the mean, without the variance."""
        return self._forces(beta, self.reward, beta, 0.0)

    def _forces(self, beta, level, margins, spread):
        level = np.broadcast_to(level, beta.shape)
        out = np.empty_like(beta)
        weighted_forces(beta, level, margins, spread, self.y, self.weight, out)
        return out

    def _reward(self, margins):
        """Return the reward for these margins, and the sum of the sizes of its terms."""
        if not np.any(self.reward):
            return 0.0, 0.0
        return reward_along(
            margins, self.weight, np.broadcast_to(self.reward, margins.shape)
        )

    def at(self, C, lambda_var, lambda_mean):
        """Return the same problem at other prices."""
        prices = {"C": C, "lambda_var": lambda_var, "lambda_mean": lambda_mean}
        return replace(self, **prices, reward=None)

    def on(self, design):
        """Return the same problem on another design of the same rows."""
        return replace(self, design=design)

    def freeze_variance(self, margins):
        """Return the problem with the variance term replaced by its tangent."""
        tangent = self.reward - self.spread * self.centred(margins)
        return replace(self, lambda_var=0.0, lambda_mean=0.0, reward=tangent)

    @cached_property
    def variance_is_mild(self):
        """Whether steps from tangent to tangent of the variance close in fast.

        They shrink an error by the norm of the variance term against that of the
        margins, which the sum of the squared lengths of the rows bounds.
        """
        if self.lambda_var == 0:
            return True
        if self.spread * (self.weight @ self.design.squared_norms()) <= MAX_CONTRACTION:
            return True
        root = np.sqrt(self.weight)
        # Any fixed start with a part along the top eigenvector will do.
        vector = np.cos(np.arange(self.design.n_rows, dtype=float))
        for _ in range(4):
            vector /= np.linalg.norm(vector)
            image = self.design.combine(self.y * root * vector)
            vector = root * self.centred(self.y * self.design.scores(image))
            size = self.spread * np.linalg.norm(vector)
            if size > MAX_CONTRACTION or size == 0:
                break
        return size <= MAX_CONTRACTION

    def curvature(self, extra):
        """Return the second derivative over the scores, the intercept minimised out."""
        border = None
        if self.fit_intercept:
            border = self._border(extra)
            border = border / np.sqrt(border.sum()) if border.sum() > 0 else None
        return Curvature(self.weight, self.spread, extra, self._mean_downdate, border)

    @cached_property
    def _mean_downdate(self):
        """What the mean of the margins takes up of the spread, the same at every step."""
        if self.lambda_var == 0:
            return None
        return np.sqrt(self.spread / self.total) * self.y * self.weight

    def offset_step(self, scores, extra):
        """Return how the intercept follows a Newton step with these scores."""
        if not self.fit_intercept:
            return 0.0
        border = self._border(extra)
        return -(border @ scores) / border.sum() if border.sum() > 0 else 0.0

    def _border(self, extra):
        """Return the mixed derivative of the intercept and the scores."""
        if self.lambda_var == 0:
            return extra
        mean = self.mean(self.y)
        return extra + self.spread * self.weight * (1.0 - mean * self.y)

    def search(self, margins, step, anchor, sigma, *, slope=0.0, bend=0.0, first, accuracy):
        """Return the best multiple of a margin step for the smoothed problem.

        ``slope`` and ``bend`` are those of the norm of ``w`` along the step.
        """
        smoothing = self._smoothing(anchor, sigma)
        return self._search(margins, step, smoothing, slope, bend, first, accuracy)

    def _search(self, margins, step, smoothing, slope, bend, first, accuracy):
        reward, size = self._reward(step)
        slope, noise = slope - reward, abs(slope) + size
        if self.lambda_var > 0:
            terms = spread_along(margins, step, self.weight, self.mean(step))
            slope += self.spread * terms[0]
            bend += self.spread * terms[1]
            noise += self.spread * terms[2]
        # Rounding may make a flat direction look concave.
        bend = max(bend, 0.0)
        return minimise_along(
            margins,
            step,
            self.weight,
            *smoothing,
            slope,
            noise,
            bend,
            first,
            accuracy,
        )

    def centre(self, point, anchor, sigma):
        """Return the point with the best intercept for the smoothed problem."""
        if not self.fit_intercept:
            return point
        shift = self.search(point.margins, self.y, anchor, sigma, first=0.0, accuracy=0.0)
        return self.point(point.w, point.scores, point.offset + shift)

    def settle(self, point):
        """Return the point with the best intercept for the objective itself.

        Without a margin variance the objective is piecewise linear in the intercept, and
        flat where no margin is one: then the middle of the flat part is taken.
        """
        curved = self.lambda_var > 0 or self.loss.is_smooth
        if not self.fit_intercept or curved or not 0 < self.C < np.inf:
            return point
        kinks = self.y - point.scores
        order = np.argsort(kinks, kind="stable")
        kinks = kinks[order]
        # Left of all kinks every positive row pays; each kink passed adds its weight.
        charge = self.C * self.weight
        slope = -charge[self.y > 0].sum() - np.sum(self.weight * self.reward * self.y)
        slopes = slope + np.cumsum(charge[order])
        flat = 1e-12 * charge.sum()
        first = min(np.searchsorted(slopes, -flat), len(kinks) - 1)
        last = min(np.searchsorted(slopes, flat, side="right"), len(kinks) - 1)
        return self.point(point.w, point.scores, 0.5 * (kinks[first] + kinks[last]))

    def dual_step(self, margins, anchor, sigma):
        """Return the proximal step of the dual variables and the curvature it gives."""
        return self._proximal_step(margins, *self._smoothing(anchor, sigma))

    def _proximal_step(self, margins, anchor, sigma, pull):
        beta, curvature = np.empty_like(margins), np.empty_like(margins)
        proximal_step(margins, anchor, sigma, pull, self.weight, beta, curvature)
        return beta, curvature

    def _smoothing(self, anchor, sigma):
        """Return anchor, length and slope of a proximal step; a smooth loss fixes them."""
        pull = self.loss.pull(self.C)
        if self.loss.is_smooth:
            return np.zeros_like(anchor), self.loss.stiffness(self.C), pull
        return anchor, sigma, pull

    def loss_terms(self, margins, beta):
        """Return the loss, and what the dual variables themselves add to the gap."""
        return self.loss.value_and_gap(margins, beta, self.weight, self.C)

    def balance(self, scores, offset, beta):
        """Return intercept and dual variables nearby whose forces sum to zero.

        Without this the dual variables bound nothing: the intercept is free.
        """
        if not self.fit_intercept:
            return offset, beta
        frozen = self
        if self.lambda_var > 0:
            frozen = self.freeze_variance(self.y * (scores + offset))
            if not frozen.is_bounded:
                excess = self.forces(self.y * scores, beta).sum()
                return excess / self._border(np.zeros_like(beta)).sum(), beta
        # A step of length one along the labels, cut off where dual variables must end.
        level = np.ones_like(beta)
        projection = beta, 1.0, Pull(1.0, *self.loss.box(self.C))
        shift = frozen._search(level, self.y, projection, 0.0, 0.0, 0.0, 0.0)
        return offset, self._proximal_step(level + shift * self.y, *projection)[0]

    def stretch(self, margins):
        """Return the factor that lifts all margins to one where C allows nothing less."""
        smallest = margins.min() if np.isinf(self.C) else 1.0
        return max(1.0, 1.0 / smallest) if smallest > 0 else 1.0

    def examine(self, w, offset, beta, scores=None):
        """Return the point, the dual variables and the certificate of any pair."""
        design = self.design
        scores = design.scores(w) if scores is None else scores
        offset, beta = self.balance(scores, offset, beta)
        point = self.point(w, scores, offset)
        slope = self.slope(point, beta)
        return point, beta, self.certify(point, beta, slope, design.inner(slope, slope))

    def certify(self, point, beta, slope, slope_norm):
        """Return the certificate of a point, given the gradient left at it.

        ``slope`` is ``w`` less the combination of the forces, ``slope_norm`` its
        squared length. A hard margin needs all margins above one: there the point is
        stretched until they are.
        """
        design, margins = self.design, point.margins
        norm = design.inner(point.w, point.w, point.scores)
        stretch = self.stretch(margins)
        if np.isinf(self.C) and stretch * margins.min() <= 0:
            return Certificate(np.inf, np.inf, 1.0)
        extra = stretch - 1.0
        stretched = margins if stretch == 1.0 else stretch * margins
        terms = self.terms(stretched, beta, stretch**2 * norm)
        gap = terms.gap + 0.5 * max(slope_norm, 0.0)
        if extra > 0:
            gap += extra * design.inner(slope, point.w, point.scores)
            gap += (extra / stretch) ** 2 * terms.quadratic
        # Rounding can make a Gram matrix indefinite; a point that shows it proves nothing.
        if min(norm, slope_norm + 1e-6 * norm) < -ROUNDING * terms.scale:
            return Certificate(np.inf, np.inf, 1.0)
        return Certificate(terms.primal, max(gap, 0.0), terms.scale)

    def terms(self, margins, beta, norm):
        """Return the terms of the objective; ``norm`` is the squared length of ``w``."""
        quadratic = 0.5 * max(norm, 0.0)
        if self.lambda_var > 0:
            arguments = self.weight, self.mean(margins), self.total
            quadratic += 2.0 * self.lambda_var * weighted_variance(margins, *arguments)
        reward, _ = self._reward(margins)
        return Terms(quadratic, reward, *self.loss_terms(margins, beta))
