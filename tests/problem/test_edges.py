"""Where a price, a loss or the rows leave nothing to stand on."""

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import Ridge

from largemargin.designs.dense import DenseDesign
from largemargin.designs.kernel import KernelDesign
from largemargin.problem import NotSeparable, Prices, Problem, Targets
from largemargin.problem.losses import HINGE, Band, Loss, Pull
from largemargin.solvers import solve

DESIGNS = {"dense": DenseDesign, "gram": lambda X: KernelDesign(X @ X.T)}


@dataclass(frozen=True)
class Tube(Loss):
    """``max(0, |margin| - 1)``."""

    def pull(self, C):
        return Pull(-1.0, C, 0.0, 1.0, -C)


@dataclass(frozen=True)
class Pinball(Loss):
    """``max(0.9 r, -0.1 r)`` of the residual, which is the margin, sign turned."""

    def pull(self, C):
        return Pull(0.0, 0.9 * C, -0.1 * C, 0.0, -0.1 * C)


@dataclass(frozen=True)
class BelowZero(Loss):
    """``max(0, -margin)``."""

    def pull(self, C):
        return Pull(0.0, C)


@pytest.mark.parametrize("loss", [HINGE, Tube()])
@pytest.mark.parametrize("lambda_var", [2.0, 0.1, 1e-3])
@pytest.mark.parametrize("n_rows", [50, 150])
@pytest.mark.parametrize("kind", DESIGNS)
def test_a_variance_alone_is_ridge_regression_with_its_certificate(
    kind, n_rows, lambda_var, loss
):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n_rows, 3))
    values = X @ [1.0, -2.0, 0.5] + 7.0 + rng.standard_normal(n_rows)
    weight = rng.uniform(0.3, 3.0, n_rows)
    targets, prices = Targets.of_values(values), Prices(0.0, lambda_var)
    problem = Problem(DESIGNS[kind](X), targets, weight, prices, True, loss)
    solution = solve(problem, "auto", tol=1e-10)
    # Squares do not see the intercept, and there is no loss to pay for an imbalance.
    assert solution.converged
    ridge = Ridge(alpha=weight.sum() / (4 * lambda_var)).fit(X, values, weight)
    w = X.T @ solution.w if kind == "gram" else solution.w
    assert_allclose(w, ridge.coef_, atol=1e-4)
    assert abs(solution.offset) <= 10.0


@pytest.mark.parametrize("kind", DESIGNS)
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


@pytest.mark.parametrize("solver", ["auto", "kernel_dual", "newton"])
@pytest.mark.parametrize("loss", [Tube(), BelowZero(), Band()])
def test_losses_without_a_kink_above_zero_have_no_hard_margin(loss, solver):
    X, sign = np.array([[1.0], [-2.0]]), np.array([1.0, -1.0])
    design = DESIGNS["gram" if solver == "kernel_dual" else "dense"](X)
    targets, prices = Targets.of_classes(sign), Prices(np.inf)
    problem = Problem(design, targets, np.ones(2), prices, True, loss)
    with pytest.raises(ValueError, match=r"C=inf asks for .* got .*Use a finite C"):
        solve(problem, solver, tol=1e-6)


def test_values_have_no_hard_margin():
    targets = Targets.of_values(np.array([1.0, 2.0]))
    design = DenseDesign(np.array([[1.0], [3.0]]))
    problem = Problem(design, targets, np.ones(2), Prices(np.inf), True, HINGE)
    with pytest.raises(ValueError, match="a hard margin, which only classes have"):
        solve(problem, "auto", tol=1e-6)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("kind", DESIGNS)
def test_rows_that_are_all_zero_are_not_separable(kind, fit_intercept):
    targets = Targets.of_classes(np.array([1.0, -1.0, 1.0]))
    design = DESIGNS[kind](np.zeros((3, 2)))
    problem = Problem(design, targets, np.ones(3), Prices(np.inf), fit_intercept)
    with pytest.raises(NotSeparable):
        solve(problem, "auto", tol=1e-6)


@pytest.mark.parametrize("prices", [(np.inf, 0.0, 0.5, 10.0), (np.inf, 50.0)])
def test_a_hard_margin_is_found_soon_where_squares_are_steep(prices):
    X = [
        [10, 0, -12.5],
        [0, -17.4, 13.7],
        [6.7, 4.2, -30.6],
        [0, 6.2, 0],
        [-1.6, -4.2, 8.4],
    ]
    targets, weight = Targets.of_classes(np.ones(5)), np.array([2.0, 1.4, 2.5, 0.8, 0.7])
    problem = Problem(DenseDesign(-np.array(X)), targets, weight, Prices(*prices), False)
    solution = solve(problem, "newton", tol=1e-8, max_iter=60)
    assert solution.converged
    assert solution.margins.min() >= 1.0


@pytest.mark.parametrize("kind", DESIGNS)
def test_nothing_moves_an_intercept_that_nothing_holds(kind):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X, weight = 0.1 * rng.standard_normal((130, 3)), rng.uniform(0.3, 3.0, 130)
        targets = Targets.of_values(rng.standard_normal(130) + 7.0)
        prices = Prices(0.0, lambda_var=0.05)
        problem = Problem(DESIGNS[kind](X), targets, weight, prices, True, Pinball())
        solution = solve(problem, "auto", tol=1e-8)
        assert solution.converged
        assert abs(solution.offset) <= 10.0


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("kind", DESIGNS)
def test_a_smooth_loss_that_costs_nothing_is_none(kind, fit_intercept):
    rng = np.random.default_rng(0)
    X, weight = rng.standard_normal((40, 3)), rng.uniform(0.3, 3.0, 40)
    targets = Targets.of_values(X @ [1.0, -2.0, 0.5] + 1.0)
    primals = []
    for loss in Band(0.5, 0.2), Band(), HINGE:
        prices = Prices(0.0, 1.0, 0.5, 2.0)
        problem = Problem(DESIGNS[kind](X), targets, weight, prices, fit_intercept, loss)
        solution = solve(problem, "auto", tol=1e-9)
        assert solution.converged
        primals.append(solution.certificate.primal)
    assert_allclose(primals, primals[0], rtol=1e-8)


@pytest.mark.parametrize("n_rows", [1, 2, 30])
@pytest.mark.parametrize("kind", DESIGNS)
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
        _, beta, certificate = problem.examine(w, rng.standard_normal(), rng.random(n_rows))
        # Nothing else pulls at the intercept, and the optimum is zero.
        assert weight @ beta <= 1e-12
        assert certificate.gap >= certificate.primal * (1.0 - 1e-12)


@pytest.mark.parametrize("n_rows", [1, 30])
@pytest.mark.parametrize("kind", DESIGNS)
def test_values_that_are_all_the_same_are_fitted(kind, n_rows):
    rng = np.random.default_rng(0)
    for _ in range(20):
        X, weight = rng.standard_normal((n_rows, 3)), rng.uniform(0.3, 3.0, n_rows)
        targets = Targets.of_values(np.full(n_rows, 10.0 * rng.standard_normal()))
        problem = Problem(DESIGNS[kind](X), targets, weight, Prices(30.0), False, Pinball())
        assert solve(problem, "auto", tol=1e-8).converged
