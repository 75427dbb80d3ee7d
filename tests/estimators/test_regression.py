"""What regressors promise whatever the solver: units, weights, forms of rows, quantiles."""

import itertools

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from largemargin import LDMRegressor, LinearLDMRegressor
from largemargin.numerics.quantiles import robust_scale

BOTH = pytest.mark.parametrize("make", [LDMRegressor, LinearLDMRegressor])
SCALED = {
    "C": "scale",
    "epsilon": "0.1*scale",
    "lambda_var": "scale",
    "lambda_square": "scale",
}
NO_SQUARES = {"lambda_var": 0.0, "lambda_square": 0.0}
NUMBERS = {"C": 1.0, "epsilon": 0.2, "lambda_var": 3.0, "lambda_square": 1.0}
PRICES = pytest.mark.parametrize(
    "prices",
    [
        SCALED,
        {**SCALED, **NO_SQUARES},
        {**SCALED, "C": "10*scale", "lambda_square": 0.0},
        {**SCALED, **NO_SQUARES, "loss": "quantile", "quantile": 0.2},
    ],
)


def drawn(n_rows=120, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3))
    return X, 5.0 + np.sin(2.0 * X[:, 0]) + X[:, 1] + 0.3 * rng.standard_t(3, size=n_rows)


@PRICES
@BOTH
@pytest.mark.parametrize("factor", [1e-6, 1000.0])
def test_predictions_follow_the_units_of_the_values(make, factor, prices):
    X, y = drawn()
    one = make(**prices, tol=1e-10).fit(X, y)
    other = make(**prices, tol=1e-10).fit(X, factor * y)
    assert_allclose(other.predict(X), factor * one.predict(X), rtol=1e-6)


@PRICES
@BOTH
def test_an_offset_of_the_values_moves_the_predictions(make, prices):
    X, y = drawn()
    one = make(**prices, tol=1e-10).fit(X, y)
    other = make(**prices, tol=1e-10).fit(X, y + 1000.0)
    assert_allclose(other.predict(X) - 1000.0, one.predict(X), atol=1e-4)


@BOTH
def test_words_stand_for_multiples_of_the_scale(make):
    X, y = drawn()
    model, unit = make(**SCALED).fit(X, y), robust_scale(y, np.ones(len(y)))
    assert pytest.approx(unit) == model.C_
    assert model.epsilon_ == pytest.approx(0.1 * unit)
    lambdas = dict.fromkeys(("lambda_var", "lambda_square"), 0.01 * len(y))
    same = make(C=unit, epsilon=0.1 * unit, **lambdas).fit(X, y)
    assert_allclose(same.predict(X), model.predict(X), rtol=1e-9)


@BOTH
def test_each_output_has_its_own_scale(make):
    X, y = drawn()
    several = make(**SCALED, tol=1e-9).fit(X, np.column_stack([y, 1000.0 * y, 0.1 * y]))
    one = make(**SCALED, tol=1e-9).fit(X, y)
    assert_allclose(several.C_[1], 1000.0 * one.C_)
    assert several.predict(X).shape == (len(y), 3)
    for column, factor in enumerate([1.0, 1000.0, 0.1]):
        assert_allclose(
            several.predict(X)[:, column], factor * one.predict(X), rtol=1e-4, atol=1e-3
        )


@BOTH
def test_one_column_stays_a_column(make):
    X, y = drawn()
    model = make(**NUMBERS).fit(X, y[:, None])
    assert model.predict(X).shape == (len(y), 1)
    assert_array_equal(model.predict(X)[:, 0], make(**NUMBERS).fit(X, y).predict(X))


