"""Sweeps that leave rows out, and the choice between sweeps and Newton steps."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from largemargin.designs.dense import DenseDesign
from largemargin.designs.sparse import SparseDesign
from largemargin.problem import Prices, Problem, Targets
from largemargin.solvers import auto, solve
from largemargin.solvers.asgd import Draws
from largemargin.solvers.sweeps import CoupledDescent, RowDescent, row_descent


def problem_of(C, lambdas=(0.0, 0.0), fit_intercept=False, design=SparseDesign):
    rng = np.random.default_rng(0)
    X = sp.random(500, 40, 0.2, "csr", random_state=0)
    X = sp.vstack([X[30:60], X[30:]], format="csr")
    y = np.where(X @ rng.normal(size=40) + 0.3 * rng.normal(size=500) > 0, 1.0, -1.0)
    rows = X.toarray() if design is DenseDesign else X
    weight, prices = rng.uniform(0.2, 3.0, 500), Prices(C, *lambdas)
    return Problem(design(rows), Targets.of_classes(y), weight, prices, fit_intercept)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("lambdas", [(0.0, 0.0), (0.05, 0.1), (500.0, 100.0)])
@pytest.mark.parametrize("solver", ["dual_cd", "auto"])
def test_sweeps_end_where_newton_does(solver, lambdas, fit_intercept):
    problem = problem_of(0.5, lambdas, fit_intercept)
    swept = solve(problem, solver, tol=1e-8, rng=np.random.default_rng(0))
    exact = solve(problem, "newton", tol=1e-12)
    assert swept.converged
    assert_allclose(swept.margins, exact.margins, atol=2e-3)
    assert_allclose(swept.certificate.primal, exact.certificate.primal, rtol=1e-7)


def test_a_mild_variance_is_put_into_tangents_and_a_strong_one_into_pairs():
    assert isinstance(row_descent(problem_of(1.0, (0.05, 0.1)), None), RowDescent)
    assert isinstance(row_descent(problem_of(1.0, (500.0, 0.1)), None), CoupledDescent)


def test_rows_at_rest_are_left_out_and_come_back():
    problem = problem_of(0.05)
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


def test_auto_goes_on_by_newton_steps_where_sweeps_are_slow(monkeypatch):
    problem = problem_of(1000.0)
    taken = []
    original = auto.solve_newton
    monkeypatch.setattr(
        auto, "solve_newton", lambda *a, **kw: taken.append(kw) or original(*a, **kw)
    )
    assert solve(problem, "auto", tol=1e-9).converged
    assert taken


def test_auto_is_the_same_every_time():
    first, second = (solve(problem_of(0.1), "auto", tol=1e-3) for _ in range(2))
    assert_allclose(first.w, second.w, rtol=0, atol=0)


def test_drawn_rows_are_those_of_a_search_in_the_summed_weights():
    draws = Draws(problem_of(1.0), np.random.default_rng(0))
    draws.rng = np.random.default_rng(3)
    drawn = draws(2000)
    places = np.random.default_rng(3).random(2000) * draws.reach[-1]
    wanted = draws.rows[np.searchsorted(draws.reach, places, side="right")]
    assert (drawn == wanted).all()
