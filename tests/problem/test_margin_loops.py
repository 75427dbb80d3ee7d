"""The compiled loops over the margins against NumPy."""

import numpy as np
from numpy.testing import assert_allclose

from largemargin.problem.margin_loops import (
    signed_margins,
    square_along,
    sum_and_size,
    sums_by_sign,
    weighted_forces,
    weighted_variance,
)

rng = np.random.default_rng(0)
A, B, D = rng.standard_normal((3, 100))
WEIGHT, SIGN = rng.uniform(0.3, 3.0, 100), np.where(D > 0, 1.0, -1.0)


def test_margins_and_forces_are_what_their_formulas_say():
    out = np.empty(100)
    signed_margins(A, 0.3, SIGN, B, out)
    assert_allclose(out, SIGN * (A + 0.3) - B)
    weighted_forces(A, 0.2, B, 1.5, SIGN, WEIGHT, out)
    assert_allclose(out, SIGN * WEIGHT * (A + 0.2 - 1.5 * B))


def test_sums_are_those_of_numpy():
    mean, total = np.average(A, weights=WEIGHT), WEIGHT.sum()
    variance = np.average((A - mean) ** 2, weights=WEIGHT)
    assert_allclose(weighted_variance(A, WEIGHT, mean, total), variance)
    by_sign = WEIGHT[SIGN < 0].sum(), WEIGHT[SIGN > 0].sum()
    assert_allclose(sums_by_sign(SIGN, WEIGHT), by_sign)
    assert sums_by_sign(np.ones(100), WEIGHT)[0] == 0.0
    assert_allclose(sum_and_size(A, WEIGHT), (WEIGHT @ A, WEIGHT @ np.abs(A)))


def test_squares_along_a_step_are_derivatives_about_the_mean_or_zero():
    for about_mean in True, False:
        mean_step = np.average(B, weights=WEIGHT) if about_mean else 0.0
        slope, bend, _ = square_along(A, B, WEIGHT, mean_step)
        moved = A + np.array([[-1e-3], [0.0], [1e-3]]) * B
        if about_mean:
            moved -= (moved @ WEIGHT / WEIGHT.sum())[:, None]
        down, here, up = 0.5 * moved**2 @ WEIGHT
        assert_allclose(slope, (up - down) / 2e-3, rtol=1e-8)
        assert_allclose(bend, (up - 2 * here + down) / 1e-6, rtol=1e-6)
