"""Dense rows: blocks, threads and narrow floats change nothing."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from largemargin.designs import dense
from largemargin.designs.dense import MAX_NARROW, ROWS_PER_THREAD, DenseDesign
from largemargin.numerics.threads import one_blas_thread


@pytest.mark.parametrize("n_rows", [0, 1, 7, 30])
def test_blocks_of_narrow_rows_are_summed_in_float64(n_rows, monkeypatch):
    monkeypatch.setattr(dense, "BLOCK_BYTES", 8 * 3 * 7)
    rng = np.random.default_rng(n_rows)
    X = rng.normal(size=(n_rows, 3)).astype(np.float32)
    w, coefficients, wide = rng.normal(size=3), rng.normal(size=n_rows), X.astype(float)
    design = DenseDesign(X)
    assert_allclose(design.scores(w), wide @ w, rtol=1e-13, atol=1e-15)
    assert_allclose(design.combine(coefficients), coefficients @ wide, rtol=1e-12)
    assert_allclose(design.squared_norms(), (wide**2).sum(axis=1), rtol=1e-15)


def test_rows_for_loops_are_the_array_itself_where_it_is_contiguous():
    X = np.ones((4, 3))
    data, indices, starts = DenseDesign(X).rows
    assert np.shares_memory(data, X)
    assert indices is None
    assert_array_equal(starts, [0, 3, 6, 9, 12])
    assert_array_equal(
        DenseDesign(np.arange(6.0).reshape(2, 3).T).rows[0], [0, 3, 1, 4, 2, 5]
    )


def test_rows_of_many_features_have_the_outer_products_of_few():
    X = np.random.default_rng(0).normal(size=(300, MAX_NARROW + 6))
    coefficients = np.random.default_rng(1).uniform(0, 2, 300)
    both = [DenseDesign(X), DenseDesign(X[:, :MAX_NARROW])]
    wide, narrow = (np.tril(design.outer_products(coefficients)) for design in both)
    assert_allclose(wide[:MAX_NARROW, :MAX_NARROW], narrow, atol=1e-10)


@pytest.mark.parametrize("n_features", [1, 2, 7])
@pytest.mark.usefixtures("two_blas_threads")
def test_outer_products_do_not_depend_on_the_number_of_threads(n_features):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2 * ROWS_PER_THREAD + 5, n_features))
    coefficients = rng.uniform(0, 2, len(X))
    together = DenseDesign(X).outer_products(coefficients)
    with one_blas_thread():
        alone = DenseDesign(X).outer_products(coefficients)
    assert_array_equal(together, alone)
    assert_allclose(np.tril(together), np.tril((X.T * coefficients) @ X), rtol=1e-10)


def test_the_second_moment_of_float32_rows_is_computed_in_float64():
    X = np.random.default_rng(0).normal(20.0, size=(300, MAX_NARROW + 6))
    X, weight = X.astype(np.float32), np.random.default_rng(1).uniform(0, 2, 300)
    wide = X.astype(np.float64)
    found = DenseDesign(X).second_moment(weight)
    assert_allclose(np.tril(found), np.tril((wide.T * weight) @ wide), rtol=1e-12)
