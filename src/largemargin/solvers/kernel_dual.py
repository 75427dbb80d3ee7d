"""The kernel machine: greedy descent finds the free rows, Newton's method finishes.

A cheap margin variance is linearised in rounds, each a plain SVM that starts where the
last one ended; a dear one is absorbed into the metric, once for all. Few rows, and rows
that rounding makes hard, are turned into explicit features.
"""

from functools import partial

import numpy as np
from numba import njit

from largemargin._jit import JIT
from largemargin.designs.dense import DenseDesign
from largemargin.problem import MAX_CONTRACTION
from largemargin.solvers.metric import solve_in_metric
from largemargin.solvers.newton import solve_newton
from largemargin.solvers.solution import Progress, Solution, Start

# Up to this many rows explicit features are cheap enough to begin with.
SMALL = 300
# Up to this many rows they are affordable where rounding stops everything else.
MAX_FACTOR_ROWS = 2000
# Greedy descent stops when no margin is off by more, or after so many steps a row.
ROUGH = 0.05
STEPS_PER_ROW = 30
STEPS_PER_CALL = 2000


def solve_kernel_dual(problem, *, tol, max_iter, start=None, progress=None, rng=None):
    """Minimise the objective on a Gram matrix until the relative gap is at most tol."""
    progress = progress or Progress()
    options = {"tol": tol, "max_iter": max_iter, "progress": progress, "start": start}
    n_rows = problem.design.n_rows
    if n_rows <= SMALL or (n_rows <= MAX_FACTOR_ROWS and np.isinf(problem.C)):
        return _solve_on_factor(problem, **options)
    if problem.lambda_var == 0:
        solution = _solve_svm(problem, **options)
    elif problem.variance_is_mild:
        solution = _solve_in_rounds(problem, **options)
    else:
        solution = _solve_in_metric(problem, **options)
    if not solution.converged and solution.n_iter < max_iter and n_rows <= MAX_FACTOR_ROWS:
        return _solve_on_factor(problem, **options)
    return solution


def _solve_on_factor(problem, *, tol, max_iter, progress, start):
    """Solve on explicit features: slower on many rows, but safe on a singular Gram."""
    factor = problem.design.factor()
    rows = problem.on(DenseDesign(factor.rows))
    if start is not None:
        start = start.without_element()
    solution = solve_newton(
        rows, tol=tol, max_iter=max_iter, start=start, progress=progress
    )
    # The forces expand w as sparsely as can be, but only as exactly as the gap is small.
    forces = problem.forces(solution.margins, solution.beta)
    point, _, certificate = problem.examine(forces, solution.offset, solution.beta)
    certificate = solution.certificate.at(certificate.primal)
    if certificate.relative <= tol:
        n_iter = solution.n_iter
        return Solution.of(problem, point, solution.beta, certificate, n_iter, tol)
    solution.w = forces + factor.expand(solution.w - factor.rows.T @ forces)
    return solution


def _solve_svm(problem, *, tol, max_iter, progress, start):
    if start is not None:
        start = start.without_element()
    elif 0 < problem.C < np.inf:
        start = _rough_start(problem, progress)
    return solve_newton(problem, tol=tol, max_iter=max_iter, start=start, progress=progress)


def _solve_in_metric(problem, **options):
    return solve_in_metric(problem, _solve_svm, **options)


def _solve_in_rounds(problem, *, tol, max_iter, progress, start):
    in_metric = partial(
        _solve_in_metric, problem, tol=tol, max_iter=max_iter, progress=progress
    )
    margins = np.zeros(problem.design.n_rows)
    n_iter, last_gap = 0, np.inf
    while True:
        svm = problem.freeze_variance(margins)
        if not svm.is_bounded:
            return in_metric(start=start)
        solution = _solve_svm(
            svm,
            tol=0.3 * tol,
            max_iter=max_iter - n_iter,
            progress=Progress(progress.on_step),
            start=start,
        )
        n_iter += solution.n_iter
        point, beta, certificate = problem.examine(
            solution.w, solution.offset, solution.beta
        )
        progress(certificate)
        if certificate.relative <= tol or n_iter >= max_iter:
            return Solution.of(problem, point, beta, certificate, n_iter, tol)
        start = Start(beta, None, point.offset)
        # An intercept, which nothing penalises, may swing from round to round.
        if certificate.gap > MAX_CONTRACTION * last_gap:
            return in_metric(start=start)
        margins, last_gap = point.margins, certificate.gap


def _rough_start(problem, progress):
    """Return the dual variables after greedy descent, the intercept penalised a little."""
    design = problem.design
    diagonal = design.squared_norms()
    coupling = problem.mean(diagonal) if problem.fit_intercept else 0.0
    beta = np.zeros(design.n_rows)
    forces = problem.dual_forces(beta)
    margins = np.zeros(design.n_rows)
    if np.any(forces):
        margins = problem.y * (design.scores(forces) + coupling * forces.sum())
    arrays = design.gram, problem.y, problem.weight, diagonal + coupling
    for _ in range(-(-STEPS_PER_ROW * design.n_rows // STEPS_PER_CALL)):
        violation = greedy_descent(
            *arrays, problem.C, coupling, beta, margins, ROUGH, STEPS_PER_CALL
        )
        progress.check()
        if violation <= ROUGH:
            break
    forces = problem.dual_forces(beta)
    return Start(beta, offset=coupling * forces.sum())


@njit(**JIT)
def greedy_descent(
    gram, y, weight, curvature, C, coupling, beta, margins, tolerance, max_steps
):
    """Move the worst dual variable to its optimum, again and again.

    Returns the largest violation left. Keeps ``margins`` up to date with ``beta``;
    ``coupling`` is added to every entry of the Gram matrix.
    """
    worst, violation = most_violating(curvature, C, beta, margins)
    for _ in range(max_steps):
        if violation <= tolerance:
            break
        i = worst
        target = beta[i] + (1.0 - margins[i]) / (weight[i] * curvature[i])
        target = min(max(target, 0.0), C)
        step = y[i] * weight[i] * (target - beta[i])
        beta[i] = target
        for j in range(margins.shape[0]):
            margins[j] += step * y[j] * (gram[i, j] + coupling)
        worst, violation = most_violating(curvature, C, beta, margins)
    return violation


@njit(**JIT)
def most_violating(curvature, C, beta, margins):
    """Return the row that promises the largest gain, and how far its margin is off."""
    worst, largest, violation = 0, -1.0, 0.0
    for j in range(margins.shape[0]):
        excess = margins[j] - 1.0
        if (excess > 0.0 and beta[j] > 0.0) or (excess < 0.0 and beta[j] < C):
            gain = excess * excess / max(curvature[j], 1e-300)
            if gain > largest:
                worst, largest, violation = j, gain, abs(excess)
    return worst, violation
