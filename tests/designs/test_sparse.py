"""Sparse rows against the same rows with their zeros."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from largemargin.designs.dense import DenseDesign
from largemargin.designs.sparse import SparseDesign


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_products_are_those_of_dense_rows(dtype):
    rng = np.random.default_rng(0)
    X = sp.random(50, 7, 0.3, format="csr", rng=rng, dtype=dtype)
    sparse, dense = SparseDesign(X), DenseDesign(X.toarray())
    w, coefficients = rng.standard_normal(7), rng.uniform(0.0, 1.0, 50)
    tolerance = {"rtol": 1e-5 if dtype == np.float32 else 1e-12, "atol": 1e-12}
    assert_allclose(sparse.scores(w), dense.scores(w), **tolerance)
    assert_allclose(sparse.combine(coefficients), dense.combine(coefficients), **tolerance)
    assert_allclose(sparse.squared_norms(), dense.squared_norms(), **tolerance)
    products = [np.tril(one.outer_products(coefficients)) for one in (sparse, dense)]
    assert_allclose(*products, **tolerance)
    columns = [one.squared_columns(coefficients) for one in (sparse, dense)]
    assert_allclose(*columns, **tolerance)
