"""How people use the machines: frames, streams, warm starts, logs, interrupts."""

import logging
import pickle
import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process.kernels import RBF
from sklearn.metrics.pairwise import rbf_kernel

from largemargin import LDMClassifier, LinearLDMClassifier, ODMClassifier


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("make", [LDMClassifier, LinearLDMClassifier])
def test_frames_bring_their_names(blobs, frame, make):
    X, y = blobs
    named = frame(dict(zip("abcd", X.T, strict=True)))
    machine = make().fit(named, y)
    assert list(machine.feature_names_in_) == list("abcd")
    assert_allclose(machine.decision_function(named), make().fit(X, y).decision_function(X))
    with pytest.raises(ValueError, match="feature names"):
        machine.predict(named[["b", "a", "c", "d"]])


def test_attributes_describe_the_margins(blobs):
    X, y = blobs
    for machine in LDMClassifier(C=2), LinearLDMClassifier(C=2):
        machine.fit(X, y)
        margins = y * machine.decision_function(X)
        assert machine.margin_mean_ == pytest.approx(margins.mean())
        assert machine.margin_variance_ == pytest.approx(margins.var())
        assert machine.dual_beta_.shape == y.shape
        assert machine.dual_beta_.min() >= 0
        assert machine.dual_beta_.max() <= 2
        assert machine.history_["duality_gap"][-1] <= machine.tol
        assert machine.n_iter_ >= 1


def test_the_objective_is_the_one_in_the_docstring(blobs):
    X, y = blobs
    weight = np.random.default_rng(0).uniform(0.5, 2, len(y))
    machine = LinearLDMClassifier(0.7, lambda_var=3.0, lambda_mean=2.0).fit(X, y, weight)
    g = y * machine.decision_function(X)
    mean = np.average(g, weights=weight)
    variance = np.average((g - mean) ** 2, weights=weight)
    loss = weight @ np.maximum(0, 1 - g)
    value = 0.5 * np.sum(machine.coef_**2) + 3 * 2 * variance - 2 * mean + 0.7 * loss
    assert machine.objective_ == pytest.approx(value)


def test_more_than_two_classes_have_a_column_each(iris):
    X, y = iris
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    for machine in LDMClassifier(), LinearLDMClassifier():
        machine.fit(X, names)
        assert machine.decision_function(X).shape == (150, 3)
        assert machine.score(X, names) > 0.75
        assert machine.duality_gap_.shape == (3,)
        assert np.all(machine.duality_gap_ <= machine.tol)
        one = clone(machine).fit(X, names == "versicolor")
        assert_allclose(
            machine.decision_function(X)[:, 1], one.decision_function(X), atol=0.05
        )


def test_prediction_needs_the_support_columns_only(blobs):
    X, y = blobs
    gram = X @ X.T
    machine = LDMClassifier(kernel="precomputed", lambda_var=0, lambda_mean=0).fit(gram, y)
    assert len(machine.support_) < len(y)
    other = np.full_like(gram, 1e9)
    other[:, machine.support_] = gram[:, machine.support_]
    assert_array_equal(machine.decision_function(other), machine.decision_function(gram))


def test_a_warm_start_is_where_the_last_fit_ended(blobs):
    X, y = blobs
    for machine in (
        LDMClassifier(C=50),
        LinearLDMClassifier(C=50),
        LDMClassifier(C=50, lambda_var=0.1),
    ):
        cold = machine.fit(X, y).n_iter_
        machine.set_params(warm_start=True)
        warm = machine.fit(X, y).n_iter_
        assert warm < cold / 2
        assert machine.duality_gap_ <= machine.tol


def test_an_unfinished_fit_says_so_and_goes_on(blobs):
    X, y = blobs
    machine = LinearLDMClassifier(
        100, lambda_var=0, lambda_mean=0, max_iter=3, tol=1e-9, warm_start=True
    )
    with pytest.warns(ConvergenceWarning, match="gap of .* > tol=1.0e-09.*raise max_iter"):
        machine.fit(X, y)
    machine.set_params(max_iter=100).fit(X, y)
    assert machine.duality_gap_ <= 1e-9


