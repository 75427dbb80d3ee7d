"""Factors of low rank, and the machines that rest on them."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel

from largemargin.estimators import kernel_space
from largemargin.kernels.functions import Kernel
from largemargin.numerics.low_rank import GrowingFactor, low_rank_factor
from largemargin.numerics.memory import TooLarge
from machines import fixed_ldm

PRICES = {"lambda_var": 2**-4, "lambda_mean": 2**-4}


@pytest.fixture
def moons():
    return make_moons(800, noise=0.25, random_state=0)


@pytest.fixture
def no_room(monkeypatch):
    """No Gram matrix is small enough."""
    monkeypatch.setattr(kernel_space, "MAX_GRAM_BYTES", 0)


@pytest.fixture
def few_to_polish(monkeypatch):
    """No tiled products without a time limit."""
    monkeypatch.setattr(kernel_space, "MAX_POLISHED_ROWS", 100)


@pytest.mark.parametrize("tolerance", [0.3, 1e-2, 1e-4])
def test_a_factor_misses_what_it_says(moons, tolerance):
    gram = rbf_kernel(moons[0], gamma=2.0)
    factor, missing = low_rank_factor(
        lambda pivots: gram[:, pivots],
        np.diagonal(gram),
        max_rank=500,
        tolerance=tolerance,
    )
    rest = gram - factor.rows.astype(float) @ factor.rows.T
    assert missing <= tolerance
    assert_allclose(np.trace(rest) / np.trace(gram), missing, atol=1e-5)
    assert np.linalg.eigvalsh(rest)[0] > -1e-4
    assert len(np.unique(factor.pivots)) == len(factor.pivots) < 500


def test_a_growing_factor_knows_the_ranks_that_it_reached():
    gram = np.diag(np.arange(1.0, 201.0))
    factor = GrowingFactor(lambda pivots: gram[:, pivots], np.diagonal(gram), 150)
    assert factor.reached(50) == 0
    assert factor.grow(lambda rank, before, after: False) == 150
    assert [factor.reached(most) for most in (0, 64, 100.5, 128, 149, 200)] == [
        64,
        64,
        64,
        128,
        128,
        150,
    ]


def test_an_element_expands_over_the_pivots(moons):
    gram = rbf_kernel(moons[0], gamma=2.0)
    factor, _ = low_rank_factor(
        lambda pivots: gram[:, pivots],
        np.diagonal(gram),
        max_rank=120,
        tolerance=1e-4,
    )
    w = np.random.default_rng(0).normal(size=factor.rows.shape[1])
    alpha = factor.expand(w)
    scores = factor.rows[factor.pivots] @ w
    rounding = len(factor.pivots) * np.finfo(np.float32).eps * np.abs(alpha).sum()
    assert_allclose((gram @ alpha)[factor.pivots], scores, rtol=0, atol=rounding)
    assert set(np.flatnonzero(alpha)) <= set(factor.pivots)


def test_rows_that_are_all_the_same_have_one_pivot():
    ones = np.ones((50, 50))
    factor, missing = low_rank_factor(
        lambda pivots: ones[:, pivots],
        np.ones(50),
        max_rank=20,
        tolerance=1e-3,
    )
    assert factor.rows.shape == (50, 1)
    assert missing == 0


def test_too_many_rows_to_polish_keep_a_low_rank(moons, no_room, few_to_polish):
    X, y = moons
    near = fixed_ldm(10, tol=1e-6, **PRICES)
    with pytest.warns(ConvergenceWarning, match="low-rank model.*set time_limit"):
        near.fit(X, y)
    exact = fixed_ldm(10, tol=1e-6, solver="kernel_dual", **PRICES).fit(X, y)
    assert 0 < near.low_rank_residual_ <= 1e-3
    assert exact.low_rank_residual_ is None
    # The certificate is that of the exact problem.
    assert near.objective_ - exact.objective_ <= near.duality_gap_ * exact.objective_
    assert len(near.support_) < len(X) / 4
    assert np.mean(near.predict(X) == exact.predict(X)) > 0.99
    assert_allclose(near.objective_, exact.objective_, rtol=0.02)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("lambda_var", [0.0, 2**-4, "30*scale"])
def test_a_machine_without_room_for_its_gram_is_the_exact_one(
    moons, no_room, loss, lambda_var
):
    X, y = moons
    options = {"C": 10, "tol": 1e-5, "lambda_var": lambda_var, "loss": loss}
    tiled = fixed_ldm(**options).fit(X, y)
    exact = fixed_ldm(solver="kernel_dual", **options).fit(X, y)
    assert tiled.low_rank_residual_ is None
    assert tiled.duality_gap_ <= 1e-5
    assert_allclose(tiled.objective_, exact.objective_, rtol=2e-5)
    assert np.mean(tiled.predict(X) == exact.predict(X)) > 0.99


def test_a_time_limit_stops_the_polish_and_names_the_price_of_a_pass(
    moons, no_room, few_to_polish, monkeypatch
):
    monkeypatch.setattr("largemargin.estimators.fitting.LONG_PASS", 0.0)
    machine = fixed_ldm(100, tol=1e-12, lambda_var="30*scale", time_limit=0.5)
    with pytest.warns(ConvergenceWarning, match=r"one more takes about \d+ s"):
        machine.fit(*moons)
    assert machine.low_rank_residual_ is None


def test_machines_of_low_rank_take_classes_weights_and_sparse_rows(iris, no_room):
    import scipy.sparse as sp

    X, y = iris
    weight = np.where(np.arange(len(y)) % 7 == 0, 0.0, 1.0)
    dense = fixed_ldm(tol=1e-3, **PRICES).fit(X, y, weight)
    rows = fixed_ldm(tol=1e-3, **PRICES).fit(sp.csr_matrix(X), y, weight)
    assert dense.decision_function(X).shape == (150, 3)
    assert_allclose(dense.decision_function(X), rows.decision_function(X), atol=1e-4)
    assert weight[dense.support_].all()


def test_a_gram_that_fits_no_way_is_refused_at_once(moons, no_room, monkeypatch):
    monkeypatch.setenv("LARGEMARGIN_MAX_BYTES", "5000000")
    machine = fixed_ldm(solver="kernel_dual")
    with pytest.raises(TooLarge, match=r"800 rows takes 5.1 MB; .* 5 MB, .*solver='auto'"):
        machine.fit(*moons)
    assert not hasattr(machine, "classes_")


def test_smooth_kernels_predict_from_few_rows_the_same(moons):
    X, y = moons
    short = fixed_ldm(kernel="poly", degree=2, coef0=1, tol=1e-8, **PRICES).fit(X, y)
    gram = Kernel("poly", short._kernel.gamma, 2, 1).gram_matrix(X)
    whole = fixed_ldm(kernel="precomputed", tol=1e-8, **PRICES).fit(gram, y)
    assert len(short.support_) == 6  # as many as products of two features and a constant
    assert len(whole.support_) == len(X)
    assert_allclose(short.decision_function(X), whole.decision_function(gram), atol=1e-6)


def test_support_vectors_of_an_svm_stay_what_they_are(moons):
    machine = fixed_ldm(kernel="linear", lambda_var=0, lambda_mean=0).fit(*moons)
    assert_allclose(machine.support_, np.flatnonzero(machine.dual_beta_))


def test_rows_far_from_all_others_are_not_condensed_away():
    near = np.random.default_rng(5).uniform(0, 1, (396, 1))
    X = np.concatenate([near, [[100.0], [200.0], [300.0], [400.0]]])
    y = np.r_[np.where(near[:, 0] > 0.5, 1, -1), 1, -1, 1, -1]
    machine = fixed_ldm(10, gamma=0.5).fit(X, y)
    assert (machine.predict(X[396:]) == y[396:]).all()


def test_a_kernel_that_is_zero_leaves_the_intercept(no_room):
    machine = fixed_ldm(kernel="linear").fit(np.zeros((10, 2)), np.arange(10) > 2)
    assert machine.predict([[1.0, 2.0]]) == [True]


def test_the_certificate_of_many_rows_needs_no_pass_over_the_gram(
    moons, no_room, few_to_polish, monkeypatch
):
    X, y = moons
    options = {"C": 10, "tol": 1.0, **PRICES}
    exact = fixed_ldm(solver="kernel_dual", **{**options, "tol": 1e-8}).fit(X, y)
    monkeypatch.setattr(Kernel, "squared_length", None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        machine = fixed_ldm(**options).fit(X, y)
    off = machine.objective_ - exact.objective_
    assert 0 < off <= machine.duality_gap_ * exact.objective_


@pytest.mark.parametrize("prices", [{"lambda_var": 0.0}, {"lambda_var": "scale"}])
def test_a_hard_margin_without_room_for_its_gram_is_the_exact_one(prices, monkeypatch):
    X = np.random.default_rng(0).normal(size=(300, 4))
    y = X[:, 0] > 0
    options = {"C": np.inf, "lambda_mean": 0.0, "tol": 1e-4, **prices}
    exact = fixed_ldm(**options).fit(X, y)
    monkeypatch.setattr(kernel_space, "MAX_GRAM_BYTES", 0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = fixed_ldm(**options).fit(X, y)
    assert_allclose(found.objective_, exact.objective_, rtol=2e-4)


def test_rows_that_are_too_long_for_float32_are_refused(no_room):
    X = 1e10 * np.random.default_rng(0).normal(size=(50, 3))
    with pytest.raises(ValueError, match=r"itself is .*e\+.*Scale the features"):
        fixed_ldm(kernel="poly", gamma=1.0).fit(X, X[:, 0] > 0)


def test_a_gram_beyond_the_limit_of_memory_is_not_stored(moons, monkeypatch):
    exact = fixed_ldm().fit(*moons)
    monkeypatch.setenv("LARGEMARGIN_MAX_BYTES", "5000000")
    monkeypatch.setattr(kernel_space, "GramDesign", None)
    found = fixed_ldm().fit(*moons)
    assert_allclose(found.objective_, exact.objective_, rtol=2e-4)
