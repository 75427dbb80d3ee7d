"""Kernel rows: three ways to bound the same length, and none below it."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from largemargin.designs import kernel_rows
from largemargin.designs.base import Measured
from largemargin.designs.gram import GramDesign
from largemargin.designs.kernel_rows import NARROW, WIDE, KernelRows, TiledDesign
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
    monkeypatch.setattr(KernelRows, "_wide_scores", None)
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


@pytest.mark.parametrize("n_doubtful", [20, 50])
@pytest.mark.parametrize("name", ["rbf", "poly", "cosine"])
def test_doubtful_scores_lie_within_their_errors_however_many_there_are(
    X, name, n_doubtful
):
    kernel, alpha = Kernel(name, 0.5, 2, 1.0), np.random.default_rng(1).normal(size=60)
    rows = KernelRows(kernel, X)
    coarse = Measured(np.zeros(60), np.full(60, 1e9), np.full(60, 1e9), 3.0, 4.0)
    close = rows.measure_some(alpha, coarse, np.arange(60) < n_doubtful)
    wide = X.astype(np.longdouble)
    exact = np.array([kernel._wide_values(row, wide) for row in wide]) @ alpha
    assert (np.abs(close.scores - exact) <= close.errors).all()
    assert close.errors[:n_doubtful].max() < 1e-10
    assert (close.square, close.square_error) == (3.0, 4.0)
    # The lower half of the matrix serves all rows where most are in doubt.
    assert (close.errors.max() < 1e-10) == (n_doubtful == 50)


def test_a_tiled_design_has_the_products_of_a_gram_design(X):
    kernel = Kernel("rbf", 0.5)
    tiled, whole = TiledDesign(kernel, X), GramDesign(kernel.gram_matrix(X))
    alpha, other = np.random.default_rng(1).normal(size=(2, 60))
    assert_allclose(tiled.scores(alpha), whole.scores(alpha), atol=1e-5)
    assert_allclose(tiled.inner(other, alpha), whole.inner(other, alpha), rtol=1e-5)
    assert_allclose(tiled.squared_norms(), whole.squared_norms())
    both = np.column_stack([alpha, other])
    assert_allclose(tiled.scores(both)[:, 1], tiled.scores(other))
    some = np.array([4, 1])
    assert_allclose(tiled.columns(some), whole.gram_matrix[:, some], atol=1e-6)
    assert_allclose(tiled.block(some), whole.gram_matrix[np.ix_(some, some)], atol=1e-6)
    assert tiled.combine(alpha) is alpha
    assert not tiled.zeros().any()


def test_a_tiled_design_examines_in_float64(X):
    kernel, alpha = Kernel("rbf", 0.5), np.random.default_rng(1).normal(size=60)
    wide = X.astype(np.longdouble)
    exact = np.array([kernel._wide_values(row, wide) for row in wide]) @ alpha
    measured = TiledDesign(kernel, X).measure(alpha)
    assert (np.abs(measured.scores - exact) <= measured.errors).all()
    assert measured.errors.max() < 1e-12


@pytest.mark.parametrize("rank", [NARROW, WIDE])
def test_one_pass_over_the_tiles_serves_several_vectors(X, rank):
    kernel, vectors = Kernel("rbf", 0.5), np.random.default_rng(1).normal(size=(3, 60))
    found = TiledDesign(kernel, X).products(rank, list(vectors), n_threads=2)
    near = 1e-5 if rank == NARROW else 1e-12
    assert_allclose(found, vectors @ kernel.gram_matrix(X), atol=near)


def test_lengths_of_slopes_are_bounded_by_shared_products(X):
    kernel, ranks = Kernel("rbf", 0.5), []

    def product(alpha, rank=NARROW):
        ranks.append(rank)
        return whole.products(rank, [alpha], n_threads=1)[0]

    whole = TiledDesign(kernel, X)
    alpha, forces = np.random.default_rng(1).normal(size=(2, 60))
    slope = alpha - forces
    length = np.sqrt(slope @ kernel.gram_matrix(X) @ slope)
    bound = whole.for_one_of_several(product).slope_length(alpha, forces, np.zeros(60))
    assert length * (1 - 1e-12) <= bound <= length * (1 + 1e-6)
    assert ranks == [WIDE, WIDE]  # of the element, which is measured once, and the forces
