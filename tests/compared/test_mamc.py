"""MAMC against closed forms, the LDM and the nearest centroid."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.neighbors import NearestCentroid

from largemargin import MAMCClassifier
from machines import fixed_ldm


def test_mamc_without_threshold_is_the_ldm_without_losses(moons):
    X, y, weight = moons
    for kernel in "linear", "rbf":
        mamc = MAMCClassifier(threshold="none", kernel=kernel).fit(X, y, weight)
        ldm = fixed_ldm(
            0.0, lambda_var=0.0, lambda_mean=1.0, kernel=kernel, fit_intercept=False
        ).fit(X, y, weight)
        scores = mamc.decision_function(X), ldm.decision_function(X)
        ratios = scores[0] / scores[1]
        assert_allclose(ratios, ratios[0], rtol=1e-8)
        assert ratios[0] > 0


def test_mamc_direction_has_length_one(moons):
    X, y, weight = moons
    for threshold in "none", "balanced":
        mamc = MAMCClassifier(threshold=threshold, kernel="linear").fit(X, y, weight)
        assert_allclose(np.linalg.norm(mamc.coef_), 1.0)
    bounded = MAMCClassifier(threshold="bounded", kernel="linear").fit(X, y, weight)
    assert_allclose(np.hypot(np.linalg.norm(bounded.coef_), bounded.intercept_), 1.0)


def test_balanced_mamc_is_the_nearest_centroid_rule(moons):
    X, y, _ = moons
    mamc = MAMCClassifier(kernel="linear").fit(X, y)
    grid = np.random.default_rng(1).normal(size=(500, 2))
    assert np.array_equal(mamc.predict(grid), NearestCentroid().fit(X, y).predict(grid))


def test_bounded_mamc_is_the_raw_form_with_a_constant_feature(moons):
    X, y, weight = moons
    bounded = MAMCClassifier(threshold="bounded", kernel="linear").fit(X, y, weight)
    X_one = np.column_stack([X, np.ones(len(X))])
    raw = MAMCClassifier(threshold="none", kernel="linear").fit(X_one, y, weight)
    assert_allclose(bounded.decision_function(X), raw.decision_function(X_one))


def test_no_direction_of_length_one_has_a_larger_mean_margin(moons):
    X, y, _ = moons
    mamc = MAMCClassifier(threshold="none", kernel="linear").fit(X, y)
    directions = np.random.default_rng(2).normal(size=(1000, 2))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    assert mamc.margin_mean_ >= (y @ X @ directions.T).max() / len(y)


@pytest.mark.parametrize("threshold", ["none", "balanced", "bounded"])
def test_mamc_takes_a_precomputed_kernel(moons, threshold):
    X, y, weight = moons
    rows = MAMCClassifier(threshold=threshold, gamma=1.0).fit(X, y, weight)
    gram = rbf_kernel(X, gamma=1.0)
    given = MAMCClassifier(threshold=threshold, kernel="precomputed").fit(gram, y, weight)
    assert_allclose(given.decision_function(gram), rows.decision_function(X), atol=1e-10)


def test_mamc_refuses_a_kernel_under_which_it_has_no_length(moons):
    X, y, _ = moons
    with pytest.raises(ValueError, match="positive semi-definite"):
        MAMCClassifier(kernel="precomputed").fit(-rbf_kernel(X), y)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("seed", range(6))
def test_mamc_of_classes_on_top_of_each_other_has_no_direction(kernel, seed):
    rows = np.random.default_rng(seed).normal(size=(20 + seed, 2))
    X, y = np.vstack([rows, rows]), np.repeat([0, 1], 20 + seed)
    scores = MAMCClassifier(kernel=kernel).fit(X, y).decision_function(X)
    assert np.abs(scores).max() < 1e-10


def test_mamc_refuses_what_overflows(moons):
    X, y, _ = moons
    with pytest.raises(ValueError, match="overflows"):
        MAMCClassifier(kernel="linear").fit(X * 1e200, y)


def test_mamc_checks_the_values_of_a_callable(moons):
    X, y, _ = moons
    with pytest.raises(ValueError, match="finite"):
        MAMCClassifier(kernel=lambda A, B: np.full((len(A), len(B)), np.nan)).fit(X, y)
