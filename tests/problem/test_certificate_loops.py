"""The loops of certificates, against NumPy and sums in exact arithmetic."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from largemargin.numerics.rounding import FEW, UNIT
from largemargin.problem.certificate_loops import (
    careful_sum,
    fill_forces,
    fill_shift,
    sizes_of_errors,
)

N_ROWS = 60
HINGE_BOX, SQUARED_BOX = (0.0, 2.0), (0.0, np.inf)


@pytest.fixture
def rows():
    """Return dual variables, sensitivities, signs, weights and a border."""
    rng = np.random.default_rng(0)
    sign = np.where(rng.random(N_ROWS) < 0.3, 1.0, -1.0)
    return rng.uniform(0, 2, N_ROWS), rng.random(N_ROWS), sign, *rng.random((2, N_ROWS))


def test_a_careful_sum_of_many_terms_is_as_good_as_rounding_a_few_times():
    rng = np.random.default_rng(0)
    values = rng.normal(size=100_000) * 10.0 ** rng.uniform(-8, 8, 100_000)
    error = abs(careful_sum(values) - math.fsum(values))
    assert error <= FEW * UNIT * np.abs(values).sum()
    assert careful_sum(np.array([1e16, 1.0, -1e16])) == 1.0


def test_forces_are_those_of_dual_variables_and_slopes(rows):
    beta, tangent, sign, weight, rewards = rows
    forces, own, sizes = np.empty(N_ROWS), np.empty(N_ROWS), np.empty((2, N_ROWS))
    squares = 3.0, 0.5, weight.sum()
    away = fill_forces(beta, rewards, tangent, squares, sign, weight, forces, own, sizes)
    deviation = tangent - np.average(tangent, weights=weight)
    slopes = 3.0 * deviation + 0.5 * tangent
    assert_allclose(forces, sign * weight * (beta + rewards - slopes), rtol=1e-12)
    assert_allclose(own, sign * weight * (beta + rewards), rtol=1e-15)
    assert_allclose(sizes[0], np.abs(own), rtol=1e-15)
    assert_allclose(away, np.average(np.abs(deviation), weights=weight), rtol=1e-12)
    assert np.all(np.abs(forces) <= (1 + 1e-12) * sizes[1])


@pytest.mark.parametrize("box", [HINGE_BOX, SQUARED_BOX])
@pytest.mark.parametrize("imbalance", [-1.5, 0.2])
def test_a_shift_of_dual_variables_removes_the_imbalance_within_the_box(
    rows, box, imbalance
):
    beta, sensitivity, sign, weight, border = rows
    shift = np.empty(N_ROWS)
    rest = np.zeros_like(border), box, imbalance, 0.0, shift
    costs = fill_shift(beta, sensitivity, sign, weight, *rest)
    moved = beta - sign * np.copysign(shift, imbalance) / weight
    assert_allclose(shift.sum(), abs(imbalance), rtol=1e-14)
    assert_allclose(costs, (shift @ sensitivity, 0.0))
    assert moved.min() >= box[0]
    assert moved.max() <= box[1]


def test_the_cheaper_shift_is_taken(rows):
    beta, sensitivity, sign, weight, border = rows
    shift = np.empty(N_ROWS)
    for price in 1e-3, 1e3:
        rest = sign, weight, price * border, HINGE_BOX, 0.7, 0.0, shift
        by_losses, by_squares = fill_shift(beta, sensitivity, *rest)
        no_border = sign, weight, 0.0 * border, HINGE_BOX, 0.7, 0.0, np.empty(N_ROWS)
        alone = fill_shift(beta, sensitivity, *no_border)[0]
        squares = 0.7 / np.sqrt(2.0 * price * border.sum())
        assert_allclose(by_losses + by_squares**2, min(alone, squares**2))
        assert_allclose(shift.sum(), 0.7, rtol=1e-14)


def test_without_room_or_border_nothing_removes_an_imbalance(rows):
    beta, sensitivity, sign, weight, border = rows
    rest = sign, weight, 0.0 * border, HINGE_BOX, 1e3, 0.0, np.empty(N_ROWS)
    assert fill_shift(beta, sensitivity, *rest)[0] == np.inf


def test_no_imbalance_needs_no_shift(rows):
    shift = np.ones(N_ROWS)
    assert fill_shift(*rows, HINGE_BOX, 0.0, 0.0, shift) == (0.0, 0.0)
    assert not shift.any()


def test_sizes_of_errors_are_weighted_means(rows):
    margins, errors, rewards, weight, _ = rows
    mean, total = np.average(margins, weights=weight), weight.sum()
    found = sizes_of_errors(margins, mean, errors, rewards, weight, total)
    squares = errors**2, (margins - mean) ** 2, margins**2
    roots = [np.sqrt(np.average(one, weights=weight)) for one in squares]
    assert_allclose(found, [weight @ (np.abs(rewards) * errors), *roots])
