"""Sweeps over a Gram matrix against an interior point method, and against themselves."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics.pairwise import rbf_kernel

from largemargin.designs.gram import GramDesign
from largemargin.problem import Prices, Problem, Targets
from largemargin.problem.losses import HINGE, SQUARED_HINGE, Band
from largemargin.solvers import gram_sweeps
from largemargin.solvers.gram_sweeps import (
    GramSweeps,
    solve_by_gram_sweeps,
    sweeps_can_solve,
)
from largemargin.solvers.solution import Run, Start
from oracle import solve_qp

N_ROWS = 60
SETTINGS = [
    (loss, fit_intercept, prices)
    for loss in ("hinge", "squared_hinge")
    for fit_intercept in (True, False)
    for prices in [(1.0, 0.1, 0.0), (1.0, 3.0, 1.0), (0.1, 0.05, 0.3)]
]
LOSSES = {"hinge": HINGE, "squared_hinge": SQUARED_HINGE}


def problem_of(loss="hinge", fit_intercept=True, prices=(1.0, 0.1, 0.0), dtype=np.float64):
    """Return a problem with unequal classes and weights; lambdas in units of C sum(s)."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N_ROWS, 3))
    y = np.where(X[:, 0] + 0.7 * rng.normal(size=N_ROWS) > 0.5, 1.0, -1.0)
    weight = rng.uniform(0.2, 3.0, N_ROWS)
    C, k_var, k_mean = prices
    unit = C * weight.sum()
    return Problem(
        GramDesign(2.0 * rbf_kernel(X, gamma=0.3).astype(dtype)),
        Targets.of_classes(y),
        weight,
        Prices(C, k_var * unit, k_mean * unit),
        fit_intercept,
        LOSSES[loss],
    )


def swept(problem, tol=1e-10):
    """Return the state after as many sweeps as it takes."""
    state = GramSweeps(problem, None)
    state.sweep(20_000, tol)
    assert state.certificate.relative <= tol
    return state


@pytest.mark.parametrize(("loss", "fit_intercept", "prices"), SETTINGS)
def test_sweeps_reach_the_optimum_of_a_qp(loss, fit_intercept, prices):
    problem = problem_of(loss, fit_intercept, prices)
    C, lambda_var, lambda_mean, *_ = problem.prices
    given = problem.design.gram_matrix, problem.sign, problem.weight, C
    scores, intercept, best = solve_qp(*given, lambda_var, lambda_mean, fit_intercept, loss)
    state = swept(problem)
    assert_allclose(state.certificate.primal, best, rtol=1e-8)
    assert_allclose(state.point[1], scores, atol=1e-4)
    assert_allclose(state.offset, intercept, atol=1e-4)


@pytest.mark.parametrize(("loss", "fit_intercept", "prices"), SETTINGS)
def test_the_certificate_is_that_of_an_examination(loss, fit_intercept, prices):
    problem = problem_of(loss, fit_intercept, prices)
    state = GramSweeps(problem, None)
    state.sweep(5, 0.0)
    certified = state.certified()
    solution = gram_sweeps.Solution.of(problem, certified, 1, 1e-4)
    examined = solution.examined(problem, 1.0).certificate
    assert_allclose(certified.certificate, examined, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_scores_are_those_of_the_forces(dtype):
    problem = problem_of(dtype=dtype)
    state = GramSweeps(problem, None)
    for _ in range(3):
        state.sweep(4, 0.0)
    forces, scores, _ = state.point
    assert_allclose(scores, problem.design.gram_matrix.astype(float) @ forces, atol=1e-10)
    assert abs(forces.sum()) <= 1e-12 * np.abs(forces).sum()


def test_a_start_at_the_solution_takes_one_sweep():
    problem = problem_of()
    state = swept(problem)
    start = Start(state.duals[0], state.point[0], state.offset)
    again = GramSweeps(problem, start)
    again.sweep(100, 1e-9)
    assert again.n_sweeps == 1


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_a_class_of_one_row_and_rows_of_zeros_do_no_harm(loss, fit_intercept):
    problem = problem_of(loss, fit_intercept)
    sign = -np.ones(N_ROWS)
    sign[7] = 1.0
    gram = problem.design.gram_matrix.copy()
    gram[:, 20:25] = gram[20:25] = 0.0
    targets = Targets.of_classes(sign)
    problem = replace(problem, design=GramDesign(gram), targets=targets)
    C, lambda_var, lambda_mean, *_ = problem.prices
    given = gram, sign, problem.weight, C, lambda_var, lambda_mean
    best = solve_qp(*given, fit_intercept, loss)[2]
    assert_allclose(swept(problem).certificate.primal, best, rtol=1e-8)


def test_numbers_that_overflow_end_the_sweeps():
    problem = problem_of()
    gram = 1e200 * problem.design.gram_matrix
    with np.errstate(all="ignore"):
        solution = solve_by_gram_sweeps(
            replace(problem, design=GramDesign(gram), weight=1e150 * problem.weight),
            Run(1e-4, 10_000),
        )
    assert not solution.converged
    assert solution.n_iter < 10


def test_the_order_of_the_sweeps_is_always_the_same():
    first, second = (solve_by_gram_sweeps(problem_of(), Run(1e-4, 100)) for _ in range(2))
    assert first.converged
    assert_array_equal(first.w, second.w)


def test_sweeps_that_would_take_too_long_are_given_up(monkeypatch):
    monkeypatch.setattr(gram_sweeps, "SWEEPS_PER_CALL", 2)
    problem = problem_of(prices=(1e4, 0.02, 0.0))
    solution = solve_by_gram_sweeps(problem, Run(1e-9, 500))
    assert not solution.converged
    assert solution.n_iter < gram_sweeps.WORTHWHILE[600] / 4


@pytest.mark.parametrize(
    "change",
    [
        {"prices": Prices(1.0)},
        {"prices": Prices(0.0, 1.0)},
        {"prices": Prices(np.inf, 1.0)},
        {"prices": Prices(1.0, 1.0, lambda_square=1.0)},
        {"prices": Prices(1.0, 1.0, intercept=1.0)},
        {"loss": Band(0.5, 0.5)},
        {"tangent": np.ones(N_ROWS)},
        {"targets": Targets.of_values(np.arange(1.0, N_ROWS + 1))},
        {"targets": Targets.of_classes(np.ones(N_ROWS))},
    ],
)
def test_other_problems_are_left_to_other_solvers(change):
    problem = problem_of()
    assert sweeps_can_solve(problem)
    changed = {**vars(problem), **change}
    fields = Problem.__dataclass_fields__
    assert not sweeps_can_solve(Problem(**{name: changed[name] for name in fields}))
