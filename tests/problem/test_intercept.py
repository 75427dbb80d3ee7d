"""The free intercept: its best value, and the forces that must balance."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from largemargin.designs.dense import DenseDesign
from largemargin.problem import Prices, Problem, Targets
from largemargin.problem.intercept import balance, settle
from largemargin.problem.losses import HINGE
from largemargin.problem.value_losses import Pinball as QuantileLoss
from largemargin.problem.value_losses import Shortfall
from largemargin.solvers import solve
from small_problems import DESIGNS, EpsilonInsensitive, HingeAt, Pinball, classes_on_rows


@pytest.mark.parametrize(
    "loss", [HINGE, HingeAt(2.0), EpsilonInsensitive(0.3), Pinball(0.2)], ids=str
)
@pytest.mark.parametrize("seed", range(3))
def test_the_settled_intercept_is_the_best_of_all_kinks(loss, seed):
    problem = classes_on_rows(seed=seed, prices=(1.0, 0.0, 0.1), loss=loss)
    scores = problem.design.scores(np.arange(4.0))
    zeros = np.zeros(len(scores))

    def objective(offset):
        return problem.terms(problem.margins(scores, offset), offset, zeros, 0.0).primal

    point = settle(problem, problem.point(np.arange(4.0), scores, 0.7))
    # A piecewise linear function has its minimum at a kink.
    kinks = [kink for kink, _ in loss.kinks(1.0)]
    places = np.concatenate([problem.sign * kink - scores for kink in kinks])
    best = min(map(objective, places))
    assert objective(point.offset) == pytest.approx(best, rel=1e-12)


@pytest.mark.parametrize("nu", [0.01, 0.1, 0.5, 0.9])
def test_rows_at_the_threshold_stay_above_it_whatever_their_rounding(nu):
    rng = np.random.default_rng(0)
    scores, weight = np.round(rng.normal(size=40), 1), rng.uniform(0.2, 3.0, 40)
    prices = Prices(1.0 / (nu * weight.sum()), intercept=1.0)
    targets = Targets.of_values(np.zeros(40))
    design = DenseDesign(scores[:, None])
    problem = Problem(design, targets, weight, prices, True, Shortfall())
    errors = np.full(40, 1e-6)
    point = settle(problem, problem.point(np.ones(1), scores, 0.0), errors)
    for _ in range(20):
        rounded = scores + errors * rng.uniform(-1.0, 1.0, 40)
        assert weight @ (rounded + point.offset < 0) <= nu * weight.sum() * (1 + 1e-12)


@pytest.mark.parametrize("quantile", [0.01, 0.2, 0.5, 0.99])
def test_the_settled_intercept_leaves_a_quantile_of_the_values_below(quantile):
    rng = np.random.default_rng(0)
    values, weight = rng.normal(size=41) + 1e6, rng.uniform(0.2, 3.0, 41)
    prices = Prices(2.0, lambda_var=30.0)
    design = DenseDesign(rng.normal(size=(41, 1)))
    targets, loss = Targets.of_values(values), QuantileLoss(quantile)
    problem = Problem(design, targets, weight, prices, True, loss)
    point = settle(problem, problem.point(np.ones(1), design.scores(np.ones(1)), 0.0))
    above = np.abs(point.margins) > 1e-9
    below = weight @ ((point.margins > 0) & above) / weight.sum()
    over = weight @ ((point.margins < 0) & above) / weight.sum()
    assert below <= quantile
    assert over <= 1.0 - quantile


@pytest.mark.parametrize("lambda_var", [0.0, 5.0])
def test_without_a_price_of_losses_the_mean_residual_is_zero(lambda_var):
    rng = np.random.default_rng(0)
    values, weight = rng.normal(size=41) + 1e6, rng.uniform(0.2, 3.0, 41)
    design = DenseDesign(rng.normal(size=(41, 2)))
    prices, targets = Prices(0.0, lambda_var=lambda_var), Targets.of_values(values)
    problem = Problem(design, targets, weight, prices, True, EpsilonInsensitive(0.1))
    w = rng.normal(size=2)
    point = settle(problem, problem.point(w, design.scores(w), 3.0))
    assert abs(weight @ point.margins) <= 1e-9 * weight @ values


@pytest.mark.parametrize("value", [0.1, -7e9, 1e85])
def test_the_mean_of_equal_values_is_not_rounded(value):
    weight = np.random.default_rng(0).uniform(0.2, 3.0, 41)
    design, targets = DenseDesign(np.zeros((41, 1))), Targets.of_values(np.full(41, value))
    prices = Prices(0.0)
    problem = Problem(design, targets, weight, prices, True, EpsilonInsensitive(0.1))
    point = settle(problem, problem.point(np.zeros(1), np.zeros(41), 0.0))
    assert point.offset == value


@pytest.mark.parametrize("price", [0.0, 0.7])
@pytest.mark.parametrize("lambda_var", [0.0, 0.5, 50.0])
def test_balanced_dual_variables_have_forces_that_add_up_to_the_price(lambda_var, price):
    problem = classes_on_rows(prices=(1.0, lambda_var, 0.3, 0.0, price))
    rng = np.random.default_rng(0)
    scores, beta = rng.standard_normal(30), rng.random(30)
    offset, balanced = balance(problem, scores, 0.2, beta)
    forces = problem.forces(balanced, problem.margins(scores, offset))
    assert_allclose(forces.sum(), price, atol=1e-12)
    assert balanced.min() >= 0.0
    assert balanced.max() <= 1.0


@pytest.mark.parametrize("kind", ["dense", "gram"])
@pytest.mark.parametrize("C", [0.0, 1.0, np.inf])
def test_rounding_of_a_variance_does_not_move_an_intercept_that_it_does_not_see(C, kind):
    rng = np.random.default_rng(0)
    for _ in range(10):
        X, weight = rng.standard_normal((30, 3)), rng.uniform(0.3, 3.0, 30)
        targets, prices = Targets.of_classes(-np.ones(30)), Prices(C, lambda_var=5.0)
        problem = Problem(DESIGNS[kind](X), targets, weight, prices, True)
        solution = solve(problem, "auto", tol=1e-6)
        # The best are w = 0 and any b that keeps all margins above one.
        assert solution.certificate.primal <= 1e-10
        assert abs(solution.offset) <= 10.0


@pytest.mark.parametrize("kind", ["dense", "gram"])
def test_nothing_moves_an_intercept_that_nothing_holds(kind):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X, weight = 0.1 * rng.standard_normal((130, 3)), rng.uniform(0.3, 3.0, 130)
        targets = Targets.of_values(rng.standard_normal(130) + 7.0)
        prices = Prices(0.0, lambda_var=0.05)
        problem = Problem(DESIGNS[kind](X), targets, weight, prices, True, Pinball(0.9))
        solution = solve(problem, "auto", tol=1e-8)
        assert solution.converged
        assert abs(solution.offset) <= 10.0


@pytest.mark.parametrize("n_rows", [1, 2, 30])
@pytest.mark.parametrize("kind", ["dense", "gram"])
def test_forces_of_rows_of_one_sign_are_balanced(kind, n_rows):
    rng = np.random.default_rng(0)
    for _ in range(20):
        X, weight = rng.standard_normal((n_rows, 1)), rng.uniform(0.3, 3.0, n_rows)
        targets, prices = (
            Targets.of_classes(-np.ones(n_rows)),
            Prices(30.0, lambda_var=0.05),
        )
        problem = Problem(DESIGNS[kind](X), targets, weight, prices, True)
        w = rng.standard_normal(len(problem.design.zeros()))
        found = problem.examine(w, rng.standard_normal(), rng.random(n_rows))
        beta, certificate = found.beta, found.certificate
        # Nothing else pulls at the intercept, and the optimum is zero.
        assert weight @ beta <= 1e-12
        assert certificate.gap >= certificate.primal * (1.0 - 1e-12)


@pytest.mark.parametrize("lambda_var", [0.0, 5.0])
def test_an_intercept_that_nothing_determines_settles_in_the_middle(lambda_var):
    X = np.array([[0.0], [0.0]])
    targets = Targets.of_values(np.array([1.0, 2.0]))
    loss = EpsilonInsensitive(2.0)
    problem = Problem(
        DenseDesign(X), targets, np.ones(2), Prices(1.0, lambda_var), True, loss
    )
    solution = solve(problem, "newton", tol=1e-9)
    # Every b from 0 to 3 has both rows inside the tube.
    assert solution.offset == pytest.approx(1.5)


@pytest.mark.parametrize("lambda_var", [0.0, 5.0])
@pytest.mark.parametrize("kind", DESIGNS)
def test_without_a_price_of_losses_the_mean_residual_of_values_is_zero(kind, lambda_var):
    rng = np.random.default_rng(0)
    X, values, weight = (
        rng.normal(size=(9, 2)),
        rng.normal(size=9) + 4,
        rng.uniform(1, 3, 9),
    )
    prices, loss = Prices(0.0, lambda_var), EpsilonInsensitive(0.1)
    targets = Targets.of_values(values)
    problem = Problem(DESIGNS[kind](X), targets, weight, prices, True, loss)
    solution = solve(problem, "auto", tol=1e-9)
    assert problem.mean(solution.margins) == pytest.approx(0.0, abs=1e-6)


def test_margins_of_one_leave_the_intercept_in_the_middle():
    X = np.array([[-3.0], [3.0]])
    problem = Problem(
        DenseDesign(X), Targets.of_classes(np.array([-1.0, 1.0])), np.ones(2), Prices(0.001)
    )
    assert abs(solve(problem, "newton", tol=1e-9).offset) < 1e-12
