"""MDO against finite differences, an exhaustive search and the SVM."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import check_grad
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning

from largemargin import MDOClassifier
from largemargin.compared.mdo import mean_cost, unit_rows, weighted_median
from largemargin.problem import Targets
from machines import fixed_linear_ldm


def test_gradient_of_the_mean_cost_is_that_of_finite_differences(moons):
    X, y, weight = moons
    rows = unit_rows(X, constant=True)
    arguments = rows, y.astype(float), weight / weight.sum(), 4.0, 0.2
    for h in np.random.default_rng(0).normal(size=(5, 3)):
        error = check_grad(
            lambda h: mean_cost(h, *arguments)[0], lambda h: mean_cost(h, *arguments)[1], h
        )
        assert error < 1e-6


def test_mdo_keeps_the_best_of_its_starts_and_tells_of_all(moons):
    X, y, weight = moons
    mdo = MDOClassifier(random_state=0, beta=0.0).fit(X, y, weight)
    assert len(mdo.objectives_) == 5
    assert mdo.objective_ == mdo.objectives_.min()
    rows = unit_rows(X, constant=True)
    h = np.r_[mdo.coef_[0], mdo.intercept_]
    cost, slope = mean_cost(h, rows, y, weight / weight.sum(), mdo.alpha_, 0.0)
    assert_allclose(cost * weight.sum(), mdo.objective_)
    assert np.abs(slope).max() < 1e-6


def test_every_descent_of_mdo_ends_where_it_is_as_flat_as_asked():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 300)), np.repeat([-1.0, 1.0], 50)
    mdo = MDOClassifier(random_state=0, tol=1e-4)
    rows, share = unit_rows(X, constant=True), np.full(100, 0.01)
    descents = mdo._descend(
        rows, Targets.of_classes(y), np.ones(100), np.random.RandomState(0)
    )
    for end in descents.ends:
        h = end.x / np.linalg.norm(end.x)
        slope = mean_cost(h, rows, y, share, descents.alpha, descents.beta)[1]
        assert np.abs(slope).max() < 2e-4


def test_mdo_says_when_it_ran_out_of_steps(iris):
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        mdo = MDOClassifier(max_iter=1, random_state=0).fit(*iris)
    assert mdo.objectives_.shape == (3, 5)


def test_mdo_finds_the_global_minimum_on_the_circle(moons):
    X, y, _ = moons
    mdo = MDOClassifier(fit_intercept=False, random_state=0).fit(X, y)
    angles = np.linspace(0, 2 * np.pi, 2000)
    directions = np.column_stack([np.cos(angles), np.sin(angles)])
    rows = unit_rows(X, constant=False)
    share = np.full(len(y), 1 / len(y))
    costs = [mean_cost(h, rows, y, share, mdo.alpha_, mdo.beta_)[0] for h in directions]
    assert mdo.objective_ / len(y) <= min(costs) + 1e-9


def test_mdo_hardly_moves_for_gross_outliers_where_the_svm_turns():
    X, y = make_blobs([60, 60], centers=[[-2, 0], [2, 0]], random_state=0)
    X_far = np.vstack([X, np.tile([60.0, 0.0], (6, 1))])
    y_far = np.r_[y, np.zeros(6)]
    mdo = MDOClassifier(random_state=0).fit(X_far, y_far)
    svm = fixed_linear_ldm(lambda_var=0, lambda_mean=0).fit(X_far, y_far)
    assert mdo.score(X, y) > 0.95 > svm.score(X, y)


def test_mdo_does_not_care_how_long_rows_are(moons):
    X, y, weight = moons
    lengths = np.random.default_rng(0).uniform(0.1, 10.0, len(X))
    ours = [
        MDOClassifier(fit_intercept=False, random_state=0).fit(rows, y, weight)
        for rows in (X, X * lengths[:, None])
    ]
    assert_allclose(ours[0].coef_, ours[1].coef_, atol=1e-6)


def test_the_median_of_weighted_values_is_that_of_repeated_ones():
    values, weight = np.array([3.0, 1.0, 2.0, 5.0]), np.array([1, 2, 3, 1])
    assert weighted_median(values, weight) == np.median(np.repeat(values, weight))
