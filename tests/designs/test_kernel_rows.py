"""Kernel rows: three ways to bound the same length, and none below it."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from largemargin.designs import kernel_rows
from largemargin.designs.gram import GramDesign
from largemargin.designs.kernel_rows import KernelRows
from largemargin.kernels.functions import Kernel


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(60, 3))


@pytest.mark.parametrize("name", ["rbf", "linear", "poly", "cosine"])
def test_lengths_of_slopes_are_bounded(X, name):
    kernel = Kernel(name, 0.5, 2, 1.0)
    wide = X.astype(np.longdouble)
    exact = np.array([kernel._wide_values(row, wide) for row in wide])
    alpha, forces = np.random.default_rng(1).normal(size=(2, 60))
    slope = alpha - forces
    length = np.sqrt(float(slope @ exact @ slope))
    gram = GramDesign(kernel.gram_matrix(X), kernel.entry_error(X))
    for rows in KernelRows(kernel, X), KernelRows(kernel, X, gram):
        bound = rows.slope_length(alpha, forces, np.zeros(60))
        assert length <= bound <= length * (1 + 1e-6)
    by_factor = KernelRows(kernel, X, None, kernel.low_rank(X)[0])
    assert length <= by_factor.slope_length(alpha, forces, np.zeros(60))


def test_an_element_is_measured_once(X, monkeypatch):
    rows, alpha = KernelRows(Kernel("rbf", 0.5), X), np.ones(60)
    measured = rows.measure(alpha)
    monkeypatch.setattr(Kernel, "scores", None)
    assert rows.measure(alpha) is measured


@pytest.mark.parametrize("most", [0, 10**9])
def test_doubtful_rows_are_measured_from_the_rows_themselves(X, most, monkeypatch):
    monkeypatch.setattr(kernel_rows, "MAX_WIDE_NUMBERS", most)
    kernel, alpha = Kernel("linear"), np.random.default_rng(1).normal(size=60)
    rows = KernelRows(kernel, sp.csr_matrix(X))
    coarse = rows.measure(alpha)._replace(scores=np.zeros(60), errors=np.full(60, 1e9))
    doubtful = np.arange(60) < 20
    close = rows.measure_some(alpha, coarse, doubtful)
    chosen = doubtful if most == 0 else np.ones(60, dtype=bool)
    exact = (X.astype(np.longdouble) @ (X.T.astype(np.longdouble) @ alpha)).astype(float)
    assert_allclose(close.scores, np.where(chosen, exact, 0.0), atol=1e-11)
    assert (np.abs(close.scores - exact)[chosen] <= close.errors[chosen]).all()
    assert (close.errors[~chosen] == 1e9).all()


def test_scores_of_short_sparse_float32_rows_lie_within_their_errors(X):
    X = sp.csr_matrix((1e-25 * X).astype(np.float32))  # squares of 1e-50 leave float32
    rows, alpha = KernelRows(Kernel("linear"), X), np.random.default_rng(1).normal(size=60)
    wide = X.toarray().astype(np.longdouble)
    measured = rows.measure(alpha)
    assert (np.abs(measured.scores - wide @ (wide.T @ alpha)) <= measured.errors).all()
