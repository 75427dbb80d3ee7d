"""The quick examination: a bound of the distance, rounding included."""

import numpy as np
import pytest

from largemargin.designs.dense import DenseDesign
from largemargin.designs.gram import GramDesign
from largemargin.problem import Prices, Problem, Targets
from largemargin.problem import certificate as certificates
from largemargin.problem.certificate import examine_kept
from largemargin.problem.losses import HINGE, SQUARED_HINGE
from largemargin.problem.quick_examination import (
    examine_measured,
    examine_quickly,
    growths_of,
    is_quick,
    numbers_of,
)
from largemargin.solvers import solve
from oracle import solve_qp

CASES = [
    (HINGE, Prices(1.0, 2.0, 0.5)),
    (HINGE, Prices(10.0, 30.0, 5.0)),
    (SQUARED_HINGE, Prices(1.0, 2.0, 0.5)),
    (SQUARED_HINGE, Prices(3.0)),
]


def posed(loss, prices, fit_intercept=True, n_rows=40, n_features=4):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n_rows, n_features))
    y = np.where(X[:, 0] + rng.standard_normal(n_rows) > 0, 1.0, -1.0)
    weight = rng.uniform(0.5, 2.0, n_rows)
    targets = Targets.of_classes(y)
    return Problem(DenseDesign(X), targets, weight, prices, fit_intercept, loss)


def quickly(problem, w, offset, beta):
    X, is_free = problem.design.X, problem.fit_intercept
    rows = np.hstack([X, np.ones((len(X), 1))]) if is_free else X
    u = np.append(w, offset) if is_free else w
    arrays = problem.sign, problem.weight, problem.design.row_lengths, problem.border
    numbers, growths = numbers_of(problem), growths_of(*X.shape)
    scores, margins = np.empty((2, len(X)))
    return examine_quickly(rows, arrays, numbers, growths, u, beta, scores, margins)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize(("loss", "prices"), CASES)
def test_any_pair_is_no_farther_from_the_optimum_than_certified(
    loss, prices, fit_intercept
):
    problem = posed(loss, prices, fit_intercept)
    assert is_quick(problem)
    best = solve(problem, "newton", tol=1e-12)
    X, name = problem.design.X, "hinge" if loss == HINGE else "squared_hinge"
    parts = X @ X.T, problem.sign, problem.weight, *prices[:3], fit_intercept, name
    optimum = solve_qp(*parts)[2]
    rng = np.random.default_rng(1)
    for size in 0.0, 1e-9, 1e-6, 1e-3, 0.1, 1.0:
        w = best.w + size * rng.standard_normal(len(best.w))
        offset = best.offset + size * rng.standard_normal() * fit_intercept
        noise = size * rng.standard_normal(len(best.beta))
        beta = np.clip(best.beta + noise, *problem.box)
        primal, gap, scale = quickly(problem, w, offset, beta)
        # The interior-point method has an error of its own.
        assert primal - optimum <= gap + 1e-10 * scale
        general = examine_kept(problem, w, offset, beta)
        assert primal == pytest.approx(general.certificate.primal, rel=1e-12)
        assert scale == pytest.approx(general.certificate.scale, rel=1e-10)
        assert gap >= (1 - 1e-6) * general.certificate.gap - 1e-11 * scale
        assert gap <= 1.5 * general.certificate.gap + 1e-11 * scale or gap == np.inf


def test_a_point_near_the_optimum_is_certified_to_a_small_gap():
    for loss, prices in CASES:
        problem = posed(loss, prices)
        best = solve(problem, "newton", tol=1e-12)
        _, gap, scale = quickly(problem, best.w, best.offset, best.beta)
        assert gap <= 1e-9 * scale


@pytest.mark.parametrize(
    ("loss", "prices"),
    [
        (HINGE, Prices(1.0)),  # nothing but bounded dual variables balances the forces
        (HINGE, Prices(np.inf, 1.0)),
        (HINGE, Prices(0.0, 1.0)),
        (HINGE, Prices(1.0, 1.0, lambda_square=1.0)),
        (SQUARED_HINGE, Prices(1.0, 1.0, intercept=0.1)),
    ],
)
def test_other_problems_are_left_to_the_general_examination(loss, prices):
    assert not is_quick(posed(loss, prices))


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize(("loss", "prices"), CASES)
def test_on_a_gram_matrix_no_pair_is_farther_from_the_optimum_than_certified(
    loss, prices, fit_intercept
):
    on_rows = posed(loss, prices, fit_intercept, n_features=60)
    X = on_rows.design.X
    problem = on_rows.on(GramDesign(X @ X.T))
    best = solve(problem, "kernel_dual", tol=1e-12)
    name = "hinge" if loss == HINGE else "squared_hinge"
    parts = X @ X.T, problem.sign, problem.weight, *prices[:3], fit_intercept, name
    optimum = solve_qp(*parts)[2]
    rng = np.random.default_rng(1)
    n_certified = 0
    for size in 0.0, 1e-9, 1e-6, 1e-3, 0.1:
        w = best.w + size * rng.standard_normal(len(best.w))
        offset = best.offset + size * rng.standard_normal() * fit_intercept
        beta = np.clip(best.beta + size * rng.standard_normal(len(w)), *problem.box)
        measured = problem.design.measure(w)
        for tangent in None, best.margins + size * rng.standard_normal(len(w)):
            found = examine_measured(problem, w, measured, offset, beta, 0.0, tangent)
            if found is None:  # the forces cannot be balanced
                continue
            _, (primal, gap, scale), _, _ = found
            n_certified += gap <= 1e-3 * scale
            assert primal - optimum <= gap + 1e-10 * scale
            general = certificates._certify_measured(
                problem, w, measured, offset, beta, 0.0, tangent
            ).certificate
            assert primal == pytest.approx(general.primal, rel=1e-12)
            assert scale == pytest.approx(general.scale, rel=1e-10)
            assert gap >= (1 - 1e-6) * general.gap - 1e-11 * scale
    assert n_certified >= 4


def test_an_error_of_the_intercept_enters_the_bounds():
    problem = posed(*CASES[0])
    best = solve(problem, "newton", tol=1e-12)
    measured = problem.design.measure(best.w)
    rest = best.offset, best.beta
    exact = examine_measured(problem, best.w, measured, *rest, 0.0, None)
    off = examine_measured(problem, best.w, measured, *rest, 1e-3, None)
    assert off[2] <= exact[2] - 0.9e-3
    assert off[3] >= 1e-3
    # Every loss and reward may be off by as much.
    assert off[1].gap >= exact[1].gap + 1e-3 * problem.reward * problem.total
