"""How far from the optimum a point is at the most.

``examine_kept`` covers its own rounding: every number that enters the certificate is taken
with a bound of its error, so that the gap is that of the point which is kept and not of its
rounded image. docs/rounding.md derives it. What the bounds need of the rows, the design
tells: ``measure``, ``measure_closely`` and ``slope_length``.
"""

from typing import NamedTuple

import numpy as np

from largemargin.numerics.rounding import FEW, UNIT, growth
from largemargin.problem.intercept import squares_hold_it


class Certificate(NamedTuple):
    """Value of a primal point and its certified distance from the optimum."""

    primal: float
    gap: float
    scale: float

    @property
    def relative(self):
        """The gap divided by the sizes of the terms of the objective."""
        if self.gap == 0:
            return 0.0
        return self.gap / self.scale if self.scale > 0 else np.inf

    def above(self, bound):
        """Return the certificate of the same point by another lower bound."""
        return self._replace(gap=min(self.gap, max(self.primal - bound, 0.0)))

    def at(self, primal):
        """Return the certificate of another point by the same lower bound."""
        return self._replace(primal=primal, gap=self.gap + max(primal - self.primal, 0.0))


class Examined(NamedTuple):
    """A kept point, with the dual variables and the certificate that belong to it.

    ``least_margin`` is what no margin is below, whatever its rounding, which is no more
    than ``margin_error``; ``doubtful`` are the rows whose rounding matters.
    """

    point: object
    beta: np.ndarray
    certificate: Certificate
    least_margin: float
    margin_error: float
    doubtful: np.ndarray


class Balanced(NamedTuple):
    """The forces of the rows, bounds of their errors, and what balancing them costs.

    The cost is ``by_losses`` and the square of ``by_squares``.
    """

    forces: np.ndarray
    errors: np.ndarray
    by_losses: float = 0.0
    by_squares: float = 0.0


def examine_kept(problem, w, offset, beta, *, tol=0.0, offset_error=0.0, tangent=None):
    """Return the certificate of a point as it is kept, errors of rounding included.

    Errors are bounded roughly at first, and closely where that leaves a gap above ``tol``.
    ``offset_error`` is by how much the intercept may differ from the one that is kept,
    ``tangent`` the margins at which tangents of squares are taken, its own if None.
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
    point = problem.point(w, measured.scores, offset)
    margins = point.margins
    terms = problem.terms(margins, offset, beta, measured.square)
    # That of the sum with the intercept, and that of the difference from the origin.
    rounding = UNIT * (2.0 * np.abs(margins) + np.abs(problem.origin)) + offset_error
    errors = measured.errors + rounding
    gaps = _worst_gaps(problem, margins, errors, beta)
    tangent = margins if tangent is None else tangent
    pull = _balanced_forces(problem, margins, tangent, errors, beta)
    slope = problem.design.slope_length(w, pull.forces, pull.errors, closely)
    gap = problem.weight @ gaps + pull.by_losses + 0.5 * slope**2
    if problem.is_curved:
        away = problem.mean((np.abs(margins - tangent) + errors) ** 2)
        price = 2.0 * problem.prices.lambda_var + problem.prices.lambda_square
        gap += (pull.by_squares + np.sqrt(price * away)) ** 2
    unseen = measured.value_errors + rounding
    own = _objective_error(problem, margins, unseen, measured.square_error)
    own += abs(problem.prices.intercept) * (offset_error + UNIT * abs(offset))
    own += growth(FEW + 4 * len(beta)) * terms.scale
    gap = (gap + own) * (1.0 + growth(FEW + 4 * len(beta)))
    least_margin = (margins - errors).min()
    is_violated = problem.is_hard and least_margin < problem.loss.kink
    if not np.isfinite(gap) or is_violated:
        gap = np.inf
    # The gap is divided by no more than the terms really add up to.
    scale = max(terms.scale - own, 0.0) if np.isfinite(terms.scale) else 1.0
    certificate = Certificate(terms.primal, gap, scale)
    extremes = least_margin, errors.max()
    return Examined(point, beta, certificate, *extremes, gaps > 0)


def _objective_error(problem, margins, errors, square_error):
    """Return how far the objective may be from the one that was computed."""
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


def _worst_gaps(problem, margins, errors, beta):
    """Return the Fenchel gap of each row at the worst margin within its error."""
    out = np.empty_like(margins)
    problem.loss.worst_gaps(margins, errors, beta, problem.prices.C, out)
    return out


def _balanced_forces(problem, margins, tangent, margin_errors, beta):
    """Return the forces, balanced where an intercept asks for it.

    Any forces bound the optimum from below if they come from dual variables of the losses
    and of the squares; the change that balances them is paid for in the gap.
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
        return Balanced(forces, errors)
    sensitivity = problem.loss.sensitivity(margins, beta, problem.prices.C)
    sensitivity = sensitivity + margin_errors
    price = problem.prices.intercept
    seen, hidden = forces, errors.sum()
    if problem.is_curved and not squares_hold_it(problem):
        # Forces of a variance that does not see the intercept add up to zero exactly.
        seen, sizes = sign * weight * (beta + problem.rewards()), own_sizes
        hidden = FEW * UNIT * sizes.sum()
    imbalance = seen.sum() - price
    shift = _cheapest_shift(problem, sensitivity, beta, imbalance)
    forces -= np.copysign(shift.forces, imbalance)
    hidden += FEW * UNIT * (sizes.sum() + shift.forces.sum() + abs(price))
    # It may have either sign.
    rests = [
        _cheapest_shift(problem, sensitivity, beta, sign * hidden, abs(imbalance))
        for sign in (-1, 1)
    ]
    rest = Shift(*(np.maximum(*sides) for sides in zip(*rests, strict=True)))
    errors = errors + rest.forces + FEW * UNIT * shift.forces
    by_losses, by_squares = np.add(shift[1:], rest[1:])
    return Balanced(forces, errors, by_losses, by_squares)


