"""Prices, targets and the terms of an objective."""

import numpy as np

from largemargin.problem.terms import Prices, Targets, Terms


def test_prices_without_squares_keep_the_others():
    prices = Prices(2.0, 0.3, 0.4, 0.5, 0.6)
    assert prices.without_squares() == (2.0, 0.0, 0.4, 0.0, 0.6)


def test_margins_of_values_are_negative_residuals():
    sign, origin = Targets.of_values(np.array([3.0, -1.0]))
    scores = np.array([5.0, -4.0])
    assert (sign * scores - origin).tolist() == [2.0, -3.0]


def test_margins_of_classes_are_signed_scores():
    sign, origin = Targets.of_classes(np.array([1.0, -1.0]))
    assert (sign * np.array([0.5, 0.5]) - origin).tolist() == [0.5, -0.5]


def test_the_scale_of_terms_has_the_size_of_a_negative_reward():
    terms = Terms(quadratic=1.0, reward=-2.0, loss=4.0, gap=0.1)
    assert terms.primal == 7.0
    assert terms.scale == 7.0
    assert terms._replace(reward=2.0).primal == 3.0
