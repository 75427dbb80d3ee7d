"""The certificate: a primal value, and a distance from the optimum never too small."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from largemargin.designs.dense import DenseDesign
from largemargin.designs.features import conjugate_gradients
from largemargin.designs.kernel import KernelDesign
from largemargin.problem import Prices, Problem, Targets
from largemargin.solvers import solve
from oracle import solve_qp


def problem_of(
    seed, C=1.0, lambda_var=0.5, lambda_mean=0.3, fit_intercept=True, kernel=False
):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 4))
    y = np.where(X[:, 0] + rng.normal(size=30) > 0, 1.0, -1.0)
    y[:2] = 1, -1
    weight = rng.uniform(0.3, 2, 30)
    design = KernelDesign(X @ X.T) if kernel else DenseDesign(X)
    return Problem(
        design,
        Targets.of_classes(y),
        weight,
        Prices(C, lambda_var, lambda_mean),
        fit_intercept,
    )


def optimum(problem):
    X = problem.design.X
    prices = (
        problem.prices.C,
        problem.prices.lambda_var,
        problem.prices.lambda_mean,
        problem.fit_intercept,
    )
    return solve_qp(X @ X.T, problem.sign, problem.weight, *prices)[2]


@given(
    seed=st.integers(0, 100),
    lambda_var=st.sampled_from([0, 0.01, 1, 100]),
    fit_intercept=st.booleans(),
)
def test_any_point_and_any_beta_are_certified(seed, lambda_var, fit_intercept):
    problem = problem_of(seed, lambda_var=lambda_var, fit_intercept=fit_intercept)
    rng = np.random.default_rng(seed)
    w, beta = rng.normal(size=4), rng.uniform(0, 1, 30)
    _, feasible, certificate = problem.examine(w, rng.normal(), beta)
    best = optimum(problem)
    assert feasible.min() >= 0
    assert feasible.max() <= problem.prices.C
    assert certificate.primal >= best - 1e-9
    assert certificate.primal - certificate.gap <= best + 1e-7 * (1 + abs(best))


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("solver", ["newton", "dual_cd", "asgd"])
def test_the_gap_bounds_what_a_solver_leaves(solver, fit_intercept):
    problem = problem_of(3, fit_intercept=fit_intercept)
    solution = solve(problem, solver, tol=1e-3, rng=np.random.default_rng(0))
    left = solution.certificate.primal - optimum(problem)
    assert -1e-9 <= left <= solution.certificate.gap


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("lambda_var", [0, 0.5])
def test_a_newton_system_is_solved(fit_intercept, lambda_var):
    problem = problem_of(0, lambda_var=lambda_var, fit_intercept=fit_intercept)
    extra = np.where(np.arange(30) < 12, problem.weight, 0.0)
    curvature = problem.smoothed().curvature(extra)
    X = problem.design.X
    matrix = np.diag(problem.weight * problem.spread + extra)
    for downdate in curvature.downdates:
        matrix -= np.outer(downdate, downdate)
    # The intercept and a common shift of the margins must not be felt.
    if fit_intercept:
        assert_allclose(matrix @ np.ones(30), 0, atol=1e-12)
    target = np.arange(1.0, 5.0)
    step = problem.design.newton_system(curvature)(target, 1e-10)
    assert_allclose(step + X.T @ (matrix @ (X @ step)), target)


def test_kernel_and_row_systems_give_the_same_step():
    rows, kernel = problem_of(0, lambda_var=0), problem_of(0, lambda_var=0, kernel=True)
    extra = np.where(np.arange(30) < 12, 2.0, 0.0)
    alpha = np.random.default_rng(0).normal(size=30)
    in_kernel = kernel.design.newton_system(kernel.smoothed().curvature(extra))(
        alpha, 1e-10
    )
    w = rows.design.combine(alpha)
    in_rows = rows.design.newton_system(rows.smoothed().curvature(extra))(w, 1e-10)
    assert_allclose(rows.design.combine(in_kernel), in_rows, rtol=1e-8)


def test_conjugate_gradients_solve_what_factors_solve():
    rng = np.random.default_rng(0)
    root = rng.normal(size=(20, 20))
    matrix, target = np.eye(20) + root @ root.T, rng.normal(size=20)
    found = conjugate_gradients(lambda v: matrix @ v, target, lambda r: r / 2, 1e-12)
    assert_allclose(found, np.linalg.solve(matrix, target), rtol=1e-8)


@pytest.mark.parametrize("lambda_var", [0, 0.5, 50])
def test_iterated_and_factored_newton_agree(monkeypatch, lambda_var):
    problem = problem_of(1, C=10.0, lambda_var=lambda_var)
    factored = solve(problem, "newton", tol=1e-10)
    monkeypatch.setattr("largemargin.designs.features.MAX_FACTORED", 1)
    iterated = solve(problem, "newton", tol=1e-10)
    assert_allclose(iterated.w, factored.w, rtol=1e-4)


def test_margins_of_one_leave_the_intercept_in_the_middle():
    X = np.array([[-3.0], [3.0]])
    problem = Problem(
        DenseDesign(X), Targets.of_classes(np.array([-1.0, 1.0])), np.ones(2), Prices(0.001)
    )
    assert abs(solve(problem, "newton", tol=1e-9).offset) < 1e-12
