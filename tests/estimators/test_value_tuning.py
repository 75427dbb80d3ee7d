"""The word "loo" of regressors against refits of ridge regressions; its invariances."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import LeaveOneOut, cross_val_predict

from largemargin import LDMRegressor, LinearLDMRegressor, model_files
from largemargin.estimators import self_tuning, value_tuning
from largemargin.estimators.recipe import recipe_of
from largemargin.numerics.quantiles import robust_scale

PLAIN = {"lambda_var": 0.0, "lambda_square": 0.0}
TUNED = {"C": "loo", "gamma": "loo", "epsilon": "loo", **PLAIN}
LINEAR = {"C": "loo", "epsilon": "loo", **PLAIN}


@pytest.fixture
def waves():
    """Return rows and values of a smooth function, with bounded noise."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(60, 2))
    y = 5 * np.sin(3 * X[:, 0]) + 2 * X[:, 1] + rng.uniform(-1, 1, 60)
    return X, y


def scale_of(y):
    return robust_scale(y, np.ones(len(y)))


def test_errors_are_those_of_refitted_ridge_regressions(waves):
    X, y = waves  # no value is far enough from where it is expected to be moved
    results = LinearLDMRegressor(**LINEAR).fit(X, y).loo_results_
    for k, price in enumerate(value_tuning.LINEAR_PRICES[8:]):
        ridge = Ridge(alpha=1.0 / price)
        unseen = cross_val_predict(ridge, X, y, cv=LeaveOneOut())
        expected = np.mean((unseen - y) ** 2) / scale_of(y) ** 2
        assert results["error"][0, k + 8] == pytest.approx(expected)


def test_a_large_price_of_squares_gives_the_ridge_regression_of_the_choice(waves):
    X, y = waves
    machine = LinearLDMRegressor("loo", lambda_square="1e6*scale", lambda_var=0, tol=1e-9)
    price = value_tuning.LINEAR_PRICES[machine.fit(X, y).loo_results_["best"][1]]
    assert_allclose(machine.coef_[0], Ridge(alpha=1 / price).fit(X, y).coef_, rtol=1e-3)


def test_the_price_of_a_point_follows_from_the_residuals_there(waves):
    X, y = waves
    machine = LDMRegressor(**{**TUNED, "lambda_square": "10*scale"}).fit(X, y)
    width, price = machine.loo_results_["best"]
    sigma = machine.epsilon_ / value_tuning.TUBE
    curvature = 2 * 0.1 / scale_of(y) + 1 / sigma
    assert pytest.approx(value_tuning.KERNEL_PRICES[price] / curvature) == machine.C_
    assert machine.loo_results_["C"][width, price] == machine.C_


def test_the_machine_is_the_one_with_the_chosen_numbers(waves):
    tuned = LDMRegressor(**TUNED).fit(*waves)
    numbers = {"C": tuned.C_, "gamma": tuned.gamma_, "epsilon": tuned.epsilon_}
    plain = LDMRegressor(**{**TUNED, **numbers}).fit(*waves)
    assert_array_equal(tuned.dual_coef_, plain.dual_coef_)
    assert not hasattr(plain, "loo_results_")
    assert recipe_of(tuned).settled(tuned) == numbers


def test_values_without_noise_are_predicted_to_three_digits():
    X = np.random.default_rng(0).normal(size=(200, 3))
    y = X[:, 0] + 0.1 * X[:, 1]
    machine = LinearLDMRegressor(**LINEAR).fit(X[:100], y[:100])
    assert machine.score(X[100:], y[100:]) > 0.999


@pytest.mark.parametrize("quantile", [0.5, [0.1, 0.5, 0.9]])
def test_quantiles_are_tuned_without_a_tube(waves, quantile):
    X, y = waves
    machine = LDMRegressor("loo", gamma="loo", loss="quantile", quantile=quantile)
    below = (y[:, None] < np.atleast_2d(machine.fit(X, y).predict(X).T).T).mean(axis=0)
    assert_allclose(below, np.ravel(quantile), atol=0.12)
    assert set(machine.loo_results_["chosen"]) == {"C", "gamma"}


def test_a_tenth_of_outliers_leaves_predictions_nearly_as_they_were(waves):
    X, y = waves
    spoiled = y.copy()
    spoiled[::10] += 100.0 * (-1.0) ** np.arange(6)
    clean, other = (LDMRegressor(**TUNED).fit(X, values) for values in (y, spoiled))
    assert np.abs(clean.predict(X) - other.predict(X)).mean() < 0.2 * scale_of(y)
    constant = np.abs(y - np.median(y)).mean()
    assert np.abs(other.predict(X) - y).mean() < 0.25 * constant


