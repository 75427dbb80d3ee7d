"""Gram designs: Newton systems in expansions, factors, and what they refuse."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from largemargin.designs.base import Curvature, MissingCapability
from largemargin.designs.dense import DenseDesign
from largemargin.designs.gram import GramDesign


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


def test_a_damped_inverse_is_that_of_numpy(X):
    weight = np.linspace(0.5, 2.0, 15)
    found = GramDesign(X @ X.T).damped_inverse(weight, 0.3)
    assert_allclose(found, np.linalg.inv(X @ X.T + np.diag(1 / (0.3 * weight))), atol=1e-12)
