"""A linear problem with squared terms as an equivalent SVM on other rows.

The squared terms are a quadratic function of ``u = (w, b)``, so ``|w|^2 / 2`` and they are
together ``u' K u / 2``. With ``K = R R'`` and ``v = R' u`` the score of a row, intercept
included, is ``z . v`` for ``z = R^-1 (x, 1)``: what is left is a plain SVM on the rows
``z``, without an intercept. It has the same dual variables and values.

Prices that matter make all rows ``z`` short, the more rows there are per feature. Then
coordinate descent on the dual needs few sweeps, at any C.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dtrtri

from largemargin.designs.base import Capability
from largemargin.designs.row_loops import dense_dot
from largemargin.numerics import lapack
from largemargin.numerics.jit import JIT, SUM, njit
from largemargin.numerics.shuffling import draw_row
from largemargin.problem.certificate import Certificate, Certified
from largemargin.problem.intercept import squares_hold_it
from largemargin.problem.quick_examination import row_gap
from largemargin.solvers.solution import EASY, Run, Solution

# Only so many stored numbers: Newton steps make better use of more of them.
MAX_NUMBERS = 4_000_000
MAX_FEATURES = 500
# The rows z are dense. Where the given ones are sparse, z may have so many numbers, or so
# many for each one stored: beyond these, Newton steps take less time as well.
FEW_NUMBERS = 1_000_000
MAX_FILLED_IN = 2
# Leave the rest to Newton's method after this many visits per row: less than a second.
MAX_VISITS = 100
# Between two sweeps over all rows, those between their bounds are visited at most this
# often, or until their gaps have shrunk by this factor.
INNER_SWEEPS = 20
SOLVED = 0.1


class EquivalentRows(NamedTuple):
    """The rows ``z``, their squared lengths, and the map of ``v`` to ``(w, b)``."""

    rows: np.ndarray
    norms: np.ndarray
    back: np.ndarray


def rows_can_solve(problem) -> bool:
    """Return whether rows are few, squared terms matter, and descent knows all terms."""
    design, prices = problem.design, problem.prices
    is_small = design.size <= MAX_NUMBERS and design.has_any(Capability.ROWS)
    if not (is_small and design.n_features <= MAX_FEATURES):
        return False
    if design.n_rows * design.n_features > max(FEW_NUMBERS, MAX_FILLED_IN * design.size):
        return False
    is_known = problem.loss.is_one_sided and 0 < prices.C < np.inf
    is_known &= problem.tangent is None and prices.intercept == 0
    is_held = squares_hold_it(problem) if problem.fit_intercept else problem.is_curved
    is_known &= is_held and not problem.origin.any()
    # Small prices leave the intercept nearly free: that takes many sweeps.
    return bool(is_known) and not problem.squares_are_mild


def equivalent_rows(problem) -> EquivalentRows | None:
    """Return the rows of the equivalent SVM, or None if rounding hides the intercept."""
    design, weight, sign = problem.design, problem.weight, problem.sign
    # ``once_for`` must not be called while it computes something else.
    moment = design.second_moment(weight)
    numbers = problem.spread, problem.bend, problem.fit_intercept
    name, owners = (EquivalentRows, *numbers), (weight, sign)
    return design.once_for(name, owners, lambda: _transform(problem, moment))


def _transform(problem, moment):
    design, weight = problem.design, problem.weight
    n, signed = design.n_features, problem.sign * weight
    size = n + problem.fit_intercept
    matrix, mean = np.zeros((size, size), order="F"), np.empty(size)
    np.multiply(moment, problem.stiffness, out=matrix[:n, :n])
    mean[:n] = design.combine(signed)
    if problem.fit_intercept:
        mean[n] = signed.sum()
        matrix[n, :n] = problem.stiffness * design.combine(weight)
        matrix[n, n] = problem.stiffness * problem.total
    matrix -= np.outer(mean, (problem.spread / problem.total) * mean)
    matrix[np.arange(n), np.arange(n)] += 1.0
    try:
        lapack.factorise(matrix)
    except np.linalg.LinAlgError:
        return None
    inverse, _ = dtrtri(matrix, lower=True)
    back = np.tril(inverse).T
    rows = np.ascontiguousarray(design.times(back[:n]))
    if problem.fit_intercept:
        rows += back[n]
    return EquivalentRows(rows, np.einsum("ij,ij->i", rows, rows), back)


def combined(problem, beta, back) -> np.ndarray:
    """Return the combination of the rows ``z`` by the forces of ``beta``.

    It is made of the rows of the problem: these may be sparse.
    """
    forces, n = problem.forces(beta), problem.design.n_features
    v = problem.design.combine(forces) @ back[:n]
    return v + forces.sum() * back[n] if problem.fit_intercept else v


def solve_on_equivalent_rows(problem, run: Run) -> Solution | None:
    """Minimise by coordinate descent on the equivalent SVM; None if there is none."""
    svm = equivalent_rows(problem)
    if svm is None or not np.isfinite(svm.norms).all():
        return None
    rows, norms, back = svm
    beta = np.zeros(len(rows))
    if run.start is not None:
        beta = np.clip(run.start.beta, *problem.box)
    v = combined(problem, beta, back)
    numbers = problem.reward, problem.ridge, problem.loss.kink, problem.box[1]
    state = np.arange(len(rows)), beta, v
    goal, limit = max(run.tol, EASY), min(MAX_VISITS, run.max_iter) * len(rows)
    visits, gap, primal, scale = descend_on_rows(
        rows, norms, problem.sign, problem.weight, numbers, *state, goal, limit
    )
    n, u = problem.design.n_features, back @ v
    offset = float(u[n]) if problem.fit_intercept else 0.0
    w = u[:n]
    point = problem.point(w, problem.design.scores(w), offset)
    certificate = Certificate(primal, gap, scale)
    run.progress(certificate)
    n_sweeps, found = -(-visits // len(rows)), Certified(point, beta, certificate)
    return Solution.of(problem, found, n_sweeps, run.tol)


@njit(**JIT)
def descend_on_rows(rows, norms, sign, weight, numbers, order, beta, v, tol, max_visits):
    """Move one dual variable at a time to its optimum until the relative gap is ``tol``.

    ``v`` is the combination of the forces. ``order`` has all rows, and is changed. Returns
    the visits, and gap, objective and sum of its absolute terms.
    """
    _, ridge, kink, cap = numbers
    n_rows, n_features = rows.shape
    flat = rows.reshape(-1)
    chance = np.ones(1, np.uint64)
    visits, n_active, n_inner = 0, n_rows, 0
    first_gap = np.inf
    gap, primal, scale = np.inf, np.inf, 1.0
    while visits < max_visits:
        near = 0.0
        for k in range(n_active):
            i = draw_row(order, k, n_active, chance)
            margin = sign[i] * dense_dot(flat, i * n_features, v)
            before = beta[i]
            near += weight[i] * row_gap(margin, before, ridge, kink, cap)[1]
            slope = margin - kink + ridge * before
            curvature = weight[i] * norms[i] + ridge
            target = cap if slope < 0.0 else 0.0
            if curvature > 0.0:
                target = min(max(before - slope / curvature, 0.0), cap)
            if target != before:
                beta[i] = target
                step = sign[i] * weight[i] * (target - before)
                for j in range(n_features):
                    v[j] += step * rows[i, j]
        visits += n_active
        if n_active < n_rows:
            n_inner += 1
            first_gap = near if n_inner == 1 else first_gap
            if n_inner == INNER_SWEEPS or near <= max(
                SOLVED * first_gap, SOLVED * tol * scale
            ):
                n_active = n_rows
            continue
        if near <= 2.0 * tol * scale or visits == n_rows:
            gap, primal, scale = certify_rows(rows, sign, weight, numbers, beta, v)
            if gap <= tol * scale:
                return visits, gap, primal, scale
        n_active, n_inner = 0, 0
        for k in range(n_rows):
            i = order[k]
            if 0.0 < beta[i] < cap:
                order[k] = order[n_active]
                order[n_active] = i
                n_active += 1
        if n_active == 0:
            n_active = n_rows
    return visits, *certify_rows(rows, sign, weight, numbers, beta, v)


@njit(**SUM)
def certify_rows(rows, sign, weight, numbers, beta, v):
    """Return gap, objective and the sum of its absolute terms.

    The gradient is zero, so that the gap is that of the losses.
    """
    reward, ridge, kink, cap = numbers
    flat = rows.reshape(-1)
    gap, loss, gain = 0.0, 0.0, 0.0
    for i in range(rows.shape[0]):
        margin = sign[i] * dense_dot(flat, i * rows.shape[1], v)
        own_loss, own_gap = row_gap(margin, beta[i], ridge, kink, cap)
        loss += weight[i] * own_loss
        gap += weight[i] * own_gap
        gain += weight[i] * reward * margin
    square = 0.0
    for j in range(v.shape[0]):
        square += v[j] * v[j]
    return gap, 0.5 * square - gain + loss, 0.5 * square + abs(gain) + loss
