"""Values instead of classes: a two-sided loss on targets whose signs are all the same.

Here the variance of the margins does not see the intercept, and squares about zero do.
"""

from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose

from largemargin.designs.base import MissingCapability
from largemargin.designs.dense import DenseDesign
from largemargin.designs.gram import GramDesign
from largemargin.problem import Prices, Problem, Targets
from largemargin.solvers import kernel_dual, solve
from oracle import factor_of, solve_tube
from small_problems import DESIGNS, EpsilonInsensitive, HingeAt, Pinball

# C, lambda_var, lambda_mean, lambda_square, price of the intercept
PRICES = [
    (1.0, 0.0, 0.0, 0.0, 0.0),
    (1.0, 30.0, 0.0, 0.0, 0.0),
    (1.0, 0.0, 0.0, 30.0, 0.0),
    (10.0, 3.0, 0.0, 8.0, 0.0),
    (0.1, 0.01, 0.0, 0.02, 0.0),
    (0.0, 20.0, 0.0, 5.0, 0.0),
    (1.0, 30.0, 2.0, 0.0, 1.5),
    (1.0, 0.0, 2.0, 30.0, 1.5),
]


def drawn(n_rows, weighted, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_rows, 3)) * (rng.random((n_rows, 3)) < 0.8)
    values = X @ [1.0, -2.0, 0.5] + 7.0 + rng.standard_normal(n_rows)
    weight = rng.uniform(0.3, 3.0, n_rows) if weighted else np.ones(n_rows)
    return X, values, weight


@cache
def solve_drawn(n_rows, weighted, prices, sides, fit_intercept):
    """Return the same for drawn rows that fit into float32, once for all designs."""
    X, values, weight = drawn(n_rows, weighted)
    X = X.astype(np.float32).astype(float)
    return solve_tube(X, values, weight, prices, sides, fit_intercept)


TUBE = EpsilonInsensitive(0.3), ((1.0, 0.3), (-1.0, -0.3))
CURVE = Pinball(0.8), ((0.2, 0.0), (-0.8, 0.0))


@pytest.mark.parametrize("loss", [TUBE, CURVE], ids=["tube", "pinball"])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("prices", PRICES)
@pytest.mark.parametrize("kind", DESIGNS)
def test_values_are_fitted_as_the_qp_does(kind, prices, fit_intercept, weighted, loss):
    loss, sides = loss
    # More rows than kernel machines turn into features.
    X, values, weight = drawn(kernel_dual.SMALL + 40, weighted)
    X = X.astype(np.float32).astype(float)
    targets, prices = Targets.of_values(values), Prices(*prices)
    problem = Problem(DESIGNS[kind](X), targets, weight, prices, fit_intercept, loss)
    w, b, optimum = solve_drawn(len(X), weighted, prices, sides, fit_intercept)
    solution = solve(problem, "auto", tol=1e-10)
    assert solution.converged
    assert_allclose(solution.certificate.primal, optimum, rtol=1e-7, atol=1e-7)
    found = X.T @ solution.w if kind == "gram" else solution.w
    assert_allclose(found, w, atol=1e-3)
    is_determined = prices.lambda_square > 0 or loss is CURVE[0]
    if is_determined and prices.C > 0:
        assert_allclose(solution.offset, b, atol=1e-3)


@pytest.mark.parametrize("prices", PRICES)
@pytest.mark.parametrize("kind", DESIGNS)
def test_any_pair_is_no_farther_from_the_optimum_than_certified(kind, prices):
    loss, sides = TUBE
    X, values, weight = drawn(60, True)
    X = X.astype(np.float32).astype(float)
    rng = np.random.default_rng(1)
    targets, prices = Targets.of_values(values), Prices(*prices)
    problem = Problem(DESIGNS[kind](X), targets, weight, prices, True, loss)
    _, _, optimum = solve_drawn(60, True, prices, sides, True)
    for scale in 1e-2, 1.0, 30.0:
        w = scale * rng.standard_normal(len(problem.design.zeros()))
        beta = prices.C * rng.uniform(-1, 1, 60)
        offset = 7.0 + scale * rng.standard_normal()
        _, balanced, certificate, _ = problem.examine(w, offset, beta)
        assert certificate.primal >= optimum - 1e-8 * abs(optimum)
        assert certificate.primal - certificate.gap <= optimum + 1e-7 * abs(optimum)
        assert np.abs(balanced).max() <= prices.C


def test_one_class_is_the_pinball_with_a_priced_intercept():
    X, _, weight = drawn(50, True)
    X = X + 2.0  # else the origin is among the rows, and nothing separates them from it
    X = X.astype(np.float32).astype(float)
    nu = 0.3
    C, lambda_mean = 1.0 / (nu * weight.sum()), 0.2
    prices = Prices(C, 2.0, lambda_mean, 0.0, 1.0 + lambda_mean)

    targets = Targets.of_values(np.zeros(50))
    optimum = solve_tube(X, np.zeros(50), weight, prices, [(-1.0, 0.0)], True)[2]
    for kind in DESIGNS:
        problem = Problem(DESIGNS[kind](X), targets, weight, prices, True, HingeAt(0.0))
        solution = solve(problem, "auto", tol=1e-9)
        assert solution.converged
        assert_allclose(solution.certificate.primal, optimum, rtol=1e-6, atol=1e-8)
        outside = weight @ (solution.margins < -1e-7) / weight.sum()
        assert outside <= nu + 1e-9


def test_sweeps_refuse_what_they_do_not_know():
    X, values, weight = drawn(30, True)
    loss, _ = TUBE
    targets = Targets.of_values(values)
    problem = Problem(DenseDesign(X), targets, weight, Prices(1.0), True, loss)
    with pytest.raises(ValueError, match="only losses that are zero above"):
        solve(problem, "dual_cd", tol=1e-3)
    problem = Problem(GramDesign(X @ X.T), targets, weight, Prices(1.0), True, loss)
    for solver in "newton", "asgd":
        with pytest.raises(MissingCapability, match=r"needs .*; GramDesign does not"):
            solve(problem, solver, tol=1e-3)


def test_the_features_of_a_gram_matrix_are_those_it_was_made_of():
    X, *_ = drawn(20, False)
    _, features = GramDesign(X @ X.T).on_features()
    assert_allclose(features.X @ features.X.T, X @ X.T, atol=1e-10)
    assert_allclose(factor_of(X @ X.T) @ factor_of(X @ X.T).T, X @ X.T, atol=1e-10)
