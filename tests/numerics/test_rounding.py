"""Bounds of rounding errors against exact fractions."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from largemargin.numerics.rounding import UNIT, add_wide_dot, growth, wide_product, widened

numbers = st.floats(-1e100, 1e100, allow_subnormal=False)


def exact_dot(v, w):
    return sum((Fraction(a) * Fraction(b) for a, b in zip(v, w, strict=True)), Fraction(0))


@settings(max_examples=30)
@given(st.lists(numbers, min_size=1, max_size=20), st.randoms(use_true_random=False))
def test_sums_in_any_order_err_by_no_more_than_their_growth(terms, random):
    random.shuffle(terms)
    error = abs(Fraction(float(sum(terms))) - sum(map(Fraction, terms)))
    size = sum((abs(Fraction(term)) for term in terms), Fraction(0))
    assert error <= Fraction(growth(len(terms))) * size


def test_growth_is_linear_in_the_number_of_terms():
    assert growth(1) == pytest.approx(UNIT)
    assert growth(1000) == pytest.approx(1000 * UNIT)


@settings(max_examples=30)
@given(st.integers(0, 50), st.integers(-8, 8))
def test_a_wide_dot_errs_by_no_more_than_its_bound(seed, exponent):
    rng = np.random.default_rng(seed)
    v, w = rng.normal(size=(2, 9)) * 10.0**exponent
    number = -float(v @ w) * (1 + 1e-12)  # most of it cancels
    total, bound = add_wide_dot(number, v, w)
    assert abs(Fraction(total) - Fraction(number) - exact_dot(v, w)) <= Fraction(bound)


def test_wide_products_of_sparse_and_dense_rows_are_rounded_once():
    rng = np.random.default_rng(0)
    matrix, vector = rng.normal(size=(6, 30)), rng.normal(size=30)
    exact = [float(exact_dot(row, vector)) for row in matrix]
    for form in np.asarray, sp.csr_matrix:
        assert np.allclose(wide_product(form(matrix), vector), exact, rtol=2 * UNIT, atol=0)
        assert widened(form(matrix)).dtype == np.longdouble
