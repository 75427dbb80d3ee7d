"""Certificates: upper bounds of the distance of a point from the optimum.

``examine_kept`` includes rounding errors: it bounds the error of every number that enters
the certificate, so that the gap holds for the point exactly as it is kept. docs/rounding.md
derives these bounds. The design provides those of the rows by ``measure``,
``measure_closely`` and ``slope_length``.
"""

from typing import NamedTuple, Self

import numpy as np

from largemargin.numerics.rounding import FEW, UNIT, growth
from largemargin.problem.intercept import squares_hold_it


class Point(NamedTuple):
    """A point of the primal space: element, intercept, scores and margins."""

    w: np.ndarray
    offset: float
    scores: np.ndarray
    margins: np.ndarray


class Certificate(NamedTuple):
    """The objective at a primal point, and a bound of its distance from the optimum."""

    primal: float
    gap: float
    scale: float

    @property
    def relative(self) -> float:
        """The gap divided by the sum of the absolute terms of the objective."""
        if self.gap == 0:
            return 0.0
        return self.gap / self.scale if self.scale > 0 else np.inf

    def above(self, bound: float) -> Self:
        """Return the certificate of the same point by another lower bound."""
        return self._replace(gap=min(self.gap, max(self.primal - bound, 0.0)))

    def at(self, primal: float) -> Self:
        """Return the certificate of another point by the same lower bound."""
        return self._replace(primal=primal, gap=self.gap + max(primal - self.primal, 0.0))


class Certified(NamedTuple):
    """A point, dual variables that bound the optimum, and the resulting certificate."""

    point: Point
    beta: np.ndarray
    certificate: Certificate
    # The margins at which the certificate linearises the squared terms, if not its own.
    tangent: np.ndarray | None = None


class Examined(NamedTuple):
    """A kept point, with the dual variables and the certificate that belong to it."""

    point: Point
    beta: np.ndarray
    certificate: Certificate
    least_margin: float  # a lower bound of all margins
    margin_error: float  # an upper bound of their rounding errors
    doubtful: np.ndarray  # the rows whose rounding matters


class Shift(NamedTuple):
    """Forces, or a change that balances them, and what balancing adds to the gap."""

    forces: np.ndarray
    by_losses: float = 0.0
    by_squares: float = 0.0  # its square is added

    @property
    def cost(self) -> float:
        """What the change adds to the gap."""
        return self.by_losses + self.by_squares**2


def examine_kept(
    problem, w, offset, beta, *, tol=0.0, offset_error=0.0, tangent=None
) -> Examined:
    """Return the certificate of a point as it is kept, rounding errors included.

    Errors are first bounded roughly, and closely if that leaves a gap above ``tol``.
    ``offset_error`` bounds the error of the intercept. ``tangent`` are the margins at which
    the squared terms are linearised, by default those of the point.
    """
    beta = np.clip(beta, *problem.box)
    rest = offset, beta, offset_error, tangent
    measured = problem.design.measure(w)
    rough = _certify_measured(problem, w, measured, *rest)
    if rough.certificate.relative <= tol:
        return rough
    measured = problem.design.measure_closely(w, measured, rough.doubtful)
    close = _certify_measured(problem, w, measured, *rest, closely=True)
    return min(close, rough, key=lambda one: one.certificate.relative)


def _certify_measured(
    problem, w, measured, offset, beta, offset_error, tangent, closely=False
):
    prices = problem.prices
    point = problem.point(w, measured.scores, offset)
    margins = point.margins
    terms = problem.terms(margins, offset, beta, measured.square)
    # The error of adding the intercept and of subtracting the origin.
    rounding = UNIT * (2.0 * np.abs(margins) + np.abs(problem.origin)) + offset_error
    errors = measured.errors + rounding
    gaps = np.empty_like(margins)
    problem.loss.worst_gaps(margins, errors, beta, prices.C, gaps)
    tangent = margins if tangent is None else tangent
    balanced, force_errors = _balanced_forces(problem, margins, tangent, errors, beta)
    slope = problem.design.slope_length(w, balanced.forces, force_errors, closely)
    gap = problem.weight @ gaps + balanced.by_losses + 0.5 * slope**2
    if problem.is_curved:
        away = problem.mean((np.abs(margins - tangent) + errors) ** 2)
        price = 2.0 * prices.lambda_var + prices.lambda_square
        gap += (balanced.by_squares + np.sqrt(price * away)) ** 2
    unseen = measured.value_errors + rounding
    own = _objective_error(problem, margins, unseen, measured.square_error)
    own += abs(prices.intercept) * (offset_error + UNIT * abs(offset))
    own += growth(FEW + 4 * len(beta)) * terms.scale
    gap = (gap + own) * (1.0 + growth(FEW + 4 * len(beta)))
    least_margin = (margins - errors).min()
    is_violated = problem.is_hard and least_margin < problem.loss.kink
    if not np.isfinite(gap) or is_violated:
        gap = np.inf
    # Divide the gap by no more than the true sum of the terms.
    scale = max(terms.scale - own, 0.0) if np.isfinite(terms.scale) else 1.0
    certificate = Certificate(terms.primal, gap, scale)
    # Squared terms depend on the margins of all rows.
    doubtful = (gaps > 0) | problem.is_curved
    return Examined(point, beta, certificate, least_margin, errors.max(), doubtful)


