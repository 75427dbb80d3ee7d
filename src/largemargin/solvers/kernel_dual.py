"""The kernel machine: descent on pairs of rows, finished by Newton's method if need be.

A small price of squares of margins is linearised in rounds, each a plain SVM that starts
where the last one ended; a large one is absorbed into the metric, once for all. Few rows,
and rows that rounding makes hard, are turned into explicit features.
"""

from functools import partial

import numpy as np

from largemargin.problem.intercept import is_bounded
from largemargin.problem.tangents import MAX_CONTRACTION, freeze_squares
from largemargin.solvers.newton import solve_newton
from largemargin.solvers.pairs import EASY, pairs_can_solve, solve_in_pairs
from largemargin.solvers.price_metric import solve_in_metric
from largemargin.solvers.solution import Progress, Solution, Start

# Up to this many rows explicit features are cheap enough to begin with, unless a start
# leaves little to do.
SMALL = 100
# Up to this many rows they are affordable where rounding stops everything else.
MAX_FACTOR_ROWS = 2000


def solve_kernel_dual(problem, *, tol, max_iter, start=None, progress=None, rng=None):
    """Minimise the objective on a Gram matrix until the relative gap is at most tol."""
    progress = progress or Progress()
    options = {"tol": tol, "max_iter": max_iter, "progress": progress, "start": start}
    n_rows = problem.design.n_rows
    is_small = n_rows <= SMALL and (start is None or tol < EASY)
    if is_small or (n_rows <= MAX_FACTOR_ROWS and problem.is_hard):
        return _solve_on_factor(problem, **options)
    if not problem.is_curved:
        solution = _solve_svm(problem, **options)
    elif problem.squares_are_mild:
        solution = _solve_in_rounds(problem, **options)
    else:
        solution = _solve_in_metric(problem, **options)
    is_late = solution.is_late or progress.is_late
    is_over = solution.converged or solution.n_iter >= max_iter or is_late
    if is_over or n_rows > MAX_FACTOR_ROWS:
        return solution
    return _solve_on_factor(problem, **options)


def _solve_on_factor(problem, *, tol, max_iter, progress, start):
    """Solve on explicit features: slower on many rows, but safe on a singular Gram."""
    factor, features = problem.design.on_features()
    rows = problem.on(features)
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
    options = {"tol": tol, "max_iter": max_iter, "progress": progress}
    if pairs_can_solve(problem):
        solution = solve_in_pairs(problem, start=start, **options)
        if solution.converged or progress.is_late:
            return solution
        start = Start(solution.beta, offset=solution.offset)
    elif start is not None:
        start = start.without_element()
    return solve_newton(problem, start=start, **options)


def _solve_in_metric(problem, **options):
    return solve_in_metric(problem, _solve_svm, **options)


def _solve_in_rounds(problem, *, tol, max_iter, progress, start):
    in_metric = partial(
        _solve_in_metric, problem, tol=tol, max_iter=max_iter, progress=progress
    )
    margins = -problem.origin
    if pairs_can_solve(problem):
        solution = solve_in_pairs(
            problem, tol=tol, max_iter=max_iter, progress=progress, start=start
        )
        if solution.converged or progress.is_late:
            return solution
        start = Start(solution.beta, offset=solution.offset)
        margins = solution.margins
    elif start is not None:
        start = start.without_element()
    n_iter, last_gap = 0, np.inf
    while True:
        svm = freeze_squares(problem, margins)
        if not is_bounded(svm):
            return in_metric(start=start)
        solution = solve_newton(
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
        if certificate.relative <= tol or n_iter >= max_iter or progress.is_late:
            return Solution.of(problem, point, beta, certificate, n_iter, tol)
        start = Start(beta, None, point.offset)
        # An intercept, which nothing penalises, may swing from round to round.
        if not certificate.gap < MAX_CONTRACTION * last_gap:
            return in_metric(start=start)
        margins, last_gap = point.margins, certificate.gap
