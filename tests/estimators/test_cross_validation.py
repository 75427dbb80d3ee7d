"""Folds, scores and progress of a search, and what may go wrong in a fold."""

import logging
import re
from itertools import count
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import FitFailedWarning
from sklearn.metrics import make_scorer
from sklearn.model_selection import (
    PredefinedSplit,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_predict,
)

from largemargin import LDMClassifierCV, LinearLDMClassifierCV
from largemargin.estimators import cross_validation as search_module
from largemargin.estimators.targets import class_scores
from machines import fixed_linear_ldm
from searching import TIGHT, pair


def test_a_fold_of_one_class_gets_the_error_score(rows):
    X, y = rows
    order = np.argsort(y, kind="stable")
    alone = order[:30], order[30:]
    both = np.arange(0, 90, 2), np.arange(1, 90, 2)
    search = LinearLDMClassifierCV("wide", Cs=[1.0], cv=[alone, both])
    with (
        pytest.warns(FitFailedWarning, match=r"10 of 20 fits .*one class only"),
        pytest.raises(ValueError, match="No point of the grid has a score"),
    ):
        search.fit(X, y)
    search.set_params(error_score=0.0)
    with pytest.warns(FitFailedWarning, match=r"Their score is 0\.0"):
        search.fit(X, y)
    assert (search.cv_results_["split0_test_score"] == 0).all()
    with pytest.raises(ValueError, match="one class only"):
        search.set_params(error_score="raise").fit(X, y)
    with pytest.raises(ValueError, match="All 10 of 10 fits"):
        search.set_params(error_score=np.nan, cv=[alone]).fit(X, y)


def test_a_scorer_that_fails_gets_the_error_score(rows):
    def fails(machine, X, y):
        raise RuntimeError("no score today")

    search = LinearLDMClassifierCV(Cs=[1.0], cv=2, scoring=fails)
    with pytest.raises(ValueError, match=r"All .* RuntimeError: no score today"):
        search.fit(*rows)
    search.set_params(scoring=make_scorer(lambda y, p: np.nan))
    with pytest.raises(ValueError, match="score was NaN"):
        search.fit(*rows)


def test_an_interrupt_tells_how_much_was_done(rows, monkeypatch):
    original, calls = search_module.judgements, []

    def third_time_interrupted(*args):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return original(*args)

    monkeypatch.setattr(search_module, "judgements", third_time_interrupted)
    search, _ = pair("linear", cv=ShuffleSplit(4, random_state=0))
    with pytest.raises(KeyboardInterrupt, match=r"after 48 of 64 fits \(16 points in 4"):
        search.fit(*rows)
    assert not hasattr(search, "cv_results_")


def test_progress_goes_to_the_logger(rows, caplog):
    with caplog.at_level(logging.INFO, logger="largemargin"):
        LinearLDMClassifierCV("wide", Cs=[1.0], cv=2, verbose=1).fit(*rows)
    assert "20 of 20 fits" in caplog.text
    assert "s left" in caplog.text


def test_progress_is_told_within_a_fold_that_takes_long(rows, caplog, monkeypatch):
    monkeypatch.setattr(search_module, "REPORT_SECONDS", 0.0)
    with caplog.at_level(logging.INFO, logger="largemargin"):
        LinearLDMClassifierCV("wide", Cs=[1.0], cv=2, verbose=1).fit(*rows)
    told = [record.progress for record in caplog.records if hasattr(record, "progress")]
    assert told == sorted(told)
    assert {done for done, _ in told} == set(range(1, 21))
    assert {total for _, total in told} == {20}


def test_the_first_estimates_of_the_time_left_are_sensible(iris, caplog, monkeypatch):
    ticks = count()  # one second for each look at the clock, about two for each problem
    clock = SimpleNamespace(perf_counter=lambda: float(next(ticks)))
    monkeypatch.setattr(search_module, "time", clock)
    monkeypatch.setattr(search_module, "REPORT_SECONDS", 0.0)
    with caplog.at_level(logging.INFO, logger="largemargin"):
        LDMClassifierCV("wide", Cs=[1.0], gammas=[0.1, 1.0], cv=2, verbose=1).fit(*iris)
    told = [record.getMessage() for record in caplog.records if "fits" in record.msg]
    found = [re.search(r"fits, ([0-9.]+) s, ([0-9.]+) s left", one) for one in told]
    estimates = [float(one[1]) + float(one[2]) for one in found if one]
    assert "left" not in told[0]
    assert len(estimates) > 100  # there are 40 fits, of three problems each
    assert told[-1].endswith(" 0.0 s left")
    assert_allclose(estimates, estimates[-1], rtol=0.3)


