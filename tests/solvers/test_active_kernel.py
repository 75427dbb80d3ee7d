"""The solver for prices that matter, against a quadratic programme."""

import time
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel

from largemargin.designs.gram import GramDesign
from largemargin.problem import Prices, Problem, Targets
from largemargin.problem.losses import HINGE, SQUARED_HINGE
from largemargin.solvers.active_kernel import solve_active
from largemargin.solvers.solution import Progress, Run, Start
from tests.oracle import solve_qp

N_ROWS = 60
LOSSES = {"hinge": HINGE, "squared_hinge": SQUARED_HINGE}
EACH_LOSS = pytest.mark.parametrize("loss", LOSSES)


def rows(n_rows=N_ROWS, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3))
    y = np.where(X[:, 0] * X[:, 1] + 0.5 * rng.normal(size=n_rows) > 0, 1.0, -1.0)
    y[:2] = 1, -1
    return X, y, rng.uniform(0.2, 3.0, n_rows)


def grams(X):
    return {
        "rbf": rbf_kernel(X, gamma=0.5),
        "narrow": rbf_kernel(X, gamma=0.5).astype(np.float32),
        "long rows": 30.0 * polynomial_kernel(X, degree=2, gamma=1.0),
        "singular": X @ X.T,
        "zero rows": (X * (np.arange(len(X)) % 7 > 0)[:, None]) @ X.T * 0.0
        + np.outer(X[:, 0], X[:, 0]) * np.outer(X[:, 1] > 0, X[:, 1] > 0),
    }


def problem_of(kind, C, k_var, k_mean, fit_intercept=True, loss="hinge", n_rows=N_ROWS):
    X, y, weight = rows(n_rows)
    scale = C * weight.sum()
    prices = Prices(C, k_var * scale, k_mean * scale)
    design = GramDesign(grams(X)[kind])
    targets = Targets.of_classes(y)
    return Problem(design, targets, weight, prices, fit_intercept, LOSSES[loss])


def best_value(problem):
    """Return the optimum by an independent solver."""
    name = "hinge" if problem.loss is HINGE else "squared_hinge"
    arguments = problem.design.gram_matrix, problem.sign, problem.weight
    return solve_qp(*arguments, *problem.prices[:3], problem.fit_intercept, name)[2]


def value_of(problem, solution):
    """Return the objective of a solution, as the paper writes it."""
    gram = problem.design.gram_matrix.astype(float)
    share = problem.weight / problem.total
    margins = problem.sign * (gram @ solution.w + solution.offset)
    loss = np.maximum(0, 1 - margins) ** (1 if problem.loss is HINGE else 2)
    mean = share @ margins
    prices = problem.prices
    value = 0.5 * solution.w @ gram @ solution.w - prices.lambda_mean * mean
    value += 2 * prices.lambda_var * (share @ (margins - mean) ** 2)
    return value + prices.C * (problem.weight @ loss)


def assert_solved(problem, solution, tol):
    """Check the certificate against the oracle: neither too small nor above tol."""
    best, value = best_value(problem), value_of(problem, solution)
    certificate = solution.certificate
    rounding = 1e-8 * certificate.scale
    assert solution.converged
    assert certificate.relative <= tol
    assert value == pytest.approx(certificate.primal, abs=rounding)
    assert -rounding <= value - best <= certificate.gap + rounding


@EACH_LOSS
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("kind", grams(rows()[0]))
def test_every_gram_matrix_is_solved(kind, fit_intercept, loss):
    for C, k_var, k_mean in (0.1, 0.1, 0.0), (1.0, 0.03, 0.3), (10.0, 1.0, 0.1):
        problem = problem_of(kind, C, k_var, k_mean, fit_intercept, loss)
        assert_solved(problem, solve_active(problem, Run(1e-6, 500)), 1e-6)


@EACH_LOSS
@pytest.mark.parametrize("C", [1e-3, 1.0, 100.0, 1e4])
@pytest.mark.parametrize("k_var", [1e-4, 1e-2, 0.3, 10.0])
@pytest.mark.parametrize("k_mean", [0.0, 0.3, 1.0])
def test_all_prices_are_solved(C, k_var, k_mean, loss):
    problem = problem_of("rbf", C, k_var, k_mean, loss=loss)
    assert_solved(problem, solve_active(problem, Run(1e-5, 500)), 1e-5)


@EACH_LOSS
def test_a_gap_of_nearly_nothing_is_reached(loss):
    problem = problem_of("rbf", 1.0, 0.1, 0.1, loss=loss)
    assert_solved(problem, solve_active(problem, Run(1e-9, 500)), 1e-9)


@EACH_LOSS
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("lambda_mean", [0.0, 3.0])
def test_without_a_price_of_violations_only_the_margins_count(
    loss, fit_intercept, lambda_mean
):
    problem = problem_of("rbf", 1.0, 0.1, 0.1, fit_intercept, loss)
    problem = problem.at(Prices(0.0, 2.0, lambda_mean))
    solution = solve_active(problem, Run(1e-8, 500))
    assert solution.certificate.relative <= 1e-8
    best, value = best_value(problem), value_of(problem, solution)
    assert value - best == pytest.approx(0, abs=1e-7 * max(abs(best), 1e-3))


