"""The smoothed problem: what Newton's method drives.

Dual variables move from an ``anchor`` by proximal steps of length ``sigma``, which smooths
the kinks of the losses; the function that is left to minimise over ``w`` and ``b`` has a
continuous gradient. It owns every array with one number per row, scores, margins, anchors
and dual variables, and answers in numbers: rows that are elsewhere, in blocks of a file or
on other machines, are a second class with the methods of this one.
"""

from typing import NamedTuple

import numpy as np

from largemargin.designs.base import Curvature
from largemargin.problem.certificate import Certificate
from largemargin.problem.intercept import (
    centre,
    settle,
    without_unseen_squares,
)
from largemargin.problem.line_search import search_along
from largemargin.problem.losses import proximal_step
from largemargin.problem.separability import refuse_unseparable

# Rows of squared lengths below this count as that long.
SHORTEST = 1e-100
# Values that differ by no more than this part of their size are the same.
ROUNDING = 1e-12


class Look(NamedTuple):
    """What Newton's method is told of the present point.

    ``slope_square`` is the squared length of the gradient, ``moved`` the squared distance
    of the dual variables from their anchor, and ``is_bent`` says whether the losses have a
    curvature here.
    """

    certificate: Certificate
    slope_square: float
    moved: float
    is_bent: bool


class Best(NamedTuple):
    """The pair with the smallest gap so far."""

    point: object
    beta: np.ndarray
    slope: object
    slope_square: float
    certificate: Certificate


def dual_step(problem, margins, smoothing):
    """Return the proximal step of the dual variables and the curvature it gives."""
    beta, curvature = np.empty_like(margins), np.empty_like(margins)
    proximal_step(margins, *smoothing, problem.weight, beta, curvature)
    return beta, curvature


class SmoothedProblem:
    """A problem on rows in memory, as Newton's method sees it.

    All that Newton's method asks for: ``is_smooth`` says whether there is an anchor,
    ``first_sigma`` how long to begin; ``look`` judges the present point and remembers the
    best one, ``step`` moves to the next, ``follow`` lets the anchor follow, ``result``
    settles the best point, which the problem then stretches, see ``Problem.stretched``.
    """

    def __init__(self, problem, start=None):
        self.problem = problem
        self.best = None
        # The same at every step: what the intercept sees, and what squares see of the mean.
        self._by_intercept = without_unseen_squares(problem)
        self._mean = None
        if problem.prices.lambda_var > 0:
            unit = np.sqrt(problem.spread / problem.total)
            self._mean = unit * problem.sign * problem.weight
        design = problem.design
        if start is None:
            self.anchor = np.zeros(design.n_rows)
            self.point = problem.point(design.zeros(), self.anchor)
            return
        self.anchor = np.clip(start.beta, *problem.box)
        w = start.w
        if w is None:
            w = design.combine(problem.dual_forces(self.anchor))
        self.point = problem.point(w, design.scores(w), start.offset)

    @property
    def is_smooth(self):
        """Whether the losses are smooth by themselves and need no anchor."""
        return self.problem.loss.is_smooth

    def first_sigma(self, sharpness):
        """Return a length of the first proximal steps; ``sharpness`` is in units of C."""
        problem = self.problem
        if problem.is_hard:
            norms = problem.design.squared_norms()
            length = max(problem.mean(norms) or 1.0, SHORTEST)
            # The steeper the squares, the larger the dual variables that pull at margins;
            # of two classes such would prove too early that margins are tiny.
            has_two = (problem.sign != problem.sign[0]).any()
            steepness = problem.bend if has_two else problem.stiffness
            return 1.0 / length + steepness * problem.total
        # Margins of classes are about one, those of values as far apart as these.
        scatter = np.sqrt(problem.mean(problem.centred(problem.origin) ** 2))
        if scatter <= ROUNDING * np.abs(problem.origin).max():
            scatter = 1.0
        return problem.prices.C * sharpness / scatter or 1.0

    def look(self, sigma):
        """Centre the intercept, and return what there is to know of the point."""
        problem = self.problem
        smoothing = problem.loss.smoothing(self.anchor, sigma, problem.prices.C)
        point = self.point = centre(self._by_intercept, self.point, smoothing)
        beta, self.extra = dual_step(problem, point.margins, smoothing)
        self.beta, self.slope = beta, problem.slope(point, beta)
        square = problem.design.inner(self.slope, self.slope)
        certificate = problem.certify(point, beta, self.slope, square)
        if self.best is None or certificate.gap < self.best.certificate.gap:
            self.best = Best(point, beta, self.slope, square, certificate)
        moved = problem.weight @ (beta - self.anchor) ** 2
        return Look(certificate, square, moved, self.extra.any())

    def curvature(self, extra):
        """Return the second derivative over the scores, the intercept minimised out."""
        problem, along = self.problem, None
        if problem.fit_intercept:
            along = problem.border + extra
            along = along / np.sqrt(along.sum()) if along.sum() > 0 else None
        return Curvature(problem.weight, problem.stiffness, extra, self._mean, along)

    def follow(self):
        """Let the anchor follow the dual variables."""
        # A point with a gap separates the classes: there is nothing to prove then.
        if self.problem.is_hard and np.isinf(self.best.certificate.gap):
            refuse_unseparable(self.problem, self.beta)
        self.anchor = self.beta

    def step(self, sigma):
        """Take a Newton step as long as is best, and return its length."""
        problem, point, design = self.problem, self.point, self.problem.design
        curvature = self.curvature(self.extra)
        step = design.newton_system(curvature)(-self.slope, 0.1)
        scores = design.scores(step)
        offset = self._offset_step(scores)
        slope = design.inner(step, point.w, point.scores)
        length = search_along(
            problem,
            point.margins,
            problem.sign * (scores + offset),
            problem.loss.smoothing(self.anchor, sigma, problem.prices.C),
            slope=slope + problem.prices.intercept * offset,
            bend=design.inner(step, step, scores),
            first=1.0,
            accuracy=0.1,
        )
        self.point = problem.point(
            point.w + length * step,
            point.scores + length * scores,
            point.offset + length * offset,
        )
        return length

    def _offset_step(self, scores):
        """Return how the intercept follows a step with these scores."""
        if not self.problem.fit_intercept:
            return 0.0
        along = self.problem.border + self.extra
        whole = along.sum()
        return -(along @ scores) / whole if whole > 0 else 0.0

    def result(self):
        """Return the best point, settled, its dual variables and its certificate."""
        best = self.best
        point = settle(self.problem, best.point)
        rest = best.beta, best.slope, best.slope_square
        return point, best.beta, self.problem.certify(point, *rest)
