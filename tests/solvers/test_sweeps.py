"""The states of dual coordinate descent: what a sweep changes and what it keeps."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from largemargin.solvers.sweeps import CoupledDescent, GramDescent, RowDescent, row_descent
from small_problems import DESIGNS, classes_on_rows, sparse_classes


def test_a_mild_variance_is_put_into_tangents_and_a_strong_one_into_pairs():
    assert isinstance(row_descent(sparse_classes(1.0, (0.05, 0.1)), None), RowDescent)
    assert isinstance(row_descent(sparse_classes(1.0, (500.0, 0.1)), None), CoupledDescent)


def test_rows_at_rest_are_left_out_and_come_back():
    problem = sparse_classes(0.05)
    state = RowDescent(problem, None)
    rng = np.random.default_rng(0)
    visits = [state.sweep(rng)[0] for _ in range(60)]
    assert visits[0] == 500
    assert visits[-1] < 250
    # From here the margins of all rows call for a visit.
    point = problem.point(np.zeros(40), np.zeros(500))
    state.beta[:] = 0.0
    state.refresh(point)
    assert state.sweep(rng)[0] == 500


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("kind", ["gram", "rows", "coupled"])
def test_sweeps_keep_the_primal_point_that_the_forces_produce(kind, fit_intercept):
    problem = classes_on_rows(prices=(1.0, 0.5, 0.3), fit_intercept=fit_intercept)
    X, signed = problem.design.X, problem.sign * problem.weight
    if kind != "coupled":
        problem = problem.at(problem.prices._replace(lambda_var=0.0))
    if kind == "gram":
        problem = problem.on(DESIGNS["gram"](X))
    descents = {"gram": GramDescent, "rows": RowDescent, "coupled": CoupledDescent}
    state, rng = descents[kind](problem, None), np.random.default_rng(0)
    for _ in range(5):
        state.sweep(rng)
    forces = signed * (state.beta + problem.reward)
    if kind == "coupled":
        forces = forces - signed * (state.delta - problem.mean(state.delta))
    w = X.T @ state.element() if kind == "gram" else state.element()
    assert_allclose(w, X.T @ forces, atol=1e-12)
    assert_allclose(state.total_force(), forces.sum(), atol=1e-12)
    assert state.beta.min() >= 0.0
    assert state.beta.max() <= 1.0
    if kind == "gram":
        assert_allclose(state.scores, X @ w, atol=1e-12)
