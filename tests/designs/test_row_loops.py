"""Compiled loops against NumPy."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from largemargin.designs.dense import NARROW_BLOCK, DenseDesign
from largemargin.designs.sparse import SparseDesign

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


def test_the_lower_triangle_of_outer_products_is_that_of_numpy(X):
    coefficients = np.random.default_rng(1).uniform(0, 2, N_ROWS)
    coefficients[::3] = 0.0
    wanted = np.tril((X.T.astype(float) * coefficients) @ X)
    for design in designs_of(X):
        assert_allclose(np.tril(design.outer_products(coefficients)), wanted, atol=1e-4)


def test_the_moment_needs_its_lower_half_only(X):
    weight, w = np.random.default_rng(2).uniform(0, 2, N_ROWS), np.arange(9.0)
    wanted = (X.T.astype(float) * weight) @ X.astype(float) @ w
    for design in designs_of(X):
        assert_allclose(design.moment_product(weight, w), wanted, rtol=1e-5)
