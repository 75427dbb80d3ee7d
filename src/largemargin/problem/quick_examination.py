"""The examination of classifiers in one compiled loop.

Bounds the same errors as ``certificate.examine_kept``, roughly: sums may be added in any
order, and forces are balanced in one way only. For hundreds of rows, most of the time of
the careful examination is spent between the lines of Python, so this one comes first.
"""

import numpy as np

from largemargin.numerics.jit import JIT, SUM, njit
from largemargin.numerics.lines import add_row, dot
from largemargin.numerics.rounding import FEW, UNIT, growth
from largemargin.problem.intercept import squares_hold_it
from largemargin.problem.points import Certificate, Point

# A squared difference of numbers near one has this error of its own.
OWN_ERROR = 1e-15


def is_quick(problem) -> bool:
    """Return whether the problem is one of classes that the quick examination knows."""
    if not problem.fit_intercept or not problem.is_plain_ldm:
        return problem.is_plain_ldm
    # Forces are balanced by the squared terms, or by dual variables without a bound.
    is_smooth = problem.loss.ridge(1.0) > 0
    return squares_hold_it(problem) or (not problem.is_curved and is_smooth)


def numbers_of(problem) -> tuple:
    """Return the prices and sums of a problem, as compiled loops take them."""
    prices = problem.spread, problem.reward, problem.ridge, problem.loss.kink
    return *prices, problem.box[1], problem.total, problem.fit_intercept


def growths_of(n_rows: int, n_features: int) -> tuple[float, float, float]:
    """Return the relative errors of scores, of sums over rows and of the certificate."""
    return growth(n_features + 2), growth(n_rows + FEW), growth(FEW + 4 * n_rows)


def examine_measured(problem, w, measured, offset, beta, offset_error, tangent):
    """Return point, certificate, least margin and largest error, for any design.

    ``tangent`` are the margins at which the squared terms are linearised, None for those of
    the point.
    """
    n_rows, scores = len(beta), measured.scores
    margins, margin_errors, forces, force_errors = np.empty((4, n_rows))
    numbers, growths = numbers_of(problem), growths_of(n_rows, n_rows)
    gap, own, primal, scale, least = examine_rows(
        (problem.sign, problem.weight, problem.border),
        numbers,
        growths,
        beta,
        scores,
        (offset, offset_error, measured.square, measured.square_error),
        measured.errors,
        measured.value_errors,
        margins if tangent is None else tangent,
        margins,
        margin_errors,
        forces,
        force_errors,
    )
    if not np.isfinite(gap):
        return None
    slope = problem.design.slope_length(w, forces, force_errors)
    gap = (gap + 0.5 * slope**2 + own) * (1.0 + growths[2])
    certificate = Certificate(primal, gap, max(scale - own, 0.0))
    return Point(w, offset, scores, margins), certificate, least, margin_errors.max()


@njit(**JIT)
def examine_quickly(rows, arrays, numbers, growths, u, beta, scores, margins):
    """Return objective, gap and the sum of absolute terms, rounding errors included.

    ``rows`` are those of the features, with a last column of ones if there is an intercept,
    which is then the last number of ``u``. ``arrays`` are the signs, the weights, the
    lengths of the rows and the border of the problem.
    """
    sign, weight, lengths, border = arrays
    n_rows, size = rows.shape
    n = size - 1 if numbers[-1] else size
    offset = u[n] if numbers[-1] else 0.0
    work = np.empty((4, n_rows))
    errors, margin_errors, forces, force_errors = work[0], work[1], work[2], work[3]
    w = u[:n]
    square = dot(w, w)
    length = np.sqrt(square)
    for i in range(n_rows):
        scores[i] = dot(rows[i, :n], w)
        errors[i] = growths[0] * length * lengths[i]
    gap, own, primal, scale, _ = examine_rows(
        (sign, weight, border),
        numbers,
        growths,
        beta,
        scores,
        (offset, 0.0, square, growths[0] * square),
        errors,
        errors,
        margins,
        margins,
        margin_errors,
        forces,
        force_errors,
    )
    slope, moved = w.copy(), 0.0
    for i in range(n_rows):
        add_row(rows[i, :n], -forces[i], slope)
        moved += (growths[1] * abs(forces[i]) + force_errors[i]) * lengths[i]
    steepness = (1.0 + growths[0]) * np.sqrt(dot(slope, slope)) + growths[1] * length
    gap += 0.5 * (steepness + moved) ** 2
    return primal, (gap + own) * (1.0 + growths[2]), max(scale - own, 0.0)


@njit(**JIT)
def row_gap(margin, beta, ridge, kink, cap):
    """Return the loss and the Fenchel gap of one row, per unit of weight."""
    below, above = max(kink - margin, 0.0), max(margin - kink, 0.0)
    if ridge == 0.0:
        return cap * below, (cap - beta) * below + beta * above
    short = below - ridge * beta
    return 0.5 * below * below / ridge, 0.5 * short * short / ridge + beta * above


