"""The paper's numbers agree with each other, as they do in print."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from study import datasets, paper

TABLES = sorted(paper.ACCURACIES)


def column(number, method):
    """Return the printed accuracies of a method in the order of the sets."""
    rows = paper.ACCURACIES[number].values()
    return [row[method] for row in rows if method in row]


@pytest.mark.parametrize("number", TABLES)
def test_printed_averages_are_those_of_the_columns(number):
    for method, printed in paper.AVERAGES[number].items():
        means = [accuracy.mean for accuracy in column(number, method)]
        assert_allclose(np.mean(means), printed, rtol=0, atol=0.001)


@pytest.mark.parametrize("number", TABLES)
def test_marks_of_the_ldm_are_its_counts_against_the_svm(number):
    marks = [accuracy.mark for accuracy in column(number, "ldm")]
    counts = tuple(marks.count(sign) for sign in (1, 0, -1))
    assert counts == paper.WIN_TIE_LOSS[number]["svm"]


@pytest.mark.parametrize("number", TABLES)
def test_counts_add_up_to_the_sets_that_both_methods_have(number):
    for method, counts in paper.WIN_TIE_LOSS[number].items():
        assert sum(counts) == len(column(number, method))


@pytest.mark.parametrize("number", TABLES)
def test_methods_with_results_are_those_with_an_average(number):
    found = {method for row in paper.ACCURACIES[number].values() for method in row}
    assert found == set(paper.AVERAGES[number])


def test_tables_2_to_4_hold_the_sets_of_table_1():
    assert list(paper.ACCURACIES[2]) == list(paper.ACCURACIES[3])
    assert [*paper.ACCURACIES[2], *paper.ACCURACIES[4]] == list(paper.SIZES)


def test_the_registry_has_the_same_sets_and_sizes():
    sizes = {
        name: (datasets.info(name).paper_rows, datasets.info(name).paper_features)
        for name in datasets.names()
    }
    assert list(sizes.items()) == list(paper.SIZES.items())


def test_an_accuracy_is_read_with_its_mark():
    assert paper.parse("0.520±0.096◦") == paper.Accuracy(0.52, 0.096, -1)
    assert paper.parse("0.713±0.067").mark == 0
    assert paper.parse("-") is None