@PRICES
@BOTH
def test_weights_are_repetitions(make, prices):
    X, y = drawn()
    weight = np.random.default_rng(3).integers(0, 4, len(y))
    repeated = [np.repeat(one, weight, axis=0) for one in (X, y)]
    weighted = make(**prices, tol=1e-11).fit(X, y, weight)
    other = make(**prices, tol=1e-11).fit(*repeated)
    assert_allclose(weighted.predict(X), other.predict(X), atol=1e-5)
    assert_allclose(weighted.C_, other.C_, rtol=1e-12)


@BOTH
def test_all_forms_of_rows_and_values_give_the_same_machine(make):
    X, y = drawn()
    X, y = np.round(X, 2), np.round(10 * y)
    model = make(**NUMBERS, tol=1e-9)
    wanted = model.fit(X, y).predict(X)
    for form in sp.csr_matrix(X), sp.csc_array(X), pd.DataFrame(X, columns=list("abc")):
        assert_allclose(model.fit(form, y).predict(form), wanted, rtol=1e-4)
    narrow = model.set_params(tol=1e-5).fit(X.astype(np.float32), y.astype(np.float32))
    assert_allclose(narrow.predict(X.astype(np.float32)), wanted, atol=0.1)
    for values in y.astype(np.int64), y.tolist(), pd.Series(y):
        same = model.set_params(tol=1e-9).fit(X, values)
        assert_allclose(same.predict(X), wanted, rtol=1e-12)
    whole = make(**NUMBERS).fit((100 * X).astype(np.int64), y)
    other = make(**NUMBERS).fit((100 * X).astype(np.int64).astype(float), y)
    assert_array_equal(whole.predict(100 * X), other.predict(100 * X))


@pytest.mark.parametrize("n_jobs", [1, 2])
@BOTH
def test_several_quantiles_are_sorted_and_the_machines_of_each(make, n_jobs):
    X, y = drawn()
    levels = [0.9, 0.1, 0.5]
    options = {"loss": "quantile", "C": 5.0, "tol": 1e-9}
    several = make(quantile=levels, n_jobs=n_jobs, **options).fit(X, y)
    found = several.predict(X)
    assert (np.diff(found[:, [1, 2, 0]], axis=1) >= 0).all()
    alone = [make(quantile=level, **options).fit(X, y).predict(X) for level in levels]
    order = np.sort(np.transpose(alone), axis=1)
    assert_allclose(found[:, [1, 2, 0]], order, atol=1e-3)
    assert several.duality_gap_.shape == (3,)


@BOTH
def test_quantiles_cross_no_more_even_where_data_are_few(make):
    X, y = drawn(12)
    levels = np.linspace(0.05, 0.95, 19)
    model = make(loss="quantile", quantile=levels, C=100.0).fit(X, y)
    far = 5.0 * np.random.default_rng(0).normal(size=(200, 3))
    assert (np.diff(model.predict(far), axis=1) >= 0).all()


@pytest.mark.parametrize("lambda_var", [0.0, "scale", "1000*scale"])
@pytest.mark.parametrize("weighted", [True, False])
@BOTH
def test_the_share_of_rows_below_a_quantile_is_exact(make, weighted, lambda_var):
    X, y = drawn(150)
    weight = np.random.default_rng(3).uniform(0.2, 3.0, 150) if weighted else np.ones(150)
    for quantile, C in itertools.product([0.1, 0.5, 0.9], ["scale", "100*scale"]):
        model = make(C, loss="quantile", quantile=quantile, lambda_var=lambda_var)
        residuals = y - model.fit(X, y, weight).predict(X)
        on_curve = 1e-9 * np.abs(y).max()
        below = weight @ (residuals < -on_curve) / weight.sum()
        above = weight @ (residuals > on_curve) / weight.sum()
        assert below <= quantile + 1e-12
        assert above <= 1.0 - quantile + 1e-12