def test_a_weight_of_two_is_the_row_twice(waves):
    X, y = waves
    counts = np.random.default_rng(0).integers(0, 4, len(y))
    machine = LDMRegressor(**TUNED, tol=1e-10)
    weighted = clone(machine).fit(X, y, counts)
    repeated = machine.fit(np.repeat(X, counts, axis=0), np.repeat(y, counts))
    for name in "error", "C":
        assert_allclose(weighted.loo_results_[name], repeated.loo_results_[name], rtol=1e-6)
    assert_allclose(weighted.predict(X), repeated.predict(X), atol=1e-3)


def test_sparse_and_precomputed_rows_give_the_same_choice(waves):
    X, y = waves
    options = {"C": "loo", "epsilon": "loo", **PLAIN}
    dense = LDMRegressor(gamma=0.7, **options).fit(X, y)
    sparse = LDMRegressor(gamma=0.7, **options).fit(sp.csr_matrix(X), y)
    given = LDMRegressor(kernel="precomputed", **options).fit(rbf_kernel(X, gamma=0.7), y)
    assert_allclose([sparse.C_, given.C_], dense.C_, rtol=1e-9)
    linear = [LinearLDMRegressor(**LINEAR).fit(Z, y).C_ for Z in (X, sp.csr_matrix(X))]
    assert linear[0] == pytest.approx(linear[1])


def test_the_choice_follows_the_units_of_the_values(waves):
    X, y = waves
    first, second = (LDMRegressor(**TUNED).fit(X, values) for values in (y, 1000 * y))
    assert second.gamma_ == first.gamma_
    assert pytest.approx(1000 * first.C_) == second.C_
    assert second.epsilon_ == pytest.approx(1000 * first.epsilon_)


def test_several_columns_share_the_choice_in_units_of_each(waves):
    X, y = waves
    both = np.column_stack([y, 1000 * y])
    one, two = LDMRegressor(**TUNED).fit(X, y), LDMRegressor(**TUNED).fit(X, both)
    assert two.gamma_ == one.gamma_
    assert_allclose(two.C_, [one.C_, 1000 * one.C_])
    assert_allclose(two.predict(X), one.predict(X)[:, None] * [1, 1000], rtol=1e-2)


def test_the_width_and_the_tube_are_chosen_at_a_given_price(waves):
    machine = LDMRegressor(**{**TUNED, "C": 3.0}).fit(*waves)
    results, (width, price) = machine.loo_results_, machine.loo_results_["best"]
    assert machine.C_ == 3.0
    assert machine.gamma_ == results["gamma"][width]
    assert 1 / 1.5 < results["C"][width, price] / 3.0 < 1.5


def test_without_a_finite_price_the_width_and_the_tube_are_the_plain_ones(waves):
    X, y = waves
    machine = LDMRegressor(np.inf, gamma="loo", epsilon="loo", **PLAIN).fit(X, y)
    assert machine.gamma_ == LDMRegressor(1.0, gamma="scale").fit(X, y).gamma_
    assert machine.epsilon_ == pytest.approx(0.1 * scale_of(y))


def test_constant_values_are_fitted(waves):
    machine = LDMRegressor(**TUNED).fit(waves[0], np.full(60, 7.0))
    assert_allclose(machine.predict(waves[0]), 7.0)


def test_many_rows_are_judged_by_a_sample(monkeypatch, waves):
    monkeypatch.setattr(self_tuning, "MAX_ROWS", 20)
    first, second = (LDMRegressor(**TUNED).fit(*waves) for _ in range(2))
    assert first.C_ == second.C_
    order = np.sort(np.random.default_rng(0).permutation(60)[:20])
    few = LDMRegressor(**TUNED).fit(*(one[order] for one in waves))
    assert first.loo_results_["error"].shape == few.loo_results_["error"].shape
    assert first.C_ != LDMRegressor(**{**TUNED, "C": "scale"}).fit(*waves).C_


def test_a_tuned_regressor_survives_a_model_file(waves, tmp_path):
    machine = LDMRegressor(**TUNED).fit(*waves)
    model_files.save(machine, tmp_path / "tuned.model")
    loaded = model_files.load(tmp_path / "tuned.model")
    assert_array_equal(loaded.predict(waves[0]), machine.predict(waves[0]))
    assert loaded.loo_results_["chosen"] == machine.loo_results_["chosen"]


def test_the_defaults_tune_all_three_and_a_number_keeps_the_plain_tube(waves):
    X, y = waves
    assert set(LDMRegressor().fit(X, y).loo_results_["chosen"]) == {"C", "epsilon", "gamma"}
    plain = LDMRegressor(1.0, gamma="scale").fit(X, y)
    assert plain.epsilon_ == pytest.approx(0.1 * scale_of(y))
    assert not hasattr(plain, "loo_results_")
    assert LinearLDMRegressor().fit(X, y).C_ > 0