@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix])
def test_a_stream_learns_what_a_fit_learns(make):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 5))
    y = np.where(X @ [1, -1, 2, 0, 0.5] + 0.3 * rng.normal(size=4000) > 0.5, "up", "down")
    machine = LinearLDMClassifier(0.01, random_state=0)
    for batch in np.array_split(np.arange(3000), 30):
        machine.partial_fit(make(X[batch]), y[batch], classes=["down", "up"])
    full = LinearLDMClassifier(0.01).fit(X[:3000], y[:3000])
    assert machine.score(X[3000:], y[3000:]) > full.score(X[3000:], y[3000:]) - 0.02
    assert np.isnan(machine.duality_gap_)


def test_a_stream_of_weights_is_a_stream_of_repetitions(iris):
    X, y = iris
    times = np.random.default_rng(0).integers(0, 3, len(y))
    weighted = LinearLDMClassifier(random_state=0)
    repeated = LinearLDMClassifier(random_state=0)
    for _ in range(3):
        weighted.partial_fit(X, y, classes=[0, 1, 2], sample_weight=times)
        repeated.partial_fit(X.repeat(times, axis=0), y.repeat(times), classes=[0, 1, 2])
    assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-9)


def test_a_stream_goes_on_from_a_fit(blobs):
    X, y = blobs
    machine = LinearLDMClassifier(0.1, random_state=0).fit(X, y)
    before = machine.coef_.copy()
    machine.partial_fit(X, y)
    assert not np.array_equal(machine.coef_, before)
    assert machine.score(X, y) > 0.8


def test_steps_go_to_the_log_when_asked(blobs, caplog):
    X, y = blobs
    with caplog.at_level(logging.INFO, "largemargin"):
        LDMClassifier().fit(X, y)
        assert not caplog.records
        LDMClassifier(verbose=1).fit(X, y)
    assert "relative gap" in caplog.records[-1].getMessage()


def test_pickles_predict_the_same(iris):
    X, y = iris
    for machine in LDMClassifier(), LinearLDMClassifier():
        copy = pickle.loads(pickle.dumps(machine.fit(X, y)))
        assert_array_equal(copy.decision_function(X), machine.decision_function(X))


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_are_not_copied(dtype, order):
    rng = np.random.default_rng(0)
    X = np.asarray(rng.normal(size=(50_000, 100)), dtype=dtype, order=order)
    y = np.where(X[:, 0] + rng.normal(size=50_000) > 0, 1, 0)
    machine = LinearLDMClassifier().fit(X[:100], y[:100])
    tracemalloc.start()
    try:
        machine.fit(X, y)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 0.7 * X.nbytes


@pytest.mark.parametrize("n_rows", [200, 500])
@pytest.mark.parametrize("prices", [{}, {"lambda_var": 0.06}, {"lambda_var": 0}], ids=str)
@pytest.mark.parametrize("C", [0.001, 1, 100, 10_000])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_certificate_is_about_the_machine_handed_out(n_rows, prices, C, dtype):
    X, y = make_moons(n_rows, noise=0.3, random_state=0)
    X, y = X.astype(dtype), np.where(y > 0, 1, -1)
    machine = LDMClassifier(C, lambda_mean=0, **prices).fit(X, y)
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


def test_an_unhashable_kernel_and_a_sparse_one_serve(blobs):
    X, y = blobs
    for kernel, rows in (RBF(), X), (lambda A, B: A @ B.T, sp.csr_matrix(X)):
        machine = LDMClassifier(kernel=kernel).fit(rows, y)
        assert machine.duality_gap_ <= machine.tol


def test_prediction_remembers_the_kernel_of_the_fit(blobs):
    X, y = blobs
    machine = LDMClassifier().fit(X, y)
    scores = machine.decision_function(X)
    machine.set_params(kernel="precomputed", gamma=7.0)
    assert_array_equal(machine.decision_function(X), scores)
    assert not hasattr(machine, "coef_")


def test_wide_rows_warm_start_too():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2500)), rng.integers(2, size=60)
    machine = LinearLDMClassifier(warm_start=True).fit(X, y)
    first = machine.coef_
    assert_allclose(machine.fit(X, y).coef_, first, atol=1e-3)


@pytest.mark.parametrize("solver", ["auto", "dual_cd"])
def test_a_warm_start_brings_no_intercept_to_a_machine_without(blobs, solver):
    X, y = blobs
    machine = LinearLDMClassifier(solver=solver, warm_start=True, random_state=0)
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