def test_a_price_of_the_variance_keeps_the_overall_share_but_not_that_at_each_x():
    # The spread of the values grows with x, and so should the distance of a quantile.
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(0.0, 1.0, 2000))
    y = (0.2 + 2.0 * x) * rng.normal(size=2000)
    shares = {}
    for price in 0.0, "1000*scale":
        model = LinearLDMRegressor(
            "scale", loss="quantile", quantile=0.9, lambda_var=price
        ).fit(10.0 * x[:, None], y)
        below = y < model.predict(10.0 * x[:, None])
        shares[price] = below.mean(), below[:500].mean(), below[1500:].mean()
    for overall, _, _ in shares.values():
        assert overall == pytest.approx(0.9, abs=2e-3)
    assert shares[0.0][1:] == pytest.approx((0.9, 0.9), abs=0.03)
    # With the price, the curve hardly rises: too high at the left, too low at the right.
    assert shares["1000*scale"][1] > 0.97
    assert shares["1000*scale"][2] < 0.85


@BOTH
def test_constant_values_are_predicted(make):
    X, _ = drawn()
    weight = np.random.default_rng(0).uniform(0.2, 3.0, 120)
    for value, options in itertools.product(
        [0.0, 0.1, -3e9], [SCALED, {**SCALED, **NO_SQUARES}, {"loss": "quantile"}]
    ):
        model = make(**options).fit(X, np.full(120, value), weight)
        assert_allclose(model.predict(X), value, rtol=1e-9, atol=1e-9)
        assert model.duality_gap_ <= model.tol


@BOTH
def test_one_row_is_predicted(make):
    for options in SCALED, NUMBERS, {"loss": "quantile"}:
        model = make(**options).fit([[1.0, 2.0]], [3.5])
        tube = 0.0 if options.get("loss") else model.epsilon_
        assert abs(model.predict([[1.0, 2.0]])[0] - 3.5) <= tube + 1e-9


@BOTH
def test_warm_starts_end_where_cold_ones_do(make):
    X, y = drawn()
    options = {**NUMBERS, "tol": 1e-9}
    cold = make(**options).fit(X, y)
    warm = make(**{**options, "C": 0.1}, warm_start=True).fit(X, y)
    warm.set_params(C=1.0).fit(X, y)
    assert_allclose(warm.predict(X), cold.predict(X), atol=1e-3)
    again = warm.fit(X, y)
    assert again.n_iter_ <= cold.n_iter_


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@BOTH
def test_a_time_limit_leaves_an_honest_machine(make):
    X, y = drawn(400)
    for options in NUMBERS, {**NUMBERS, **NO_SQUARES, "C": 100.0}:
        late = make(**options, time_limit=1e-9).fit(X, y)
        best = make(**options, tol=1e-9).fit(X, y)
        # All terms of a regression are positive: the objective is its own size.
        assert late.objective_ - best.objective_ <= late.duality_gap_ * late.objective_


@BOTH
def test_residual_statistics_are_those_of_the_predictions(make):
    X, y = drawn()
    weight = np.random.default_rng(0).uniform(0.2, 3.0, 120)
    model = make(**NUMBERS).fit(X, y, weight)
    residuals = y - model.predict(X)
    mean = weight @ residuals / weight.sum()
    variance = weight @ (residuals - mean) ** 2 / weight.sum()
    assert model.residual_mean_ == pytest.approx(mean, abs=1e-6)
    assert model.residual_variance_ == pytest.approx(variance, rel=1e-5)


@BOTH
def test_dual_variables_are_within_their_bounds_and_make_the_model(make):
    X, y = drawn()
    weight = np.random.default_rng(0).uniform(0.2, 3.0, 120)
    model = make(**{**NUMBERS, **NO_SQUARES}, tol=1e-12)
    model = model.fit(X, y, weight)
    assert (np.abs(model.dual_beta_) <= model.C * weight * (1.0 + 1e-12)).all()
    residuals = y - model.predict(X)
    assert (model.dual_beta_[residuals > model.epsilon + 1e-4] > 0).all()
    assert (model.dual_beta_[residuals < -model.epsilon - 1e-4] < 0).all()
