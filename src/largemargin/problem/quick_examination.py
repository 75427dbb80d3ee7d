"""The examination of small linear classifiers in one compiled loop.

Bounds the same errors as ``certificate.examine_kept``, roughly: sums may be added in any
order, and forces are balanced in one way only. For hundreds of rows, most of the time of
``examine_kept`` is spent between the lines of Python.
"""

import numpy as np

from largemargin.numerics.jit import JIT, SUM, njit
from largemargin.numerics.lines import add_row, dot
from largemargin.numerics.rounding import FEW, UNIT, growth
from largemargin.problem.intercept import squares_hold_it

# A squared difference of numbers near one has this error of its own.
OWN_ERROR = 1e-15


def is_quick(problem) -> bool:
    """Return whether the problem is one of classes that the quick examination knows."""
    prices, loss = problem.prices, problem.loss
    is_known = loss.is_one_sided and 0 < prices.C < np.inf and problem.tangent is None
    is_known &= prices.lambda_square == prices.intercept == 0 and not problem.origin.any()
    if not problem.fit_intercept or not is_known:
        return bool(is_known)
    # Forces are balanced by the squared terms, or by dual variables without a bound.
    return squares_hold_it(problem) or (not problem.is_curved and loss.ridge(1.0) > 0)


def numbers_of(problem) -> tuple:
    """Return the prices and sums of a problem, as compiled loops take them."""
    prices = problem.spread, problem.reward, problem.ridge, problem.loss.kink
    return *prices, problem.box[1], problem.total, problem.fit_intercept


def growths_of(n_rows: int, n_features: int) -> tuple[float, float, float]:
    """Return the relative errors of scores, of sums over rows and of the certificate."""
    return growth(n_features + 2), growth(n_rows + FEW), growth(FEW + 4 * n_rows)


@njit(**JIT)
def examine_quickly(rows, arrays, numbers, growths, u, beta, scores, margins):
    """Return objective, gap and the sum of absolute terms, rounding errors included.

    ``rows`` are those of the features, with a last column of ones if there is an intercept,
    which is then the last number of ``u``. ``arrays`` are the signs, the weights, the
    lengths of the rows and the border of the problem.
    """
    n_rows, size = rows.shape
    n = size - 1 if numbers[-1] else size
    offset = u[n] if numbers[-1] else 0.0
    work = np.empty((3, n_rows))
    errors, forces, force_errors = work[0], work[1], work[2]
    w = u[:n]
    for i in range(n_rows):
        scores[i] = dot(rows[i, :n], w)
    length = np.sqrt(dot(w, w))
    gap, own, primal, scale, moved = examine_rows(
        arrays,
        numbers,
        growths,
        beta,
        scores,
        offset,
        length,
        margins,
        errors,
        forces,
        force_errors,
    )
    slope = w.copy()
    for i in range(n_rows):
        add_row(rows[i, :n], -forces[i], slope)
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
    offset,
    length,
    margins,
    errors,
    forces,
    force_errors,
):
    """Fill in margins and forces, with bounds of their errors.

    Returns the gap without that of the gradient, the error of the objective, the objective,
    the sum of its absolute terms, and what rounding may add to the length of the gradient.
    """
    sign, weight, lengths, _ = rows
    spread, reward, ridge, kink, cap, total, is_free = numbers
    by_features, by_rows, by_sums = growths
    gap = own = loss = gain = gain_size = mean = squared_errors = 0.0
    for i in range(beta.shape[0]):
        margin = sign[i] * (scores[i] + offset)
        error = by_features * length * lengths[i] + 2.0 * UNIT * abs(margin)
        margins[i], errors[i] = margin, error
        loss += weight[i] * row_gap(margin, beta[i], ridge, kink, cap)[0]
        wide = error
        if ridge > 0.0:
            wide += OWN_ERROR * (abs(margin) + kink + ridge * beta[i])
        low = row_gap(margin - wide, beta[i], ridge, kink, cap)[1]
        high = row_gap(margin + wide, beta[i], ridge, kink, cap)[1]
        gap += weight[i] * max(low, high)
        below = max(kink - margin + error, 0.0)
        steepness = below / ridge if ridge > 0.0 else (cap if below > 0.0 else 0.0)
        own += weight[i] * (steepness + abs(reward)) * error
        gain += weight[i] * reward * margin
        gain_size += weight[i] * abs(reward * margin)
        mean += weight[i] * margin
        squared_errors += weight[i] * error * error
    mean /= total
    variance = sizes = 0.0
    for i in range(beta.shape[0]):
        variance += weight[i] * (margins[i] - mean) ** 2 / total
        sizes += weight[i] * abs(margins[i])
    off = np.sqrt(squared_errors / total)
    # spread = 4 lambda_var / total
    quadratic = 0.5 * length * length + 0.5 * spread * total * variance
    own += 0.5 * by_features * length * length
    own += 0.5 * spread * total * off * (2.0 * np.sqrt(variance) + off)
    scale = quadratic + abs(gain) + loss
    own += by_sums * (quadratic + gain_size + loss)
    mean_error = by_rows * sizes / total
    imbalance = hidden = 0.0
    for i in range(beta.shape[0]):
        deviation = margins[i] - mean
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
            errors,
            forces,
            force_errors,
            imbalance,
            hidden,
        )
    gap += by_losses + (by_squares + np.sqrt(0.5 * spread * total) * off) ** 2
    moved = 0.0
    for i in range(beta.shape[0]):
        moved += (by_rows * abs(forces[i]) + force_errors[i]) * lengths[i]
    return gap, own, quadratic - gain + loss, scale, moved


@njit(**SUM)
def balance_forces(
    rows, numbers, by_rows, beta, margins, errors, forces, force_errors, imbalance, hidden
):
    """Change the forces until they balance; return what that adds to the gap.

    The second number is added to the root of the gap of the squared terms. ``hidden``
    bounds an imbalance of either sign that rounding may hide.
    """
    _, weight, _, border = rows
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
