"""Values of kernels: bounds of their errors against extended precision."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from largemargin.kernels import values
from largemargin.kernels.functions import Kernel
from largemargin.kernels.values import normalised_rows, squared_lengths, tile_pairs, tiles


def exact_rbf(X, gamma):
    X = X.astype(np.longdouble)
    return np.exp(-gamma * ((X[:, None] - X) ** 2).sum(axis=2))


@pytest.mark.parametrize("offset", [0.0, 1e3, 1e8])
@pytest.mark.parametrize("few", [0, 300])
def test_errors_of_the_rbf_kernel_are_bounded(offset, few, monkeypatch):
    monkeypatch.setattr(values, "FEW_ROWS", few)
    X = np.random.default_rng(0).normal(size=(60, 4)) + offset
    kernel = Kernel("rbf", 0.7)
    error = np.abs(kernel.gram_matrix(X) - exact_rbf(X, 0.7)).max()
    assert error <= kernel.entry_error(X) <= 1e-11


@pytest.mark.parametrize("n_rows", [60, 450])
@pytest.mark.parametrize("scale", [1.0, 0.3, 1e4])
def test_errors_of_the_rbf_kernel_are_bounded_for_rows_with_few_stored_values(
    n_rows, scale, monkeypatch
):
    monkeypatch.setattr(values, "FEW_ROWS", 0)
    X = sp.random(n_rows, 40, 0.1, format="csr", random_state=0)
    X.data = scale * np.ceil(4.0 * X.data)
    kernel = Kernel("rbf", 0.1 / scale**2)
    exact = exact_rbf(X.toarray(), kernel.gamma)
    assert np.abs(kernel.gram_matrix(X) - exact).max() <= kernel.entry_error(X)
    alpha = np.random.default_rng(1).normal(size=(1, n_rows))
    scores = kernel.scores(X[:20], X, alpha)[:, 0]
    bound = kernel.score_entry_error(X) * np.abs(alpha).sum() + 1e-13
    assert np.abs(scores - exact[:20] @ alpha[0]).max() <= bound
    assert kernel.prepare(X).stored is not None


def test_errors_that_come_with_a_gram_matrix_are_those_asked_for_alone():
    X = np.random.default_rng(0).normal(size=(60, 4))
    for kernel in Kernel("rbf", 0.7), Kernel("poly", 0.7, 3, -0.5), Kernel("linear"):
        gram, errors = kernel.gram_and_errors(X)
        assert_array_equal(gram, kernel.gram_matrix(X))
        assert errors.of_gram == kernel.entry_error(X)
        assert errors.of_scores == kernel.score_entry_error(X)


@pytest.mark.parametrize("name", ["linear", "poly", "laplacian", "cosine"])
def test_errors_of_other_kernels_are_bounded_by_lengths(name):
    X = np.random.default_rng(0).normal(size=(30, 4))
    kernel = Kernel(name, 0.7, 3, 0.5)
    wide = X.astype(np.longdouble)
    exact = np.array([kernel._wide_values(row, wide) for row in wide])
    lengths = np.sqrt(np.diagonal(exact))
    error = np.abs(kernel.gram_matrix(X) - exact) / np.outer(lengths, lengths)
    assert error.max() <= kernel.entry_error(X) <= 1e-13
    alpha = np.random.default_rng(1).normal(size=30)
    square = float(alpha @ exact @ alpha)
    for squared_length in kernel.squared_length, kernel.wide_squared_length:
        found, bound = squared_length(X, alpha)
        assert abs(found - square) <= bound


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_normalised_rows_have_length_one_however_long_or_short(form):
    X = np.array([[3.0, 4.0], [3e-200, 4e-200], [3e200, 4e200], [0.0, 0.0]])
    found = normalised_rows(form(X))
    dense = found.toarray() if sp.issparse(found) else found
    assert_allclose(dense, [[0.6, 0.8]] * 3 + [[0.0, 0.0]], rtol=1e-15)
    assert_allclose(squared_lengths(found), [1, 1, 1, 0])


def test_tiles_cover_a_matrix_and_pairs_its_lower_triangle(monkeypatch):
    monkeypatch.setattr(values, "TILE", 3)
    seen = np.zeros((8, 8), dtype=int)
    for down, across in tile_pairs(8):
        seen[down, across] += 1
        if down != across:
            seen[across, down] += 1
    assert_array_equal(seen, 1)
    assert [len(range(8)[tile]) for tile in tiles(8, 5)] == [5, 3]
    assert tiles(0) == tile_pairs(0) == []


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_squared_lengths_of_float32_rows_are_those_of_float64(form):
    X = np.random.default_rng(0).normal(size=(3, 2000)).astype(np.float32)
    X *= np.float32([[1e-30], [1.0], [1e30]])  # of which two squares leave float32
    wanted = (X.astype(np.float64) ** 2).sum(axis=1)
    found = squared_lengths(form(X))
    assert found.dtype == np.float64
    assert_allclose(found, wanted, rtol=1e-13)


def test_the_error_of_scores_covers_sparse_rows_of_which_few_are_made_dense(monkeypatch):
    monkeypatch.setattr(values, "fits_dense", lambda n_rows, n_columns: n_rows < 390)
    X = sp.identity(400, format="csr")
    kernel = Kernel("rbf", 0.7)
    assert sp.issparse(kernel.prepare(X).X)
    dense = kernel.prepare(X[:350])
    assert not sp.issparse(dense.X)
    assert dense.entry_error <= kernel.score_entry_error(X)


def narrow_error(X, gamma):
    rows, every = values.RadialRows(gamma, X), slice(None)
    found = rows.values(every, rows, every, np.float32)
    return rows, np.abs(found - exact_rbf(X, gamma)).max()


@pytest.mark.parametrize("n_features", [3, 40])
@pytest.mark.parametrize("offset", [0.0, 1e8])
def test_errors_of_float32_exponents_are_bounded(n_features, offset):
    X = np.random.default_rng(0).normal(size=(310, n_features)) + offset
    rows, error = narrow_error(X, 0.3 / n_features)
    assert rows.narrow_rounding <= values.MAX_NARROW_ERROR
    assert error <= rows.narrow_rounding + 2.0 * np.finfo(np.float32).eps
    assert not rows.is_coarse


def test_rows_that_are_long_for_float32_get_exponents_of_float64():
    X = np.random.default_rng(0).normal(size=(310, 4))
    X[0] = 3e3
    rows, error = narrow_error(X, 0.1)
    assert rows.narrow_rounding > values.MAX_NARROW_ERROR
    assert error <= 1e-10


@pytest.mark.parametrize(
    "X",
    [
        np.random.default_rng(0).integers(2, size=(310, 120)),
        np.random.default_rng(0).integers(17, size=(310, 64)) / 16.0,
        np.random.default_rng(0).integers(-3, 3, size=(310, 5)) + 1e7,
    ],
    ids=["binary", "pixels", "far counts"],
)
def test_products_of_coarse_rows_are_exact_in_float32(X):
    kernel = Kernel("rbf", 0.5 / X.shape[1])
    rows, every = kernel.prepare(X.astype(np.float64)), slice(None)
    assert rows.is_coarse
    products = rows.narrow @ rows.narrow.T
    assert_array_equal(products, rows.X @ rows.X.T)
    error = np.abs(kernel.gram_matrix(X.astype(np.float64)) - exact_rbf(X, kernel.gamma))
    assert error.max() <= kernel.entry_error(X.astype(np.float64))
    # Rows between the grid points, or beyond them, are not coarse with these.
    finer = kernel.prepare(X[:2] + 1e-5, rows)
    longer = kernel.prepare(X[:2] + 2.0**14, rows)
    assert not finer.is_coarse
    assert not longer.is_coarse
    found = finer.values(every, rows, every, np.float64)
    assert_allclose(found, np.exp(-kernel.gamma * distances(X[:2] + 1e-5, X)), atol=1e-12)


def distances(X, Z):
    return ((X[:, None] - Z) ** 2).sum(axis=2)


@pytest.mark.parametrize("length", [1e-9, 1.0, 3.0, 4096.0, 1e9])
def test_a_grid_has_as_many_steps_as_float32_products_allow(length):
    step = values.finest_step(length)
    assert length <= 4096.0 * step < 2.0 * length or length == 4096.0 * step
    assert values.is_on_grid(np.array([[step, -length // step * step]]), step, length)
    assert not values.is_on_grid(np.array([[step, 0.5 * step]]), step, length)
    assert not values.is_on_grid(np.array([[step]]), step, 8192.0 * step)


@pytest.mark.parametrize("n_rows", [0, 1, 16, 45])
def test_the_lower_triangle_is_mirrored(n_rows):
    matrix = np.random.default_rng(0).normal(size=(n_rows, n_rows))
    wanted = np.tril(matrix) + np.tril(matrix, -1).T
    values.mirror_lower(matrix)
    assert_array_equal(matrix, wanted)
