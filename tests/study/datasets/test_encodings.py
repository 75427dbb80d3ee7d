"""Raw tables into numbers, by hand."""

import pytest
from numpy.testing import assert_array_equal

from study.datasets.encodings import Recipe, encode
from study.datasets.reading import RawTable


def table(*rows):
    """Return a table of rows written as words."""
    rows = [["" if cell == "?" else cell for cell in row.split()] for row in rows]
    return RawTable([f"c{j}" for j in range(len(rows[0]) - 1)] + ["class"], rows)


def test_numbers_stay_as_they_are():
    X, y = encode(table("1.5 -2 a", "0 1e3 b"), Recipe(2, "a", "b"))
    assert_array_equal(X, [[1.5, -2], [0, 1000]])
    assert_array_equal(y, [1, -1])


def test_words_become_their_place_in_the_order():
    recipe = Recipe(1, "a", "b", orders={0: ["low", "mid", "high"]})
    X, _ = encode(table("high a", "low b", "mid b"), recipe)
    assert_array_equal(X, [[3], [1], [2]])


@pytest.mark.parametrize("one_hot", [False, True])
def test_two_words_become_one_column_of_zeros_and_ones(one_hot):
    recipe = Recipe(1, "a", "b", orders={0: ["no", "yes"]}, one_hot=one_hot)
    X, _ = encode(table("yes a", "no b"), recipe)
    assert_array_equal(X, [[1], [0]])


def test_one_hot_words_stand_where_their_column_stood():
    recipe = Recipe(3, "a", "b", orders={1: ["x", "y", "z"]}, one_hot=True)
    X, _ = encode(table("7 z 8 a", "5 x 6 b"), recipe)
    assert_array_equal(X, [[7, 0, 0, 1, 8], [5, 1, 0, 0, 6]])


def test_rows_with_missing_values_are_left_out():
    X, y = encode(table("1 2 a", "? 2 a", "3 4 b"), Recipe(2, "a", "b"))
    assert_array_equal(X, [[1, 2], [3, 4]])
    assert_array_equal(y, [1, -1])


def test_missing_values_are_filled_with_the_mean_or_the_most_frequent_word():
    recipe = Recipe(2, "a", "b", orders={1: ["x", "y"]}, fill=True)
    X, _ = encode(table("1 y a", "? y b", "4 ? b", "4 x a"), recipe)
    assert_array_equal(X, [[1, 1], [3, 1], [4, 1], [4, 0]])


def test_columns_with_too_many_missing_values_cost_no_rows():
    recipe = Recipe(2, "a", "b", max_missing=1)
    X, _ = encode(table("1 ? a", "2 ? b", "? 3 b"), recipe)
    assert_array_equal(X, [[1], [2]])


def test_unwanted_columns_cost_no_rows():
    X, _ = encode(table("1 ? a", "2 5 b"), Recipe(2, "a", "b", without=(1,)))
    assert_array_equal(X, [[1], [2]])


def test_rows_of_other_classes_are_left_out():
    X, y = encode(table("1 bus", "2 van", "3 saab"), Recipe(1, "bus", "saab"))
    assert_array_equal(X, [[1], [3]])
    assert_array_equal(y, [1, -1])


def test_a_table_without_the_two_labels_names_the_labels_found():
    with pytest.raises(ValueError, match=r"'yes', 'no'.*'0', '1'"):
        encode(table("1 0", "2 1"), Recipe(1, "yes", "no"))


def test_a_word_outside_the_order_is_named_with_its_column():
    recipe = Recipe(1, "a", "b", orders={0: ["x", "y"]})
    with pytest.raises(ValueError, match=r"'c0' holds \['q'\].*\['x', 'y'\]"):
        encode(table("x a", "q b"), recipe)


def test_a_word_in_a_column_of_numbers_is_named_with_its_column():
    with pytest.raises(ValueError, match=r"'c0' is not numeric.*'q'"):
        encode(table("1 a", "q b"), Recipe(1, "a", "b"))


def test_a_table_of_another_width_is_refused():
    with pytest.raises(ValueError, match="has 3 columns; expected 1 and the label"):
        encode(table("1 2 a"), Recipe(1, "a", "b"))
