"""Averaged stochastic gradient descent: its sparse form of the average is the average."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from largemargin.designs.dense import DenseDesign
from largemargin.problem import Prices, Targets
from largemargin.problem.losses import HINGE, SQUARED_HINGE, Band
from largemargin.problem.value_losses import Pinball, Shortfall, Tube
from largemargin.solvers import solve
from largemargin.solvers.asgd import (
    N_STEPS,
    SCALE,
    Descent,
    Draws,
    ScaledPrices,
    sampled_cost,
)
from small_problems import classes_on_rows, sparse_classes


@pytest.mark.parametrize("norm_price", [1e-3, 0.3, 30.0])
def test_the_average_is_that_of_all_elements_however_far_the_scale_shrinks(norm_price):
    rng = np.random.default_rng(0)
    problem = classes_on_rows(20)
    prices = ScaledPrices(norm_price, 0.2, 0.0, 0.1, 0.0, np.inf, 0.0, HINGE.pull(1.0))
    state, elements = Descent.at(np.zeros(4)), []
    for _ in range(3000):
        first, second = rng.integers(0, 20, (2, 1)).astype(np.uint32)
        # At a rate that does not fall, the scale shrinks by many orders of magnitude.
        state.scalars[N_STEPS] = 0.0
        state.steps(problem, first, second, prices, 0.1, True)
        elements.append(state.scalars[SCALE] * state.v)
    assert_allclose(state.average()[0], np.mean(elements, axis=0), rtol=1e-7)


@pytest.mark.parametrize("n_steps", [1, 2, 300])
def test_averages_of_values_give_the_last_elements_more_weight(n_steps):
    rng = np.random.default_rng(0)
    problem = values_on_rows(classes_on_rows(20), Tube(0.1), (0.3, 0.2, 0.0, 0.1))
    prices, state = ScaledPrices.of(problem, 20.0), Descent.at(np.zeros(4))
    mean = np.zeros(4)
    for n in range(1, n_steps + 1):
        first, second = rng.integers(0, 20, (2, 1)).astype(np.uint32)
        state.steps(problem, first, second, prices, 0.1, True)
        mean += 4.0 / (n + 3.0) * (state.scalars[SCALE] * state.v - mean)
    assert_allclose(state.average()[0], mean, rtol=1e-9)


@pytest.mark.needs_jit
@pytest.mark.parametrize("prices", [(1.0, 0.0, 0.0), (0.1, 2.0, 1.0)])
@pytest.mark.parametrize("loss", [HINGE, SQUARED_HINGE], ids=str)
def test_descent_closes_in_and_its_gap_bounds_the_way_left(loss, prices):
    problem = classes_on_rows(130, prices=prices, loss=loss)
    optimum = solve(problem, "newton", tol=1e-10).certificate.primal
    excess = {}
    for epochs in 5, 1000:
        rng = np.random.default_rng(0)
        certificate = solve(problem, "asgd", tol=0.0, max_iter=epochs, rng=rng).certificate
        excess[epochs] = certificate.primal - optimum
        assert -1e-9 * abs(optimum) <= excess[epochs] <= certificate.gap
    assert excess[1000] <= 0.01 * certificate.scale
    assert excess[1000] < 0.5 * excess[5]


def values_on_rows(problem, loss, prices):
    """Return the same problem for values, which depend on the rows, far from zero."""
    noise = np.random.default_rng(1).normal(size=problem.design.n_rows)
    values = problem.design.scores(np.array([1.0, -2.0, 0.5, 0.0])) + noise + 5.0
    prices, targets = Prices(*prices), Targets.of_values(values)
    return replace(problem, targets=targets, prices=prices, loss=loss)


@pytest.mark.needs_jit
@pytest.mark.parametrize(
    "prices", [(1.0, 0.0, 0.0, 0.0), (0.1, 2.0, 0.0, 0.0), (0.1, 2.0, 0.0, 3.0)]
)
@pytest.mark.parametrize("loss", [Tube(0.5), Pinball(0.2)], ids=str)
def test_descent_on_values_closes_in_and_its_gap_bounds_the_way_left(loss, prices):
    problem = values_on_rows(classes_on_rows(130), loss, prices)
    optimum = solve(problem, "newton", tol=1e-10).certificate.primal
    excess = {}
    for epochs in 5, 1000:
        rng = np.random.default_rng(0)
        certificate = solve(problem, "asgd", tol=0.0, max_iter=epochs, rng=rng).certificate
        excess[epochs] = certificate.primal - optimum
        assert -1e-9 * abs(optimum) <= excess[epochs] <= certificate.gap
    assert excess[1000] <= 0.01 * certificate.scale
    assert excess[1000] < 0.5 * excess[5]


@pytest.mark.needs_jit
def test_the_price_of_an_intercept_draws_it_down():
    problem = classes_on_rows(130)
    problem = problem.on(DenseDesign(problem.design.X + np.array([3.0, 2.0, 0.0, 0.0])))
    targets = Targets.of_values(np.zeros(130))
    prices = Prices(1.0 / (0.5 * problem.total), 0.0, 0.01, 0.0, 1.01)
    problem = replace(problem, targets=targets, prices=prices, loss=Shortfall())
    best = solve(problem, "newton", tol=1e-10)
    rng = np.random.default_rng(0)
    found = solve(problem, "asgd", tol=0.0, max_iter=1000, rng=rng)
    assert best.offset < -1.0
    assert_allclose(found.offset, best.offset, rtol=0.005)


LOSSES = [HINGE, SQUARED_HINGE, Tube(0.5), Pinball(0.2), Band(0.3, 0.2)]


@pytest.mark.parametrize("C", [0.0, 0.4])
@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_the_cost_of_a_sample_of_all_rows_is_the_scaled_objective(loss, C):
    problem = classes_on_rows(prices=(C, 0.5, 0.3), fit_intercept=False, loss=loss)
    problem = replace(problem, weight=np.ones(30))
    if loss in (Tube(0.5), Pinball(0.2)):
        problem = values_on_rows(problem, loss, (C, 0.5, 0.0, 0.7, 0.2))
    w, offset, everyone = np.array([0.3, -0.2, 0.1, 0.5]), 0.1, np.arange(30)
    prices = ScaledPrices.of(problem, 30.0)
    cost = sampled_cost(problem.design.rows, problem.targets, everyone, prices, w, offset)
    objective = problem.examine(w, offset, np.zeros(30)).certificate.primal
    assert_allclose(cost, objective / (30 * (C or 1.0)))


def test_drawn_rows_are_those_of_a_search_in_the_summed_weights():
    draws = Draws(sparse_classes(1.0), np.random.default_rng(0))
    draws.rng = np.random.default_rng(3)
    drawn = draws(2000)
    places = np.random.default_rng(3).random(2000) * draws.reach[-1]
    wanted = draws.rows[np.searchsorted(draws.reach, places, side="right")]
    assert (drawn == wanted).all()