@njit(**SUM)
def examine_rows(
    rows,
    numbers,
    growths,
    beta,
    scores,
    element,
    errors,
    value_errors,
    tangent,
    margins,
    margin_errors,
    forces,
    force_errors,
):
    """Fill in margins and forces, with bounds of their errors.

    ``rows`` are the signs, the weights and the border of the problem. ``element`` has the
    intercept and the squared length of ``w``, each followed by a bound of its error;
    ``errors`` bounds those of the scores, ``value_errors`` what matters of these for the
    objective. ``tangent`` may be the array of the margins itself.

    Returns the gap without that of the gradient, the error of the objective, the objective,
    the sum of its absolute terms, and a lower bound of all margins.
    """
    sign, weight, _ = rows
    spread, reward, ridge, kink, cap, total, is_free = numbers
    offset, offset_error, square, square_error = element
    _, by_rows, by_sums = growths
    gap = own = loss = gain = gain_size = mean = squared_errors = 0.0
    least = np.inf
    for i in range(beta.shape[0]):
        margin = sign[i] * (scores[i] + offset)
        rounding = 2.0 * UNIT * abs(margin) + offset_error
        error, unseen = errors[i] + rounding, value_errors[i] + rounding
        margins[i], margin_errors[i] = margin, error
        least = min(least, margin - error)
        loss += weight[i] * row_gap(margin, beta[i], ridge, kink, cap)[0]
        wide = error
        if ridge > 0.0:
            wide += OWN_ERROR * (abs(margin) + kink + ridge * beta[i])
        low = row_gap(margin - wide, beta[i], ridge, kink, cap)[1]
        high = row_gap(margin + wide, beta[i], ridge, kink, cap)[1]
        gap += weight[i] * max(low, high)
        below = max(kink - margin + unseen, 0.0)
        steepness = below / ridge if ridge > 0.0 else (cap if below > 0.0 else 0.0)
        own += weight[i] * (steepness + abs(reward)) * unseen
        gain += weight[i] * reward * margin
        gain_size += weight[i] * abs(reward * margin)
        mean += weight[i] * margin
        squared_errors += weight[i] * unseen * unseen
    mean /= total
    variance = sizes = away = tangent_mean = 0.0
    for i in range(beta.shape[0]):
        variance += weight[i] * (margins[i] - mean) ** 2 / total
        away += weight[i] * (abs(margins[i] - tangent[i]) + margin_errors[i]) ** 2 / total
        tangent_mean += weight[i] * tangent[i] / total
        sizes += weight[i] * abs(tangent[i])
    off = np.sqrt(squared_errors / total)
    # spread = 4 lambda_var / total
    quadratic = 0.5 * max(square, 0.0) + 0.5 * spread * total * variance
    own += 0.5 * square_error
    own += 0.5 * spread * total * off * (2.0 * np.sqrt(variance) + off)
    scale = quadratic + abs(gain) + loss
    own += by_sums * (quadratic + gain_size + loss)
    mean_error = by_rows * sizes / total
    imbalance = hidden = 0.0
    for i in range(beta.shape[0]):
        deviation = tangent[i] - tangent_mean
        size = beta[i] + abs(reward) + spread * abs(deviation)
        forces[i] = sign[i] * weight[i] * (beta[i] + reward - spread * deviation)
        force_errors[i] = weight[i] * (FEW * UNIT * size + spread * mean_error)
        imbalance += forces[i]
        hidden += force_errors[i] + 2.0 * by_rows * weight[i] * size
    by_losses = by_squares = 0.0
    if is_free:
        by_losses, by_squares = balance_forces(
            rows,
            numbers,
            by_rows,
            beta,
            margins,
            margin_errors,
            forces,
            force_errors,
            imbalance,
            hidden,
        )
    gap += by_losses + (by_squares + np.sqrt(0.5 * spread * total * away)) ** 2
    return gap, own, quadratic - gain + loss, scale, least


@njit(**SUM)
def balance_forces(
    rows, numbers, by_rows, beta, margins, errors, forces, force_errors, imbalance, hidden
):
    """Change the forces until they balance; return what that adds to the gap.

    The second number is added to the root of the gap of the squared terms. ``hidden``
    bounds an imbalance of either sign that rounding may hide.
    """
    _, weight, border = rows
    spread, _, ridge, kink, _, _, _ = numbers
    whole = price = 0.0
    for i in range(beta.shape[0]):
        room = border[i] if spread > 0.0 else weight[i] * beta[i]
        whole += room
        price += room * (abs(margins[i] - kink) + 2.0 * ridge * beta[i] + errors[i])
    size = abs(imbalance) + hidden
    if not whole > 0.0 or (spread == 0.0 and size > whole):
        return np.inf, 0.0
    for i in range(beta.shape[0]):
        room = border[i] if spread > 0.0 else weight[i] * beta[i]
        change = imbalance * (room / whole)
        forces[i] -= change
        force_errors[i] += hidden * (room / whole) + 2.0 * by_rows * abs(change)
    if spread > 0.0:
        return 0.0, size / np.sqrt(2.0 * whole)
    return size * (price / whole), 0.0
