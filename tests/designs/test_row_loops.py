"""Compiled loops against NumPy."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from largemargin.designs.dense import (
    MAX_NARROW,
    NARROW_BLOCK,
    ROWS_PER_THREAD,
    DenseDesign,
)
from largemargin.designs.kernel import KernelDesign
from largemargin.designs.sparse import SparseDesign
from largemargin.numerics.threads import one_blas_thread

N_ROWS = NARROW_BLOCK + 44


@pytest.fixture(params=[np.float32, np.float64], ids=["float32", "float64"])
def X(request):
    rng = np.random.default_rng(0)
    return (rng.normal(size=(N_ROWS, 9)) * (rng.random((N_ROWS, 9)) < 0.6)).astype(
        request.param
    )


def designs_of(X):
    narrow = sp.csr_matrix(X)
    wide = narrow.copy()
    wide.indices, wide.indptr = narrow.indices.astype(np.int64), narrow.indptr.astype("i8")
    return [
        DenseDesign(X),
        DenseDesign(np.asfortranarray(X)),
        SparseDesign(narrow),
        SparseDesign(wide),
    ]


def test_products_are_those_of_numpy(X):
    rng = np.random.default_rng(1)
    w, coefficients = rng.normal(size=9), rng.normal(size=N_ROWS)
    for design in designs_of(X):
        assert_allclose(design.scores(w), X.astype(float) @ w, atol=1e-12)
        assert_allclose(design.combine(coefficients), coefficients @ X, rtol=1e-5)
        assert_allclose(design.squared_norms(), (X.astype(float) ** 2).sum(1), atol=1e-12)


def test_the_lower_half_of_a_gram_is_that_of_numpy(X):
    coefficients = np.random.default_rng(1).uniform(0, 2, N_ROWS)
    coefficients[::3] = 0.0
    wanted = np.tril((X.T.astype(float) * coefficients) @ X)
    for design in designs_of(X):
        assert_allclose(np.tril(design.outer_products(coefficients)), wanted, atol=1e-4)


def test_wide_rows_use_the_same_gram_as_narrow_ones():
    X = np.random.default_rng(0).normal(size=(300, MAX_NARROW + 6))
    coefficients = np.random.default_rng(1).uniform(0, 2, 300)
    both = [DenseDesign(X), DenseDesign(X[:, :MAX_NARROW])]
    wide, narrow = (np.tril(design.outer_products(coefficients)) for design in both)
    assert_allclose(wide[:MAX_NARROW, :MAX_NARROW], narrow, atol=1e-10)


@pytest.mark.parametrize("n_features", [1, 2, 7])
def test_a_gram_does_not_depend_on_the_number_of_threads(n_features):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2 * ROWS_PER_THREAD + 5, n_features))
    coefficients = rng.uniform(0, 2, len(X))
    together = DenseDesign(X).outer_products(coefficients)
    with one_blas_thread():
        alone = DenseDesign(X).outer_products(coefficients)
    assert_array_equal(together, alone)
    assert_allclose(np.tril(together), np.tril((X.T * coefficients) @ X), rtol=1e-10)


@pytest.mark.parametrize("n_rows", [1, 2, 3, 4, 5, 13, 64])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("share", [1.0, 0.3])
def test_products_with_a_gram_are_those_of_numpy(n_rows, dtype, share):
    rng = np.random.default_rng(n_rows)
    gram = rng.normal(size=(n_rows, n_rows)).astype(dtype)
    gram = gram + gram.T
    alpha = rng.normal(size=n_rows) * (rng.random(n_rows) < share)
    wanted = gram.astype(float) @ alpha
    assert_allclose(KernelDesign(gram).scores(alpha), wanted, rtol=1e-12, atol=1e-12)


def test_the_moment_needs_its_lower_half_only(X):
    weight, w = np.random.default_rng(2).uniform(0, 2, N_ROWS), np.arange(9.0)
    wanted = (X.T.astype(float) * weight) @ X.astype(float) @ w
    for design in designs_of(X):
        assert_allclose(design.moment_product(weight, w), wanted, rtol=1e-5)
