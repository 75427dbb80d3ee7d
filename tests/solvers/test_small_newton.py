"""Newton's method for the squared hinge as one compiled loop."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from largemargin.designs.dense import DenseDesign
from largemargin.problem import Prices, Problem, Targets
from largemargin.problem.losses import SQUARED_HINGE
from largemargin.problem.quick_examination import numbers_of
from largemargin.solvers import solve
from largemargin.solvers.small_newton import newton_on_rows, update_moment


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("C", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("lambda_var", [0.0, 5.0])
def test_the_optimum_is_that_of_the_general_solver(C, lambda_var, fit_intercept):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 5))
    y = np.where(X[:, 0] + rng.standard_normal(60) > 0, 1.0, -1.0)
    weight = rng.uniform(0.5, 2.0, 60)
    prices, targets = Prices(C, lambda_var, 0.1 * lambda_var), Targets.of_classes(y)
    rest = weight, prices, fit_intercept, SQUARED_HINGE
    problem = Problem(DenseDesign(X), targets, *rest)
    best = solve(problem, "newton", tol=1e-12)
    rows = np.hstack([X, np.ones((60, int(fit_intercept)))])
    moment, mean = rows.T @ (weight[:, None] * rows), (y * weight) @ rows
    metric = problem.spread * (moment - np.outer(mean, mean) / problem.total)
    metric[np.arange(5), np.arange(5)] += 1.0
    u = np.zeros(rows.shape[1])
    smoothing = problem.loss.smoothing(np.zeros(60), 1.0, C)
    numbers = numbers_of(problem)
    known = rows, y, weight, metric, moment, mean, numbers, smoothing
    n_steps, is_done = newton_on_rows(*known, 1e-14, u)
    assert is_done
    assert n_steps < 20
    assert_allclose(u[:5], best.w, rtol=1e-5, atol=1e-7)


def test_the_moment_follows_the_active_rows():
    rng = np.random.default_rng(0)
    rows, weight = rng.standard_normal((20, 3)), rng.uniform(0.5, 2.0, 20)
    active, moment = np.zeros(20), np.zeros((3, 3))
    for share in 1.0, 0.9, 0.1, 0.5:
        beta = np.where(rng.random(20) < share, 1.0, 0.0)
        update_moment(rows, weight, beta, active, moment)
        expected = rows.T @ ((weight * beta)[:, None] * rows)
        assert_allclose(np.tril(moment), np.tril(expected), atol=1e-12)
