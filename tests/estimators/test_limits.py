"""Closed forms, the support vector machine, and the paper's theorems."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.svm import SVC, LinearSVC

from largemargin.designs.dense import DenseDesign
from largemargin.problem import Prices, Problem, Targets
from largemargin.problem.losses import LOSSES
from largemargin.solvers.asgd import ScaledPrices, stochastic_slope
from machines import fixed_ldm, fixed_linear_ldm

SVM = {"lambda_var": 0, "lambda_mean": 0}


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
@pytest.mark.parametrize("C", [0.1, 10])
def test_zero_trade_offs_recover_the_kernel_svm(blobs, kernel, C):
    X, y = blobs
    ours = fixed_ldm(C, kernel=kernel, tol=1e-10, **SVM).fit(X, y)
    svm = SVC(C=C, kernel=kernel, tol=1e-12).fit(X, y)
    # However small its tol, LIBSVM ends some 2e-6 from where ours and the QP agree.
    assert_allclose(ours.decision_function(X), svm.decision_function(X), atol=5e-6)
    assert_allclose(np.sort(ours.support_), np.sort(svm.support_))


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("solver", ["newton", "dual_cd", "auto"])
def test_zero_trade_offs_recover_the_linear_svm(blobs, solver, weighted, loss):
    X, y = blobs
    weight = np.random.default_rng(0).uniform(0.2, 3.0, len(y)) if weighted else None
    options = {"loss": loss, "fit_intercept": False}
    ours = fixed_linear_ldm(solver=solver, tol=1e-12, random_state=0, **options, **SVM).fit(
        X, y, weight
    )
    svm = LinearSVC(**options, tol=1e-10, max_iter=100_000).fit(X, y, weight)
    assert_allclose(ours.coef_, svm.coef_, rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("loss", LOSSES)
def test_infinite_C_recovers_the_hard_margin_svm(separable, loss):
    X, y = separable
    ours = fixed_linear_ldm(np.inf, loss=loss, tol=1e-12, **SVM).fit(X, y)
    svm = SVC(C=1e8, kernel="linear", tol=1e-10).fit(X, y)
    assert_allclose(ours.coef_, svm.coef_, rtol=1e-6)
    assert (y * ours.decision_function(X)).min() == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("lambda_var", [0.0, 3.0])
@pytest.mark.parametrize("solver", ["auto", "dual_cd"])
def test_a_large_C_of_the_squared_hinge_leads_to_the_hard_margin(
    separable, solver, lambda_var
):
    X, y = separable
    options = {"lambda_var": lambda_var, "lambda_mean": 0, "solver": solver}
    hard = fixed_linear_ldm(np.inf, loss="squared_hinge", **options).fit(X, y)
    soft = fixed_linear_ldm(1e7, loss="squared_hinge", tol=1e-6, **options).fit(X, y)
    assert_allclose(soft.objective_, hard.objective_, rtol=2e-4)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("lambda_var", [0, 0.25, 40.0])
@pytest.mark.parametrize("make", [fixed_linear_ldm, fixed_ldm])
def test_zero_C_is_the_closed_form(blobs, make, lambda_var, loss):
    X, y = blobs
    signed = y[:, None] * X
    moment = np.cov(signed.T, bias=True)
    closed = np.linalg.solve(
        np.eye(X.shape[1]) + 4 * lambda_var * moment, 3 * signed.mean(0)
    )
    kernel = {"kernel": "linear"} if make is fixed_ldm else {}
    kernel["loss"] = loss
    ours = make(0, lambda_var=lambda_var, lambda_mean=3, fit_intercept=False, **kernel)
    assert_allclose(ours.fit(X, y).coef_[0], closed, rtol=1e-8)


@pytest.mark.parametrize("solver", ["newton", "dual_cd"])
def test_theorem_1_the_optimum_lies_in_the_span_of_the_rows(blobs, solver):
    X, y = blobs
    prices = {"C": 2, "lambda_var": 0.25, "lambda_mean": 0.25, "tol": 1e-12}
    linear = fixed_linear_ldm(solver=solver, random_state=0, **prices).fit(X, y)
    kernel = fixed_ldm(kernel="linear", **prices).fit(X, y)
    assert_allclose(kernel.coef_, linear.coef_, rtol=1e-5)
    assert_allclose(kernel.intercept_, linear.intercept_, rtol=1e-5)


def test_few_rows_of_many_features_are_solved_on_their_gram_matrix():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2500))
    y = np.where(rng.random(60) < 0.4, 1, -1)
    prices = {"C": 0.001, "tol": 1e-12}
    wide = fixed_linear_ldm(solver="auto", **prices).fit(X, y)
    direct = fixed_ldm(kernel="linear", solver="dual_cd", random_state=0, **prices)
    assert_allclose(wide.coef_, direct.fit(X, y).coef_, rtol=1e-5, atol=1e-9)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("C", [0.0, 0.3])
def test_theorem_2_the_stochastic_gradient_averages_to_the_gradient(blobs, C, loss):
    X, y = blobs
    y = y.astype(float)
    m = len(y)
    w = np.random.default_rng(0).normal(size=X.shape[1])
    problem = Problem(
        DenseDesign(X),
        Targets.of_classes(y),
        np.ones(m),
        Prices(C, 0.7, 0.4),
        fit_intercept=False,
        loss=LOSSES[loss],
    )
    prices = ScaledPrices.of(problem, m)
    scores = X @ w
    average = prices.norm * w
    for i in range(m):
        for j in range(m):
            slope = stochastic_slope(y[i] * scores[i], y[j] * scores[j], prices)
            average = average + y[i] * slope * X[i] / m**2

    def objective(w):
        g = y * (X @ w)
        below = np.maximum(0, 1 - g)
        losses = C * (below.sum() if loss == "hinge" else below @ below)
        return (0.5 * w @ w + 0.7 * 2 * g.var() - 0.4 * g.mean() + losses) / (m * (C or 1))

    steps = 1e-6 * np.eye(len(w))
    numeric = [(objective(w + h) - objective(w - h)) / 2e-6 for h in steps]
    assert_allclose(average, numeric, rtol=1e-6, atol=1e-9)


def test_doubling_every_row_at_half_the_price_changes_nothing(blobs):
    X, y = blobs
    prices = {"lambda_var": 0.5, "lambda_mean": 0.25, "tol": 1e-12}
    once = fixed_ldm(4, gamma=1.0, **prices).fit(X, y)
    twice = fixed_ldm(2, gamma=1.0, **prices).fit(np.tile(X, (2, 1)), np.tile(y, 2))
    assert_allclose(once.decision_function(X), twice.decision_function(X), atol=1e-7)


def test_averaged_gradient_descent_comes_near_the_optimum(blobs):
    X, y = blobs
    exact = fixed_linear_ldm(0.1).fit(X, y)
    rough = fixed_linear_ldm(0.1, solver="asgd", max_iter=200, random_state=0).fit(X, y)
    assert exact.objective_ <= rough.objective_ <= 1.02 * exact.objective_
    assert rough.objective_ * (1 - rough.duality_gap_) <= exact.objective_
