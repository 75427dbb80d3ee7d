"""Two classes with few rows and features: solved and examined in one compiled loop.

With hundreds of rows, the other solvers spend most of their time between the lines of
Python. With squared terms the method is descent on ``equivalent_rows``; without them, or if
that takes too long, the squared hinge is left to ``small_newton``.
"""

import numpy as np

from largemargin.numerics.jit import EXTREME, JIT, njit
from largemargin.numerics.lines import dot, invert_upper
from largemargin.problem.certificate import Certificate
from largemargin.problem.intercept import squares_hold_it
from largemargin.problem.quick_examination import (
    examine_quickly,
    growths_of,
    is_quick,
    numbers_of,
)
from largemargin.solvers.auto import FEWEST_ROWS
from largemargin.solvers.equivalent_rows import EASY, MAX_VISITS, descend_on_rows
from largemargin.solvers.small_newton import newton_on_rows
from largemargin.solvers.solution import Solution

MAX_FEATURES = 200
# With more rows or numbers the work takes much longer than the lines of Python, and it
# cannot be interrupted.
MAX_ROWS = 10_000
MAX_NUMBERS = 500_000
# Columns whose middle is this many half widths away from zero need a shift.
FAR = 100.0
# Iterations end at this part of the gap: the certificate includes rounding errors.
ENOUGH = 0.9


def solve_small_linear(X, members, problem, tol: float) -> Solution | None:
    """Return the examined solution on some rows of an array, None if others must find it.

    The problem has no design yet.
    """
    n_rows, n_features = len(members), X.shape[1]
    is_small = n_features <= MAX_FEATURES and n_rows * n_features <= MAX_NUMBERS
    # Newton's method solves the fewest rows nearly exactly, at any tol.
    is_small = is_small and FEWEST_ROWS < n_rows <= MAX_ROWS
    if not is_small or tol < EASY or not _is_known(problem):
        return None
    numbers, growths = numbers_of(problem), growths_of(n_rows, n_features)
    beta, scores, margins = np.zeros((3, n_rows))
    u = np.zeros(n_features + problem.fit_intercept)
    smoothing = problem.loss.smoothing(beta, 1.0, problem.prices.C)
    rows = problem.sign, problem.weight, problem.border
    state = u, beta, scores, margins
    if not (X.flags.c_contiguous and X.flags.writeable):
        # Numba would compile everything again for arrays of another kind.
        X, members = np.array(X[members], order="C"), np.arange(n_rows)
    try:
        found = fit_rows(X, members, rows, numbers, growths, smoothing, tol, *state)
    except np.linalg.LinAlgError:
        return None
    n_iter, primal, gap, scale = found
    certificate = Certificate(primal, gap, scale)
    if not certificate.relative <= tol:
        return None
    offset = float(u[n_features]) if problem.fit_intercept else 0.0
    point = u[:n_features], offset, scores, margins
    solution = Solution(*point, beta, certificate, max(n_iter, 1), True)
    solution.intercept = offset
    return solution


def _is_known(problem):
    if problem.ridge > 0:
        return is_quick(problem)
    is_held = squares_hold_it(problem) if problem.fit_intercept else problem.is_curved
    return is_held and is_quick(problem)


@njit(**JIT)
def fit_rows(
    X, members, arrays, numbers, growths, smoothing, tol, u, beta, scores, margins
):
    """Fill in a point and its dual variables; return steps and certificate.

    The gap is infinite if rows are far from zero, or if iterations do not end.
    """
    sign, weight, border = arrays
    spread, _, ridge, kink, _, total, is_free = numbers
    n_rows, size = members.shape[0], u.shape[0]
    rows, lengths = np.ones((n_rows, size)), np.empty(n_rows)
    gather(X, members, rows, lengths)
    if is_free and is_far(rows[:, : size - 1]):
        return 0, np.inf, np.inf, 1.0
    scaled, mean = np.empty((n_rows, size)), np.zeros(size)
    for i in range(n_rows):
        root, signed = np.sqrt(weight[i]), sign[i] * weight[i]
        for j in range(size):
            scaled[i, j] = root * rows[i, j]
            mean[j] += signed * rows[i, j]
    moment = np.dot(scaled.T, scaled)
    metric = np.empty((size, size))
    for j in range(size):
        for k in range(size):
            metric[j, k] = spread * (moment[j, k] - mean[j] * (mean[k] / total))
    for j in range(X.shape[1]):
        metric[j, j] += 1.0
    goal = ENOUGH * tol
    n_iter, is_done = 0, False
    if spread > 0.0:
        n_iter, is_done = descend(rows, sign, weight, metric, numbers, goal, u, beta)
    if ridge > 0.0 and not is_done:
        u[:] = 0.0
        n_iter, is_done = newton_on_rows(
            rows, sign, weight, metric, moment, mean, numbers, smoothing, goal, u
        )
        for i in range(n_rows):
            beta[i] = max(kink - sign[i] * dot(rows[i], u), 0.0) / ridge
    if not is_done:
        return n_iter, np.inf, np.inf, 1.0
    examined = sign, weight, lengths, border
    primal, gap, scale = examine_quickly(
        rows, examined, numbers, growths, u, beta, scores, margins
    )
    return n_iter, primal, gap, scale


@njit(**JIT)
def gather(X, members, rows, lengths):
    """Copy the members of the rows of an array, and fill in their lengths."""
    for i in range(members.shape[0]):
        row, source = rows[i], X[members[i]]
        for j in range(source.shape[0]):
            row[j] = source[j]
        own = row[: source.shape[0]]
        lengths[i] = np.sqrt(dot(own, own))


@njit(**EXTREME)
def is_far(rows):
    """Return whether a column lies far from zero, relative to its width."""
    low, high = rows[0].copy(), rows[0].copy()
    for i in range(rows.shape[0]):
        row = rows[i]
        for j in range(row.shape[0]):
            low[j] = min(low[j], row[j])
            high[j] = max(high[j], row[j])
    for j in range(low.shape[0]):
        if not abs(low[j] + high[j]) <= FAR * (high[j] - low[j]) and low[j] + high[j] != 0:
            return True
    return False


@njit(**JIT)
def descend(rows, sign, weight, metric, numbers, tol, u, beta):
    """Minimise on the rows of the equivalent SVM; return sweeps, and if it got there."""
    _, reward, ridge, kink, cap, _, _ = numbers
    n_rows = rows.shape[0]
    back = np.zeros(metric.shape)
    invert_upper(np.linalg.cholesky(metric).T, back)
    others = np.dot(rows, back)
    norms, v = np.empty(n_rows), np.zeros(u.shape[0])
    for i in range(n_rows):
        norms[i] = dot(others[i], others[i])
        for j in range(v.shape[0]):
            v[j] += reward * sign[i] * weight[i] * others[i, j]
    order, prices = np.arange(n_rows), (reward, ridge, kink, cap)
    visits, gap, _, scale = descend_on_rows(
        others, norms, sign, weight, prices, order, beta, v, tol, MAX_VISITS * n_rows
    )
    for j in range(u.shape[0]):
        u[j] = dot(back[j], v)
    return visits // n_rows, gap <= tol * scale
