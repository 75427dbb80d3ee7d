"""The SVM on other rows that is equivalent to a linear problem with squared terms."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from largemargin.problem.losses import HINGE, SQUARED_HINGE
from largemargin.solvers import Run, Start, solve
from largemargin.solvers.equivalent_rows import (
    equivalent_rows,
    rows_can_solve,
    solve_on_equivalent_rows,
)
from machines import fixed_linear_ldm
from oracle import solve_qp
from small_problems import DESIGNS, EpsilonInsensitive, classes_on_rows, sparse_classes

NAMES = {HINGE: "hinge", SQUARED_HINGE: "squared_hinge"}
LOSSES = pytest.mark.parametrize("loss", [HINGE, SQUARED_HINGE])
INTERCEPTS = pytest.mark.parametrize("fit_intercept", [True, False])


def least_objective(problem):
    X, prices = problem.design.X, problem.prices
    rest = prices.C, prices.lambda_var, prices.lambda_mean, problem.fit_intercept
    return solve_qp(X @ X.T, problem.sign, problem.weight, *rest, NAMES[problem.loss])[2]


@pytest.mark.parametrize("design", ["dense", "narrow", "sparse"])
@INTERCEPTS
def test_values_are_those_of_the_problem(design, fit_intercept):
    problem = classes_on_rows(prices=(1.0, 3.0, 0.3, 0.5), fit_intercept=fit_intercept)
    problem = problem.on(DESIGNS[design](problem.design.X))
    rows, norms, back = equivalent_rows(problem)
    v = np.random.default_rng(0).normal(size=rows.shape[1])
    u = back @ v
    w, offset = u[:4], u[4] if fit_intercept else 0.0
    scores = problem.design.scores(w)
    assert_allclose(rows @ v, scores + offset, rtol=1e-9, atol=1e-9)
    assert_allclose(norms, np.square(rows).sum(axis=1))
    squares = problem.squares(problem.margins(scores, offset))
    assert_allclose(0.5 * v @ v, 0.5 * w @ w + squares, rtol=1e-9)


@LOSSES
@INTERCEPTS
@pytest.mark.parametrize("C", [0.05, 1.0, 100.0])
def test_the_solution_is_that_of_a_quadratic_program(loss, fit_intercept, C):
    prices = C, 3.0 * C, 1.0 * C
    problem = classes_on_rows(60, prices, fit_intercept, loss=loss)
    assert rows_can_solve(problem)
    solution = solve_on_equivalent_rows(problem, Run(1e-5, 500))
    assert solution.converged
    examined = solution.examined_if_finite(problem, 1e-5)
    assert examined.certificate.relative <= 1.01e-5
    optimum, scale = least_objective(problem), examined.certificate.scale
    assert -1e-7 * scale <= solution.certificate.primal - optimum <= 1e-5 * scale
    closely = solve(problem, "auto", tol=1e-9)
    assert_allclose(closely.certificate.primal, optimum, rtol=1e-6)


@LOSSES
def test_the_certificate_is_that_of_the_problem_before_the_end(loss):
    problem = classes_on_rows(60, (1.0, 3.0, 1.0), loss=loss)
    solution = solve_on_equivalent_rows(problem, Run(0.1, 500))
    exact = problem.examine(solution.w, solution.offset, solution.beta).certificate
    assert 1e-6 < solution.certificate.relative <= 0.1
    assert_allclose(solution.certificate.primal, exact.primal, rtol=1e-9)
    assert_allclose(solution.certificate.gap, exact.gap, rtol=1e-6)
    assert_allclose(solution.certificate.scale, exact.scale, rtol=1e-9)


def test_a_start_at_the_solution_leaves_nothing_to_do():
    problem = classes_on_rows(60, (1.0, 3.0, 1.0))
    first = solve(problem, "auto", tol=1e-10)
    again = solve_on_equivalent_rows(problem, Run(1e-5, 500, Start(first.beta)))
    assert_allclose(again.beta, first.beta, atol=1e-5)


def test_other_problems_are_left_to_other_solvers():
    problem = classes_on_rows(prices=(1.0, 3.0, 0.3))
    assert rows_can_solve(problem)
    one_class = problem.targets._replace(sign=np.ones(30))
    others = (
        problem.at(problem.prices.without_squares()),
        problem.at(problem.prices._replace(C=np.inf)),
        problem.at(problem.prices._replace(C=0.0)),
        problem.at(problem.prices._replace(intercept=0.1)),
        problem.on(DESIGNS["gram"](problem.design.X)),
        replace(problem, loss=EpsilonInsensitive(0.1)),
        replace(problem, targets=problem.targets._replace(origin=np.ones(30))),
        replace(problem, targets=one_class),
    )
    assert not any(map(rows_can_solve, others))


def test_sparse_rows_that_would_become_much_larger_take_newton_steps():
    wide = sparse_classes(1.0, (30.0, 0.0))
    assert rows_can_solve(wide)  # few numbers
    X = sp.random(20_000, 100, 0.05, "csr", random_state=0)
    y = np.sign(X @ np.random.default_rng(0).normal(size=100) + 0.1)
    machine = fixed_linear_ldm(lambda_var=2000.0, tol=1e-4)
    machine.fit(X[:200], y[:200])  # import and compile
    tracemalloc.start()
    machine.fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert machine.duality_gap_ <= 1e-4
    assert peak < 0.5 * X.shape[0] * X.shape[1] * 8


def test_slow_descent_is_completed_by_newton_steps():
    # A price so small that the intercept is nearly free.
    problem = classes_on_rows(100, (100.0, 1e-7, 0.0))
    assert not solve_on_equivalent_rows(problem, Run(1e-5, 500)).converged
    solution = solve(problem, "auto", tol=1e-9)
    assert solution.converged
    assert_allclose(solution.certificate.primal, least_objective(problem), rtol=1e-6)


def test_the_certificate_of_an_unfinished_descent_is_that_of_its_point():
    problem = classes_on_rows(100, (100.0, 1e-7, 0.0))
    for max_iter in 1, 2, 7:
        solution = solve_on_equivalent_rows(problem, Run(1e-5, max_iter))
        exact = problem.examine(solution.w, solution.offset, solution.beta).certificate
        assert not solution.converged
        assert_allclose(solution.certificate.primal, exact.primal, rtol=1e-6)
