"""Products in tiles against whole Gram matrices."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.utils.extmath import safe_sparse_dot
from threadpoolctl import threadpool_limits

from largemargin.kernels import values
from largemargin.kernels.functions import Kernel
from largemargin.kernels.tiled import MAX_BANDS, TiledGram, bands

N_ROWS = 331  # neither a multiple of the tile below nor of four; not few
KERNELS = {
    "rbf": Kernel("rbf", 0.3),
    "laplacian": Kernel("laplacian", 0.3),
    "poly": Kernel("poly", 0.2, 2, 1.0),
    "cosine": Kernel("cosine"),
    "sigmoid": Kernel("sigmoid", 0.1, coef0=0.1),
    "linear": Kernel("linear"),
    "callable": Kernel(lambda X, Z: 1.0 + safe_sparse_dot(X, Z.T, dense_output=True)),
}


@pytest.fixture
def X(monkeypatch):
    monkeypatch.setattr(values, "TILE", 50)
    return np.random.default_rng(0).normal(size=(N_ROWS, 6))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("name", KERNELS)
def test_products_columns_and_blocks_are_those_of_the_gram_matrix(X, name, form, dtype):
    kernel = KERNELS[name]
    gram, tiled = kernel.gram_matrix(X), TiledGram(kernel, form(X), dtype)
    some = np.array([300, 3, 77])
    coefficients = np.random.default_rng(1).normal(size=(N_ROWS, 3))
    near = {"rtol": 1e-5, "atol": 1e-5} if dtype == np.float32 else {"atol": 1e-10}
    assert_allclose(tiled.product(coefficients), gram @ coefficients, **near)
    coefficients[np.arange(N_ROWS) % 5 > 0] = 0.0
    assert_allclose(tiled.product(coefficients), gram @ coefficients, **near)
    assert_allclose(tiled.columns(some), gram[:, some], **near)
    assert_allclose(tiled.block(some), gram[np.ix_(some, some)], **near)
    assert tiled.columns(some).dtype == tiled.block(some).dtype == dtype


def test_every_column_of_a_product_is_that_of_its_vector(X):
    tiled = TiledGram(Kernel("rbf", 0.3), X)
    coefficients = np.random.default_rng(1).normal(size=(N_ROWS, 2))
    together = tiled.product(coefficients)
    for column, vector in zip(together.T, coefficients.T, strict=True):
        assert_array_equal(column, tiled.product(vector))


@pytest.mark.usefixtures("two_blas_threads")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_number_of_threads_changes_no_bit_of_a_product(X, dtype):
    tiled = TiledGram(Kernel("rbf", 0.3), X, dtype)
    vector = np.random.default_rng(1).normal(size=N_ROWS)
    together = tiled.product(vector)
    with threadpool_limits(1):
        assert_array_equal(together, tiled.product(vector))


@pytest.mark.parametrize("n_kept", [0, 1, 4, 28])
def test_as_many_tiles_are_kept_as_fit(X, n_kept, monkeypatch):
    tiled = TiledGram(Kernel("rbf", 0.3), X, np.float32, n_kept * 4 * 50**2)
    vector = np.ones(N_ROWS)
    before = tiled.product(vector)
    n_made = 0
    make = tiled.rows.values

    def count(*arguments):
        nonlocal n_made
        n_made += 1
        return make(*arguments)

    monkeypatch.setattr(tiled.rows, "values", count)
    assert_array_equal(tiled.product(vector), before)
    assert n_made == 28 - n_kept  # seven rows of tiles


@pytest.mark.parametrize("n_tiles", [0, 1, 7, 40, 157])
def test_bands_cover_all_tiles_in_order_and_share_the_work(n_tiles):
    found = bands(n_tiles)
    assert [i for band in found for i in band] == list(range(n_tiles))
    assert len(found) <= MAX_BANDS
    if n_tiles > 4 * MAX_BANDS:
        work = [sum(i + 1 for i in band) for band in found]
        assert max(work) < 2 * np.mean(work)


def test_a_product_with_zeros_computes_nothing(X, monkeypatch):
    tiled = TiledGram(Kernel("rbf", 0.3), X)
    monkeypatch.setattr(tiled.rows, "values", None)
    assert_array_equal(tiled.product(np.zeros(N_ROWS)), 0.0)
