import numpy as np
import pytest

from study.defaults.comparison import Values, across, summarise
from study.store import Result


def results(name, method, accuracies, seconds=1.0):
    return [
        Result("unit", name, "rbf", method, k, value, {}, seconds)
        for k, value in enumerate(accuracies)
    ]


def test_a_set_is_compared_on_the_splits_that_both_have(tiny_sets):
    values = Values(
        results("pair", "SVC", [0.5, 0.6]) + results("pair", "loo, squared, k 0.1", [0.7])
    )
    found = values.compare("unit", "pair", "loo, squared, k 0.1", "SVC")
    assert found.n_splits == 1
    assert found.difference == pytest.approx(20.0)
    assert found.half_width is None
    assert values.compare("unit", "trio", "loo, squared, k 0.1", "SVC") is None


def test_two_classes_have_one_scheme(tiny_sets):
    values = Values(
        results("pair", "SVC", [0.5]) + results("pair", "loo, squared, k 0.1", [0.6])
    )
    found = values.compare("unit", "pair", "loo, squared, k 0.1, ovr", "SVC")
    assert found.difference == pytest.approx(10.0)


def test_sets_are_summarised_and_losses_come_first(tiny_sets):
    values = Values(
        [
            *results("pair", "SVC", [0.60, 0.60], seconds=2.0),
            *results("pair", "loo, squared, k 0.1", [0.50, 0.60]),
        ]
    )
    one = summarise(
        across(values, tiny_sets, "unit", "binary", "loo, squared, k 0.1", "SVC")
    )
    assert (one.n_sets, one.lost, one.time_ratio) == (1, ("pair",), 0.5)
    assert one.mean == pytest.approx(-5.0)
    assert summarise([]) is None


def test_the_mean_over_sets_has_an_error_and_a_test(tiny_sets):
    rng = np.random.default_rng(0)
    values = Values(
        results("pair", "SVC", [0.5]) + results("pair", "loo, squared, k 0.1", [0.6])
    )
    same = values.compare("unit", "pair", "loo, squared, k 0.1", "SVC")
    moved = [
        type(same)(**(vars(same) | {"accuracy": 60 + rng.normal()})) for _ in range(10)
    ]
    one = summarise(moved)
    assert one.p_value < 0.01
    assert 0 < one.error < 1
