"""Fits: warm starts, early ends, logs, and certificates of what is kept."""

import logging

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel

from largemargin import ODMClassifier
from machines import fixed_ldm, fixed_linear_ldm


def test_a_warm_start_is_where_the_last_fit_ended(blobs):
    X, y = blobs
    for machine in (
        fixed_ldm(C=50),
        fixed_linear_ldm(C=50),
        fixed_ldm(C=50, lambda_var=0.1),
        fixed_ldm(C=50, loss="squared_hinge"),
        fixed_linear_ldm(C=50, loss="squared_hinge"),
    ):
        cold = machine.fit(X, y).n_iter_
        machine.set_params(warm_start=True)
        warm = machine.fit(X, y).n_iter_
        assert warm < cold / 2
        assert machine.duality_gap_ <= machine.tol


def test_an_unfinished_fit_says_so_and_goes_on(blobs):
    X, y = blobs
    machine = fixed_linear_ldm(
        100, lambda_var=0, lambda_mean=0, max_iter=3, tol=1e-9, warm_start=True
    )
    with pytest.warns(ConvergenceWarning, match="gap of .* > tol=1.0e-09.*raise max_iter"):
        machine.fit(X, y)
    machine.set_params(max_iter=100).fit(X, y)
    assert machine.duality_gap_ <= 1e-9


def test_steps_go_to_the_log_when_asked(blobs, caplog):
    X, y = blobs
    with caplog.at_level(logging.INFO, "largemargin"):
        fixed_ldm().fit(X, y)
        assert not caplog.records
        fixed_ldm(verbose=1).fit(X, y)
    assert "relative gap" in caplog.records[-1].getMessage()


@pytest.mark.parametrize("n_rows", [200, 500])
@pytest.mark.parametrize("prices", [{}, {"lambda_var": 0.06}, {"lambda_var": 0}], ids=str)
@pytest.mark.parametrize("C", [0.001, 1, 100, 10_000])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_certificate_is_about_the_machine_handed_out(n_rows, prices, C, dtype):
    X, y = make_moons(n_rows, noise=0.3, random_state=0)
    X, y = X.astype(dtype), np.where(y > 0, 1, -1)
    machine = fixed_ldm(C, lambda_mean=0, **prices).fit(X, y)
    assert machine.duality_gap_ <= machine.tol
    g = y * machine.decision_function(X)
    lambda_var = machine.lambda_var
    lambda_var = 0.01 * C * n_rows if lambda_var == "scale" else lambda_var
    alpha = machine.dual_coef_[0]
    vectors = machine.support_vectors_.astype(float)
    gram = rbf_kernel(vectors, gamma=1 / (2 * X.var(dtype=float)))
    value = (
        0.5 * alpha @ gram @ alpha
        + lambda_var * 2 * g.var()
        + C * np.maximum(0, 1 - g).sum()
    )
    assert value == pytest.approx(machine.objective_, rel=1e-5)


def test_wide_rows_warm_start_too():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2500)), rng.integers(2, size=60)
    machine = fixed_linear_ldm(warm_start=True).fit(X, y)
    first = machine.coef_
    assert_allclose(machine.fit(X, y).coef_, first, atol=1e-3)


@pytest.mark.parametrize("solver", ["auto", "dual_cd"])
def test_a_warm_start_brings_no_intercept_to_a_machine_without(blobs, solver):
    X, y = blobs
    machine = fixed_linear_ldm(solver=solver, warm_start=True, random_state=0)
    machine.fit(X + 2, y).set_params(fit_intercept=False).fit(X + 2, y)
    assert machine.intercept_ == 0


@pytest.mark.parametrize("kernels", [("linear", "rbf"), ("rbf", "linear")])
def test_a_warm_start_from_another_kernel_is_a_cold_one(blobs, kernels):
    X, y = blobs
    first, second = kernels
    machine = ODMClassifier(kernel=first, warm_start=True, tol=1e-8).fit(X, y)
    machine.set_params(kernel=second).fit(X, y)
    cold = ODMClassifier(kernel=second, tol=1e-8).fit(X, y)
    assert_allclose(machine.decision_function(X), cold.decision_function(X), atol=1e-4)
