"""The objective: its gradient, its linearisation, and certificates that hold."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from largemargin.designs.features import conjugate_gradients
from largemargin.problem.losses import Band, dual_step
from largemargin.problem.objective import MAX_CONTRACTION, Problem
from largemargin.problem.terms import Prices, Targets
from largemargin.problem.value_losses import Tube
from largemargin.solvers import solve
from oracle import solve_qp
from small_problems import classes_on_rows


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
    problem = classes_on_rows(30, (1.0, lambda_var, 0.3), fit_intercept, seed)
    rng = np.random.default_rng(seed)
    w, beta = rng.normal(size=4), rng.uniform(0, 1, 30)
    _, feasible, certificate, _ = problem.examine(w, rng.normal(), beta)
    best = optimum(problem)
    assert feasible.min() >= 0
    assert feasible.max() <= problem.prices.C
    assert certificate.primal >= best - 1e-9
    assert certificate.primal - certificate.gap <= best + 1e-7 * (1 + abs(best))


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("solver", ["newton", "dual_cd", "asgd"])
def test_the_gap_bounds_what_a_solver_leaves(solver, fit_intercept):
    problem = classes_on_rows(fit_intercept=fit_intercept, seed=3)
    solution = solve(problem, solver, tol=1e-3, rng=np.random.default_rng(0))
    left = solution.certificate.primal - optimum(problem)
    assert -1e-9 <= left <= solution.certificate.gap


def test_conjugate_gradients_solve_what_factors_solve():
    rng = np.random.default_rng(0)
    root = rng.normal(size=(20, 20))
    matrix, target = np.eye(20) + root @ root.T, rng.normal(size=20)
    found = conjugate_gradients(lambda v: matrix @ v, target, lambda r: r / 2, 1e-12)
    assert_allclose(found, np.linalg.solve(matrix, target), rtol=1e-8)


@pytest.mark.parametrize("prices", [(1.0,), (1.0, 0.5, 0.3), (1.0, 2.0, 0.3, 1.5, 0.2)])
def test_the_slope_is_the_gradient_of_the_objective(prices):
    problem = classes_on_rows(prices=prices, loss=Band(0.5, 0.1))
    w, offset, none = np.arange(4.0) - 1.5, 0.4, np.zeros(30)

    def objective(w):
        margins = problem.margins(problem.design.scores(w), offset)
        return problem.terms(margins, offset, none, w @ w).primal

    point = problem.point(w, problem.design.scores(w), offset)
    smoothing = problem.loss.smoothing(none, 1.0, 1.0)
    beta, _ = dual_step(point.margins, smoothing, problem.weight)
    numeric = [(objective(w + h) - objective(w - h)) / 2e-6 for h in 1e-6 * np.eye(4)]
    assert_allclose(problem.slope(point, beta), numeric, atol=1e-5)


@pytest.mark.parametrize("lambda_var", [1e-3, 0.01, 0.05, 0.1, 0.2, 1.0, 10.0])
def test_squares_are_mild_if_their_largest_eigenvalue_is_small(lambda_var):
    problem = classes_on_rows(prices=(1.0, lambda_var, 0.0, 0.5 * lambda_var))
    rows = np.sqrt(problem.weight)[:, None] * problem.sign[:, None] * problem.design.X
    mean = np.sqrt(problem.weight) / np.sqrt(problem.total)
    squares = problem.stiffness * np.eye(30) - problem.spread * np.outer(mean, mean)
    largest = np.linalg.eigvalsh(rows.T @ squares @ rows)[-1]
    # Few steps of power iteration may fall a little short of it.
    if abs(largest - MAX_CONTRACTION) > 0.05:
        assert problem.squares_are_mild == (largest < MAX_CONTRACTION)


def test_a_linearised_problem_has_the_same_forces_where_it_was_linearised():
    problem = classes_on_rows(prices=(1.0, 0.5, 0.3, 0.7))
    rng = np.random.default_rng(0)
    margins, beta = rng.standard_normal(30), rng.random(30)
    linear = problem.linearised(margins)
    assert not linear.is_curved
    assert_allclose(linear.forces(beta), problem.forces(beta, margins))
    again = linear.linearised(margins)
    assert_allclose(again.tangent, linear.tangent)


def test_an_objective_of_zero_has_the_size_of_the_rounding_of_the_values():
    problem = values_on_rows(np.full(30, 1e9), Prices(2.0, 3.0, 0.0, 5.0))
    residuals = 1e-5 * np.ones(30)
    squares = (2.0 * 3.0 + 5.0) * 1e-10
    exact = squares + 2.0 * problem.weight @ residuals
    assert problem.least_scale == pytest.approx(exact)
    point = problem.point(np.zeros(4), np.zeros(30), 1e9)
    terms = problem.terms(point.margins, point.offset, np.zeros(30), 0.0)
    assert terms.scale == problem.least_scale


def test_one_class_around_the_origin_has_the_size_of_its_rows():
    price, lambda_var = 1.5, 2.0
    prices = Prices(1.0, lambda_var, price - 1.0, 0.0, price)
    problem = values_on_rows(np.zeros(30), prices)
    square = problem.mean(problem.design.squared_norms())
    least = 1e-8 * price**2 * square / (1.0 + 4.0 * lambda_var * square)
    assert problem.least_scale == pytest.approx(least)


def test_classes_have_no_least_size():
    assert classes_on_rows().least_scale == 0.0


def values_on_rows(values, prices):
    """Return a problem of weighted values on four features."""
    classes = classes_on_rows()
    targets = Targets.of_values(values)
    return Problem(classes.design, targets, classes.weight, prices, True, Tube(0.1))
