import numpy as np
from numpy.testing import assert_array_equal

from study.defaults.encoding import encoded


def table(**columns):
    import pandas

    return pandas.DataFrame(columns)


def test_words_become_indicators_and_two_words_a_single_one():
    raw = table(
        size=list("abc") * 10,
        side=list("lr") * 15,
        label=["x"] * 15 + ["y"] * 15,
    )
    X, y = encoded(raw, "label")
    assert_array_equal(X[0], [1, 0, 0, 0])
    assert_array_equal(X[1], [0, 1, 0, 1])
    assert_array_equal(y, np.repeat([0, 1], 15))


def test_rows_with_missing_values_rare_classes_and_constants_are_left_out():
    raw = table(
        a=[np.nan, *range(34)],
        same=[1.0] * 35,
        given_away=list(range(35)),
        label=["x"] * 15 + ["y"] * 15 + ["rare"] * 5,
    )
    X, y = encoded(raw, "label", drop=["given_away"])
    assert X.shape == (29, 1)
    assert_array_equal(np.bincount(y), [14, 15])
