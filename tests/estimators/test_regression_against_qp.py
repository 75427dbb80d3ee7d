"""Regressors against an interior-point solver that shares no code with ours."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.metrics.pairwise import pairwise_kernels

from largemargin import LDMRegressor, LinearLDMRegressor
from oracle import factor_of, solve_tube

N_ROWS = 40
PARAMETERS = {
    "linear": {},
    "poly": {"gamma": 0.2, "degree": 2, "coef0": 1.0},
    "rbf": {"gamma": 0.2},
    "laplacian": {"gamma": 0.2},
    "cosine": {},
}
# lambda_var and lambda_square, the last ones in units of C m.
PRICES = [(0, 0), (2**-8, 0), (3, 0), (0, 3), (0.5, 2), ("C m", "C m")]
EPSILONS = 0.0, 0.5
# No solver reaches a gap of 1e-13 everywhere, and some say so.
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
INTERCEPT_AND_WEIGHTS = pytest.mark.parametrize(
    ("fit_intercept", "weighted"), [(True, False), (False, True), (True, True)]
)


def rows():
    """Five features, five rows twice: every linear Gram matrix here is singular."""
    X = np.random.default_rng(0).normal(size=(N_ROWS, 5))
    X[:5] = X[5:10]
    return X


def values(X):
    rng = np.random.default_rng(1)
    return 2.0 + X[:, 0] - 0.5 * X[:, 1] ** 2 + 0.7 * rng.standard_t(3, size=N_ROWS)


def weights(weighted):
    return np.random.default_rng(2).uniform(0.2, 3, N_ROWS) if weighted else np.ones(N_ROWS)


def settled(prices, C, weight):
    return [C * weight.sum() if one == "C m" else one for one in prices]


def sides_of(model):
    if model.loss == "quantile":
        return [(1.0 - model.quantile, 0.0), (-model.quantile, 0.0)]
    return [(1.0, model.epsilon), (-1.0, -model.epsilon)]


def assert_same_predictions(model, X, gram, y, weight):
    """Compare scores and optimum always, the intercept unless a range of them is best."""
    lambdas = model.lambda_var, model.lambda_square
    prices = model.C, lambdas[0], 0.0, lambdas[1], 0.0
    features = factor_of(gram)
    w, b, optimum = solve_tube(
        features, y, weight, prices, sides_of(model), model.fit_intercept
    )
    scores = features @ w
    ours = model.predict(X) - model.intercept_
    assert_allclose(ours, scores, rtol=0, atol=1e-6 * max(1.0, np.abs(scores).max()))
    assert_allclose(model.objective_, optimum, rtol=1e-6, atol=1e-6)
    if model.lambda_square > 0 or not model.fit_intercept:
        assert_allclose(model.intercept_, b, rtol=0, atol=1e-6)


@pytest.mark.parametrize("C", [0.01, 1, 100])
@INTERCEPT_AND_WEIGHTS
@pytest.mark.parametrize("kernel", PARAMETERS)
def test_the_kernel_machine_agrees_at_all_prices(kernel, fit_intercept, weighted, C):
    X, weight = rows(), weights(weighted)
    y, gram = values(X), pairwise_kernels(X, metric=kernel, **PARAMETERS[kernel])
    for prices, epsilon in itertools.product(PRICES, EPSILONS):
        lambda_var, lambda_square = settled(prices, C, weight)
        model = LDMRegressor(
            C,
            epsilon=epsilon,
            lambda_var=lambda_var,
            lambda_square=lambda_square,
            kernel=kernel,
            fit_intercept=fit_intercept,
            tol=1e-13,
            **PARAMETERS[kernel],
        ).fit(X, y, weight)
        assert_same_predictions(model, X, gram, y, weight)


@pytest.mark.parametrize("C", [0.01, 1, 100])
@INTERCEPT_AND_WEIGHTS
@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix, sp.csr_array])
def test_the_linear_machine_agrees_at_all_prices(make, fit_intercept, weighted, C):
    X, weight = rows(), weights(weighted)
    y = values(X)
    for prices, epsilon in itertools.product(PRICES, EPSILONS):
        lambda_var, lambda_square = settled(prices, C, weight)
        model = LinearLDMRegressor(
            C,
            epsilon=epsilon,
            lambda_var=lambda_var,
            lambda_square=lambda_square,
            fit_intercept=fit_intercept,
            tol=1e-13,
        ).fit(make(X), y, weight)
        assert_same_predictions(model, make(X), X @ X.T, y, weight)


@pytest.mark.parametrize("C", [0.1, 10])
@pytest.mark.parametrize("quantile", [0.1, 0.5, 0.95])
@INTERCEPT_AND_WEIGHTS
def test_quantiles_agree(fit_intercept, weighted, quantile, C):
    X, weight = rows(), weights(weighted)
    y, gram = values(X), pairwise_kernels(X, metric="rbf", gamma=0.2)
    for lambda_var in 0.0, 3.0, C * weight.sum():
        options = {
            "loss": "quantile",
            "quantile": quantile,
            "lambda_var": lambda_var,
            "lambda_square": 0.0,
            "fit_intercept": fit_intercept,
            "tol": 1e-13,
        }
        model = LDMRegressor(C, gamma=0.2, **options).fit(X, y, weight)
        assert_same_predictions(model, X, gram, y, weight)
        model = LinearLDMRegressor(C, **options).fit(X, y, weight)
        assert_same_predictions(model, X, X @ X.T, y, weight)


@pytest.mark.parametrize("prices", PRICES)
def test_a_singular_matrix_of_the_user_agrees(prices):
    X, weight = rows(), weights(True)
    X = np.vstack([X[:20], X[:20]])
    y, gram = values(X), X @ X.T
    lambda_var, lambda_square = settled(prices, 1.0, weight)
    model = LDMRegressor(
        1.0,
        epsilon=0.2,
        lambda_var=lambda_var,
        lambda_square=lambda_square,
        kernel="precomputed",
        tol=1e-13,
    ).fit(gram, y, weight)
    assert_same_predictions(model, gram, gram, y, weight)


@pytest.mark.parametrize("prices", PRICES)
@pytest.mark.parametrize("loss", ["epsilon_insensitive", "quantile"])
def test_more_rows_than_are_turned_into_features_agree(loss, prices):
    rng = np.random.default_rng(3)
    X, weight = rng.normal(size=(150, 3)), rng.uniform(0.2, 3.0, 150)
    y = np.sin(X[:, 0]) + 0.3 * rng.normal(size=150)
    lambda_var, lambda_square = settled(prices, 1.0, weight)
    model = LDMRegressor(
        1.0,
        epsilon=0.2,
        loss=loss,
        quantile=0.3,
        lambda_var=lambda_var,
        lambda_square=0.0 if loss == "quantile" else lambda_square,
        gamma=0.5,
        tol=1e-13,
    ).fit(X, y, weight)
    gram = pairwise_kernels(X, metric="rbf", gamma=0.5)
    assert_same_predictions(model, X, gram, y, weight)
