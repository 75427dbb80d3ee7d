"""Expansions over few rows have the scores of those over all."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from largemargin.kernels.condensing import condense, decays
from largemargin.kernels.functions import Kernel


@pytest.mark.parametrize(
    ("kernel", "rank"), [(Kernel("linear"), 3), (Kernel("poly", 1, 2), 6)]
)
def test_elements_of_a_small_space_need_as_many_rows_as_its_dimension(kernel, rank):
    rng = np.random.default_rng(0)
    X, alpha = rng.normal(size=(800, 3)), rng.normal(size=(2, 800))
    scores = kernel.scores(X, X, alpha).T
    short = condense(kernel, X, alpha, scores)
    assert np.count_nonzero(short.any(axis=0)) == rank
    assert_allclose(kernel.scores(X, X, short).T, scores, rtol=1e-8, atol=1e-8)


def test_elements_that_need_all_rows_stay_as_they_are():
    rng = np.random.default_rng(0)
    X, alpha = rng.normal(size=(80, 3)), rng.normal(size=(1, 80))
    kernel = Kernel("rbf", 100.0)
    assert condense(kernel, X, alpha, kernel.scores(X, X, alpha).T) is alpha
    assert condense(kernel, X[:3], alpha[:, :3], alpha[:, :3]) is not None


def test_rows_that_occur_twice_are_no_sign_of_a_small_space():
    X = np.random.default_rng(0).normal(size=(100, 5))
    X[:20] = X[20:40]
    assert not decays(Kernel("rbf", 1.0), X, 50)
    assert decays(Kernel("rbf", 1e-6), X, 50)
    assert decays(Kernel("rbf", 1.0), X[np.arange(100) % 20], 50)
