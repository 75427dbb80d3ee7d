"""ODM against scikit-learn, its dual by a QP solver, and itself."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import Ridge
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import LinearSVC

from largemargin import ODMClassifier
from oracle import solve_least_qp

EXACT = {"tol": 1e-10}


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_odm_without_band_and_upper_price_is_the_squared_hinge_machine(blobs, C):
    X, y = blobs
    odm = ODMClassifier(
        C, mu=0, theta=0, kernel="linear", fit_intercept=False, **EXACT
    ).fit(X, y)
    svm = LinearSVC(C=C, fit_intercept=False, tol=1e-12, max_iter=1_000_000).fit(X, y)
    assert_allclose(odm.coef_, svm.coef_, atol=1e-6)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_odm_without_band_and_equal_prices_is_least_squares(moons, fit_intercept):
    X, y, weight = moons
    odm = ODMClassifier(
        3.0, mu=1, theta=0, kernel="linear", fit_intercept=fit_intercept, **EXACT
    ).fit(X, y, weight)
    ridge = Ridge(1 / 6.0, fit_intercept=fit_intercept).fit(X, y, weight)
    assert_allclose(odm.coef_[0], ridge.coef_, rtol=1e-9)
    assert_allclose(odm.intercept_, ridge.intercept_, atol=1e-9)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize(
    ("C", "mu", "theta"), [(0.1, 0.5, 0.1), (10, 0.2, 0.6), (1, 1, 0.3)]
)
def test_odm_is_the_solution_of_its_dual(moons, kernel, fit_intercept, C, mu, theta):
    X, y, weight = moons
    gram = X @ X.T if kernel == "linear" else rbf_kernel(X, gamma=1.0)
    # Both dual variables a row, as in the paper, for lambda = C * sum(weight).
    signed = np.outer(y, y) * gram
    ridge = (1 - theta) ** 2 / (2 * C * weight)
    quadratic = np.block([[signed, -signed], [-signed, signed]]) + np.diag(
        np.r_[ridge, ridge / mu]
    )
    n = len(y)
    linear = np.r_[-(1 - theta) * np.ones(n), (1 + theta) * np.ones(n)]
    balanced = ([np.r_[y, -y]], [0.0]) if fit_intercept else ()
    dual = solve_least_qp(quadratic, linear, *balanced)
    force = y * (dual[:n] - dual[n:])
    odm = ODMClassifier(
        C,
        mu=mu,
        theta=theta,
        kernel=kernel,
        gamma=1.0,
        fit_intercept=fit_intercept,
        **EXACT,
    ).fit(X, y, weight)
    scores = odm.decision_function(X) - odm.intercept_
    assert_allclose(scores, gram @ force, atol=1e-6)
    assert_allclose(odm.dual_beta_ * y, force, atol=1e-5 * np.abs(force).max())


@pytest.mark.parametrize("mu", [0, 0.5])
def test_odm_reports_a_gap_within_its_tolerance_on_kernels_and_rows(iris, mu):
    X, y = iris
    for kernel in "linear", "rbf", "poly":
        odm = ODMClassifier(10.0, mu=mu, kernel=kernel).fit(X, y)
        assert np.all(odm.duality_gap_ <= odm.tol)


def test_odm_gap_bounds_the_distance_from_the_optimum(moons):
    X, y, _ = moons
    best = ODMClassifier(100.0, **EXACT).fit(X, y).objective_
    with pytest.warns(UserWarning, match="max_iter"):
        early = ODMClassifier(100.0, max_iter=2).fit(X, y)
    assert early.objective_ > best
    assert early.objective_ - best <= early.duality_gap_ * early.objective_


def test_linear_kernel_of_odm_equals_the_same_gram_matrix(moons):
    X, y, weight = moons
    rows = ODMClassifier(kernel="linear", **EXACT).fit(X, y, weight)
    gram = ODMClassifier(kernel="precomputed", **EXACT).fit(X @ X.T, y, weight)
    assert_allclose(rows.decision_function(X), gram.decision_function(X @ X.T), atol=1e-8)


def test_odm_goes_on_from_the_last_solution(moons):
    X, y, _ = moons
    odm = ODMClassifier(100.0, warm_start=True).fit(X, y)
    cold = odm.n_iter_
    assert odm.fit(X, y).n_iter_ < cold


def test_class_weights_that_leave_nothing_are_refused(moons):
    X, y, _ = moons
    with pytest.raises(ValueError, match="leaves no row"):
        ODMClassifier(class_weight={-1: 0, 1: 0}).fit(X, y)


def test_odm_goes_on_from_a_warm_start_on_offset_rows():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 2)) + np.array([1e4, 0.0])
    y = np.where(X[:, 1] + rng.standard_normal(60) > 0, 1, -1)
    machine = ODMClassifier(kernel="linear", warm_start=True).fit(X, y)
    first = machine.objective_
    assert machine.fit(X, y).objective_ == pytest.approx(first, rel=1e-3)
