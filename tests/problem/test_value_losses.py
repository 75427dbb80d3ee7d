"""Losses of values against their definitions, and their gaps against a search."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from largemargin.problem.losses import dual_step
from largemargin.problem.value_losses import HardTube, Pinball, Shortfall, Tube

C = 3.0
# Residuals, which are negative margins; they include all kinks.
RESIDUALS = np.linspace(-4.0, 4.0, 801)
DEFINITIONS = {
    Tube(0.5): lambda r: np.maximum(np.abs(r) - 0.5, 0.0),
    Tube(0.0): np.abs,
    Pinball(0.8): lambda r: np.maximum(0.8 * r, -0.2 * r),
    Pinball(0.05): lambda r: np.maximum(0.05 * r, -0.95 * r),
    Shortfall(): lambda r: np.maximum(r, 0.0),
}
LOSSES = pytest.mark.parametrize("loss", DEFINITIONS, ids=str)


def value_and_gap(loss, residuals, beta, price=C):
    """Return the loss and the gap of single rows of weight one."""
    found = [
        loss.value_and_gap(np.array([-r]), np.array([b]), np.ones(1), price)
        for r, b in np.broadcast(residuals, beta)
    ]
    return np.transpose(found)


@LOSSES
def test_the_value_is_that_of_the_definition(loss):
    values = value_and_gap(loss, RESIDUALS, 0.0)[0]
    assert_allclose(values, C * DEFINITIONS[loss](RESIDUALS), atol=1e-12)


@LOSSES
def test_the_gap_is_that_of_a_search_over_all_residuals(loss):
    low, high = loss.box(C)
    for beta in np.linspace(low, high, 7):
        # loss(r) + conjugate(beta) - beta r: beta pulls the score upwards.
        lagrangian = C * DEFINITIONS[loss](RESIDUALS) - beta * RESIDUALS
        gaps = value_and_gap(loss, RESIDUALS, beta)[1]
        assert_allclose(gaps, lagrangian - lagrangian.min(), atol=1e-12)


@LOSSES
def test_no_slope_is_outside_the_box_and_both_bounds_are_slopes(loss):
    slopes = np.diff(C * DEFINITIONS[loss](RESIDUALS)) / np.diff(RESIDUALS)
    low, high = loss.box(C)
    assert slopes.min() == pytest.approx(low, abs=1e-9)
    assert slopes.max() == pytest.approx(high, abs=1e-9)


@LOSSES
def test_no_residual_within_its_error_has_a_larger_gap_than_the_worst(loss):
    errors, worst = np.full(41, 0.3), np.empty(41)
    residuals = np.linspace(-2.0, 2.0, 41)
    for beta in np.linspace(*loss.box(C), 7):
        loss.worst_gaps(-residuals, errors, np.full(41, beta), C, worst)
        for part in np.linspace(-1.0, 1.0, 9):
            gaps = value_and_gap(loss, residuals + part * errors, beta)[1]
            assert (gaps <= worst + 1e-12).all()


@LOSSES
def test_an_interval_of_dual_variables_changes_the_gap_by_no_more_than_its_bound(loss):
    low, high = loss.box(C)
    for beta in np.linspace(low, high, 7):
        betas = np.full(len(RESIDUALS), beta)
        bound = loss.sensitivity(-RESIDUALS, betas, C)
        before = value_and_gap(loss, RESIDUALS, beta)[1]
        for other in np.linspace(low, high, 5):
            after = value_and_gap(loss, RESIDUALS, other)[1]
            assert (after - before <= bound * abs(other - beta) + 1e-12).all()


@LOSSES
def test_the_proximal_step_minimises_the_gap_and_the_distance_from_the_anchor(loss):
    low, high = loss.box(C)
    rng = np.random.default_rng(0)
    anchor, residuals = rng.uniform(low, high, 20), rng.uniform(-2.0, 2.0, 20)
    beta, _ = dual_step(-residuals, loss.smoothing(anchor, 0.7, C), np.ones(20))
    for number in range(20):
        grid = np.linspace(low, high, 2001)
        cost = value_and_gap(loss, residuals[number], grid)[1]
        cost = cost + (grid - anchor[number]) ** 2 / (2 * 0.7)
        assert beta[number] == pytest.approx(grid[cost.argmin()], abs=2 * np.diff(grid)[0])


def test_a_hard_tube_costs_nothing_inside_and_everything_outside():
    loss = HardTube(0.5)
    assert_allclose(value_and_gap(loss, [-0.5, 0.0, 0.4], 0.0, np.inf), 0.0)
    assert np.isinf(value_and_gap(loss, 0.6, 0.0, np.inf)[1]).all()


def test_the_gap_of_a_hard_tube_is_that_of_a_search_over_the_tube():
    inside = np.linspace(-0.5, 0.5, 101)
    for beta in -2.0, 0.0, 7.0:
        gaps = value_and_gap(HardTube(0.5), inside, beta, np.inf)[1]
        assert_allclose(gaps, -beta * inside - (-beta * inside).min(), atol=1e-12)


def test_only_the_threshold_of_one_class_gives_rows_the_benefit_of_the_doubt():
    assert Shortfall().is_threshold
    assert not Tube(0.1).is_threshold
    assert not Pinball(0.5).is_threshold
