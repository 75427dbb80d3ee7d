"""Compiled loops over lines of numbers, against NumPy."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from largemargin.numerics.lines import (
    add_row,
    dot,
    invert_upper,
    multiply_symmetric,
    solve_factorised,
)


@pytest.fixture
def system():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 7))
    return X.T @ X, rng.standard_normal(7)


def test_lines_may_be_shorter_than_the_vector(system):
    matrix, vector = system
    assert_allclose(dot(matrix[2, :4], vector), matrix[2, :4] @ vector[:4])
    out = vector.copy()
    add_row(matrix[2, :4], 0.5, out)
    assert_allclose(out[:4], vector[:4] + 0.5 * matrix[2, :4])
    assert_allclose(out[4:], vector[4:])


def test_a_factorised_system_is_solved(system):
    matrix, vector = system
    out = vector.copy()
    solve_factorised(np.ascontiguousarray(np.linalg.cholesky(matrix).T), out)
    assert_allclose(matrix @ out, vector)


def test_an_upper_triangle_is_inverted(system):
    factor = np.ascontiguousarray(np.linalg.cholesky(system[0]).T)
    out = np.zeros((7, 7))
    invert_upper(factor, out)
    assert_allclose(out @ factor, np.eye(7), atol=1e-12)


def test_a_symmetric_product_reads_the_lower_triangle(system):
    matrix, vector = system
    out = np.empty(7)
    multiply_symmetric(np.tril(matrix), vector, out)
    assert_allclose(out, matrix @ vector)
