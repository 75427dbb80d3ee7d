"""Searches over regressors against GridSearchCV over the plain regressors."""

import logging
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.exceptions import FitFailedWarning
from sklearn.metrics import d2_pinball_score, make_scorer, r2_score
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    PredefinedSplit,
    cross_val_predict,
)
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR

from largemargin import LDMRegressor, LDMRegressorCV, LinearLDMRegressorCV
from largemargin.estimators import cross_validation as search_module
from searching import TIGHTER, VALUE_PRICES, assert_same_results, of_the_search, value_pair

KINDS = pytest.mark.parametrize("kind", ["kernel", "linear"])
FEW = {"C": [0.5, 5.0], "epsilon": [0.1], "lambda_var": [0.0], "lambda_square": [0.0]}
ONE = {"Cs": [1.0], "epsilons": [0.1], "lambda_vars": [0.0], "lambda_squares": [0.0]}
# By how much a score may differ between two fits with a gap of 1e-11.
CLOSE = 5e-5


@KINDS
def test_scores_equal_those_of_a_grid_search(values, kind):
    X, y = values
    ours, theirs = value_pair(kind, cv=KFold(3, shuffle=True, random_state=1))
    assert_same_results(ours.fit(X, y), theirs.fit(X, y), rtol=CLOSE)
    assert_allclose(ours.predict(X), theirs.predict(X), rtol=CLOSE)
    assert_allclose(ours.score(X, y), theirs.score(X, y), rtol=CLOSE)


def test_scores_are_those_of_a_grid_search_over_support_vector_regression():
    X, y = load_diabetes(return_X_y=True)
    X, y = StandardScaler().fit_transform(X)[:200], y[:200] / 100.0
    grid = {"C": [0.1, 1.0, 10.0], "epsilon": [0.03, 0.3], "gamma": [0.02, 0.2]}
    theirs = GridSearchCV(SVR(tol=1e-8), grid, cv=5).fit(X, y)
    options = {"lambda_vars": [0.0], "lambda_squares": [0.0], "tol": 1e-10}
    ours = LDMRegressorCV(**of_the_search(grid), **options).fit(X, y)
    for key in (f"split{k}_test_score" for k in range(5)):
        assert_allclose(ours.cv_results_[key], theirs.cv_results_[key], atol=1e-4)
    assert {name: ours.best_params_[name] for name in grid} == theirs.best_params_


def test_folds_of_values_have_no_strata(values):
    X, y = values
    y = np.round(y)  # whole numbers look like classes
    ours, theirs = value_pair("linear", FEW)
    assert_same_results(ours.fit(X, y), theirs.fit(X, y), rtol=CLOSE)


@KINDS
def test_columns_share_the_best_point_by_their_mean_score(values, kind):
    X, y = values
    Y = np.column_stack([y, -3.0 * X[:, 0], np.sin(6.0 * X[:, 1])])
    ours, theirs = value_pair(kind, FEW, cv=3)
    assert_same_results(ours.fit(X, Y), theirs.fit(X, Y), rtol=CLOSE)
    assert ours.predict(X).shape == ours.unseen_predictions_.shape == Y.shape


@pytest.mark.parametrize(
    "scoring", ["r2", "neg_mean_absolute_error", "neg_root_mean_squared_error"]
)
def test_any_scorer_gives_what_it_gives_in_a_grid_search(values, scoring):
    ours, theirs = value_pair("kernel", FEW, cv=3, scoring=scoring)
    assert_same_results(ours.fit(*values), theirs.fit(*values), rtol=CLOSE)


def test_a_scorer_may_ask_the_machine_for_its_prices_in_numbers(values):
    def prices(machine, X, y):
        return machine.C_ + 1000.0 * machine.epsilon_

    grid = {**FEW, "C": [0.5, "2*scale"], "epsilon": ["0.1*scale"]}
    ours, theirs = value_pair("kernel", grid, cv=3, scoring=prices)
    assert_same_results(ours.fit(*values), theirs.fit(*values))


@KINDS
def test_sparse_rows_give_the_scores_of_dense_ones(values, kind):
    X, y = values
    dense, _ = value_pair(kind, FEW, cv=3)
    sparse = clone(dense).fit(sp.csr_array(X), y).cv_results_["mean_test_score"]
    assert_allclose(sparse, dense.fit(X, y).cv_results_["mean_test_score"], rtol=CLOSE)


