"""The smoothed problem, which Newton's method minimises.

Dual variables move from an ``anchor`` by proximal steps of length ``sigma``, which smooths
the kinks of the losses; the remaining function of ``w`` and ``b`` has a continuous
gradient. The smoothed problem owns every array with one number per row (scores, margins,
anchors, dual variables) and returns only numbers. Rows in blocks of a file or on other
computers need another class with the same methods.
"""

from typing import NamedTuple

import numpy as np

from largemargin.designs.base import Curvature, Goals
from largemargin.problem.certificate import Certificate, Certified
from largemargin.problem.checks import refuse_impossible
from largemargin.problem.intercept import as_intercept_sees_it, centre, settle
from largemargin.problem.line_search import search_along
from largemargin.problem.losses import dual_step
from largemargin.problem.own_forces import certify_by_own_forces

# Smaller mean squared lengths of the rows are replaced by this.
SHORTEST = 1e-100
# How exactly Newton steps are computed by iterations.
ACCURACY = 0.1


class Look(NamedTuple):
    """What Newton's method knows about the present point."""

    certificate: Certificate
    slope_square: float  # the squared length of the gradient
    moved: float  # the squared distance of the dual variables from their anchor
    is_bent: bool  # whether the smoothed losses have curvature here


class SmoothedProblem:
    """A problem on rows in memory, as Newton's method sees it.

    Newton's method uses ``is_smooth`` (no anchor is needed), ``first_sigma`` (the first
    length), ``look`` (certify the present point, remember the best), ``step`` (move to the
    next point), ``follow`` (move the anchor to the dual variables) and ``result`` (the best
    point with its final intercept, not yet stretched, see ``Problem.stretched``).
    """

    def __init__(self, problem, start=None):
        self.problem, self.best = problem, None  # the pair with the smallest gap so far
        self.is_smooth = problem.loss.is_smooth
        # Whether the coefficients of an element are a dual point of their own.
        has_squares = problem.is_curved and not problem.is_hard
        self._has_own_forces = has_squares and problem.design.elements_are_expansions
        # These are the same at every step.
        self._by_intercept = as_intercept_sees_it(problem)
        if start is None:
            self.anchor = np.zeros(problem.design.n_rows)
            self.point = problem.point(problem.design.zeros(), self.anchor)
        else:
            w, self.anchor = start.place(problem)
            self.point = problem.point(w, problem.design.scores(w), start.offset)
            if self._has_own_forces:
                self._take_best_length()

    def _take_best_length(self):
        """Multiply the element of a start by the best number."""
        problem, point = self.problem, self.point
        smoothing = problem.loss.smoothing(
            self.anchor, self.first_sigma(1.0), problem.prices.C
        )
        along = problem.sign * point.scores
        length = search_along(
            problem,
            problem.margins(np.zeros_like(along), point.offset),
            along,
            smoothing,
            bend=problem.design.inner(point.w, point.w, point.scores),
            first=1.0,
            accuracy=1e-3,
        )
        self.point = problem.point(length * point.w, length * point.scores, point.offset)

    def first_sigma(self, sharpness: float) -> float:
        """Return the length of the first proximal steps; ``sharpness`` is in units of C."""
        problem = self.problem
        if problem.is_hard:
            norms = problem.design.squared_norms()
            length = max(problem.mean(norms) or 1.0, SHORTEST)
            # The larger the squared terms, the larger the dual variables; with two classes,
            # such dual variables would prove too early that margins are tiny.
            has_two = (problem.sign != problem.sign[0]).any()
            steepness = problem.bend if has_two else problem.stiffness
            return 1.0 / length + steepness * problem.total
        return problem.smoothing_length(sharpness)

    def look(self, sigma: float) -> Look:
        """Centre the intercept, and certify the point."""
        problem = self.problem
        smoothing = problem.loss.smoothing(self.anchor, sigma, problem.prices.C)
        point = self.point = centre(self._by_intercept, self.point, smoothing)
        beta, self.extra = dual_step(point.margins, smoothing, problem.weight)
        self.beta, self.slope = beta, problem.slope(point, beta)
        found, square = self._certified(point, beta)
        certificate = found.certificate
        if self.best is None or certificate.gap < self.best.certificate.gap:
            self.best, self._best_slope = found, (self.slope, square)
        moved = problem.weight @ (beta - self.anchor) ** 2
        return Look(certificate, square, moved, self.extra.any())

    def _certified(self, point, beta):
        """Return the pair with its certificate, and the square of the gradient.

        An expansion has a certificate of its own. Its gradient, too, is measured by what
        it adds to the gap: no product with the rows is needed.
        """
        problem, slope = self.problem, self.slope
        if self._has_own_forces:
            own = certify_by_own_forces(problem, point)
            if np.isfinite(own.certificate.gap):
                diagonal = problem.stiffness * problem.weight + self.extra
                return own, slope @ (slope / diagonal)
        square = problem.design.inner(slope, slope)
        certificate = problem.certify(point, beta, slope, square)
        return Certified(point, beta, certificate), square

    def curvature(self, extra) -> Curvature:
        """Return the second derivative in the scores, minimised over the intercept."""
        problem, along = self.problem, None
        if problem.fit_intercept:
            along = problem.border + extra
            along = along / np.sqrt(along.sum()) if along.sum() > 0 else None
        return Curvature(problem.weight, problem.stiffness, extra, problem.mean_part, along)

    def follow(self) -> None:
        """Move the anchor to the dual variables."""
        # A finite gap means that a point keeps the margin or the tube.
        if self.problem.is_hard and np.isinf(self.best.certificate.gap):
            refuse_impossible(self.problem, self.beta)
        self.anchor = self.beta

    def step(self, sigma: float, enough: float) -> float:
        """Take a Newton step of the best length, and return that length.

        The model of the step may stay above its minimum by ``enough``.
        """
        problem, point, design = self.problem, self.point, self.problem.design
        curvature, goals = self.curvature(self.extra), Goals(ACCURACY, enough)
        step, scores = design.newton_step(curvature, -self.slope, goals)
        # The step of the intercept that goes with these scores.
        mixed, offset = problem.border + self.extra, 0.0
        if problem.fit_intercept and mixed.sum() > 0:
            offset = -(mixed @ scores) / mixed.sum()
        slope = design.inner(step, point.w, point.scores)
        smoothing = problem.loss.smoothing(self.anchor, sigma, problem.prices.C)
        options = {"bend": design.inner(step, step, scores), "first": 1.0, "accuracy": 0.1}
        options["slope"] = slope + problem.prices.intercept * offset
        along = problem.sign * (scores + offset)
        length = search_along(problem, point.margins, along, smoothing, **options)
        self.point = problem.point(
            point.w + length * step,
            point.scores + length * scores,
            point.offset + length * offset,
        )
        return length

    def result(self) -> Certified:
        """Return the best point with its final intercept."""
        problem, beta = self.problem, self.best.beta
        if self.best.tangent is not None:
            return self.best
        point = settle(problem, self.best.point)
        return Certified(point, beta, problem.certify(point, beta, *self._best_slope))
