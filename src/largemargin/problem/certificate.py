"""Certificates: upper bounds of the distance of a point from the optimum.

``examine_kept`` includes rounding errors: it bounds the error of every number that enters
the certificate, so that the gap holds for the point exactly as it is kept. docs/rounding.md
derives these bounds. The design provides those of the rows by ``measure``,
``measure_closely`` and ``slope_length``.
"""

from typing import NamedTuple

import numpy as np

from largemargin.numerics.rounding import FEW, UNIT, growth
from largemargin.problem.certificate_loops import (
    careful_sum,
    fill_forces,
    fill_shift,
    sizes_of_errors,
)
from largemargin.problem.intercept import squares_hold_it
from largemargin.problem.points import Certificate, Point
from largemargin.problem.quick_examination import examine_measured, is_quick


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


class BalancedForces(NamedTuple):
    """Balanced forces, and what balancing them adds to the gap."""

    forces: np.ndarray
    by_losses: float = 0.0
    by_squares: float = 0.0  # its square is added


def examine_kept(
    problem, w, offset, beta, *, tol=0.0, offset_error=0.0, tangent=None
) -> Examined:
    """Return the certificate of a point as it is kept, rounding errors included.

    Errors are first bounded roughly, and closely if that leaves a gap above ``tol``; before
    both, in one compiled loop if it knows the problem.
    ``offset_error`` bounds the error of the intercept. ``tangent`` are the margins at which
    the squared terms are linearised, by default those of the point.
    """
    beta = np.clip(beta, *problem.box)
    rest = offset, beta, offset_error, tangent
    measured = problem.design.measure(w)
    if is_quick(problem):
        found = examine_measured(problem, w, measured, *rest)
        if found is not None and found[1].relative <= tol:
            point, certificate, least_margin, error = found
            nowhere = np.zeros(len(beta), dtype=bool)
            return Examined(point, beta, certificate, least_margin, error, nowhere)
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
    rounding = UNIT * np.abs(margins) + offset_error
    # A sum is no further from a term than the other term, even when rounded.
    terms_of_sum = np.abs(margins) + np.abs(problem.origin), np.abs(measured.scores) / UNIT
    rounding += UNIT * np.minimum(*terms_of_sum)
    errors = measured.errors + rounding
    gaps = np.empty_like(margins)
    problem.loss.worst_gaps(margins, errors, beta, prices.C, gaps)
    tangent = margins if tangent is None else tangent
    rewards = problem.rewards()
    balanced, force_errors = _balanced_forces(
        problem, margins, tangent, rewards, errors, beta
    )
    slope = problem.design.slope_length(w, balanced.forces, force_errors, closely)
    gap = problem.weight @ gaps + balanced.by_losses + 0.5 * slope**2
    if problem.is_curved:
        away = problem.mean((np.abs(margins - tangent) + errors) ** 2)
        price = 2.0 * prices.lambda_var + prices.lambda_square
        gap += (balanced.by_squares + np.sqrt(price * away)) ** 2
    unseen = measured.value_errors + rounding
    own = _objective_error(problem, margins, rewards, unseen, measured.square_error)
    own += abs(prices.intercept) * (offset_error + UNIT * abs(offset))
    own += growth(FEW + 4 * len(beta)) * terms.scale
    gap = (gap + own) * (1.0 + growth(FEW + 4 * len(beta)))
    least_margin = (margins - errors).min()
    is_violated = problem.has_hard_margin and least_margin < problem.loss.kink
    if not np.isfinite(gap) or is_violated:
        gap = np.inf
    # Divide the gap by no more than the true sum of the terms.
    scale = max(terms.scale - own, 0.0) if np.isfinite(terms.scale) else 1.0
    certificate = Certificate(terms.primal, gap, scale)
    # Squared terms depend on the margins of all rows.
    doubtful = (gaps > 0) | problem.is_curved
    return Examined(point, beta, certificate, least_margin, errors.max(), doubtful)


def _objective_error(problem, margins, rewards, errors, square_error):
    """Return a bound of the error of the computed objective."""
    weight, prices = problem.weight, problem.prices
    by_rewards, off, about, size = sizes_of_errors(
        margins, problem.mean(margins), errors, rewards, weight, problem.total
    )
    total = 0.5 * square_error + by_rewards
    total += 2.0 * prices.lambda_var * off * (2.0 * about + off)
    total += prices.lambda_square * off * (2.0 * size + off)
    if not problem.is_hard:
        slopes = [
            problem.loss.steepness(margins + side * errors, prices.C) for side in (-1, 1)
        ]
        total += weight @ (np.maximum(*slopes) * errors)
    return total


def _balanced_forces(problem, margins, tangent, rewards, margin_errors, beta):
    """Return the forces, balanced if there is an intercept, and bounds of their errors.

    Any forces bound the optimum from below if they come from dual variables of the losses
    and of the squared terms; the gap includes the cost of the change that balances them.
    """
    n_rows, sign, weight, spread = len(beta), problem.sign, problem.weight, problem.spread
    (forces, own), sizes = np.empty((2, n_rows)), np.empty((2, n_rows))
    squares = spread, problem.bend, problem.total
    away = fill_forces(beta, rewards, tangent, squares, sign, weight, forces, own, sizes)
    errors = FEW * UNIT * sizes[1] + weight * (spread * growth(n_rows + FEW) * away)
    if not problem.fit_intercept or _is_balanced_by_weights(problem, beta):
        return BalancedForces(forces), errors
    sensitivity = problem.loss.sensitivity(margins, beta, problem.prices.C)
    rows = beta, sensitivity + margin_errors, sign, weight, problem.border, problem.box
    price = problem.prices.intercept
    seen, size, hidden = forces, sizes[1].sum(), errors.sum()
    if problem.is_curved and not squares_hold_it(problem):
        # The forces of a variance that is independent of the intercept add up to zero.
        seen, size = own, sizes[0].sum()
        hidden = FEW * UNIT * size
    imbalance = careful_sum(seen) - price
    shift, rests = np.empty(n_rows), np.empty((2, n_rows))
    cost = fill_shift(*rows, imbalance, 0.0, shift)
    forces -= np.copysign(shift, imbalance)
    hidden += FEW * UNIT * (size + shift.sum() + abs(price))
    # The hidden imbalance may have either sign.
    both = [
        fill_shift(*rows, side * hidden, abs(imbalance), rest)
        for side, rest in zip((-1.0, 1.0), rests, strict=True)
    ]
    errors += np.maximum(*rests) + FEW * UNIT * shift
    return BalancedForces(forces, *np.add(cost, np.maximum(*both))), errors


def _is_balanced_by_weights(problem, beta):
    """Return whether all forces come from the mean, and both classes weigh the same."""
    rest = problem.is_curved or problem.prices.intercept or problem.tangent is not None
    if rest or beta.any():
        return False
    # The given weights are rounded numbers themselves.
    return abs(problem.sign @ problem.weight) <= growth(len(beta)) * problem.total
