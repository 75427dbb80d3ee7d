"""Training rows and their weights: used as they are, or refused."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from largemargin import LDMClassifier, LinearLDMClassifier
from machines import fixed_linear_ldm
from refusals import assert_refused

BOTH = pytest.mark.parametrize("make", [LDMClassifier, LinearLDMClassifier])


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_are_not_copied(dtype, order):
    rng = np.random.default_rng(0)
    X = np.asarray(rng.normal(size=(50_000, 100)), dtype=dtype, order=order)
    y = np.where(X[:, 0] + rng.normal(size=50_000) > 0, 1, 0)
    machine = fixed_linear_ldm().fit(X[:100], y[:100])
    tracemalloc.start()
    try:
        machine.fit(X, y)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 0.7 * X.nbytes


@BOTH
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite(make, blobs, value):
    X, y = blobs
    X[3, 1] = value
    assert_refused(make(), X, y, "NaN|infinity")


@BOTH
def test_weights_that_cannot_be(make, blobs):
    X, y = blobs
    ones = np.ones(len(y))
    assert_refused(make(), X, y, "not be negative.*-1", sample_weight=-ones)
    assert_refused(make(), X, y, "positive somewhere|zero", sample_weight=0 * ones)
    assert_refused(make(), X, y, "sample_weight", sample_weight=ones[1:])
    assert_refused(make(), X, y, "NaN", sample_weight=np.nan * ones)


@BOTH
def test_lengths_that_differ(make, blobs):
    X, y = blobs
    assert_refused(make(), X, y[1:], "inconsistent numbers of samples")


@pytest.mark.parametrize("make", [LDMClassifier, LinearLDMClassifier])
def test_sparse_indices_that_overflowed(make, blobs):
    X, y = blobs
    for name, place, value, match in [
        ("indices", 5, -3, r"0 \.\. 3"),
        ("indices", 5, 900, r"0 \.\. 3.*900"),
        ("indptr", 3, -(2**31), "row pointers"),
    ]:
        matrix = sp.csr_matrix(X)
        getattr(matrix, name)[place] = value
        assert_refused(make(), matrix, y, match)


def test_split_entries_of_a_sparse_matrix_are_summed(blobs):
    X, y = blobs
    whole = sp.csr_matrix(X)
    split = sp.csr_matrix(
        (whole.data.repeat(4) / 4, whole.indices.repeat(4), 4 * whole.indptr), whole.shape
    )
    for solver in "newton", "dual_cd", "asgd":
        machine = fixed_linear_ldm(solver=solver, random_state=0)
        coef = machine.fit(whole, y).coef_
        assert_allclose(machine.fit(split, y).coef_, coef, rtol=1e-6)
    assert split.nnz == 4 * whole.nnz
