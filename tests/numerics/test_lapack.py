"""Cholesky factors against NumPy, and what they do to other threads."""

import threading
import time

import numpy as np
import pytest

from largemargin.numerics import lapack
from largemargin.numerics.threads import n_blas_threads


@pytest.fixture
def definite(rng):
    rows = rng.normal(size=(30, 40))
    return rows @ rows.T


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def test_a_factor_and_an_inverse_are_those_of_numpy(definite):
    matrix = np.asfortranarray(definite)
    lapack.factorise(matrix)
    np.testing.assert_allclose(np.tril(matrix), np.linalg.cholesky(definite))
    lapack.invert(matrix)
    lower = np.tril(np.linalg.inv(definite))
    np.testing.assert_allclose(np.tril(matrix), lower, atol=1e-12)


def test_float32_matrices_have_float32_inverses(definite):
    matrix = definite.astype(np.float32, order="F")
    lapack.factorise(matrix)
    lapack.invert(matrix)
    lower = np.tril(np.linalg.inv(definite))
    np.testing.assert_allclose(np.tril(matrix), lower, atol=1e-5 * np.abs(lower).max())


def test_only_the_lower_triangle_counts(definite):
    half = np.asfortranarray(np.tril(definite))
    lapack.factorise(half)
    np.testing.assert_allclose(half, np.linalg.cholesky(definite))


def test_an_indefinite_matrix_is_an_error(definite):
    matrix = np.asfortranarray(definite - 100 * np.eye(30))
    with pytest.raises(np.linalg.LinAlgError, match="not positive definite"):
        lapack.factorise(matrix)


def test_a_factor_that_is_singular_has_no_inverse():
    with pytest.raises(np.linalg.LinAlgError, match="singular"):
        lapack.invert(np.zeros((3, 3), order="F"))


@pytest.mark.parametrize("size", [0, 1])
def test_matrices_may_be_tiny(size):
    matrix = np.full((size, size), 4.0, order="F")
    lapack.factorise(matrix)
    assert (matrix == 2.0).all()
    assert lapack.factorise_with_pivots(matrix, 0.0)[1] == size


def test_pivots_find_the_rank_and_rebuild_the_matrix(rng):
    rows = rng.normal(size=(30, 7))
    matrix = np.asfortranarray(rows @ rows.T)
    order, rank = lapack.factorise_with_pivots(matrix, 1e-10)
    lower = np.tril(matrix[:, :rank])
    assert rank == 7
    assert order[0] == np.argmax(np.einsum("ij,ij->i", rows, rows))
    np.testing.assert_allclose(lower @ lower.T, rows[order] @ rows[order].T, atol=1e-10)


@pytest.mark.parametrize(
    "matrix",
    [np.eye(3, dtype=np.float32), np.ones((3, 2), order="F"), np.ones((4, 4))[::2]],
)
def test_no_other_memory_is_ever_read(matrix):
    with pytest.raises(AssertionError):
        lapack.factorise(matrix)


def test_other_threads_run_meanwhile():
    matrix = np.eye(3000, order="F") + 1.0

    def work():
        lapack.factorise(matrix)
        lapack.invert(matrix)

    thread = threading.Thread(target=work)
    turns = [time.perf_counter()]
    thread.start()
    while thread.is_alive():
        time.sleep(0.001)
        turns.append(time.perf_counter())
    # With the lock held, half of the time would pass between two turns.
    assert np.diff(turns).max() < 0.25 * (turns[-1] - turns[0])


@pytest.mark.usefixtures("two_blas_threads")
def test_large_matrices_are_factorised_by_one_thread():
    # OpenBLAS's threaded factorisations crash from some 18,000 rows on.
    with lapack.safe_threads(lapack.MAX_THREADED_ROWS + 1):
        assert n_blas_threads() == 1
    granted = n_blas_threads()
    with lapack.safe_threads(lapack.MAX_THREADED_ROWS):
        assert n_blas_threads() == granted
