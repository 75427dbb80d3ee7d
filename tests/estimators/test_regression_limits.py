"""Regressors at the limits where they are machines of scikit-learn or closed forms."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import QuantileRegressor, Ridge
from sklearn.svm import SVR, LinearSVR, NuSVR

from largemargin import LDMRegressor, LinearLDMRegressor

NO_SQUARES = {"lambda_var": 0.0, "lambda_square": 0.0}
# No solver reaches a gap of 1e-12 everywhere, and some say so.
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
KERNELS = pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
INTERCEPT = pytest.mark.parametrize("fit_intercept", [True, False])
WEIGHTED = pytest.mark.parametrize("weighted", [True, False])


@pytest.fixture
def noisy():
    """Eighty rows of three features, and values with noise of heavy tails."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    return X, 3.0 + np.sin(2.0 * X[:, 0]) + X[:, 1] + 0.3 * rng.standard_t(3, size=80)


def weights(weighted):
    return np.random.default_rng(1).uniform(0.2, 3.0, 80) if weighted else np.ones(80)


@pytest.mark.parametrize("C", [0.1, 10.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.3])
@WEIGHTED
@KERNELS
def test_without_squares_it_is_svr(noisy, kernel, weighted, epsilon, C):
    X, y = noisy
    options = {"epsilon": epsilon, "kernel": kernel, "gamma": 0.3}
    ours = LDMRegressor(C, tol=1e-12, **options, **NO_SQUARES)
    svr = SVR(C=C, tol=1e-10, **options)
    for machine in ours, svr:
        machine.fit(X, y, weights(weighted))
    # However small its tol, LIBSVM ends 1e-6 of the objective above the QP and ours.
    assert_allclose(ours._scores(X)[:, 0], svr.predict(X) - svr.intercept_, atol=2e-4)
    # Where a range of intercepts is best, LIBSVM may take another one.
    assert_allclose(ours.predict(X), svr.predict(X), atol=2e-4 if epsilon else 0.05)


@pytest.mark.parametrize("nu", [0.2, 0.6])
def test_at_the_width_that_nu_svr_finds_it_is_nu_svr(noisy, nu):
    X, y = noisy
    other = NuSVR(nu=nu, C=2.0, gamma=0.3, tol=1e-10).fit(X, y)
    residuals = np.abs(y - other.predict(X))
    free = np.abs(other.dual_coef_[0]) < 2.0 * (1.0 - 1e-6)
    epsilon = np.median(residuals[other.support_[free]])
    ours = LDMRegressor(2.0, epsilon=epsilon, gamma=0.3, tol=1e-12, **NO_SQUARES)
    assert_allclose(ours.fit(X, y).predict(X), other.predict(X), atol=1e-4)


@WEIGHTED
@pytest.mark.parametrize("epsilon", [0.0, 0.3])
def test_without_an_intercept_it_is_linear_svr(noisy, epsilon, weighted):
    X, y = noisy
    options = {"epsilon": epsilon, "fit_intercept": False}
    ours = LinearLDMRegressor(0.5, tol=1e-12, **options, **NO_SQUARES)
    svr = LinearSVR(C=0.5, tol=1e-12, max_iter=1_000_000, **options)
    for machine in ours, svr:
        machine.fit(X, y, weights(weighted))
    assert_allclose(ours.coef_[0], svr.coef_, rtol=1e-5)


@WEIGHTED
@INTERCEPT
def test_squares_alone_are_ridge_regression(noisy, fit_intercept, weighted):
    X, y = noisy
    weight, price = weights(weighted), 7.0
    ours = LinearLDMRegressor(
        0.0, lambda_var=0.0, lambda_square=price, fit_intercept=fit_intercept, tol=1e-12
    ).fit(X, y, weight)
    # Ridge multiplies each squared residual by its weight; here, they add up to one.
    ridge = Ridge(weight.sum() / (2.0 * price), fit_intercept=fit_intercept, tol=1e-12)
    assert_allclose(ours.predict(X), ridge.fit(X, y, weight).predict(X), rtol=1e-6)


@WEIGHTED
def test_the_variance_alone_is_ridge_regression_with_an_intercept(noisy, weighted):
    X, y = noisy
    weight, price = weights(weighted), 7.0
    ridge = Ridge(weight.sum() / (4.0 * price), tol=1e-12).fit(X, y, weight)
    prices = {"lambda_var": price, "lambda_square": 0.0}
    for make in LinearLDMRegressor, LDMRegressor:
        kernel = {"kernel": "linear"} if make is LDMRegressor else {}
        ours = make(0.0, tol=1e-12, **prices, **kernel).fit(X, y, weight)
        assert_allclose(ours.predict(X), ridge.predict(X), rtol=1e-6)


@WEIGHTED
@KERNELS
def test_squares_alone_are_kernel_ridge_regression(noisy, kernel, weighted):
    X, y = noisy
    weight, price = weights(weighted), 7.0
    ours = LDMRegressor(
        0.0,
        lambda_var=0.0,
        lambda_square=price,
        kernel=kernel,
        gamma=0.3,
        fit_intercept=False,
        tol=1e-12,
    ).fit(X, y, weight)
    options = {"kernel": kernel, "gamma": 0.3, "coef0": 0.0}
    ridge = KernelRidge(alpha=weight.sum() / (2.0 * price), **options).fit(X, y, weight)
    assert_allclose(ours.predict(X), ridge.predict(X), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("quantile", [0.25, 0.5, 0.8])
def test_a_large_C_leads_to_the_quantiles_of_a_linear_programme(noisy, quantile):
    X, y = noisy
    X, y = X[:51], y[:51]  # no share of 51 rows is one of these: the best is unique
    ours = LinearLDMRegressor(1e6, loss="quantile", quantile=quantile, tol=1e-12).fit(X, y)
    other = QuantileRegressor(quantile=quantile, alpha=0.0).fit(X, y)
    assert_allclose(ours.coef_[0], other.coef_, atol=1e-4)
    assert_allclose(ours.predict(X), other.predict(X), atol=1e-4)


def test_least_absolute_deviations_are_the_median_and_a_tube_of_no_width(noisy):
    X, y = noisy
    tube = LDMRegressor(2.0, epsilon=0.0, tol=1e-12, **NO_SQUARES).fit(X, y)
    median = LDMRegressor(4.0, loss="quantile", quantile=0.5, tol=1e-12).fit(X, y)
    assert_allclose(tube.predict(X), median.predict(X), atol=1e-6)


@pytest.mark.parametrize("make", [LDMRegressor, LinearLDMRegressor])
def test_without_any_price_it_is_the_mean(noisy, make):
    X, y = noisy
    weight = weights(True)
    model = make(0.0, **NO_SQUARES).fit(X, y, weight)
    assert_allclose(model.predict(X), np.full(80, weight @ y / weight.sum()), rtol=1e-12)


@pytest.mark.parametrize("make", [LDMRegressor, LinearLDMRegressor])
def test_where_a_range_of_intercepts_is_best_it_is_the_middle(make):
    X, y = np.zeros((4, 1)), np.array([0.0, 1.0, 3.0, 4.0])
    model = make(1.0, epsilon=0.0, lambda_var=0.0, lambda_square=0.0).fit(X, y)
    assert model.predict([[0.0]])[0] == pytest.approx(2.0, abs=1e-12)
    model = make(1.0, epsilon=2.5, lambda_var=3.0, lambda_square=0.0).fit(X, y)
    assert model.predict([[0.0]])[0] == pytest.approx(2.0, abs=1e-12)
