"""Margins by hand, with weights, with several classes, and of other people's machines."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import RidgeClassifier
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC, OneClassSVM

from largemargin import (
    LDMClassifierCV,
    LinearLDMRegressor,
    MarginDistribution,
    OneClassLDM,
    margin_distribution,
)
from machines import fixed_ldm, fixed_linear_ldm


def test_statistics_are_those_of_the_fit(blobs):
    X, y = blobs
    machine = fixed_ldm(10).fit(X, y)
    found = margin_distribution(machine, X, y)
    assert_allclose(found.margins, y * machine.decision_function(X))
    assert_allclose(found.mean, machine.margin_mean_, rtol=1e-6)
    assert_allclose(found.variance, machine.margin_variance_, rtol=1e-6)
    assert found.minimum == found.margins.min()
    assert_allclose(found.error, 1 - machine.score(X, y))


def test_a_weight_of_two_is_the_row_twice(blobs):
    X, y = blobs
    weight = np.arange(len(y)) % 3
    machine = fixed_linear_ldm().fit(X, y)
    weighted = margin_distribution(machine, X, y, sample_weight=weight)
    repeated = margin_distribution(machine, np.repeat(X, weight, 0), np.repeat(y, weight))
    for name in "mean", "variance", "minimum", "error":
        assert_allclose(getattr(weighted, name), getattr(repeated, name))
    assert_allclose(weighted.quantiles(), repeated.quantiles())


def test_quantiles_split_the_rows_in_their_proportion(blobs):
    X, y = blobs
    found = margin_distribution(fixed_linear_ldm().fit(X, y), X, y)
    for level, quantile in zip((0.1, 0.5), found.quantiles([0.1, 0.5]), strict=True):
        assert (
            np.mean(found.margins < quantile) <= level <= np.mean(found.margins <= quantile)
        )
    tied = MarginDistribution(np.array([1.0, 2.0, 1.0]), None, np.ones(3))
    assert_allclose(tied.cumulative(), [[1, 1, 2], [2 / 3, 2 / 3, 1]])
    margins, shares = found.cumulative()
    assert (np.diff(margins) >= 0).all()
    assert shares[-1] == 1


@pytest.mark.parametrize("kernel", ["linear", "rbf", "precomputed"])
def test_normalised_margins_are_distances(blobs, kernel):
    X, y = blobs
    gram = rbf_kernel(X, gamma=1.0) if kernel == "precomputed" else X
    machine = fixed_ldm(kernel=kernel).fit(gram, y)
    found = margin_distribution(machine, gram, y)
    if kernel == "linear":
        wanted = np.linalg.norm(machine.coef_)
    else:
        gamma = 1.0 if kernel == "precomputed" else machine._kernel.gamma
        alpha = np.zeros(len(y))
        alpha[machine.support_] = machine.dual_coef_[0]
        wanted = np.sqrt(alpha @ rbf_kernel(X, gamma=gamma) @ alpha)
    assert_allclose(found.normalised, found.margins / wanted, rtol=1e-6)


def test_several_classes_are_measured_against_the_runner_up(iris):
    X, y = iris
    machine = fixed_linear_ldm(multi_class="ovr").fit(X, y)
    found = margin_distribution(machine, X, y)
    scores = machine.decision_function(X)
    for i in (0, 60, 133):
        rivals = [k for k in range(3) if k != y[i]]
        rival = max(rivals, key=lambda k: scores[i, k])
        margin = scores[i, y[i]] - scores[i, rival]
        assert_allclose(found.margins[i], margin)
        length = np.linalg.norm(machine.coef_[y[i]] - machine.coef_[rival])
        assert_allclose(found.normalised[i], margin / length)
    assert_allclose(found.error, 1 - machine.score(X, y))


@pytest.mark.parametrize(
    "machine",
    [fixed_linear_ldm(), fixed_ldm(kernel="linear"), fixed_ldm(gamma=0.5)],
    ids=str,
)
def test_margins_of_pairs_are_the_smallest_scores_against_another_class(machine, iris):
    X, y = iris
    pipeline = make_pipeline(StandardScaler(), machine).fit(X, y)
    found, Z = margin_distribution(pipeline, X, y), pipeline[:-1].transform(X)
    (scores,) = machine._pair_scores(Z)
    for i in (0, 60, 133):
        # Classes 0 and 1, 0 and 2, 1 and 2.
        against = {
            0: {0: -scores[i, 0], 1: -scores[i, 1]},
            1: {0: scores[i, 0], 2: -scores[i, 2]},
            2: {1: scores[i, 1], 2: scores[i, 2]},
        }[y[i]]
        pair = min(against, key=against.get)
        assert_allclose(found.margins[i], against[pair])
        if hasattr(machine, "coef_"):
            length = np.linalg.norm(machine.coef_[pair])
        else:
            gram = rbf_kernel(machine.support_vectors_, gamma=0.5)
            length = np.sqrt(machine.dual_coef_[pair] @ gram @ machine.dual_coef_[pair])
        assert_allclose(found.normalised[i], against[pair] / length, rtol=1e-6)


def test_other_classifiers_pipelines_and_searches_have_margins_too(blobs):
    X, y = blobs
    linear = margin_distribution(LinearSVC().fit(X, y), X, y)
    assert linear.normalised is not None
    unknown = margin_distribution(SVC().fit(X, y), X, y)
    assert unknown.normalised is None
    with pytest.raises(ValueError, match=r"\|w\| is not known"):
        unknown.normalised_distribution()
    pairs = SVC(kernel="linear").fit(np.eye(9), np.arange(9) % 3)
    assert margin_distribution(pairs, np.eye(9), np.arange(9) % 3).normalised is None
    pipeline = make_pipeline(StandardScaler(), RidgeClassifier()).fit(X, y)
    assert_allclose(
        margin_distribution(pipeline, X, y).margins, y * pipeline.decision_function(X)
    )
    search = LDMClassifierCV(Cs=[1.0], lambda_vars=[0.0], cv=2).fit(X, y)
    assert margin_distribution(search, X, y).normalised is not None


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_margins_of_one_class_are_scores_above_the_threshold(kernel, blobs):
    X, _ = blobs
    machine = OneClassLDM(0.2, kernel=kernel, gamma=1.0, tol=1e-9).fit(X)
    found = margin_distribution(machine, X)
    assert_allclose(found.margins, machine.decision_function(X))
    assert_allclose(found.mean, machine.margin_mean_, rtol=1e-6)
    assert_allclose(found.variance, machine.margin_variance_, rtol=1e-6)
    if kernel == "linear":
        length = np.linalg.norm(machine.coef_)
    else:
        alpha, gram = machine.dual_coef_[0], rbf_kernel(machine.support_vectors_, gamma=1.0)
        length = np.sqrt(alpha @ gram @ alpha)
    assert_allclose(found.normalised, found.margins / length, rtol=1e-6)
    other = margin_distribution(OneClassSVM().fit(X), X)
    assert other.normalised is None


def test_models_and_labels_without_margins_are_refused(blobs):
    X, y = blobs
    with pytest.raises(TypeError, match=r"LinearLDMRegressor.*residual_distribution"):
        margin_distribution(LinearLDMRegressor(1.0).fit(X, y), X, y)
    with pytest.raises(ValueError, match="labels of the rows; got None"):
        margin_distribution(fixed_linear_ldm().fit(X, y), X)


def test_labels_that_the_machine_does_not_know_are_refused(blobs):
    X, y = blobs
    machine = fixed_linear_ldm().fit(X, y)
    with pytest.raises(ValueError, match=r"classes of the estimator.*got array\(\[3\]\)"):
        margin_distribution(machine, X[:3], [-1, 1, 3])
    with pytest.raises(ValueError, match="not be negative"):
        margin_distribution(machine, X[:2], y[:2], [1, -1])
    with pytest.raises(ValueError, match="label for each of the 3 rows; got 2"):
        margin_distribution(machine, X[:3], [-1, 1])
    several = SVC(decision_function_shape="ovo").fit(np.eye(8), np.arange(8) // 2)
    with pytest.raises(ValueError, match="decision_function_shape='ovr'"):
        margin_distribution(several, np.eye(8), np.arange(8) // 2)


def test_whole_numbers_may_be_margins():
    found = MarginDistribution(np.array([1, -2]), np.array([2.0, 0.0]), np.ones(2))
    assert_allclose(found.normalised, [0.5, 0.0])
    assert "margin / |w|" in found._repr_html_()
