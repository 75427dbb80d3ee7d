"""The four routes of the kernel solver against the features that the Gram matrix has."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from largemargin.designs.gram import GramDesign
from largemargin.problem import Prices, Problem, Targets
from largemargin.solvers import kernel_dual, solve

N_ROWS = 400
ROUTES = {
    "_solve_svm": 0.0,
    "_solve_in_rounds": 2**-4,
    "solve_as_svm": 30.0,
    "solve_active": 30.0,
}


@pytest.fixture
def route(request, monkeypatch):
    """Let only rows that are not few take the route without an inverse."""
    if request.param == "solve_active":
        for name in "FEW_ROWS", "NARROW_ROWS":
            for ending in "", "_WITH_KINKS":
                monkeypatch.setattr(kernel_dual, name + ending, N_ROWS - 1)
    return request.param


def problem_of(C, lambda_var, fit_intercept, dtype=np.float64):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N_ROWS, 4))
    X[:20] = X[20:40]
    y = np.where(X[:, 0] * X[:, 1] + 0.5 * rng.normal(size=N_ROWS) > 0.3, 1.0, -1.0)
    weight = rng.uniform(0.2, 3.0, N_ROWS)
    design = GramDesign(rbf_kernel(X, gamma=0.3).astype(dtype))
    return Problem(
        design, Targets.of_classes(y), weight, Prices(C, lambda_var, 0.1), fit_intercept
    )


def objective(problem, alpha, offset):
    """Return the objective from the expansion alone, in the words of the paper."""
    gram = problem.design.gram_matrix.astype(float)
    g = problem.sign * (gram @ alpha + offset)
    mean = np.average(g, weights=problem.weight)
    variance = np.average((g - mean) ** 2, weights=problem.weight)
    loss = problem.weight @ np.maximum(0, 1 - g)
    norm = 0.5 * alpha @ gram @ alpha
    prices = problem.prices.lambda_var, problem.prices.lambda_mean
    return norm + prices[0] * 2 * variance - prices[1] * mean + problem.prices.C * loss


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("C", [0.01, 1.0, pytest.param(100.0, marks=pytest.mark.needs_jit)])
@pytest.mark.parametrize("route", ROUTES, indirect=True)
def test_every_route_reaches_the_optimum(route, C, fit_intercept, monkeypatch):
    problem = problem_of(C, ROUTES[route], fit_intercept)
    taken = []
    original = getattr(kernel_dual, route)
    monkeypatch.setattr(
        kernel_dual, route, lambda *args, **kw: taken.append(1) or original(*args, **kw)
    )
    on_factor = []
    monkeypatch.setattr(
        kernel_dual, "_solve_on_factor", lambda *a, **kw: on_factor.append(1)
    )
    fast = solve(problem, "kernel_dual", tol=1e-6)
    assert taken
    monkeypatch.undo()
    monkeypatch.setattr(kernel_dual, "SMALL", N_ROWS)
    exact = solve(problem, "kernel_dual", tol=1e-11)
    best = exact.certificate.primal
    value = objective(problem, fast.w, fast.offset)
    assert fast.converged
    assert not on_factor
    assert value == pytest.approx(fast.certificate.primal, rel=1e-7)
    assert best <= value + 1e-9 * abs(best)
    assert value - best <= fast.certificate.gap + 1e-9 * abs(best)
    rough = solve(problem, "kernel_dual", tol=1e-3)
    value = objective(problem, rough.w, rough.offset)
    assert value == pytest.approx(rough.certificate.primal, rel=1e-9)


@pytest.mark.parametrize("route", ROUTES, indirect=True)
def test_a_narrow_gram_matrix_serves_as_well(route):
    wide = solve(problem_of(10.0, ROUTES[route], True), "kernel_dual", tol=1e-4)
    narrow = problem_of(10.0, ROUTES[route], True, np.float32)
    solution = solve(narrow, "kernel_dual", tol=1e-4)
    assert solution.converged
    assert objective(narrow, solution.w, solution.offset) == pytest.approx(
        wide.certificate.primal, rel=3e-4
    )


def test_a_route_that_stops_short_ends_on_the_features(monkeypatch):
    problem = problem_of(10.0, 2**-4, True)

    def stop_short(*args, **options):
        solution = original(*args, **options)
        solution.converged = False
        return solution

    original = kernel_dual._solve_in_rounds
    monkeypatch.setattr(kernel_dual, "_solve_in_rounds", stop_short)
    solution = solve(problem, "kernel_dual", tol=1e-9)
    assert solution.converged
    assert solution.certificate.relative <= 1e-9


@pytest.mark.parametrize(("tol", "is_swept"), [(1e-3, True), (1e-6, False)])
def test_sweeps_come_first_unless_tol_is_small(tol, is_swept, monkeypatch):
    calls, original = [], kernel_dual.solve_by_gram_sweeps
    monkeypatch.setattr(
        kernel_dual,
        "solve_by_gram_sweeps",
        lambda *args: calls.append(1) or original(*args),
    )
    assert solve(problem_of(1.0, 30.0, True), "kernel_dual", tol=tol).converged
    assert bool(calls) == is_swept


def test_a_given_matrix_of_float32_has_features_where_others_fail(monkeypatch):
    problem = problem_of(1.0, 0.0, True, np.float32)
    solve_svm = kernel_dual._solve_svm

    def stopped(problem, run):
        found = solve_svm(problem, run)
        return replace(found, converged=False)

    monkeypatch.setattr(kernel_dual, "_solve_svm", stopped)
    asked = []
    on_factor = kernel_dual._solve_on_factor
    monkeypatch.setattr(
        kernel_dual,
        "_solve_on_factor",
        lambda problem, run: asked.append(problem) or on_factor(problem, run),
    )
    solve(problem, "kernel_dual", tol=1e-4, max_iter=1000)
    assert asked == [problem]
