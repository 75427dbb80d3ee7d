"""Dense and sparse rows behave the same, moved columns included."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from largemargin.designs.base import Curvature
from largemargin.designs.dense import DenseDesign
from largemargin.designs.in_memory import without_offsets
from largemargin.designs.sparse import SparseDesign, unsigned


@pytest.fixture
def X():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 4)) * (rng.random((50, 4)) < 0.6)
    X[:, 2] = 1e4 + rng.normal(size=50)
    return X


def both(X):
    return DenseDesign(X), SparseDesign(sp.csr_matrix(X))


def test_dense_and_sparse_rows_give_the_same_products(X):
    rng = np.random.default_rng(1)
    w, coefficients = rng.normal(size=4), rng.uniform(size=50)
    curvature = Curvature(np.ones(50), 0.2, coefficients, coefficients / 50, None)
    dense, sparse = both(X)
    for find in (
        lambda one: one.scores(w),
        lambda one: one.combine(coefficients),
        lambda one: one.squared_norms(),
        lambda one: one.squared_columns(coefficients),
        lambda one: np.tril(one.outer_products(coefficients)),
        lambda one: one.newton_system(curvature)(w, 1e-10),
        lambda one: one.as_gram_design().gram_matrix,
        lambda one: one.without(3).scores(w),
    ):
        assert_allclose(find(sparse), find(dense), rtol=1e-9)


def test_columns_far_from_zero_are_moved_and_the_intercept_follows(X):
    w, offset = np.array([1.0, -2.0, 0.5, 3.0]), 0.7
    middle = 0.5 * X[:, 2].min() + 0.5 * X[:, 2].max()
    for design in both(X):
        moved = without_offsets(design)
        assert_array_equal(moved.shift, [0, 0, middle, 0])
        within, error = moved.offset_within(w, offset)
        assert error <= 1e-11
        assert_allclose(moved.scores(w) + within, X @ w + offset, rtol=1e-12)
        assert moved.offset_outside(w, within) == pytest.approx(offset, abs=1e-11)


def test_columns_with_zeros_or_near_zero_stay(X):
    X[7, 2] = 0.0
    for design in both(X):
        assert without_offsets(design) is design
        assert design.offset_within(np.ones(4), 0.3) == (0.3, 0.0)


def test_a_sparse_design_counts_what_is_stored():
    X = sp.csr_matrix(np.array([[0.0, 1.0, 2.0], [0.0, 0.0, 0.0], [3.0, 0.0, 0.0]]))
    design = SparseDesign(X)
    assert (design.size, design.most_entries, design.has_cheap_moments) == (3, 2, False)
    assert np.shares_memory(unsigned(X.indices), X.indices)
    assert unsigned(X.indices.astype(np.int64)).dtype == np.uint64
    assert SparseDesign(sp.csr_matrix(np.ones((9, 1)))).has_cheap_moments
