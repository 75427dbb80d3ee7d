"""Many prices in one run, against a run for each."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics.pairwise import rbf_kernel

from largemargin.designs import gram
from largemargin.designs.dense import DenseDesign
from largemargin.designs.gram import GramDesign
from largemargin.problem import Prices, Problem, Targets
from largemargin.problem.losses import HINGE, SQUARED_HINGE
from largemargin.problem.value_losses import Pinball, Tube
from largemargin.solvers import Progress, kernel_dual, solve
from largemargin.solvers.path import place_of, solve_path

EACH_LOSS = pytest.mark.parametrize(
    "loss", [HINGE, pytest.param(SQUARED_HINGE, marks=pytest.mark.needs_jit)], ids=str
)
PRICES = [
    (C, lambda_var, lambda_mean)
    for C in (0.1, 10.0, 100.0)
    for lambda_var in (0.0, 2**-4, 50.0)
    for lambda_mean in (0.0, 2**-4)
]


def problem_on(kind, fit_intercept=True, loss=HINGE):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(160, 4))
    y = np.where(X[:, 0] * X[:, 1] + rng.normal(size=160) > 0, 1.0, -1.0)
    design = DenseDesign(X) if kind == "rows" else GramDesign(rbf_kernel(X))
    targets, weight = Targets.of_classes(y), np.ones(160)
    return Problem(design, targets, weight, Prices(1.0), fit_intercept, loss)


def run(problem, prices, tol=1e-4):
    problems = [problem.at(Prices(*price)) for price in prices]
    return solve_path(problems, "auto", tol=tol, max_iter=None, seed=0, progress=Progress)


@EACH_LOSS
@pytest.mark.parametrize(
    "kind", ["rows", pytest.param("kernel", marks=pytest.mark.needs_jit)]
)
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_every_price_gets_what_it_would_get_alone(kind, fit_intercept, loss):
    problem = problem_on(kind, fit_intercept, loss)
    answers, solutions = run(problem, PRICES, tol=1e-8)
    for price, answer in zip(PRICES, answers, strict=True):
        alone = solve(problem.at(Prices(*price)), "auto", tol=1e-8)
        found = solutions[answer.number]
        assert answer.certificate.relative <= 1e-8
        assert_allclose(answer.certificate.primal, alone.certificate.primal, rtol=3e-8)
        assert_allclose(found.margins, alone.margins, atol=2e-3)


@EACH_LOSS
@pytest.mark.parametrize("kind", ["rows", "kernel"])
def test_one_solution_serves_prices_that_hardly_differ(kind, loss):
    prices = [(10.0, 2.0**-k, 2.0**-n) for k in range(4, 9) for n in range(4, 9)]
    answers, solutions = run(problem_on(kind, loss=loss), prices)
    assert len(solutions) <= len(prices) / 4
    assert all(answer.certificate.relative <= 1e-4 for answer in answers)


def test_the_order_of_the_prices_does_not_matter():
    problem = problem_on("kernel")
    forth, solutions = run(problem, PRICES)
    back, others = run(problem, PRICES[::-1])
    for one, other in zip(forth, back[::-1], strict=True):
        assert_allclose(solutions[one.number].w, others[other.number].w)


def test_prices_without_a_minimum_are_passed_over():
    problem = problem_on("rows")
    answers, _ = run(problem, [(1.0, 0.0, 0.0), (1.0, 0.0, 1e9), (2.0, 0.0, 0.0)])
    assert "no minimum" in str(answers[1])
    assert answers[0].certificate.relative <= 1e-4
    assert answers[2].certificate.relative <= 1e-4


def test_where_sweeps_were_too_slow_larger_prices_are_not_swept(monkeypatch):
    swept, sweep = [], kernel_dual.solve_by_gram_sweeps

    def spy(problem, run):
        solution = sweep(problem, run)
        swept.append((problem.spread, solution.converged))
        return solution

    monkeypatch.setattr(kernel_dual, "solve_by_gram_sweeps", spy)
    prices = [(C, 100.0 * C, 0.0) for C in (0.1, 10.0, 1e3, 1e4, 1e5)]
    answers, _ = run(problem_on("kernel"), prices)
    failed = [spread for spread, converged in swept if not converged]
    assert len(failed) == 1
    assert max(swept)[0] == failed[0] < 4.0 * 100.0 * 1e5 / 160
    assert all(answer.certificate.relative <= 1e-4 for answer in answers)


def values_on(kind, unit=1.0):
    """Return a regression in these units of its values."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(160, 4))
    values = np.sin(2.0 * X[:, 0]) + X[:, 1] + 0.3 * rng.normal(size=160)
    design = DenseDesign(X) if kind == "rows" else GramDesign(rbf_kernel(X))
    targets = Targets.of_values(unit * values)
    return Problem(design, targets, np.ones(160), Prices(1.0), loss=Tube(0.1 * unit))


VALUE_PRICES = [
    Prices(C, lambda_var=lambda_var, lambda_square=lambda_square)
    for C in (0.3, 30.0)
    for lambda_var in (0.0, 20.0)
    for lambda_square in (0.0, 5.0)
]
LOSSES_OF_VALUES = Tube(0.03), Tube(0.3), Pinball(0.8)


def value_problems(problem):
    return [
        replace(problem.at(prices), loss=loss)
        for prices in VALUE_PRICES
        for loss in LOSSES_OF_VALUES
    ]


def run_all(problems, tol, **options):
    options = {"max_iter": None, "seed": 0, "progress": Progress, **options}
    return solve_path(problems, "auto", tol=tol, **options)


@pytest.mark.parametrize("kind", ["rows", "kernel"])
def test_every_tube_gets_what_it_would_get_alone(kind):
    problems = value_problems(values_on(kind))
    answers, solutions = run_all(problems, tol=1e-9)
    assert len({answer.number for answer in answers}) == len(problems)
    for problem, answer in zip(problems, answers, strict=True):
        alone, found = solve(problem, "auto", tol=1e-9), solutions[answer.number]
        assert answer.certificate.relative <= 1e-9
        assert_allclose(answer.certificate.primal, alone.certificate.primal, rtol=3e-9)
        assert_allclose(found.margins, alone.margins, atol=1e-3)


def test_problems_with_the_same_squared_terms_share_an_inverse(monkeypatch):
    made, invert = [], gram.inverse_of

    def spy(matrix, ridge, dtype):
        made.append(ridge)
        return invert(matrix, ridge, dtype)

    monkeypatch.setattr(gram, "inverse_of", spy)
    problem = values_on("kernel")
    problems = [
        replace(problem, prices=Prices(C, lambda_var=price), loss=Tube(epsilon))
        for epsilon in (0.03, 0.1, 0.3)
        for C in (0.3, 3.0, 30.0)
        for price in (20.0, 200.0)
    ]
    answers, _ = run_all(problems, tol=1e-4)
    assert all(answer.certificate.relative <= 1e-4 for answer in answers)
    assert len(made) == 2


def test_what_is_alike_does_not_depend_on_the_units_of_values():
    problem, other = values_on("kernel"), values_on("kernel", unit=1e3)
    prices = Prices(2.0, lambda_var=30.0, lambda_square=3.0)
    dear = prices._replace(C=2e3)
    near, far = place_of(problem.at(prices)), place_of(other.at(dear))
    assert_allclose(near[1:], far[1:], rtol=1e-9)
