"""Compiled loops of a certificate that includes rounding, see ``certificate``."""

import numpy as np

from largemargin.numerics.jit import JIT, SUM, njit


@njit(**JIT)
def careful_sum(values):
    """Return a sum whose error is a few units of its absolute terms, however many.

    What each addition loses is added up separately, as Neumaier proposed.
    """
    total = 0.0
    lost = 0.0
    for i in range(values.shape[0]):
        value = values[i]
        following = total + value
        if abs(total) >= abs(value):
            lost += (total - following) + value
        else:
            lost += (value - following) + total
        total = following
    return total + lost


@njit(**JIT)
def fill_forces(beta, rewards, tangent, squares, sign, weight, forces, own, sizes):
    """Fill in forces, the part of them without squared terms, and the sizes of both.

    ``squares`` are spread, bend and the sum of the weights; ``sizes`` has two rows: one for
    the sum of the terms of ``own``, one for all terms. Returns the mean distance of the
    tangent from its mean.
    """
    spread, bend, total = squares
    mean = 0.0
    for i in range(beta.shape[0]):
        mean += weight[i] * tangent[i]
    mean /= total
    # Rounding leaves a small mean, which matters where deviations are small.
    rest, away = 0.0, 0.0
    for i in range(beta.shape[0]):
        rest += weight[i] * (tangent[i] - mean)
        away += weight[i] * abs(tangent[i] - mean)
    rest /= total
    for i in range(beta.shape[0]):
        deviation = (tangent[i] - mean) - rest
        pull = beta[i] + rewards[i]
        own[i] = sign[i] * weight[i] * pull
        forces[i] = pull - spread * deviation - bend * tangent[i]
        forces[i] *= sign[i] * weight[i]
        sizes[0, i] = weight[i] * (abs(beta[i]) + abs(rewards[i]))
        slopes = spread * abs(deviation) + bend * abs(tangent[i])
        sizes[1, i] = sizes[0, i] + weight[i] * slopes
    return away / total


@njit(**JIT)
def fill_shift(beta, sensitivity, sign, weight, border, box, imbalance, taken, out):
    """Fill in the cheaper of two changes of forces that remove an imbalance.

    Returns what it adds to the gap: a number, and a number whose square is added.
    ``sensitivity`` bounds what a unit of change in each dual variable adds to the gap;
    ``taken`` is how much of their room is in use already.
    """
    floor, cap = box
    if imbalance == 0.0:
        out[:] = 0.0
        return 0.0, 0.0
    # Either move all dual variables by the same part of their room,
    size = abs(imbalance)
    for i in range(beta.shape[0]):
        room = beta[i] - floor if sign[i] * imbalance > 0.0 else cap - beta[i]
        out[i] = weight[i] * (abs(beta[i]) if np.isinf(room) else room)
    by_losses = np.inf
    whole = careful_sum(out)
    if size + taken <= whole:
        by_losses = 0.0
        for i in range(beta.shape[0]):
            out[i] *= size / whole
            by_losses += out[i] * sensitivity[i]
    # or linearise the squared terms at another intercept.
    whole = careful_sum(border)
    if whole > 0.0:
        by_squares = size / np.sqrt(2.0 * whole)
        if by_squares * by_squares < by_losses:
            for i in range(beta.shape[0]):
                out[i] = border[i] * (size / whole)
            return 0.0, by_squares
    return by_losses, 0.0


@njit(**SUM)
def sizes_of_errors(margins, mean, errors, rewards, weight, total):
    """Return what errors of the margins do to the rewards, and three mean sizes.

    These are the roots of the mean squares of the errors, of the margins about their mean,
    and of the margins.
    """
    by_rewards, off, about, size = 0.0, 0.0, 0.0, 0.0
    for i in range(margins.shape[0]):
        by_rewards += weight[i] * abs(rewards[i]) * errors[i]
        off += weight[i] * errors[i] ** 2
        about += weight[i] * (margins[i] - mean) ** 2
        size += weight[i] * margins[i] ** 2
    return by_rewards, np.sqrt(off / total), np.sqrt(about / total), np.sqrt(size / total)
