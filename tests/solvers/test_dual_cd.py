"""Dual coordinate descent: where it ends, and what it keeps on the way."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from largemargin.problem.certificate import Certificate, Certified
from largemargin.problem.losses import LOSSES
from largemargin.solvers import Start, solve
from largemargin.solvers.dual_cd import _best_of
from oracle import solve_qp
from small_problems import DESIGNS, classes_on_rows, sparse_classes

# Without the compiler there is time for one loss.
NAMES = ["hinge", pytest.param("squared_hinge", marks=pytest.mark.needs_jit)]


def test_the_best_point_and_the_best_bound_are_kept():
    old = Certified("old point", "old beta", Certificate(2.0, 1.0, 5.0))  # above 1
    new = Certified("new point", "new beta", Certificate(1.9, 1.5, 5.0))  # above 0.4
    point, beta, certificate, _ = _best_of(old, new)
    assert (point, beta) == ("new point", "old beta")
    assert certificate.primal == 1.9
    assert certificate.gap == pytest.approx(0.9)


def test_objectives_that_are_equal_but_for_rounding_certify_nothing():
    old = Certified("old point", "old beta", Certificate(1.0, 1e-17, 1.0))
    new = Certified("new point", "new beta", Certificate(1.0, 1e-18, 1.0))
    point, beta, certificate, _ = _best_of(old, new)
    assert (point, beta) == ("new point", "new beta")
    assert certificate.gap == 1e-18


@pytest.mark.parametrize("loss", NAMES)
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("prices", [(1.0, 0.0, 0.0), (1.0, 0.5, 0.3), (5.0, 20.0, 1.0)])
@pytest.mark.parametrize(
    "kind", ["gram", "dense", pytest.param("sparse", marks=pytest.mark.needs_jit)]
)
def test_descent_reaches_the_objective_of_the_qp(kind, prices, fit_intercept, loss):
    options = {"fit_intercept": fit_intercept, "loss": LOSSES[loss]}
    problem = classes_on_rows(prices=prices, **options)
    X = problem.design.X
    found = solve(problem.on(DESIGNS[kind](X)), "dual_cd", tol=1e-7)
    problem_of_qp = X @ X.T, problem.sign, problem.weight, *prices, fit_intercept, loss
    optimum = solve_qp(*problem_of_qp)[2]
    assert found.converged
    assert_allclose(found.certificate.primal, optimum, rtol=1e-6)


@pytest.mark.parametrize("loss", NAMES)
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("lambdas", [(0.0, 0.0), (0.05, 0.1), (500.0, 100.0)])
@pytest.mark.parametrize("solver", ["dual_cd", "auto"])
def test_sweeps_end_where_newton_does(solver, lambdas, fit_intercept, loss):
    problem = sparse_classes(0.5, lambdas, fit_intercept, LOSSES[loss])
    swept = solve(problem, solver, tol=1e-8, rng=np.random.default_rng(0))
    exact = solve(problem, "newton", tol=1e-12)
    assert swept.converged
    assert_allclose(swept.margins, exact.margins, atol=2e-3)
    assert_allclose(swept.certificate.primal, exact.certificate.primal, rtol=1e-7)


@pytest.mark.needs_jit
@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
@pytest.mark.parametrize("solver", ["dual_cd", "newton", "auto"])
@pytest.mark.parametrize("C", [0.1, 3.0])
def test_a_start_at_another_price_leads_to_the_same_optimum(solver, loss, C):
    problem = sparse_classes(0.5, (0.05, 0.1), True, loss)
    near = solve(problem.at(problem.prices._replace(C=C)), "auto", tol=1e-4)
    cold = solve(problem, "newton", tol=1e-12)
    for start in Start(near.beta), near.as_start():
        warm = solve(problem, solver, tol=1e-8, start=start)
        assert warm.converged
        assert_allclose(warm.certificate.primal, cold.certificate.primal, rtol=2e-8)
