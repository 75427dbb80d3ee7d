"""Gram matrices: products against NumPy, checks, and the positive semi-definite part."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from largemargin.kernels.functions import Kernel
from largemargin.kernels.gram import (
    MAX_WIDE_ROWS,
    check_gram,
    definite_part,
    gram_block,
    gram_bytes,
    gram_product,
    gram_products,
    is_indefinite,
)
from largemargin.numerics.threads import one_blas_thread


@pytest.mark.parametrize("n_rows", [1, 2, 3, 4, 5, 13, 64])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("share", [1.0, 0.3])
def test_products_with_a_gram_are_those_of_numpy(n_rows, dtype, share):
    rng = np.random.default_rng(n_rows)
    gram = rng.normal(size=(n_rows, n_rows)).astype(dtype)
    gram = gram + gram.T
    alpha = rng.normal(size=n_rows) * (rng.random(n_rows) < share)
    wanted = gram.astype(float) @ alpha
    assert_allclose(gram_product(gram, alpha), wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("n_rows", [7, 64, 101])
def test_parts_of_a_product_add_up_whatever_the_threads(monkeypatch, n_rows):
    gram = np.random.default_rng(0).normal(size=(n_rows, n_rows))
    gram, alpha = gram + gram.T, np.arange(1.0, n_rows + 1)
    monkeypatch.setattr("largemargin.kernels.gram.MANY_ROWS", 1)
    found = gram_product(gram, alpha)
    assert_allclose(found, gram @ alpha, rtol=1e-10)
    with one_blas_thread():
        assert_array_equal(gram_product(gram, alpha), found)


@pytest.mark.parametrize("n_rows", [3, 64, 71, 600])
@pytest.mark.parametrize("n_vectors", [1, 2, 3, 4, 9])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_with_several_vectors_are_those_of_numpy(n_rows, n_vectors, dtype):
    rng = np.random.default_rng(n_rows)
    gram = rng.normal(size=(n_rows, n_rows)).astype(dtype)
    gram, vectors = gram + gram.T, rng.normal(size=(n_vectors, n_rows))
    vectors[0, n_rows // 3 :] = 0.0  # mostly zeros
    found = gram_products(gram, vectors)
    assert_allclose(found, vectors @ gram.astype(float), rtol=1e-11, atol=1e-11)
    assert_array_equal(gram_products(gram, vectors, n_threads=2), found)


def test_many_rows_take_half_as_many_bytes_each():
    assert gram_bytes(MAX_WIDE_ROWS) == 8 * MAX_WIDE_ROWS**2
    assert gram_bytes(MAX_WIDE_ROWS + 1) == 4 * (MAX_WIDE_ROWS + 1) ** 2


@pytest.mark.parametrize(
    ("gram", "message"),
    [
        (np.ones((2, 3)), r"K must form a square matrix of shape \(2, 2\), .* \(2, 3\)"),
        (np.array([[1, np.nan], [np.nan, 1]]), "K must be finite; got NaN or infinity"),
        (np.array([[1.0, 0.5], [0.4, 1.0]]), "K must be symmetric; .* Pass"),
    ],
)
def test_what_is_no_gram_matrix_is_refused(gram, message):
    with pytest.raises(ValueError, match=message):
        check_gram(gram, 2, "K")


def test_a_checked_matrix_is_of_floats_and_symmetric():
    assert check_gram(np.eye(2, dtype=int), 2, "K").dtype == np.float64
    nearly = np.array([[1.0, 0.5], [0.5 + 1e-12, 1.0]])
    checked = check_gram(nearly, 2, "K")
    assert checked[0, 1] == checked[1, 0] == pytest.approx(0.5)
    kept = np.eye(2, dtype=np.float32)
    assert check_gram(kept, 2, "K") is kept


def test_only_more_than_rounding_makes_a_matrix_indefinite():
    assert not is_indefinite(np.zeros((3, 3)))
    assert not is_indefinite(np.diag([1.0, 0.0, -1e-9]))
    assert is_indefinite(np.diag([1.0, 0.0, -1e-3]))


def test_the_definite_part_has_the_positive_eigenvalues():
    rng = np.random.default_rng(0)
    basis = np.linalg.qr(rng.normal(size=(4, 4)))[0]
    gram = (basis * [3.0, 1.0, -0.5, -2.0]) @ basis.T
    with pytest.warns(UserWarning, match="'sigmoid' is not positive semi-definite: eig"):
        part, kept = definite_part(gram, Kernel("sigmoid"))
    assert_allclose(part, (basis[:, :2] * [3.0, 1.0]) @ basis[:, :2].T, atol=1e-14)
    assert_allclose(kept @ kept.T @ part, part, atol=1e-14)
    same, nothing = definite_part(np.eye(4), Kernel("sigmoid"))
    assert_array_equal(same, np.eye(4))
    assert nothing is None


def test_an_indefinite_matrix_of_the_users_own_is_refused():
    with pytest.raises(ValueError, match=r"must be positive semi-definite.*from -1 to 1"):
        definite_part(np.diag([1.0, -1.0]), Kernel("precomputed"))
    with pytest.raises(ValueError, match="'sigmoid' has no positive part"):
        definite_part(np.diag([0.0, -1.0]), Kernel("sigmoid"))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_block_is_the_gram_matrix_of_some_rows(dtype):
    gram = np.arange(49, dtype=dtype).reshape(7, 7)
    members = np.array([1, 2, 5])
    block = gram_block(gram, members)
    assert block.dtype == dtype
    assert_array_equal(block, gram[np.ix_(members, members)])
