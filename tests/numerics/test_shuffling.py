"""Random orders of rows."""

import numpy as np
from numpy.testing import assert_array_equal

from largemargin.numerics.shuffling import draw_row


def drawn(n_rows, n_times, chance):
    order, counts = np.arange(n_rows), np.zeros((n_rows, n_rows))
    for _ in range(n_times):
        rows = [draw_row(order, k, n_rows, chance) for k in range(n_rows)]
        assert_array_equal(np.sort(rows), np.arange(n_rows))
        assert_array_equal(rows, order)
        counts[np.arange(n_rows), rows] += 1
    return counts


def test_every_row_is_drawn_once_and_equally_often_at_every_place():
    counts = drawn(5, 2000, np.ones(1, np.uint64))
    assert abs(counts - 400).max() < 100  # five standard deviations


def test_rows_that_are_not_drawn_from_stay_in_place():
    order = np.arange(10)
    for k in range(6):
        draw_row(order, k, 6, np.ones(1, np.uint64))
    assert_array_equal(order[6:], np.arange(6, 10))
    assert_array_equal(np.sort(order[:6]), np.arange(6))