def _objective_error(problem, margins, errors, square_error):
    """Return a bound of the error of the computed objective."""
    weight, prices = problem.weight, problem.prices
    total = 0.5 * square_error + weight @ (np.abs(problem.rewards()) * errors)
    off = np.sqrt(problem.mean(errors**2))
    if prices.lambda_var > 0:
        spread = np.sqrt(problem.mean(problem.centred(margins) ** 2))
        total += 2.0 * prices.lambda_var * off * (2.0 * spread + off)
    if prices.lambda_square > 0:
        size = np.sqrt(problem.mean(margins**2))
        total += prices.lambda_square * off * (2.0 * size + off)
    if not problem.is_hard:
        slopes = [
            problem.loss.steepness(margins + side * errors, prices.C) for side in (-1, 1)
        ]
        total += weight @ (np.maximum(*slopes) * errors)
    return total


def _balanced_forces(problem, margins, tangent, margin_errors, beta):
    """Return the forces, balanced if there is an intercept, and bounds of their errors.

    Any forces bound the optimum from below if they come from dual variables of the losses
    and of the squared terms; the gap includes the cost of the change that balances them.
    """
    sign, weight, spread = problem.sign, problem.weight, problem.spread
    deviation = tangent - problem.mean(tangent)
    mean_error = growth(len(sign) + FEW) * problem.mean(np.abs(deviation))
    deviation -= problem.mean(deviation)
    forces = beta + problem.rewards() - spread * deviation - problem.bend * tangent
    forces *= sign * weight
    own_sizes = weight * (np.abs(beta) + np.abs(problem.rewards()))
    square_sizes = spread * np.abs(deviation) + problem.bend * np.abs(tangent)
    sizes = own_sizes + weight * square_sizes
    errors = FEW * UNIT * sizes + weight * (spread * mean_error)
    if not problem.fit_intercept or _is_balanced_by_weights(problem, beta):
        return Shift(forces), errors
    sensitivity = problem.loss.sensitivity(margins, beta, problem.prices.C)
    sensitivity = sensitivity + margin_errors
    price = problem.prices.intercept
    seen, hidden = forces, errors.sum()
    if problem.is_curved and not squares_hold_it(problem):
        # The forces of a variance that is independent of the intercept add up to zero.
        seen, sizes = sign * weight * (beta + problem.rewards()), own_sizes
        hidden = FEW * UNIT * sizes.sum()
    imbalance = seen.sum() - price
    shift = _cheapest_shift(problem, sensitivity, beta, imbalance)
    forces -= np.copysign(shift.forces, imbalance)
    hidden += FEW * UNIT * (sizes.sum() + shift.forces.sum() + abs(price))
    # The hidden imbalance may have either sign.
    rests = [
        _cheapest_shift(problem, sensitivity, beta, sign * hidden, abs(imbalance))
        for sign in (-1, 1)
    ]
    rest = Shift(*(np.maximum(*sides) for sides in zip(*rests, strict=True)))
    errors = errors + rest.forces + FEW * UNIT * shift.forces
    return Shift(forces, *np.add(shift[1:], rest[1:])), errors


def _is_balanced_by_weights(problem, beta):
    """Return whether all forces come from the mean, and both classes weigh the same."""
    rest = problem.is_curved or problem.prices.intercept or problem.tangent is not None
    if rest or beta.any():
        return False
    # The given weights are rounded numbers themselves.
    return abs(problem.sign @ problem.weight) <= growth(len(beta)) * problem.total


def _cheapest_shift(problem, sensitivity, beta, imbalance, taken=0.0):
    """Return the cheaper of two ways to remove an imbalance.

    ``sensitivity`` bounds what a unit of change in each dual variable adds to the gap;
    ``taken`` is how much of their room is in use already.
    """
    if imbalance == 0:
        return Shift(np.zeros_like(beta))
    # Either move all dual variables by the same part of their room,
    weight, (floor, cap) = problem.weight, problem.box
    falls, size = problem.sign * imbalance > 0, abs(imbalance)
    room = np.where(falls, beta - floor, cap - beta)
    room = weight * np.where(np.isinf(room), np.abs(beta), room)
    by_losses = Shift(room, by_losses=np.inf)
    whole = room.sum()
    if size + taken <= whole:
        forces = room * (size / whole)
        by_losses = Shift(forces, by_losses=forces @ sensitivity)
    # or linearise the squared terms at another intercept.
    seen, whole = problem.border, problem.border.sum()
    by_squares = Shift(seen, by_squares=np.inf)
    if whole > 0:
        cost = size / np.sqrt(2.0 * whole)
        by_squares = Shift(seen * (size / whole), by_squares=cost)
    return min(by_losses, by_squares, key=lambda shift: shift.cost)
