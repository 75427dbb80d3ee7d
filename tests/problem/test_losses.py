"""Losses: their gaps against a search, their slopes against finite differences."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from largemargin.problem import Prices, Problem, Targets
from largemargin.problem.losses import (
    HINGE,
    SQUARED_HINGE,
    Band,
    dual_step,
    loss_named,
    smoothed_slope,
)
from largemargin.solvers import solve
from small_problems import DESIGNS, EpsilonInsensitive, HingeAt, Pinball

LOSSES = [
    HINGE,
    HingeAt(2.0),
    EpsilonInsensitive(0.4),
    Pinball(0.8),
    Band(),
    Band(0.5, 0.2),
]
C = 3.0
# Holds all kinks.
GRID = np.linspace(-8.0, 8.0, 1601)


def values_of(loss, margins):
    zeros, one = np.zeros(1), np.ones(1)
    return np.array([loss.value_and_gap(g, zeros, one, C)[0] for g in margins[:, None]])


def betas_of(loss):
    low, high = np.clip(loss.box(C), -C, C)
    return np.linspace(low, high, 7)


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_the_gap_is_that_of_a_search_over_all_margins(loss):
    values = values_of(loss, GRID)
    for beta in betas_of(loss):
        gaps = [
            loss.value_and_gap(g, np.array([beta]), np.ones(1), C)[1]
            for g in GRID[::20, None]
        ]
        lagrangian = values + beta * GRID
        assert_allclose(gaps, (lagrangian - lagrangian.min())[::20], atol=1e-3)
        assert min(gaps) >= 0.0


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_no_margin_within_its_error_has_a_larger_gap_than_the_worst(loss):
    margins, errors = np.linspace(-2.0, 3.0, 41), np.full(41, 0.3)
    for number in betas_of(loss):
        beta, worst = np.full(41, number), np.empty(41)
        loss.worst_gaps(margins, errors, beta, C, worst)
        for part in np.linspace(-1.0, 1.0, 9):
            gaps, exact = np.empty(41), np.zeros(41)
            loss.worst_gaps(margins + part * errors, exact, beta, C, gaps)
            assert (gaps <= worst * (1 + 1e-12) + 1e-12).all()


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_steepness_is_the_size_of_the_slope(loss):
    margins = np.linspace(-2.03, 3.07, 31)  # none at a kink
    up, down = values_of(loss, margins + 1e-6), values_of(loss, margins - 1e-6)
    numeric = np.abs(up - down) / 2e-6
    assert_allclose(loss.steepness(margins, C) * np.ones(31), numeric, atol=1e-5)


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_a_proximal_step_maximises_the_dual_less_its_distance_from_the_anchor(loss):
    rng = np.random.default_rng(0)
    margins, weight = rng.uniform(-2, 3, 20), rng.uniform(0.5, 2.0, 20)
    low, high = np.clip(loss.box(C), -C, C)
    anchor = rng.uniform(low, high, 20)
    smoothing = loss.smoothing(anchor, 0.7, C)
    beta, curvature = dual_step(margins, smoothing, weight)
    if loss.is_smooth:
        pulls = [values_of(loss, margins + h) for h in (-1e-6, 1e-6)]
        assert_allclose(beta, (pulls[0] - pulls[1]) / 2e-6, atol=1e-5)
    else:
        # Equivalently beta is a pull at the margin minus (beta - anchor) / sigma.
        shifted = margins + (beta - anchor) / 0.7
        gaps = np.empty(20)
        loss.worst_gaps(shifted, np.zeros(20), beta, C, gaps)
        assert_allclose(gaps, 0.0, atol=1e-12)
    moved = [dual_step(margins + h, smoothing, weight)[0] for h in (-1e-7, 1e-7)]
    assert_allclose(curvature, weight * (moved[0] - moved[1]) / 2e-7, atol=1e-5)


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_the_slope_along_a_step_is_that_of_the_proximal_steps(loss):
    rng = np.random.default_rng(0)
    margins, step = rng.uniform(-2, 3, 20), rng.standard_normal(20)
    weight, anchor = rng.uniform(0.5, 2.0, 20), np.zeros(20)
    smoothing = loss.smoothing(anchor, 0.7, C)
    slope, curvature, size = smoothed_slope(margins, step, weight, *smoothing, 0.3)
    beta, bends = dual_step(margins + 0.3 * step, smoothing, weight)
    assert_allclose(slope, -(weight * step) @ beta)
    assert_allclose(curvature, bends @ step**2)
    assert_allclose(size, (weight * np.abs(step)) @ np.abs(beta))


@pytest.mark.parametrize("loss", [HINGE, HingeAt(2.0), Band(), Band(0.0, 0.3)], ids=str)
def test_the_dual_of_a_loss_that_is_zero_above_its_kink_is_a_parabola(loss):
    assert loss.is_one_sided
    for beta in betas_of(loss):
        _, gap = loss.value_and_gap(np.array([-1.7]), np.array([beta]), np.ones(1), C)
        conjugate = 0.5 * loss.ridge(C) * beta**2 - loss.kink * beta
        value = values_of(loss, np.array([-1.7]))[0]
        assert_allclose(gap, value + conjugate - 1.7 * beta, atol=1e-12)


@pytest.mark.parametrize("loss", [EpsilonInsensitive(0.4), Pinball(0.8), Band(0.5, 0.2)])
def test_other_losses_are_not_zero_above_a_kink(loss):
    assert not loss.is_one_sided


def test_the_squared_hinge_is_the_square_of_the_hinge():
    margins = np.linspace(-2.0, 3.0, 21)
    values = values_of(HINGE, margins) / C
    assert_allclose(values_of(SQUARED_HINGE, margins), C * values**2)
    assert SQUARED_HINGE.box(C) == (0.0, np.inf)


def test_a_loss_without_a_price_leaves_no_dual_variables():
    for loss in HINGE, SQUARED_HINGE:
        assert loss.box(0.0) == (0.0, 0.0)
        assert loss.ridge(0.0) == 0.0
        assert loss.smoothing(np.zeros(2), 1.0, 0.0).sigma > 0.0


def test_a_hard_margin_counts_as_steep_but_not_infinitely():
    assert 1e50 < HINGE.curvature(np.inf) < np.inf


def test_a_hard_margin_is_the_same_with_all_losses():
    assert loss_named("squared_hinge", 1.0) is SQUARED_HINGE
    assert loss_named("squared_hinge", np.inf) is loss_named("hinge", np.inf)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("kind", ["dense", "gram"])
def test_a_smooth_loss_that_costs_nothing_is_none(kind, fit_intercept):
    rng = np.random.default_rng(0)
    X, weight = rng.standard_normal((40, 3)), rng.uniform(0.3, 3.0, 40)
    targets = Targets.of_values(X @ [1.0, -2.0, 0.5] + 1.0)
    primals = []
    for loss in Band(0.5, 0.2), Band(), HINGE:
        prices = Prices(0.0, 1.0, 0.5, 2.0)
        problem = Problem(DESIGNS[kind](X), targets, weight, prices, fit_intercept, loss)
        solution = solve(problem, "auto", tol=1e-9)
        assert solution.converged
        primals.append(solution.certificate.primal)
    assert_allclose(primals, primals[0], rtol=1e-8)
