import pytest

from study.regression.comparison import Values, across, points, summarise
from study.regression.tasks import ValueResult

OURS, THEIRS = "C loo, k 0/0, epsilon loo", "SVR search"


def results(name, method, r2, mae=1.0, seconds=1.0):
    return [
        ValueResult("clean", name, "rbf", method, k, value, mae, {}, seconds)
        for k, value in enumerate(r2)
    ]


def test_a_set_is_compared_on_the_splits_that_both_have(tiny_sets):
    values = Values(results("near", THEIRS, [0.5, 0.6], 2.0) + results("near", OURS, [0.7]))
    found = values.compare("clean", "near", OURS, THEIRS)
    assert (found.n_splits, found.half_width) == (1, None)
    assert found.difference == pytest.approx(20.0)
    assert found.mae == pytest.approx(-50.0)
    assert values.compare("clean", "far", OURS, THEIRS) is None


def test_predictions_worse_than_the_mean_count_as_the_mean():
    assert points(results("near", OURS, [-9.0])[0]) == 0.0


def test_sets_are_summarised_and_losses_named(tiny_sets):
    values = Values(
        [
            *results("near", THEIRS, [0.6, 0.6], seconds=2.0),
            *results("near", OURS, [0.5, 0.6]),
            *results("far", THEIRS, [0.6], seconds=2.0),
            *results("far", OURS, [0.7]),
        ]
    )
    one = summarise(across(values, tiny_sets, "clean", OURS, THEIRS))
    assert (one.n_sets, one.lost, one.time_ratio) == (2, ("near",), 0.5)
    assert one.mean == pytest.approx(2.5)
    assert one.error == pytest.approx(7.5)
    assert summarise([]) is None
