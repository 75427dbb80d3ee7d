"""Decision values against an interior-point solver that shares no code with ours."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.metrics.pairwise import chi2_kernel, pairwise_kernels

from machines import fixed_ldm, fixed_linear_ldm
from oracle import solve_qp

N_ROWS = 40
PARAMETERS = {
    "linear": {},
    "poly": {"gamma": 0.2, "degree": 3, "coef0": 1.0},
    "rbf": {"gamma": 0.2},
    "sigmoid": {"gamma": 0.2, "coef0": 0.0},
    "laplacian": {"gamma": 0.2},
    "cosine": {},
}
LOSSES = pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
LAMBDAS = [0, 2**-8, 2**-2, 10, "as large as C m"]


def rows():
    """Five features, five rows twice: every linear Gram matrix here is singular."""
    X = np.random.default_rng(0).normal(size=(N_ROWS, 5))
    X[:5] = X[5:10]
    return X


def labels(X, separable):
    noise = 0 if separable else 0.7 * np.random.default_rng(1).normal(size=N_ROWS)
    return np.where(X[:, 0] + noise > 0.2, 1, -1)


def weights(weighted):
    return np.random.default_rng(2).uniform(0.2, 3, N_ROWS) if weighted else np.ones(N_ROWS)


def positive_part(gram):
    values, vectors = np.linalg.eigh(gram)
    return (vectors * np.maximum(values, 0)) @ vectors.T


def price(value, C, weight):
    return (C if np.isfinite(C) else 1.0) * weight.sum() if value == LAMBDAS[-1] else value


def is_unbounded(y, weight, C, lambda_var, lambda_mean, fit_intercept, loss):
    if lambda_var > 0 or not fit_intercept or loss == "squared_hinge":
        return False
    smaller = min(weight[y > 0].sum(), weight[y < 0].sum())
    return lambda_mean * abs(weight @ y) / weight.sum() > C * smaller


def assert_same_decisions(estimator, X, gram, y, weight):
    """Compare scores always, and the intercept unless the oracle leaves it undecided."""
    prices = estimator.C, estimator.lambda_var, estimator.lambda_mean
    scores, intercept, objective = solve_qp(
        gram, y, weight, *prices, estimator.fit_intercept, estimator.loss
    )
    size = max(1.0, np.abs(scores).max())
    ours = estimator.decision_function(X) - estimator.intercept_
    assert_allclose(ours, scores, rtol=0, atol=1e-6 * size)
    assert_allclose(estimator.objective_, objective, rtol=1e-6, atol=1e-6)
    margins = y * (scores + intercept)
    decided = estimator.lambda_var > 0 or np.any(np.abs(margins - 1) < 1e-7)
    if decided:
        assert_allclose(estimator.intercept_, intercept, rtol=0, atol=2e-6 * size)


@pytest.mark.filterwarnings("ignore:kernel='sigmoid' is not positive")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    ("fit_intercept", "weighted"), [(True, False), (False, True), (True, True)]
)
@pytest.mark.parametrize("C", [0.01, 1, 100, np.inf])
@LOSSES
@pytest.mark.parametrize("kernel", PARAMETERS)
def test_kernel_machine_agrees_at_all_prices(kernel, loss, C, fit_intercept, weighted):
    X, weight = rows(), weights(weighted)
    y = labels(X, separable=np.isinf(C))
    gram = positive_part(pairwise_kernels(X, metric=kernel, **PARAMETERS[kernel]))
    for lambdas in itertools.product(LAMBDAS, LAMBDAS):
        lambda_var, lambda_mean = (price(value, C, weight) for value in lambdas)
        estimator = fixed_ldm(
            C,
            lambda_var=lambda_var,
            lambda_mean=lambda_mean,
            loss=loss,
            kernel=kernel,
            fit_intercept=fit_intercept,
            tol=1e-12,
            **PARAMETERS[kernel],
        )
        through_origin = kernel in {"linear", "cosine"} and not fit_intercept
        if is_unbounded(y, weight, C, lambda_var, lambda_mean, fit_intercept, loss):
            with pytest.raises(ValueError, match="no minimum"):
                estimator.fit(X, y, weight)
        elif np.isinf(C) and through_origin:
            with pytest.raises(ValueError, match="cannot be separated"):
                estimator.fit(X, y, weight)
        else:
            estimator.fit(X, y, weight)
            assert_same_decisions(estimator, X, gram, y, weight)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("C", [0.01, 1, 100, np.inf])
@pytest.mark.parametrize("form", ["precomputed", "callable"])
def test_own_kernels_agree(form, C):
    X, weight = np.abs(rows()), weights(True)
    y = labels(rows(), separable=False)
    y[:5] = y[5:10]  # equal rows with equal labels: a universal kernel separates them
    gram = chi2_kernel(X)
    for lambdas in itertools.product(LAMBDAS[1:], LAMBDAS):
        lambda_var, lambda_mean = (price(value, C, weight) for value in lambdas)
        kernel = "precomputed" if form == "precomputed" else chi2_kernel
        estimator = fixed_ldm(
            C, lambda_var=lambda_var, lambda_mean=lambda_mean, kernel=kernel, tol=1e-16
        )
        seen = gram if form == "precomputed" else X
        estimator.fit(seen, y, weight)
        assert_same_decisions(estimator, seen, gram, y, weight)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("C", [0.01, 1, 100])
@LOSSES
@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix, sp.csr_array])
def test_newton_on_rows_agrees(make, loss, C):
    X, weight = rows(), weights(True)
    y = labels(X, separable=False)
    for lambdas in itertools.product(LAMBDAS[1:], LAMBDAS):
        lambda_var, lambda_mean = (price(value, C, weight) for value in lambdas)
        prices = {"lambda_var": lambda_var, "lambda_mean": lambda_mean, "loss": loss}
        estimator = fixed_linear_ldm(C, **prices, solver="newton", tol=1e-16)
        estimator.fit(make(X), y, weight)
        assert_same_decisions(estimator, X, X @ X.T, y, weight)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize(("lambda_var", "lambda_mean"), [(0, 0.5), (0.25, 0.25), (4, 1)])
@LOSSES
@pytest.mark.parametrize("make", [fixed_linear_ldm, fixed_ldm])
def test_dual_cd_agrees(make, loss, lambda_var, lambda_mean, fit_intercept):
    X, weight = rows(), weights(True)
    y = labels(X, separable=False)
    prices = {"lambda_var": lambda_var, "lambda_mean": lambda_mean, "loss": loss}
    kernel = {"kernel": "linear"} if make is fixed_ldm else {}
    estimator = make(
        0.1,
        solver="dual_cd",
        tol=1e-13,
        fit_intercept=fit_intercept,
        random_state=0,
        **prices,
        **kernel,
    ).fit(X, y, weight)
    assert_same_decisions(estimator, X, X @ X.T, y, weight)
