"""Machines whose Gram matrix is not stored, against a quadratic programme."""

import time

import numpy as np
import pytest
from numpy.testing import assert_allclose

from largemargin.designs import surrogate
from largemargin.designs.gram import GramDesign
from largemargin.designs.kernel_rows import TiledDesign
from largemargin.kernels.functions import Kernel
from largemargin.problem import Prices, Problem, Targets
from largemargin.problem.losses import loss_named
from largemargin.solvers import Progress, solve
from oracle import solve_qp

KERNEL = Kernel("rbf", 0.5)
LOSSES = pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
INTERCEPTS = pytest.mark.parametrize("fit_intercept", [True, False])
PRICES = pytest.mark.parametrize(
    "prices", [Prices(2.0), Prices(2.0, 0.1, 0.1), Prices(2.0, 100.0, 30.0)], ids=str
)


def problem_of(prices, fit_intercept=True, loss="hinge", n_rows=150, noise=1.0):
    rng = np.random.default_rng(0)
    X, weight = rng.normal(size=(n_rows, 3)), rng.uniform(0.3, 3.0, n_rows)
    sign = np.where(X[:, 0] + noise * rng.normal(size=n_rows) > 0, 1.0, -1.0)
    # No tile is kept, as where memory is short.
    design, targets = TiledDesign(KERNEL, X, max_kept_bytes=0), Targets.of_classes(sign)
    named = loss_named(loss, prices.C)
    return Problem(design, targets, weight, prices, fit_intercept, named)


def optimum(problem, loss="hinge"):
    gram, prices = KERNEL.gram_matrix(problem.design.X), problem.prices
    terms = prices.C, prices.lambda_var, prices.lambda_mean, problem.fit_intercept
    return solve_qp(gram, problem.sign, problem.weight, *terms, loss)


@PRICES
@INTERCEPTS
@LOSSES
def test_the_certificate_of_the_exact_problem_reaches_tol(prices, fit_intercept, loss):
    problem = problem_of(prices, fit_intercept, loss)
    solution = solve(problem, "auto", tol=1e-4)
    best = optimum(problem, loss)[2]
    certificate = solution.certificate
    assert solution.converged
    above = certificate.primal - best
    assert above <= certificate.gap + 1e-9 * certificate.scale
    assert certificate.gap <= 1e-4 * certificate.scale


@PRICES
@LOSSES
def test_scores_are_as_near_those_of_the_quadratic_programme_as_the_gap_proves(
    prices, loss
):
    problem = problem_of(prices, True, loss)
    solution = solve(problem, "auto", tol=1e-6)
    scores, _, _ = optimum(problem, loss)
    # The objective grows by half the squared distance of w, and all rows have length one.
    distance = np.sqrt(2.0 * solution.certificate.gap)
    assert distance < 0.1
    assert np.abs(solution.scores - scores).max() <= distance + 1e-6


@LOSSES
def test_products_alone_suffice_where_many_rows_are_coupled(loss, monkeypatch):
    monkeypatch.setattr(surrogate, "MAX_DIRECT_ROWS", 0)
    problem = problem_of(Prices(2.0), True, loss)
    assert solve(problem, "auto", tol=1e-4).converged


def test_a_hard_margin_is_kept():
    problem = problem_of(Prices(np.inf, 1.0, 0.0), noise=0.0, n_rows=80)
    solution = solve(problem, "auto", tol=1e-3)
    assert solution.converged
    assert solution.margins.min() >= 1.0
    assert_allclose(solution.certificate.primal, optimum(problem)[2], rtol=1e-3)


def test_the_start_of_a_fit_is_used():
    problem = problem_of(Prices(2.0, 100.0, 30.0))
    first = solve(problem, "auto", tol=1e-4)
    again = solve(problem, "auto", tol=1e-3, start=first.as_start())
    assert again.n_iter == 1


@pytest.mark.parametrize("lambda_var", [0.0, 100.0])
def test_without_time_the_gap_is_that_of_the_exact_problem(lambda_var):
    problem = problem_of(Prices(200.0, lambda_var, 0.0))
    late = Progress(deadline=time.perf_counter())
    solution = solve(problem, "auto", tol=1e-8, progress=late)
    certificate = solution.certificate
    assert solution.is_late
    assert certificate.primal - optimum(problem)[2] <= certificate.gap
    assert solution.pass_seconds > 0


def test_rows_with_products_only_are_refused_by_solvers_that_need_the_matrix():
    problem = problem_of(Prices(1.0))
    with pytest.raises(ValueError, match="needs a Gram matrix in memory"):
        solve(problem, "kernel_dual", tol=1e-4)


def test_the_stored_matrix_gives_the_same_objective():
    problem = problem_of(Prices(2.0, 100.0, 30.0), n_rows=400)
    whole = problem.on(GramDesign(KERNEL.gram_matrix(problem.design.X)))
    values = [solve(one, "auto", tol=1e-5).certificate.primal for one in (problem, whole)]
    assert_allclose(*values, rtol=2e-5)
