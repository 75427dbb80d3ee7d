"""Averaged stochastic gradient descent: its sparse form of the average is the average."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from largemargin.designs.dense import DenseDesign
from largemargin.solvers.asgd import N_STEPS, SCALE, Descent, ScaledPrices, asgd_steps


@pytest.mark.parametrize("norm_price", [1e-3, 0.3, 30.0])
def test_the_average_is_that_of_all_elements_however_far_the_scale_shrinks(norm_price):
    rng = np.random.default_rng(0)
    rows = DenseDesign(rng.standard_normal((20, 3))).rows
    sign = np.where(rng.random(20) < 0.5, 1.0, -1.0)
    prices = ScaledPrices(norm_price, 0.2, 0.1, 1.0, 1.0)
    state, elements = Descent.at(np.zeros(3)), []
    for _ in range(3000):
        first, second = rng.integers(0, 20, (2, 1)).astype(np.uint32)
        # At a rate that does not fall, the scale shrinks by many orders of magnitude.
        state.scalars[N_STEPS] = 0.0
        asgd_steps(
            rows,
            sign,
            first,
            second,
            prices,
            True,
            0.1,
            True,
            state.v,
            state.u,
            state.scalars,
        )
        elements.append(state.scalars[SCALE] * state.v)
    assert_allclose(state.average()[0], np.mean(elements, axis=0), rtol=1e-7)