def test_folds_without_weight_fail_by_themselves(rows):
    X, y = rows
    folds = np.arange(90) % 3
    search = LinearLDMClassifierCV(Cs=[1.0], lambda_vars=["scale"], error_score=0.0)
    search.set_params(cv=PredefinedSplit(folds))
    with pytest.warns(FitFailedWarning, match="no row of any weight to test on"):
        search.fit(X, y, sample_weight=folds != 0)
    assert (search.cv_results_["split0_test_score"] == 0).all()
    assert (search.cv_results_["split1_test_score"] > 0).all()
    with pytest.raises(ValueError, match=r"All .*at least one non-zero"):
        search.fit(X, y, sample_weight=folds == 0)


def test_a_kernel_that_fails_in_a_fold_gets_the_error_score(rows):
    calls = []

    def moody(X, Y):
        calls.append(1)
        if len(calls) == 1:
            raise RuntimeError("not now")
        return X @ Y.T

    search = LDMClassifierCV(Cs=[1.0], lambda_vars=[0.0], lambda_means=[0.0])
    search.set_params(kernel=moody, error_score=0.0)
    with pytest.warns(FitFailedWarning, match="RuntimeError: not now"):
        search.fit(*rows)
    assert len(search.cv_results_["params"]) == 1  # no widths to search


def test_scorers_get_weights_only_if_they_take_them(rows):
    X, y = rows
    weight = np.arange(90) % 2 + 1.0
    search = LinearLDMClassifierCV(Cs=[1.0], lambda_vars=[0.0], cv=3)
    for scoring in (lambda machine, X, y: machine.score(X, y), "balanced_accuracy"):
        assert search.set_params(scoring=scoring).fit(X, y, weight).best_score_ > 0.5


@pytest.mark.parametrize("scoring", [None, "roc_auc"])
@pytest.mark.parametrize("kind", ["kernel", "linear"])
def test_scores_of_unseen_rows_are_those_of_the_best_point_in_its_folds(
    rows, kind, scoring
):
    X, y = rows
    ours, _ = pair(kind, cv=StratifiedKFold(3, shuffle=True, random_state=1))
    ours.set_params(scoring=scoring).fit(X, y)
    expected = cross_val_predict(
        ours.best_estimator_, X, y, cv=ours.cv, method="decision_function"
    )
    assert_allclose(ours.unseen_scores_, expected, atol=1e-5)


def test_scores_of_unseen_rows_have_a_column_a_pair_of_classes_that_have_weight(iris):
    X, y = iris
    options = {"Cs": [1], "lambda_vars": [0], "lambda_means": [0], "cv": 3, **TIGHT}
    search = LinearLDMClassifierCV(**options).fit(X, y)
    expected = cross_val_predict(
        search.best_estimator_, X, y, cv=3, method="decision_function"
    )
    assert_allclose(class_scores(search.unseen_scores_, 3), expected, atol=1e-5)
    search.fit(X, y, sample_weight=(y != 2).astype(float))
    assert search.unseen_scores_.shape == (150,)
    assert ((search.unseen_scores_ > 0) == y)[y != 2].mean() > 0.9


def test_of_folds_that_test_a_row_the_first_gives_its_score(rows):
    X, y = rows
    train, test = np.arange(40, 90), np.arange(20)
    splits = [(train, test), (train[:40], np.arange(10, 30))]
    options = {"Cs": [1], "lambda_vars": [0], "lambda_means": [0], "loss": "hinge"}
    options |= TIGHT
    found = LinearLDMClassifierCV(cv=splits, **options).fit(X, y).unseen_scores_
    machine = fixed_linear_ldm(lambda_var=0, lambda_mean=0, **TIGHT)
    first = machine.fit(X[train], y[train]).decision_function(X[:20])
    second = machine.fit(X[train[:40]], y[train[:40]]).decision_function(X[20:30])
    assert_allclose(found[:30], [*first, *second], atol=1e-5)
    assert np.isnan(found[30:]).all()


def test_a_fold_that_lacks_a_class_scores_no_row(iris):
    X, y = iris
    without = np.flatnonzero(y != 2)
    splits = [(without[::2], without[1::2]), (np.arange(0, 150, 2), [1, 51, 101])]
    options = {"Cs": [1], "lambda_vars": [0], "lambda_means": [0]}
    scores = LinearLDMClassifierCV(cv=splits, **options).fit(X, y).unseen_scores_
    assert_array_equal(np.flatnonzero(~np.isnan(scores).any(axis=1)), [1, 51, 101])


def test_too_many_scores_are_not_kept(rows, monkeypatch):
    search = LinearLDMClassifierCV(Cs=[1], lambda_vars=[0], lambda_means=[0], cv=3)
    assert hasattr(search.fit(*rows), "unseen_scores_")
    monkeypatch.setattr(search_module, "MAX_KEPT_BYTES", 4 * 90 - 1)
    assert not hasattr(search.fit(*rows), "unseen_scores_")
    monkeypatch.undo()
    assert not hasattr(search.set_params(refit=False).fit(*rows), "unseen_scores_")
