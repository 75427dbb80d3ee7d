"""Small problems of two classes, solved and examined in one compiled loop."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from largemargin.designs.dense import DenseDesign
from largemargin.problem import Prices, Problem, Targets
from largemargin.problem.certificate import examine_kept
from largemargin.problem.losses import HINGE, SQUARED_HINGE
from largemargin.solvers import solve
from largemargin.solvers.equivalent_rows import EASY
from largemargin.solvers.small_linear import solve_small_linear

CASES = [
    (HINGE, Prices(1.0, 3.0, 1.0)),
    (SQUARED_HINGE, Prices(1.0, 3.0, 1.0)),
    (SQUARED_HINGE, Prices(10.0)),
]


def drawn(n_rows=300, n_features=6, dtype=np.float64):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n_rows, n_features)).astype(dtype)
    y = np.where(X[:, 0] + rng.standard_normal(n_rows) > 0, 1.0, -1.0)
    return X, y


def posed(y, weight, loss, prices, fit_intercept=True):
    targets = Targets.of_classes(y)
    return Problem(None, targets, weight, prices, fit_intercept, loss)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize(("loss", "prices"), CASES)
def test_the_solution_is_that_of_the_general_solver(loss, prices, fit_intercept, dtype):
    X, y = drawn(dtype=dtype)
    members = np.arange(3, 297, 2)
    weight = np.random.default_rng(1).uniform(0.5, 2.0, len(members))
    problem = posed(y[members], weight, loss, prices, fit_intercept)
    small = solve_small_linear(X, members, problem, EASY)
    on_rows = problem.on(DenseDesign(X[members]))
    best = solve(on_rows, "newton", tol=1e-10)
    distance = small.certificate.primal - best.certificate.primal
    assert distance <= small.certificate.gap
    assert small.certificate.relative <= EASY
    assert_allclose(small.w, best.w, atol=0.01)
    examined = examine_kept(on_rows, small.w, small.offset, small.beta)
    assert examined.certificate.relative <= EASY
    assert_allclose(small.margins, examined.point.margins, atol=1e-12)


@pytest.mark.parametrize(("loss", "prices"), CASES)
def test_a_weight_of_two_equals_the_row_twice(loss, prices):
    X, y = drawn()
    weight = np.ones(300)
    weight[:30] = 2.0
    twice = np.concatenate([np.arange(300), np.arange(30)])
    weighted = solve_small_linear(X, np.arange(300), posed(y, weight, loss, prices), EASY)
    problem = posed(y[twice], np.ones(330), loss, prices)
    repeated = solve_small_linear(X, twice, problem, EASY)
    assert_allclose(weighted.w, repeated.w, atol=0.01)
    assert_allclose(weighted.intercept, repeated.intercept, atol=0.01)
    distance = abs(weighted.certificate.primal - repeated.certificate.primal)
    assert distance <= max(weighted.certificate.gap, repeated.certificate.gap)


def test_what_it_does_not_know_is_left_to_others():
    X, y = drawn()
    loss, prices = CASES[0]
    everyone, weight = np.arange(300), np.ones(300)
    problem = posed(y, weight, loss, prices)
    assert solve_small_linear(X, everyone, problem, 1e-4) is not None
    assert solve_small_linear(X, everyone, problem, 1e-6) is None
    assert solve_small_linear(X + 1e6, everyone, problem, 1e-4) is None
    assert solve_small_linear(1e200 * X, everyone, problem, 1e-4) is None
    assert solve_small_linear(np.zeros((300, 1000)), everyone, problem, 1e-4) is None
    few = np.arange(100)
    assert (
        solve_small_linear(X, few, posed(y[few], weight[few], loss, prices), 1e-4) is None
    )
    svm = posed(y, weight, HINGE, Prices(1.0))
    assert solve_small_linear(X, everyone, svm, 1e-4) is None


def test_rows_of_any_layout_give_the_same_solution():
    X, y = drawn()
    members, problem = np.arange(5, 295), posed(y[5:295], np.ones(290), *CASES[0])
    expected = solve_small_linear(X, members, problem, EASY)
    locked = X.copy()
    locked.flags.writeable = False
    for other in np.asfortranarray(X), locked:
        solution = solve_small_linear(other, members, problem, EASY)
        assert_allclose(solution.w, expected.w, rtol=0, atol=0)