@KINDS
def test_weights_count_in_training_in_scoring_and_in_the_scale(values, kind):
    X, y = values
    weight = np.tile([0.0, 1.0, 2.0, 1.0], 20)
    folds = np.arange(80) // 4 % 3
    ours, _ = value_pair(kind, cv=PredefinedSplit(folds))
    weighted = clone(ours).fit(X, y, sample_weight=weight)
    repeats = weight.astype(int)
    repeated = ours.set_params(cv=PredefinedSplit(np.repeat(folds, repeats)))
    repeated.fit(np.repeat(X, repeats, axis=0), np.repeat(y, repeats))
    for key in weighted.cv_results_:
        if "test_score" in key and "rank" not in key:
            expected = repeated.cv_results_[key]
            assert_allclose(weighted.cv_results_[key], expected, rtol=CLOSE, atol=CLOSE)


def test_the_answer_does_not_depend_on_the_number_of_jobs(values):
    one, _ = value_pair("kernel", FEW, cv=3)
    two = clone(one).set_params(n_jobs=2).fit(*values)
    one.fit(*values)
    for key in one.cv_results_:
        if "test_score" in key:
            assert_array_equal(one.cv_results_[key], two.cv_results_[key])


def test_groups_reach_the_splitter(values):
    X, y = values
    groups = np.arange(80) % 4
    ours, theirs = value_pair("linear", FEW, cv=GroupKFold(4))
    ours.fit(X, y, groups=groups)
    assert_same_results(ours, theirs.fit(X, y, groups=groups), rtol=CLOSE)


@KINDS
def test_unseen_predictions_are_those_of_the_best_point_in_its_folds(values, kind):
    X, y = values
    ours, _ = value_pair(kind, FEW, cv=4)
    ours.fit(X, y)
    expected = cross_val_predict(ours.best_estimator_, X, y, cv=4)
    assert_allclose(ours.unseen_predictions_, expected, rtol=CLOSE)
    column = clone(ours).fit(X, y[:, None]).unseen_predictions_
    assert_array_equal(column, ours.unseen_predictions_[:, None])


def test_unseen_predictions_far_from_zero_keep_their_digits(values):
    X, y = values
    found = LinearLDMRegressorCV(**ONE, cv=3).fit(X, y + 1e9).unseen_predictions_
    assert r2_score(y + 1e9, found) > 0.5


def test_too_many_unseen_predictions_are_not_kept(values, monkeypatch):
    search = LinearLDMRegressorCV(**ONE, cv=3)
    monkeypatch.setattr(search_module, "MAX_KEPT_BYTES", 8 * 80)
    assert hasattr(search.fit(*values), "unseen_predictions_")
    monkeypatch.setattr(search_module, "MAX_KEPT_BYTES", 8 * 80 - 1)
    assert not hasattr(search.fit(*values), "unseen_predictions_")


@pytest.mark.parametrize("kind", ["kernel", "linear"])
def test_a_quantile_is_scored_by_its_share_of_the_pinball_loss(values, kind):
    grid = {**FEW, "lambda_var": [0.0, 0.5]}
    options = {"loss": "quantile", "quantile": 0.8, "cv": 3}
    ours, theirs = value_pair(kind, grid, **options)
    theirs.scoring = make_scorer(d2_pinball_score, alpha=0.8)
    assert_same_results(ours.fit(*values), theirs.fit(*values), rtol=CLOSE)


def test_several_quantiles_are_refused(values):
    search = LDMRegressorCV(loss="quantile", quantile=[0.1, 0.9])
    with pytest.raises(ValueError, match=r"one quantile at a time.*one search per quantil"):
        search.fit(*values)


def test_a_price_that_a_quantile_refuses_is_refused_before_the_search(values):
    search = LDMRegressorCV(loss="quantile", lambda_squares=[0.0, "scale"])
    with pytest.raises(
        ValueError, match=r"lambda_squares must hold .* needs lambda_square"
    ):
        search.fit(*values)


def test_the_grid_of_a_quantile_has_no_tube_and_no_lambda(values):
    search = LinearLDMRegressorCV(loss="quantile", cv=2).fit(*values)
    names = "epsilon", "lambda_var", "lambda_square"
    varied = [name for name in names if len(set(search.cv_results_[f"param_{name}"])) > 1]
    assert varied == []
    assert search.best_params_["lambda_var"] == 0.0


