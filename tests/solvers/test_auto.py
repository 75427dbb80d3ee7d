"""The automatic choice of a solver."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import Ridge

from largemargin.problem import Prices, Problem, Targets
from largemargin.problem.losses import HINGE
from largemargin.solvers import Run, auto, solve
from small_problems import (
    DESIGNS,
    EpsilonInsensitive,
    Pinball,
    classes_on_rows,
    sparse_classes,
)


def taken_by(problem, monkeypatch):
    """Return the solvers that ``auto`` calls, in order."""
    taken = []
    for name in "solve_kernel_dual", "descend", "solve_newton":
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
    assert taken_by(few.on(DESIGNS["gram"](few.design.X)), monkeypatch)[0] == (
        "solve_kernel_dual"
    )
    assert taken_by(sparse_classes(0.1), monkeypatch) == ["descend"]
    large_variance = sparse_classes(0.1, (500.0, 0.1))
    assert taken_by(large_variance, monkeypatch) == ["solve_newton"]


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
