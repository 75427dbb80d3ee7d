"""Kernels in tiles against scikit-learn's, whatever the threads."""

from unittest.mock import patch

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.metrics.pairwise import pairwise_kernels
from threadpoolctl import threadpool_limits

from largemargin.kernels import gram
from largemargin.kernels import values as kernel_values
from largemargin.kernels.functions import Kernel

NAMES = {"rbf": {"gamma": 0.3}, "laplacian": {"gamma": 0.3}, "linear": {}, "cosine": {}}


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(300, 7))


@pytest.mark.parametrize("tile", [64, 1000])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_gram_and_scores_are_those_of_scikit_learn(X, name, sparse, tile, monkeypatch):
    monkeypatch.setattr(kernel_values, "TILE", tile)
    kernel = Kernel(name, **NAMES[name])
    rows = sp.csr_matrix(X) if sparse else X
    wanted = pairwise_kernels(X, metric=name, **NAMES[name])
    gram = kernel.gram_matrix(rows)
    assert_allclose(gram, wanted, atol=1e-13)
    assert (gram == gram.T).all()
    coefficients = np.random.default_rng(1).normal(size=(2, 300))
    scores = kernel.scores(rows[:50], rows, coefficients)
    assert_allclose(scores, wanted[:50] @ coefficients.T, atol=1e-11)


def test_sparse_rows_of_many_features_stay_sparse(X, monkeypatch):
    monkeypatch.setattr(kernel_values, "MAX_DENSE_FEATURES", 3)
    wanted = pairwise_kernels(X, metric="rbf", gamma=0.3)
    assert_allclose(Kernel("rbf", 0.3).gram_matrix(sp.csr_matrix(X)), wanted, atol=1e-13)


def test_far_rows_and_long_rows_have_a_kernel_of_at_most_one(X):
    gram = Kernel("rbf", 1e3).gram_matrix(1e6 + X)
    assert np.isfinite(gram).all()
    assert (np.diagonal(gram) == 1).all()
    assert gram.max() <= 1


@pytest.mark.usefixtures("two_blas_threads")
def test_the_number_of_threads_changes_no_bit(X, monkeypatch):
    monkeypatch.setattr(kernel_values, "TILE", 64)
    together = Kernel("rbf", 0.3).gram_matrix(X)
    with threadpool_limits(1):
        alone = Kernel("rbf", 0.3).gram_matrix(X)
    assert (together == alone).all()


def test_rows_that_overflow_are_refused(X):
    with pytest.raises(ValueError, match="overflows"):
        Kernel("rbf", 1.0).gram_matrix(1e160 * X)


@pytest.mark.parametrize("name", ["linear", "poly", "sigmoid", "cosine", "rbf"])
def test_bounds_of_sparse_float32_rows_are_those_of_dense_float64_rows(X, name):
    kernel = Kernel(name, 0.3, coef0=-1.0)
    X = X.astype(np.float32)
    rows, wide = sp.csr_matrix(X), X.astype(np.float64)
    diagonal = kernel.diagonal(rows)
    assert diagonal.dtype == np.float64
    assert_allclose(diagonal, kernel.diagonal(wide), rtol=1e-14)
    assert_allclose(kernel.entry_error(rows), kernel.entry_error(wide), rtol=1e-12)


def test_the_diagonal_of_a_callable_in_float32_is_float64(X):
    kernel = Kernel(lambda X, Z: (X @ Z.T).astype(np.float32))
    assert kernel.diagonal(X).dtype == np.float64


@pytest.mark.parametrize("n_scored", [1, 40, 300, 301])
def test_scores_of_float32_rows_are_those_of_float64(X, n_scored):
    X = np.vstack([X, X + 1.0]).astype(np.float32)
    coefficients = np.random.default_rng(1).normal(size=(1, 600))
    wanted = pairwise_kernels(X.astype(np.float64), metric="rbf", gamma=0.3)
    found = Kernel("rbf", 0.3).scores(X[:n_scored], X, coefficients)
    assert_allclose(found, wanted[:n_scored] @ coefficients.T, atol=1e-11)


@pytest.mark.usefixtures("two_blas_threads")
@pytest.mark.parametrize("size", [1e10, 1e60])
def test_values_that_leave_the_dtype_of_the_gram_matrix_are_refused(X, size, monkeypatch):
    monkeypatch.setattr(kernel_values, "TILE", 64)
    monkeypatch.setattr(gram, "MAX_WIDE_ROWS", 200)
    with pytest.raises(ValueError, match="kernel='poly' overflows on these rows"):
        Kernel("poly", 1.0, 3).gram_matrix(size * X)


def test_values_that_vanish_in_float32_are_kept_in_float64():
    X = 1e-15 * np.random.default_rng(0).normal(size=(30, 3))
    kernel = Kernel("poly", gamma=1.0, degree=3, coef0=0.0)
    with patch("largemargin.kernels.gram.MAX_WIDE_ROWS", 10):
        tiny = kernel.gram_matrix(X)
        usual = kernel.gram_matrix(1e15 * X)
    assert tiny.dtype == np.float64
    assert usual.dtype == np.float32
    assert_allclose(1e90 * tiny, usual, rtol=1e-4, atol=1e-4)
