"""Gram designs: Newton systems in expansions, factors, and what they refuse."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from largemargin.designs.base import Curvature, MissingCapability
from largemargin.designs.dense import DenseDesign
from largemargin.designs.gram import GramDesign
from largemargin.designs.kernel_rows import KernelRows
from largemargin.kernels import gram as gram_matrices
from largemargin.kernels.functions import Kernel


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(15, 4))


@pytest.mark.parametrize("free", [False, True])
def test_a_newton_step_is_that_of_the_rows(X, free):
    rng = np.random.default_rng(1)
    extra = np.maximum(rng.normal(size=15), 0.0)
    border = extra / np.sqrt(extra.sum()) if free else None
    curvature = Curvature(np.ones(15), 0.0, extra, None, border)
    alpha = rng.normal(size=15)
    step = GramDesign(X @ X.T).newton_system(curvature)(alpha, 1e-10)
    wanted = DenseDesign(X).newton_system(curvature)(X.T @ alpha, 1e-10)
    assert_allclose(X.T @ step, wanted, rtol=1e-8, atol=1e-10)


def test_a_margin_variance_is_left_to_another_solver(X):
    curvature = Curvature(np.ones(15), 0.1, np.ones(15), None, None)
    with pytest.raises(MissingCapability, match=r"GramDesign has none\. Use solver="):
        GramDesign(X @ X.T).newton_system(curvature)


def test_features_have_the_rank_and_the_gram_matrix(X):
    factor, design = GramDesign(X @ X.T).on_features()
    assert design.n_features == len(factor.pivots) == 4
    assert_allclose(factor.rows @ factor.rows.T, X @ X.T, atol=1e-12)


@pytest.mark.parametrize("n_spreads", [1, 20])
def test_a_damped_inverse_is_that_of_numpy(X, n_spreads):
    weight = np.linspace(0.5, 2.0, 15)
    found = GramDesign(X @ X.T).damped_inverse(weight, 0.3, n_spreads)
    assert_allclose(found, np.linalg.inv(X @ X.T + np.diag(1 / (0.3 * weight))), atol=1e-12)


@pytest.mark.parametrize("name", ["rbf", "laplacian", "cosine"])
def test_scores_of_a_rounded_matrix_lie_within_their_errors(X, name, monkeypatch):
    monkeypatch.setattr(gram_matrices, "MAX_WIDE_ROWS", 5)
    kernel, wide = Kernel(name, 2.0), X.astype(np.longdouble)
    gram = kernel.gram_matrix(X)
    assert gram.dtype == np.float32
    source = KernelRows(kernel, X)
    design = GramDesign(gram, kernel.entry_error(X, gram.dtype), source)
    exact = np.array([kernel._wide_values(row, wide) for row in wide])
    for alpha in *np.eye(15), np.random.default_rng(1).normal(size=15):
        measured = design.measure(alpha)
        assert (np.abs(measured.scores - exact @ alpha) <= measured.errors).all()
    if kernel.is_positive:  # errors are those of the entries, not of the lengths
        within = 6e-8 * (exact @ np.abs(alpha)) + 1e-13
        assert (measured.errors <= within).all()


def test_a_slope_of_rounding_errors_is_bounded_without_a_product():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 4))
    design, alpha = GramDesign(X @ X.T), rng.normal(size=12)
    forces = alpha * (1.0 + 1e-13 * rng.normal(size=12))
    design.n_products = 0
    bound = design.slope_length(alpha, forces, np.zeros(12))
    assert design.n_products == 0
    assert np.linalg.norm(X.T @ (alpha - forces)) <= bound <= 1e-11


def test_the_design_of_one_machine_of_several_asks_for_its_products(X):
    asked = []

    def product(alpha, rank=0):
        asked.append(alpha)
        return whole.products(rank, [alpha], n_threads=1)[0]

    whole, weight = GramDesign(X @ X.T), np.ones(15)
    one, alpha = whole.for_one_of_several(product), np.arange(15.0)
    assert_allclose(one.scores(alpha), X @ X.T @ alpha)
    assert len(asked) == one.n_products == 1
    assert whole.n_products == 0
    assert one.low_rank(weight) is whole.low_rank(weight)
    # What one machine computes for itself may ask, so it must not hold up the others.
    made = one.once_for("scores", (), lambda: one.scores(alpha))
    assert whole.once_for("scores", (), lambda: None) is None
    assert len(asked) == 2
    assert made is not None