def _is_balanced_by_weights(problem, beta):
    """Return whether nothing pulls but the mean, and classes of the same weight.

    That is a matter of the weights as they were given, which are rounded themselves.
    """
    rest = problem.is_curved or problem.prices.intercept or problem.tangent is not None
    if rest or beta.any():
        return False
    return abs(problem.sign @ problem.weight) <= growth(len(beta)) * problem.total


class Shift(NamedTuple):
    """Forces that take up an imbalance, by their sizes, and what they cost.

    The cost is ``by_losses`` and the square of ``by_squares``.
    """

    forces: np.ndarray
    by_losses: float = 0.0
    by_squares: float = 0.0

    @property
    def cost(self):
        """What the change adds to the gap."""
        return self.by_losses + self.by_squares**2


def _cheapest_shift(problem, sensitivity, beta, imbalance, taken=0.0):
    """Return the cheaper way to take up an imbalance; so much room is ``taken`` already."""
    if imbalance == 0:
        return Shift(np.zeros_like(beta))
    by_losses = _shift_of_losses(problem, sensitivity, beta, imbalance, taken)
    by_squares = _shift_of_squares(problem, imbalance)
    return min(by_losses, by_squares, key=lambda shift: shift.cost)


def _shift_of_losses(problem, sensitivity, beta, imbalance, taken):
    """Let the dual variables take it up, each by the same part of its room.

    ``sensitivity`` is what a unit of change in each adds to the gap at the most.
    """
    weight, (floor, cap) = problem.weight, problem.box
    falls = problem.sign * imbalance > 0
    room = np.where(falls, beta - floor, cap - beta)
    room = weight * np.where(np.isinf(room), np.abs(beta), room)
    whole = room.sum()
    if not abs(imbalance) + taken <= whole:
        return Shift(room, by_losses=np.inf)
    forces = room * (abs(imbalance) / whole)
    return Shift(forces, by_losses=forces @ sensitivity)


def _shift_of_squares(problem, imbalance):
    """Let the squares of margins take it up: tangents are taken at another intercept."""
    seen = problem.border
    whole = seen.sum()
    if not whole > 0:
        return Shift(seen, by_squares=np.inf)
    cost = abs(imbalance) / np.sqrt(2.0 * whole)
    return Shift(seen * (abs(imbalance) / whole), by_squares=cost)
