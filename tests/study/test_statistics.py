"""Means and paired tests, against SciPy's."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import ttest_rel

from study.statistics import (
    accuracies,
    compare,
    corrected_interval,
    summarise,
    win_tie_loss,
)
from study.store import Result


def numbered(values):
    """Return values by repetition."""
    return dict(enumerate(values))


@pytest.mark.parametrize("shift", [-0.03, -0.01, 0.0, 0.01, 0.03])
@pytest.mark.parametrize("seed", range(10))
def test_the_test_is_scipys(shift, seed):
    rng = np.random.default_rng(seed)
    theirs = rng.normal(0.8, 0.02, size=12)
    ours = theirs + rng.normal(shift, 0.02, size=12)
    expected = 0
    if ttest_rel(ours, theirs).pvalue < 0.05:
        expected = np.sign((ours - theirs).mean())
    assert compare(numbered(ours), numbered(theirs)) == expected


def test_equal_accuracies_are_a_tie():
    values = numbered([0.8, 0.9, 0.7])
    assert compare(values, values) == 0


@pytest.mark.parametrize("sign", [1, -1])
def test_a_constant_difference_is_significant(sign):
    theirs = numbered([0.5, 0.75, 0.25])
    ours = {rep: value + sign * 0.125 for rep, value in theirs.items()}
    assert compare(ours, theirs) == sign


def test_only_common_repetitions_are_compared():
    ours = {0: 0.5, 1: 0.75, 2: 0.0, 3: 0.0}
    theirs = {0: 0.25, 1: 0.5, 7: 1.0}
    assert compare(ours, theirs) == 1


def test_one_common_repetition_shows_nothing():
    assert compare({0: 0.9, 1: 0.9}, {1: 0.1, 2: 0.1}) == 0


def test_the_deviation_is_that_of_a_sample():
    found = summarise(numbered([0.7, 0.8, 0.9]))
    assert_allclose((found.mean, found.std), (0.8, 0.1))
    assert found.mark == 0


def test_a_single_repetition_has_no_deviation():
    assert summarise({4: 0.7}, {4: 0.6}).std is None


def test_sets_without_both_methods_do_not_count():
    low, high = numbered([0.5, 0.6]), numbered([0.7, 0.8])
    by_set = [
        {"ldm": high, "svm": low},
        {"ldm": low, "svm": low},
        {"ldm": low, "svm": high},
        {"ldm": low, "svm": high},
        {"ldm": high},
        {},
    ]
    assert win_tie_loss(by_set, "ldm", "svm") == (1, 1, 2)


def test_results_are_sorted_into_sets_methods_and_repetitions():
    results = [
        Result("paper", "sonar", "linear", "svm", 0, 0.7, {}, 1.0),
        Result("paper", "sonar", "linear", "svm", 1, 0.8, {}, 1.0),
        Result("paper", "sonar", "linear", "ldm", 0, 0.9, {}, 1.0),
        Result("paper", "sonar", "rbf", "svm", 0, 0.1, {}, 1.0),
        Result("fair", "sonar", "linear", "svm", 0, 0.2, {}, 1.0),
    ]
    found = accuracies(results, "paper", "linear")
    assert found == {"sonar": {"svm": {0: 0.7, 1: 0.8}, "ldm": {0: 0.9}}}


def test_the_corrected_interval_is_wider_than_that_of_independent_splits():
    values = np.array([1.0, 2.0, 4.0, 3.0])
    plain = corrected_interval(values, 0.0)
    assert_allclose(plain, ttest_rel(values, 0 * values).confidence_interval()[1] - 2.5)
    assert_allclose(corrected_interval(values, 1.0), plain * np.sqrt(1 + 4))
    assert corrected_interval(values[:1], 1.0) is None
