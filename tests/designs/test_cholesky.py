"""Factors and inverses against NumPy, on matrices that are nearly or not definite."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import cho_solve

from largemargin.designs import cholesky
from largemargin.designs.cholesky import Spectrum, damped_factor, inverse_of, without_row


@pytest.fixture
def gram():
    rows = np.random.default_rng(0).normal(size=(12, 20))
    return rows @ rows.T


@pytest.mark.parametrize("long", [5, 2000])
def test_a_factor_of_a_definite_matrix_is_that_of_numpy(gram, long, monkeypatch):
    monkeypatch.setattr(cholesky, "LONG", long)
    factor, is_lower = damped_factor(gram.copy())
    assert is_lower
    assert_allclose(np.tril(factor), np.linalg.cholesky(gram))


@pytest.mark.parametrize("least", [0.0, -1e-9, -0.5])
def test_an_indefinite_matrix_is_damped_until_it_descends(least):
    basis = np.linalg.qr(np.random.default_rng(1).normal(size=(5, 5)))[0]
    matrix = (basis * [4.0, 3.0, 2.0, 1.0, least]) @ basis.T
    slope = np.ones(5)
    step = cho_solve(damped_factor(matrix.copy()), slope)
    assert np.isfinite(step).all()
    assert slope @ step > 0


def test_what_no_damping_makes_definite_is_replaced_by_its_diagonal():
    matrix = np.array([[1.0, 100.0], [100.0, 4.0]])
    assert_array_equal(damped_factor(matrix)[0], [[1.0, 0.0], [0.0, 2.0]])
    assert_array_equal(damped_factor(np.array([[0.0, 1.0], [1.0, 0.0]]))[0], np.eye(2))


def test_numbers_that_overflow_are_refused():
    with pytest.raises(
        ValueError, match=r"A Newton system overflowed\. Scale the features"
    ):
        damped_factor(np.diag([1.0, np.inf]))


@pytest.mark.parametrize("n_copies", [1, 4])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_an_inverse_is_symmetric_and_that_of_numpy(gram, n_copies, dtype):
    gram = np.tile(gram, (n_copies, n_copies)).astype(dtype)
    ridge = np.linspace(0.1, 1.0, len(gram))
    found = inverse_of(gram, ridge)
    assert_allclose(found, np.linalg.inv(gram + np.diag(ridge)), rtol=1e-8, atol=1e-10)
    assert_array_equal(found, found.T)
    assert found.flags.c_contiguous


def test_a_matrix_far_from_definite_has_no_inverse():
    with pytest.raises(ValueError, match="not positive definite, even with a ridge"):
        inverse_of(np.diag([1.0, -5.0]), np.ones(2))


@pytest.mark.parametrize("i", [0, 4, 11])
def test_a_row_and_its_column_are_left_out(gram, i):
    wanted = np.delete(np.delete(gram, i, axis=0), i, axis=1)
    assert_array_equal(without_row(gram, i), wanted)


@pytest.mark.parametrize("spread", [1e-3, 1.0, 1e4])
def test_a_spectrum_gives_the_inverse_for_any_spread(spread):
    rng = np.random.default_rng(0)
    rows, weight = rng.normal(size=(30, 10)), rng.uniform(0.5, 2.0, 30)
    gram = rows @ rows.T
    found = Spectrum.of(gram, weight).damped_inverse(spread)
    expected = inverse_of(gram, 1.0 / (spread * weight))
    assert_allclose(found, expected, atol=1e-8 * np.abs(expected).max())
