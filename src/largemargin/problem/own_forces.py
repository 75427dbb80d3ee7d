"""Forces as a dual point: the dual function of the coefficients of an expansion.

The coefficients of an expansion over the rows are forces, and forces are a dual point if
they are the sum of a pull of the loss and of slopes of the squared terms:

    sign_i force_i / s_i = beta_i + reward_i - spread (t_i - Mean(t)) - bend t_i

for margins t, the *tangent*, at which the squared terms are linearised. Of all such beta
and t the best have ``-beta_i in C loss'(t_i)``: the tangent has the margins that the forces
ask for. Then ``w`` has no gradient, and the gap has only the Fenchel gaps of the losses and
the squared terms of ``g - t``: it costs no product with the rows. This needs squared terms
of positive price.
"""

from typing import NamedTuple

import numpy as np

from largemargin.numerics.jit import JIT, njit
from largemargin.problem.certificate import Certificate, Certified
from largemargin.problem.line_search import minimise_along
from largemargin.problem.losses import proximal_step

# Forces that differ by more than this fraction of their size are not the same.
SAME = 1e-9


class Split(NamedTuple):
    """Forces split into pulls and slopes of the squared terms."""

    beta: np.ndarray
    tangent: np.ndarray
    extra: np.ndarray  # the curvature of the smoothed loss at the tangent
    level: float  # a first guess of the next one
    is_whole: bool  # whether the parts add up to the forces, which not all forces allow


def split_forces(problem, forces, smoothing, level=1.0) -> Split:
    """Return the best split of forces by a smoothed loss; ``level`` is a first guess."""
    anchor, sigma, pull = smoothing.after_a_move(problem.stiffness)
    lengths = smoothing.sigma, smoothing.sigma * smoothing.pull.ratio
    prices = problem.spread, problem.bend, problem.total
    parts = np.empty((3, len(forces)))
    rows = problem.sign, problem.weight, problem.rewards()
    level, off, size = fill_split(
        forces, *rows, *prices, anchor, sigma, pull, *lengths, level, *parts
    )
    beta, tangent, extra = parts
    return Split(beta, tangent, extra, level, off <= SAME * size)


@njit(**JIT)
def fill_split(
    forces,
    sign,
    weight,
    rewards,
    spread,
    bend,
    total,
    anchor,
    sigma,
    pull,
    lower,
    upper,
    level,
    beta,
    tangent,
    extra,
):
    """Fill in the parts; return the level, and by how much which pulls are missed.

    ``anchor``, ``sigma`` and ``pull`` are those after a move; ``lower`` and ``upper`` are
    the lengths of the proximal steps before it.
    """
    stiffness = spread + bend
    largest = 0.0
    for i in range(forces.shape[0]):
        pulled = sign[i] * forces[i] / weight[i]
        largest = max(largest, abs(pulled))
        tangent[i] = (rewards[i] - pulled) / stiffness
    if spread > 0.0:
        level = common_level(
            tangent, weight, spread, bend, total, anchor, sigma, pull, level, beta
        )
        tangent += level
    else:
        level = 0.0
    proximal_step(tangent, anchor, sigma, pull, weight, beta, extra)
    mean = 0.0
    for i in range(forces.shape[0]):
        if extra[i] > 0.0:
            extra[i] = weight[i] * (lower if extra[i] == sigma * weight[i] else upper)
        tangent[i] += beta[i] / stiffness
        mean += weight[i] * tangent[i] / total
    # The level stands for the mean of the tangent; elsewhere the parts are exact.
    off = abs(spread * mean - stiffness * level) if spread > 0.0 else 0.0
    return level, off, max(largest, abs(stiffness * level))


@njit(**JIT)
def common_level(levels, weight, spread, bend, total, anchor, sigma, pull, first, ones):
    """Return the shift of all levels at which the tangent has the mean that it should."""
    stiffness = spread + bend
    slope = size = 0.0
    low, high, least, most = np.inf, -np.inf, np.inf, -np.inf
    for i in range(levels.shape[0]):
        term = stiffness * (weight[i] * levels[i])
        slope -= term
        size += abs(term)
        low, high = min(low, levels[i]), max(high, levels[i])
        least, most = min(least, anchor[i]), max(most, anchor[i])
        ones[i] = 1.0
    curvature = total * bend * stiffness / spread
    level = minimise_along(
        levels, ones, weight, anchor, sigma, pull, slope, size, curvature, first, 0.0
    )
    # Beyond these levels all pulls are at their bounds. At C = 0 steps have no length.
    sigma = max(sigma, 1e-300)
    lowest = pull.low - high - 2.0 * max(pull.cap - least, 0.0) / sigma
    highest = pull.low - low + 2.0 * max(most - pull.rest, 0.0) / sigma
    if pull.floor < pull.rest:
        ramp = max(most - pull.floor, 0.0) / (pull.ratio * sigma)
        highest = max(highest, pull.high - low + 2.0 * ramp)
    return min(max(level, lowest), highest)


def certify_by_own_forces(problem, point) -> Certified:
    """Return an expansion with the dual variables and the tangent of its coefficients."""
    C, forces, margins = problem.prices.C, point.w, point.margins
    exact = problem.loss.exact(len(forces), C)
    split = split_forces(problem, forces, exact, problem.mean(margins))
    tangent, price = split.tangent, problem.prices.intercept
    is_dual = split.is_whole
    if problem.fit_intercept:
        size = np.abs(forces).sum() + abs(price)
        is_dual &= bool(abs(forces.sum() - price) <= SAME * size)
    # A variance does not depend on a common shift of the margins.
    if problem.bend == 0:
        tangent = tangent + problem.mean(margins - tangent)
    norm = problem.design.inner(forces, forces, point.scores)
    terms = problem.terms(margins, point.offset, split.beta, norm)
    gap = terms.gap + problem.squares(margins - tangent)
    certificate = Certificate(terms.primal, gap if is_dual else np.inf, terms.scale)
    return Certified(point, split.beta, certificate, tangent)


def way_to_a_kink(margins, beta, smoothing, rises):
    """Return how far margins, none of them on a ramp, are from the next, and its bend."""
    anchor, sigma, pull = smoothing
    upper = sigma * pull.ratio
    # Rows have one of these pulls when they reach the lower and the upper ramp.
    pulls = (pull.cap, pull.rest) if rises else (pull.rest, pull.floor)
    way, bends = np.full_like(margins, np.inf), np.full_like(margins, sigma)
    if pull.floor < pull.rest:
        is_next, end = beta == pulls[1], pull.high + (anchor - pulls[1]) / upper
        way[is_next], bends[is_next] = np.abs(margins - end)[is_next], upper
    is_next, end = beta == pulls[0], pull.low + (anchor - pulls[0]) / sigma
    way[is_next], bends[is_next] = np.abs(margins - end)[is_next], sigma
    return way, bends
