"""Encoders of values and of one class."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

from largemargin.estimators.values import OneClass, Values


def targets_of(encoder, y):
    has_columns, (part,) = encoder.encode(y, "Machine")
    return has_columns, part.targets


def test_the_values_are_the_origins_of_margins_of_one_sign():
    y = np.array([1.0, -2.0])
    has_columns, (targets,) = targets_of(Values(), y)
    assert not has_columns
    assert_array_equal(targets.sign, [1.0, 1.0])
    assert_array_equal(targets.origin, y)


def test_each_column_is_a_problem_of_contiguous_values():
    y = np.arange(6.0).reshape(3, 2)
    has_columns, targets = targets_of(Values(), y)
    assert has_columns
    assert [list(one.origin) for one in targets] == [[0.0, 2.0, 4.0], [1.0, 3.0, 5.0]]
    assert all(one.origin.flags.c_contiguous for one in targets)


def test_each_quantile_is_a_problem_with_the_same_values():
    has_columns, targets = targets_of(Values(n_quantiles=3), np.array([1.0, 2.0]))
    assert has_columns
    assert [list(one.origin) for one in targets] == [[1.0, 2.0]] * 3


def test_several_quantiles_of_several_columns_are_refused():
    with pytest.raises(ValueError, match=r"one-dimensional y.*shape \(3, 2\)"):
        Values(n_quantiles=2).checked(np.zeros((3, 2)))


def test_a_sparse_matrix_of_values_is_refused():
    with pytest.raises(TypeError, match="array of values; got a sparse matrix"):
        Values().checked(sp.csr_matrix(np.eye(3)))


@pytest.mark.parametrize("size", [1e-120, 1e120, 1e300])
def test_values_whose_squares_overflow_or_vanish_are_refused(size):
    with pytest.raises(
        ValueError, match=r"largest absolute value in y is 1e[+-].*Divide y"
    ):
        Values().encode(np.array([0.0, size]), "Machine")


def test_integers_become_floats_and_weights_stay_as_they_are():
    assert Values().checked(np.array([1, 2])).dtype == np.float64
    weight = np.array([1.0, 3.0])
    assert Values().weighted(np.zeros(2), weight) is weight
    assert OneClass().weighted(np.zeros(2), weight) is weight


def test_one_class_has_one_problem_without_origins():
    labels, (targets,) = targets_of(OneClass(), np.zeros(4))
    assert labels is None
    assert_array_equal(targets.sign, np.ones(4))
    assert_array_equal(targets.origin, np.zeros(4))