@pytest.mark.parametrize("factor", [1e-3, 1e3])
def test_the_best_point_follows_the_units_of_the_values(values, factor):
    X, y = values
    search = LDMRegressorCV(gammas=[0.5], cv=3, tol=1e-8)
    mean = search.fit(X, y).cv_results_["mean_test_score"]
    other = clone(search).fit(X, factor * y)
    assert_allclose(other.cv_results_["mean_test_score"], mean, atol=1e-4)
    assert other.best_params_ == search.best_params_


def test_of_equal_points_the_smallest_C_the_widest_tube_and_the_largest_lambda_win():
    X = np.arange(12.0)[:, None]
    search = LDMRegressorCV(cv=3, scoring=lambda machine, X, y: 0.5)
    best = search.fit(X, X[:, 0]).best_params_
    shown = search.cv_results_
    assert len(shown["params"]) == 90
    assert (best["C"], best["epsilon"]) == ("0.01*scale", "0.5*scale")
    assert (best["gamma"], best["lambda_var"]) == ("0.0625*scale", "300*scale")


def test_a_fold_that_fails_gets_the_error_score(values):
    X, y = values
    search = LinearLDMRegressorCV(**ONE, cv=PredefinedSplit(np.arange(80) % 3))
    weight = (np.arange(80) % 3 != 0).astype(float)
    with pytest.warns(FitFailedWarning, match=r"Their score is -1"):
        search.set_params(error_score=-1).fit(X, y, weight)
    assert search.cv_results_["split0_test_score"] == [-1]
    assert search.cv_results_["split1_test_score"] > 0


def test_a_precomputed_gram_is_split_on_both_sides(values):
    X, y = values
    prices = of_the_search(VALUE_PRICES)
    with_kernel = LDMRegressorCV(**prices, gammas=[0.1], cv=3, **TIGHTER).fit(X, y)
    with_gram = LDMRegressorCV(**prices, kernel="precomputed", cv=3, **TIGHTER)
    assert_allclose(
        with_gram.fit(rbf_kernel(X, gamma=0.1), y).cv_results_["mean_test_score"],
        with_kernel.cv_results_["mean_test_score"],
        rtol=CLOSE,
    )


def test_more_features_than_rows_are_searched_by_their_inner_products(values):
    X, y = values
    wide = np.hstack([X, np.random.default_rng(0).normal(scale=0.1, size=(80, 100))])
    ours, theirs = value_pair("linear", FEW, cv=3)
    assert isinstance(ours._searched_machine(wide), LDMRegressor)
    assert_same_results(ours.fit(wide, y), theirs.fit(wide, y), rtol=CLOSE)


def test_progress_goes_to_the_logger(values, caplog):
    with caplog.at_level(logging.INFO, logger="largemargin"):
        LinearLDMRegressorCV(cv=2, verbose=1).fit(*values)
    assert "60 of 60 fits" in caplog.text


def test_a_search_leaves_out_what_it_has_no_time_for(values):
    search = LDMRegressorCV(time_limit=0.02)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        search.fit(*values)
    assert any("fits were left out" in str(one.message) for one in caught)
    assert np.isnan(search.cv_results_["mean_test_score"]).any()
    assert np.isfinite(search.predict(values[0])).all()


def test_a_search_around_a_machine_has_its_point():
    machine = LDMRegressor(epsilon=0.3, lambda_var=0.0, kernel="poly", quantile=0.2)
    search = LDMRegressorCV.around(machine, C=[1, 2], lambda_square=None)
    assert search.Cs == [1, 2]
    assert search.epsilons == [0.3]
    assert search.lambda_squares is None
    assert (search.kernel, search.quantile) == ("poly", 0.2)


def test_without_a_refit_there_is_no_prediction(values):
    search = LinearLDMRegressorCV(**ONE, cv=2, refit=False).fit(*values)
    assert not hasattr(search, "predict")
    assert not hasattr(search, "unseen_predictions_")


def test_a_value_of_a_grid_must_be_a_number_or_a_multiple_of_scale(values):
    with pytest.raises(ValueError, match=r"Cs must hold values that C of LDMRegressor"):
        LDMRegressorCV(Cs=["big"]).fit(*values)
