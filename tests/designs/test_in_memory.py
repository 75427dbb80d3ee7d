"""Dense and sparse rows behave the same, moved columns included."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from largemargin.designs import features, in_memory
from largemargin.designs.base import Curvature
from largemargin.designs.dense import DenseDesign
from largemargin.designs.in_memory import without_offsets
from largemargin.designs.sparse import SparseDesign, unsigned


@pytest.fixture
def X():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 4)) * (rng.random((50, 4)) < 0.6)
    X[:, 2] = 1e4 + rng.normal(size=50)
    return X


def both(X):
    return DenseDesign(X), SparseDesign(sp.csr_matrix(X))


def test_dense_and_sparse_rows_give_the_same_products(X):
    rng = np.random.default_rng(1)
    w, coefficients = rng.normal(size=4), rng.uniform(size=50)
    curvature = Curvature(np.ones(50), 0.2, coefficients, coefficients / 50, None)
    dense, sparse = both(X)
    for find in (
        lambda one: one.scores(w),
        lambda one: one.combine(coefficients),
        lambda one: one.times(np.vander(w)),
        lambda one: one.squared_norms(),
        lambda one: one.squared_columns(coefficients),
        lambda one: np.tril(one.outer_products(coefficients)),
        lambda one: one.newton_system(curvature)(w, 1e-10),
        lambda one: one.as_gram_design().gram_matrix,
        lambda one: one.without(3).scores(w),
    ):
        assert_allclose(find(sparse), find(dense), rtol=1e-9)


def test_columns_far_from_zero_are_moved_and_the_intercept_follows(X):
    w, offset = np.array([1.0, -2.0, 0.5, 3.0]), 0.7
    middle = 0.5 * X[:, 2].min() + 0.5 * X[:, 2].max()
    for design in both(X):
        moved = without_offsets(design)
        assert_array_equal(moved.shift, [0, 0, middle, 0])
        within, error = moved.offset_within(w, offset)
        assert error <= 1e-11
        assert_allclose(moved.scores(w) + within, X @ w + offset, rtol=1e-12)
        assert moved.offset_outside(w, within) == pytest.approx(offset, abs=1e-11)


def test_columns_with_zeros_or_near_zero_stay(X):
    X[7, 2] = 0.0
    for design in both(X):
        assert without_offsets(design) is design
        assert design.offset_within(np.ones(4), 0.3) == (0.3, 0.0)


def test_a_sparse_design_counts_what_is_stored():
    X = sp.csr_matrix(np.array([[0.0, 1.0, 2.0], [0.0, 0.0, 0.0], [3.0, 0.0, 0.0]]))
    design = SparseDesign(X)
    assert (design.size, design.most_entries, design.has_cheap_moments) == (3, 2, False)
    assert np.shares_memory(unsigned(X.indices), X.indices)
    assert unsigned(X.indices.astype(np.int64)).dtype == np.uint64
    assert SparseDesign(sp.csr_matrix(np.ones((9, 1)))).has_cheap_moments


def wide_system(n_rows=60, n_features=300, spread=50.0, is_free=True):
    """Return rows of many features, a curvature, and the matrix of its Newton system."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, n_features)) * rng.uniform(0.1, 10, n_features)
    X[1] = X[0]  # a singular Gram matrix
    sign, weight = np.where(rng.random(n_rows) < 0.3, 1.0, -1.0), rng.uniform(1, 2, n_rows)
    extra = weight * 20.0 * (rng.random(n_rows) < 0.1)
    mean = np.sqrt(spread / weight.sum()) * sign * weight
    whole = np.diag(spread * weight + extra) - np.outer(mean, mean)
    along = whole.sum(axis=1)
    border = along / np.sqrt(along.sum()) if is_free else None
    if is_free:
        whole -= np.outer(border, border)
    curvature = Curvature(weight, spread, extra, mean, border)
    return X, curvature, np.eye(n_features) + X.T @ whole @ X


@pytest.mark.parametrize("is_free", [True, False])
def test_few_rows_of_many_features_need_few_products_for_a_newton_step(
    is_free, monkeypatch
):
    monkeypatch.setattr(features, "MAX_FACTORED", 0)
    X, curvature, matrix = wide_system(is_free=is_free)
    slope = np.random.default_rng(1).normal(size=X.shape[1])
    products = []
    for design in both(X):
        passes, combine = [], design.combine
        design.combine = lambda v, p=passes, combine=combine: p.append(1) or combine(v)
        found = design.newton_system(curvature)(slope, 1e-10)
        assert_allclose(found, np.linalg.solve(matrix, slope), rtol=1e-5, atol=1e-7)
        products.append(len(passes))
    assert max(products) <= 60
    # The diagonal of the system alone would need many more.
    monkeypatch.setattr(in_memory, "MAX_GRAM_ROWS", 0)
    design, passes = both(X)[0], []
    combine = design.combine
    design.combine = lambda v: passes.append(1) or combine(v)
    design.newton_system(curvature)(slope, 1e-10)
    assert len(passes) > 2 * max(products)


def test_the_diagonal_takes_the_place_of_a_factor_that_rounding_prevents(monkeypatch):
    def fail(matrix):
        raise np.linalg.LinAlgError

    monkeypatch.setattr(in_memory.lapack, "factorise", fail)
    X, curvature, _ = wide_system()
    diagonal = curvature.spread * curvature.weight + curvature.extra
    scale = 1.0 + (X**2).T @ diagonal
    for design in both(X):
        found = design.preconditioner(curvature)(np.ones(X.shape[1]))
        assert_allclose(found, 1.0 / scale)
