"""Newton's method for the squared hinge on few features, as one compiled loop.

With hundreds of rows a step of ``newton`` takes longer in Python than in its loops. Here
the score of a row is ``a . u`` with ``a = (x, 1)`` and ``u = (w, b)``, and the objective is

    u' K u / 2 - reward mean . u + sum s (kink - margin)_+^2 / (2 ridge)

with the second derivative ``K + sum s a a' / ridge`` over the *active* rows, below the
kink. From step to step only the rows that became active or inactive are added or removed.
"""

import numpy as np

from largemargin.numerics.jit import JIT, njit
from largemargin.numerics.lines import (
    add_row,
    dot,
    multiply_symmetric,
    solve_factorised,
)
from largemargin.problem.line_search import minimise_along

# Steps that suffice by far.
MAX_STEPS = 50


@njit(**JIT)
def newton_on_rows(rows, sign, weight, metric, moment, mean, numbers, smoothing, tol, u):
    """Minimise over ``u``, which is zero at first; return steps, and whether it got there.

    ``metric`` is K, ``moment`` the second moment of all rows and ``mean`` the sum of the
    signed ones. ``moment`` is changed. Only lower triangles are used.
    """
    _, reward, ridge, kink, _, _, is_free = numbers
    anchor, sigma, pull = smoothing
    n_rows, size = rows.shape
    n = size - 1 if is_free else size
    matrix = np.empty((size, size))
    vectors = np.zeros((4, size))
    image, slope, step, step_image = vectors[0], vectors[1], vectors[2], vectors[3]
    # At first, all margins are zero and all rows active.
    arrays = np.zeros((3, n_rows))
    margins, beta, along = arrays[0], arrays[1], arrays[2]
    active = np.ones(n_rows)
    for n_steps in range(MAX_STEPS + 1):
        if is_free:
            centre(u, image, margins, sign, weight, metric, mean, reward, smoothing)
        quadratic, gain = 0.0, 0.0
        for j in range(size):
            quadratic += 0.5 * u[j] * image[j]
            gain += reward * mean[j] * u[j]
            slope[j] = image[j] - reward * mean[j]
        loss = 0.0
        for i in range(beta.shape[0]):
            below = max(kink - margins[i], 0.0)
            beta[i] = below / ridge
            loss += 0.5 * weight[i] * below * beta[i]
            if below > 0.0:
                add_row(rows[i], -sign[i] * weight[i] * beta[i], slope)
        gap, scale = 0.5 * dot(slope[:n], slope[:n]), quadratic + abs(gain) + loss
        if gap <= tol * scale:
            return n_steps, True
        update_moment(rows, weight, beta, active, moment)
        for j in range(size):
            for k in range(j + 1):
                matrix[j, k] = metric[j, k] + moment[j, k] / ridge
            step[j] = -slope[j]
        if is_free and matrix[n, n] == 0.0:  # neither rows nor squares hold it
            matrix[n, n] = 1.0
        solve_factorised(np.linalg.cholesky(matrix).T, step)
        multiply_symmetric(metric, step, step_image)
        tilt = dot(step, image) - reward * dot(step, mean)
        bend = dot(step, step_image)
        for i in range(beta.shape[0]):
            along[i] = sign[i] * dot(rows[i], step)
        length = minimise_along(
            margins, along, weight, anchor, sigma, pull, tilt, abs(tilt), bend, 1.0, 0.1
        )
        for j in range(size):
            u[j] += length * step[j]
            image[j] += length * step_image[j]
        for i in range(beta.shape[0]):
            margins[i] += length * along[i]
    return MAX_STEPS, False


@njit(**JIT)
def centre(u, image, margins, sign, weight, metric, mean, reward, smoothing):
    """Move the intercept, the last number of ``u``, to its best value."""
    anchor, sigma, pull = smoothing
    last = u.shape[0] - 1
    slope = image[last] - reward * mean[last]
    noise = abs(image[last]) + abs(reward * mean[last])
    bend = max(metric[last, last], 0.0)
    shift = minimise_along(
        margins, sign, weight, anchor, sigma, pull, slope, noise, bend, 0.0, 0.0
    )
    u[last] += shift
    for j in range(last + 1):
        image[j] += shift * metric[last, j]
    for i in range(margins.shape[0]):
        margins[i] += shift * sign[i]


@njit(**JIT)
def update_moment(rows, weight, beta, active, moment):
    """Make ``moment`` the sum of ``weight a a'`` over the rows of positive ``beta``."""
    n_active, n_changed = 0, 0
    for i in range(beta.shape[0]):
        n_active += beta[i] > 0.0
        n_changed += (beta[i] > 0.0) != (active[i] > 0.0)
    if n_active <= n_changed:  # removing rows would leave rounding errors
        moment[:] = 0.0
        active[:] = 0.0
    for i in range(beta.shape[0]):
        target = 1.0 if beta[i] > 0.0 else 0.0
        if target != active[i]:
            row, change = rows[i], weight[i] * (target - active[i])
            for j in range(row.shape[0]):
                add_row(row[: j + 1], change * row[j], moment[j])
            active[i] = target
