"""Dual coordinate descent: where it ends, and what it keeps on the way."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from largemargin.problem.certificate import Certificate, Certified
from largemargin.solvers import solve
from largemargin.solvers.dual_cd import _best_of
from oracle import solve_qp
from small_problems import DESIGNS, classes_on_rows, sparse_classes


def test_the_best_point_and_the_best_bound_are_kept():
    old = Certified("old point", "old beta", Certificate(2.0, 1.0, 5.0))  # above 1
    new = Certified("new point", "new beta", Certificate(1.9, 1.5, 5.0))  # above 0.4
    point, beta, certificate = _best_of(old, new)
    assert (point, beta) == ("new point", "old beta")
    assert certificate.primal == 1.9
    assert certificate.gap == pytest.approx(0.9)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("prices", [(1.0, 0.0, 0.0), (1.0, 0.5, 0.3), (5.0, 20.0, 1.0)])
def test_descent_on_a_gram_matrix_reaches_the_objective_of_the_qp(prices, fit_intercept):
    problem = classes_on_rows(prices=prices, fit_intercept=fit_intercept)
    X = problem.design.X
    found = solve(problem.on(DESIGNS["gram"](X)), "dual_cd", tol=1e-7)
    problem_of_qp = X @ X.T, problem.sign, problem.weight, *prices, fit_intercept
    optimum = solve_qp(*problem_of_qp)[2]
    assert found.converged
    assert_allclose(found.certificate.primal, optimum, rtol=1e-6)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("lambdas", [(0.0, 0.0), (0.05, 0.1), (500.0, 100.0)])
@pytest.mark.parametrize("solver", ["dual_cd", "auto"])
def test_sweeps_end_where_newton_does(solver, lambdas, fit_intercept):
    problem = sparse_classes(0.5, lambdas, fit_intercept)
    swept = solve(problem, solver, tol=1e-8, rng=np.random.default_rng(0))
    exact = solve(problem, "newton", tol=1e-12)
    assert swept.converged
    assert_allclose(swept.margins, exact.margins, atol=2e-3)
    assert_allclose(swept.certificate.primal, exact.certificate.primal, rtol=1e-7)