@EACH_LOSS
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("before", [(0.1, 0.3, 0.0), (1.0, 0.01, 1.0), (100.0, 3.0, 0.3)])
@pytest.mark.parametrize("after", [(0.1, 0.3, 0.3), (4.0, 0.3, 0.0), (64.0, 3.0, 1.0)])
def test_a_start_at_other_prices_leads_to_the_optimum(before, after, fit_intercept, loss):
    first = problem_of("rbf", *before, fit_intercept, loss)
    start = solve_active(first, Run(1e-5, 500)).as_start()
    problem = problem_of("rbf", *after, fit_intercept, loss)
    assert_solved(problem, solve_active(problem, Run(1e-5, 500, start)), 1e-5)


@EACH_LOSS
def test_a_useless_start_leads_to_the_optimum(loss):
    problem = problem_of("rbf", 1.0, 0.1, 0.3, loss=loss)
    rng = np.random.default_rng(5)
    for w in np.zeros(N_ROWS), rng.normal(size=N_ROWS), -1e6 * problem.sign:
        start = Start(rng.uniform(0, 1, N_ROWS), w, 3.0)
        assert_solved(problem, solve_active(problem, Run(1e-5, 500, start)), 1e-5)


@EACH_LOSS
def test_the_solution_as_a_start_is_enough(loss):
    problem = problem_of("rbf", 1.0, 0.1, 0.1, loss=loss)
    first = solve_active(problem, Run(1e-6, 500))
    progress = Progress()
    again = solve_active(problem, Run(1e-5, 500, first.as_start(), progress))
    assert again.converged
    assert len(progress.history["objective"]) == 1
    assert_allclose(again.w, first.w)


@EACH_LOSS
def test_rows_of_one_class_are_solved(loss):
    problem = problem_of("rbf", 1.0, 0.1, 0.0, False, loss)
    problem = replace(problem, targets=Targets.of_classes(np.ones(N_ROWS)))
    assert_solved(problem, solve_active(problem, Run(1e-6, 500)), 1e-6)


def test_the_span_may_run_out_of_room(monkeypatch):
    monkeypatch.setattr("largemargin.solvers.active_kernel.ROOM", 6)
    problem = problem_of("rbf", 10.0, 0.03, 0.1)
    assert_solved(problem, solve_active(problem, Run(1e-6, 500)), 1e-6)


def test_a_poor_surrogate_needs_products_but_gets_there(monkeypatch):
    monkeypatch.setattr("largemargin.designs.surrogate.MAX_RANK", 3)
    for loss in LOSSES:
        problem = problem_of("rbf", 10.0, 0.1, 0.3, loss=loss)
        assert_solved(problem, solve_active(problem, Run(1e-5, 500)), 1e-5)


@EACH_LOSS
def test_a_hopeless_start_takes_half_the_rank_of_the_steps(monkeypatch, loss):
    monkeypatch.setattr("largemargin.numerics.low_rank.BLOCK", 8)
    monkeypatch.setattr("largemargin.solvers.surrogate_start.WORTH", 0.0)
    problem, ranks = problem_of("rbf", 10.0, 0.1, 0.3, loss=loss), []
    surrogate = problem.design.surrogate

    def remembered(weight, rank):
        ranks.append(rank)
        return surrogate(weight, rank)

    problem.design.surrogate = remembered
    for hopeless in np.inf, 0.0:
        monkeypatch.setattr("largemargin.solvers.surrogate_start.HOPELESS", hopeless)
        assert_solved(problem, solve_active(problem, Run(1e-5, 500)), 1e-5)
    whole = ranks[1]
    assert ranks == [whole, whole, 8 * (whole // 16), whole]


def test_the_certificate_holds_however_few_steps_there_were():
    for loss in LOSSES:
        problem = problem_of("rbf", 10.0, 0.1, 0.3, loss=loss)
        best = best_value(problem)
        start = Start(np.zeros(N_ROWS), np.zeros(N_ROWS))
        for max_iter in range(1, 8):
            solution = solve_active(problem, Run(1e-9, max_iter, start))
            assert value_of(problem, solution) - best <= solution.certificate.gap


def test_an_interrupt_ends_the_run():
    class Enough(Exception):
        pass

    calls = []

    def on_step():
        calls.append(1)
        if len(calls) == 3:
            raise Enough

    with pytest.raises(Enough):
        solve_active(
            problem_of("rbf", 10.0, 0.1, 0.3), Run(0.0, 500, None, Progress(on_step))
        )
    assert len(calls) == 3


def test_a_deadline_that_is_over_leaves_one_step_and_its_certificate():
    problem = problem_of("rbf", 10.0, 0.1, 0.3, n_rows=300)
    start = Start(np.zeros(300), np.zeros(300))
    progress = Progress(deadline=time.perf_counter())
    solution = solve_active(problem, Run(0.0, 500, start, progress))
    assert solution.n_iter == 1
    assert value_of(problem, solution) - best_value(problem) <= solution.certificate.gap


def test_a_goal_beyond_rounding_ends_by_itself():
    progress = Progress()
    solve_active(problem_of("rbf", 1.0, 0.1, 0.1), Run(0.0, 10**6, None, progress))
    assert len(progress.history["objective"]) < 2000
