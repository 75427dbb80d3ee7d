"""Averaged stochastic gradient descent: its sparse form of the average is the average."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from largemargin.solvers.asgd import N_STEPS, SCALE, Descent, Draws, ScaledPrices
from small_problems import classes_on_rows, sparse_classes


@pytest.mark.parametrize("norm_price", [1e-3, 0.3, 30.0])
def test_the_average_is_that_of_all_elements_however_far_the_scale_shrinks(norm_price):
    rng = np.random.default_rng(0)
    problem = classes_on_rows(20)
    prices = ScaledPrices(norm_price, 0.2, 0.1, 1.0, 1.0)
    state, elements = Descent.at(np.zeros(4)), []
    for _ in range(3000):
        first, second = rng.integers(0, 20, (2, 1)).astype(np.uint32)
        # At a rate that does not fall, the scale shrinks by many orders of magnitude.
        state.scalars[N_STEPS] = 0.0
        state.steps(problem, first, second, prices, 0.1, True)
        elements.append(state.scalars[SCALE] * state.v)
    assert_allclose(state.average()[0], np.mean(elements, axis=0), rtol=1e-7)


def test_drawn_rows_are_those_of_a_search_in_the_summed_weights():
    draws = Draws(sparse_classes(1.0), np.random.default_rng(0))
    draws.rng = np.random.default_rng(3)
    drawn = draws(2000)
    places = np.random.default_rng(3).random(2000) * draws.reach[-1]
    wanted = draws.rows[np.searchsorted(draws.reach, places, side="right")]
    assert (drawn == wanted).all()
