"""The automatic choice of a solver."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import Ridge

from largemargin.designs import features
from largemargin.problem import Prices, Problem, Targets
from largemargin.problem.losses import HINGE
from largemargin.solvers import Run, auto, equivalent_rows, solve
from small_problems import (
    DESIGNS,
    EpsilonInsensitive,
    Pinball,
    classes_on_rows,
    sparse_classes,
)

SOLVERS = "solve_on_equivalent_rows", "solve_kernel_dual", "descend", "solve_newton"


def taken_by(problem, monkeypatch):
    """Return the solvers that ``auto`` calls, in order."""
    taken = []
    for name in SOLVERS:
        original = getattr(auto, name)

        def noted(*args, name=name, original=original, **options):
            taken.append(name)
            return original(*args, **options)

        monkeypatch.setattr(auto, name, noted)
    assert auto.solve_auto(problem, Run(1e-3, 100)).converged
    return taken


def test_the_design_and_the_cost_decide(monkeypatch):
    few = classes_on_rows()
    assert taken_by(few, monkeypatch) == ["solve_newton"]
    more = classes_on_rows(150)
    assert taken_by(more, monkeypatch) == ["solve_on_equivalent_rows"]
    plain = few.at(few.prices.without_squares())
    assert taken_by(plain, monkeypatch) == ["solve_newton"]
    assert taken_by(few.on(DESIGNS["gram"](few.design.X)), monkeypatch)[0] == (
        "solve_kernel_dual"
    )
    assert taken_by(sparse_classes(0.1), monkeypatch) == ["descend"]
    large_variance = sparse_classes(0.1, (500.0, 0.1))
    assert taken_by(large_variance, monkeypatch) == ["solve_on_equivalent_rows"]


@pytest.mark.parametrize("loss", [HINGE, EpsilonInsensitive(1.0)])
@pytest.mark.parametrize("lambda_var", [2.0, 0.1, 1e-3])
@pytest.mark.parametrize("n_rows", [50, 150])
@pytest.mark.parametrize("kind", ["dense", "gram"])
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


@pytest.mark.parametrize("n_rows", [1, 30])
@pytest.mark.parametrize("kind", ["dense", "gram"])
def test_values_that_are_all_the_same_are_fitted(kind, n_rows):
    rng = np.random.default_rng(0)
    for _ in range(20):
        X, weight = rng.standard_normal((n_rows, 3)), rng.uniform(0.3, 3.0, n_rows)
        targets = Targets.of_values(np.full(n_rows, 10.0 * rng.standard_normal()))
        problem = Problem(
            DESIGNS[kind](X), targets, weight, Prices(30.0), False, Pinball(0.9)
        )
        assert solve(problem, "auto", tol=1e-8).converged


@pytest.mark.parametrize("C", [0.1, 100.0])
@pytest.mark.parametrize("lambdas", [(500.0, 0.1), (5e4, 5e4)])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_wide_rows_with_large_prices_are_solved_as_on_their_gram(
    fit_intercept, C, lambdas, monkeypatch
):
    monkeypatch.setattr(auto, "MAX_FACTORED", 10)
    monkeypatch.setattr(features, "MAX_FACTORED", 10)
    monkeypatch.setattr(equivalent_rows, "MAX_FEATURES", 10)
    problem = sparse_classes(C, lambdas, fit_intercept)
    assert auto._is_stiff(problem)
    gram = problem.on(problem.design.as_gram_design())
    by_gram, taken = solve(gram, "auto", tol=1e-7), []
    original = auto.solve_newton
    monkeypatch.setattr(auto, "solve_newton", lambda *a: taken.append(a) or original(*a))
    found = solve(problem, "auto", tol=1e-7)
    assert taken
    assert found.converged
    assert by_gram.converged
    assert found.certificate.primal == pytest.approx(by_gram.certificate.primal, rel=1e-6)
    assert_allclose(found.w, problem.design.combine(by_gram.w), atol=1e-3)


@pytest.mark.parametrize(
    ("max_gram_rows", "lambdas", "n_sweeps"),
    [
        (5000, (0.0, 0.0), 1000),
        (5000, (500.0, 0.1), 100),
        (100, (0.0, 0.0), 5000),
        (100, (500.0, 0.1), 1000),
    ],
)
def test_sweeps_over_wide_rows_have_as_long_as_newton_steps_would_take(
    max_gram_rows, lambdas, n_sweeps, monkeypatch
):
    monkeypatch.setattr(auto, "MAX_FACTORED", 10)
    monkeypatch.setattr(auto, "MAX_GRAM_ROWS", max_gram_rows)
    assert auto._worthwhile_sweeps(sparse_classes(1.0, lambdas)) == n_sweeps


def test_auto_goes_on_by_newton_steps_where_sweeps_are_slow(monkeypatch):
    problem = sparse_classes(1000.0)
    taken = []
    original = auto.solve_newton
    monkeypatch.setattr(
        auto, "solve_newton", lambda *a, **kw: taken.append(kw) or original(*a, **kw)
    )
    assert solve(problem, "auto", tol=1e-9).converged
    assert taken


def test_auto_is_the_same_every_time():
    first, second = (solve(sparse_classes(0.1), "auto", tol=1e-3) for _ in range(2))
    assert_allclose(first.w, second.w, rtol=0, atol=0)
