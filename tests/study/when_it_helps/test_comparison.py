import pytest

from study.store import Result
from study.when_it_helps.comparison import Comparison, by_place, compare, comparisons
from study.when_it_helps.conditions import SELF_TUNED


def results(name, method, accuracies, condition="20 rows"):
    return [
        Result(condition, name, "rbf", method, k, value, {}, 1.0)
        for k, value in enumerate(accuracies)
    ]


def accuracy(result):
    return result.accuracy


def test_means_are_over_the_splits_that_both_methods_have():
    found = results("a", "SVC", [0.5, 0.9]) + results("a", SELF_TUNED, [0.7])
    one = compare(by_place(found), "20 rows", SELF_TUNED, "SVC", accuracy)
    assert one.mean == pytest.approx(0.2)
    assert one.error == 0.0


def test_the_error_is_over_sets_and_losses_are_listed_worst_first():
    found = [
        *(results("a", "SVC", [0.5]) + results("a", SELF_TUNED, [0.7])),
        *(results("b", "SVC", [0.6]) + results("b", SELF_TUNED, [0.5])),
        *(results("c", "SVC", [0.9]) + results("c", SELF_TUNED, [0.6])),
    ]
    one = compare(by_place(found), "20 rows", SELF_TUNED, "SVC", accuracy)
    assert one.behind(0.05) == ["c", "b"]
    assert one.mean == pytest.approx(-0.2 / 3)
    assert one.error == pytest.approx(0.1453, abs=1e-4)


def test_the_worst_comparison_comes_first():
    found = [
        *(results("a", "SVC", [0.5]) + results("a", SELF_TUNED, [0.7])),
        *results("a", "SVC", [0.5], "50 rows"),
        *results("a", SELF_TUNED, [0.4], "50 rows"),
    ]
    assert [one.condition for one in comparisons(found, accuracy)] == ["50 rows", "20 rows"]


def test_without_results_of_both_methods_there_is_no_comparison():
    places = by_place(results("a", "SVC", [0.5]))
    assert compare(places, "20 rows", SELF_TUNED, "SVC", accuracy) is None


def test_sets_are_divided_by_the_number_of_classes():
    values = {"wdbc": (0.9, 0.8), "vowel": (0.7, 0.8)}
    found = Comparison("20 rows", SELF_TUNED, "SVC", values).by_kind()
    assert {one.condition: round(one.mean, 6) for one in found} == {
        "20 rows, binary": 0.1,
        "20 rows, many classes": -0.1,
    }
