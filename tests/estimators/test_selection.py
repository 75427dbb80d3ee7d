"""Searches against GridSearchCV over the plain machines, and in bad company."""

import logging

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import pdist
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.exceptions import FitFailedWarning
from sklearn.metrics import make_scorer
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    LeaveOneOut,
    PredefinedSplit,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_predict,
)

from largemargin import (
    LDMClassifier,
    LDMClassifierCV,
    LinearLDMClassifier,
    LinearLDMClassifierCV,
)
from largemargin.estimators import cross_validation as search_module
from largemargin.estimators import linear_ldm_cv

PRICES = {
    "C": [0.1, 10.0],
    "lambda_var": [0.0, 2**-4, "scale", "20*scale"],
    "lambda_mean": [0.0, "0.5*scale"],
}
GAMMAS = {"gamma": [0.1, "scale", "3*scale"]}
# So tight that no row lies between the answers of two solvers.
TIGHT = {"tol": 1e-9}


@pytest.fixture
def rows():
    X, y = make_classification(
        90, 6, n_informative=4, flip_y=0.2, weights=[0.6], random_state=0
    )
    return X, np.array(["no", "yes"])[y]


def of_the_search(grid):
    return {f"{name}s": values for name, values in grid.items()}


def pair(kind, **options):
    """Return a search of ours and the same search by scikit-learn."""
    shared = {**TIGHT, **{k: v for k, v in options.items() if k in ("kernel",)}}
    if kind == "kernel":
        grid = {**PRICES, **GAMMAS}
        ours, machine = LDMClassifierCV, LDMClassifier(**shared)
    else:
        grid, ours, machine = PRICES, LinearLDMClassifierCV, LinearLDMClassifier(**shared)
    return (
        ours(**of_the_search(grid), **TIGHT, **options),
        GridSearchCV(machine, grid, **{k: v for k, v in options.items() if k != "kernel"}),
    )


def assert_same_results(ours, theirs):
    for key, wanted in theirs.cv_results_.items():
        found = ours.cv_results_[key]
        if key == "params":
            assert found == wanted
        elif key.startswith("param_"):
            assert list(found) == list(wanted)
        elif "test_score" in key:
            assert_allclose(found, wanted, err_msg=key)
    assert set(ours.cv_results_) == set(theirs.cv_results_)
    assert ours.best_params_ == theirs.best_params_
    assert ours.best_index_ == theirs.best_index_
    assert_allclose(ours.best_score_, theirs.best_score_)


@pytest.mark.parametrize("kind", ["kernel", "linear"])
def test_scores_equal_those_of_a_grid_search(rows, kind):
    ours, theirs = pair(kind, cv=StratifiedKFold(3, shuffle=True, random_state=1))
    X, y = rows
    assert_same_results(ours.fit(X, y), theirs.fit(X, y))
    assert_array_equal(ours.predict(X), theirs.predict(X))
    assert_allclose(
        ours.decision_function(X), theirs.best_estimator_.decision_function(X), atol=1e-6
    )
    assert ours.score(X, y) == theirs.score(X, y)


@pytest.mark.parametrize("scoring", ["accuracy", "roc_auc"])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_wide_rows_are_searched_by_their_inner_products(form, scoring, monkeypatch):
    X, y = make_classification(60, 200, n_informative=10, flip_y=0.2, random_state=0)
    X = form(X)
    ours, theirs = pair("linear", cv=StratifiedKFold(3), scoring=scoring)
    assert_same_results(ours.fit(X, y), theirs.fit(X, y))
    assert type(ours.best_estimator_) is LinearLDMClassifier
    by_inner_products = ours.unseen_scores_
    monkeypatch.setattr(linear_ldm_cv, "MAX_SEARCHED_GRAM_ROWS", 0)
    assert_allclose(ours.fit(X, y).unseen_scores_, by_inner_products, atol=1e-5)


@pytest.mark.parametrize("scoring", ["accuracy", "balanced_accuracy", "roc_auc"])
def test_any_scorer_gives_what_it_gives_in_a_grid_search(rows, scoring):
    ours, theirs = pair("kernel", cv=3, scoring=scoring)
    assert_same_results(ours.fit(*rows), theirs.fit(*rows))


def test_a_scorer_may_ask_the_machine_for_anything(rows):
    def few_support_vectors(machine, X, y):
        return -len(machine.support_)

    ours, theirs = pair("kernel", cv=3, scoring=few_support_vectors)
    ours.set_params(lambda_vars=[0.0], lambda_means=[0.0])
    theirs.param_grid = {**theirs.param_grid, "lambda_var": [0.0], "lambda_mean": [0.0]}
    assert_same_results(ours.fit(*rows), theirs.fit(*rows))


@pytest.mark.parametrize("kind", ["kernel", "linear"])
def test_several_classes_are_searched_like_two(iris, kind):
    ours, theirs = pair(kind, cv=3)
    X, y = iris[0][::2], iris[1][::2]
    assert_same_results(ours.fit(X, y), theirs.fit(X, y))
    assert ours.decision_function(X).shape == (len(X), 3)


@pytest.mark.parametrize("kind", ["kernel", "linear"])
def test_sparse_rows_give_the_scores_of_dense_ones(rows, kind):
    X, y = rows
    dense, _ = pair(kind, cv=3)
    sparse = clone(dense).fit(sp.csr_array(X), y)
    assert_allclose(
        sparse.cv_results_["mean_test_score"],
        dense.fit(X, y).cv_results_["mean_test_score"],
    )


def test_a_precomputed_gram_is_split_on_both_sides(rows):
    X, y = rows
    with_kernel = LDMClassifierCV(**of_the_search(PRICES), gammas=[0.1], cv=3, **TIGHT)
    with_gram = LDMClassifierCV(
        **of_the_search(PRICES), kernel="precomputed", cv=3, **TIGHT
    )
    gram = rbf_kernel(X, gamma=0.1)
    assert_allclose(
        with_gram.fit(gram, y).cv_results_["mean_test_score"],
        with_kernel.fit(X, y).cv_results_["mean_test_score"],
    )


def test_weights_count_in_training_and_in_scoring(rows):
    X, y = rows
    weight = np.tile([0.0, 1.0, 2.0], 30)
    folds = np.arange(90) // 3 % 3
    ours, _ = pair("linear", cv=PredefinedSplit(folds))
    weighted = clone(ours).fit(X, y, sample_weight=weight)
    repeats = weight.astype(int)
    repeated = ours.set_params(cv=PredefinedSplit(np.repeat(folds, repeats)))
    repeated.fit(np.repeat(X, repeats, axis=0), np.repeat(y, repeats))
    for key in weighted.cv_results_:
        if "test_score" in key:
            assert_allclose(weighted.cv_results_[key], repeated.cv_results_[key])


def test_the_answer_does_not_depend_on_the_number_of_jobs(rows):
    one, _ = pair("kernel", cv=3)
    two = clone(one).set_params(n_jobs=2).fit(*rows)
    one.fit(*rows)
    for key in one.cv_results_:
        if "test_score" in key:
            assert_array_equal(one.cv_results_[key], two.cv_results_[key])
    assert_array_equal(one.best_estimator_.dual_coef_, two.best_estimator_.dual_coef_)


def test_groups_reach_the_splitter(rows):
    X, y = rows
    groups = np.arange(90) % 4
    ours, theirs = pair("linear", cv=GroupKFold(4))
    assert_same_results(ours.fit(X, y, groups=groups), theirs.fit(X, y, groups=groups))


def test_the_paper_grid_has_735_points_and_widths_in_units_of_the_distance(rows):
    X, y = rows
    search = LDMClassifierCV("paper", cv=2).fit(X, y)
    results = search.cv_results_
    assert len(results["params"]) == 735
    assert set(results["param_C"]) == {10.0, 50.0, 100.0}
    lambdas = {2.0**k for k in range(-8, -1)}
    assert set(results["param_lambda_var"]) == set(results["param_lambda_mean"]) == lambdas
    # A row may meet itself, which makes the mean one n-th smaller.
    widths = pdist(X).mean() * (1 - 1 / len(X)) * 2.0 ** np.arange(-2, 3)
    assert_allclose(sorted(set(results["param_gamma"])), sorted(1 / (2 * widths**2)))
    assert len(LinearLDMClassifierCV("paper", cv=2).fit(X, y).cv_results_["params"]) == 147


def test_widths_count_rows_by_their_weight(rows):
    X, y = rows
    weight = np.tile([1, 2, 3], 30)
    folds = PredefinedSplit(np.arange(90) % 2)
    options = {"Cs": [1.0], "lambda_vars": [0], "lambda_means": [0]}
    weighted = LDMClassifierCV("paper", cv=folds, **options).fit(X, y, weight)
    repeated = LDMClassifierCV("paper", cv=2, **options)
    repeated.fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    scaled = clone(weighted).fit(X, y, weight / 1000)
    assert_allclose(
        list(scaled.cv_results_["param_gamma"]), list(weighted.cv_results_["param_gamma"])
    )
    assert_allclose(
        list(weighted.cv_results_["param_gamma"]), list(repeated.cv_results_["param_gamma"])
    )


def test_without_a_refit_there_is_no_prediction(rows):
    search = LinearLDMClassifierCV(cv=2, refit=False).fit(*rows)
    assert search.best_params_["C"] in search.cv_results_["param_C"]
    assert not hasattr(search, "predict")
    with pytest.raises(AttributeError) as raised:
        search.decision_function(rows[0])
    assert "refit=True" in str(raised.value.__cause__)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"Cs": []}, "Cs must hold at least one value"),
        ({"Cs": [1.0, -1.0]}, r"Cs must hold values that C .*got -1.0"),
        ({"Cs": [np.nan]}, "got nan"),
        ({"lambda_vars": ["much"]}, r"got 'much'.*'0.3\*scale'"),
        ({"lambda_means": ["-1*scale"]}, "lambda_means"),
        ({"gammas": [0.0]}, "gammas must hold values"),
        ({"grid": "wide"}, "'grid' parameter"),
        ({"scoring": "no such"}, "'scoring' parameter"),
        ({"cv": 1}, "'cv' parameter"),
        ({"cv": []}, "no splits"),
        ({"cv": [([0, 1, 2], [])]}, "no rows"),
    ],
)
def test_bad_grids_and_splitters_are_refused(rows, options, message):
    search = LDMClassifierCV(**options)
    with pytest.raises(ValueError, match=message):
        search.fit(*rows)
    assert not hasattr(search, "cv_results_")


def test_a_fold_of_one_class_gets_the_error_score(rows):
    X, y = rows
    order = np.argsort(y, kind="stable")
    alone = order[:30], order[30:]
    both = np.arange(0, 90, 2), np.arange(1, 90, 2)
    search = LinearLDMClassifierCV(Cs=[1.0], cv=[alone, both])
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


def test_prices_without_a_minimum_never_win(rows):
    X, y = rows
    search = LinearLDMClassifierCV(Cs=[1.0], lambda_vars=[0], lambda_means=[0, 1e9], cv=3)
    search.fit(X, y)
    assert search.best_params_["lambda_mean"] == 0
    assert np.isnan(search.cv_results_["mean_test_score"][1])
    assert_array_equal(search.cv_results_["rank_test_score"], [1, 2])
    with pytest.raises(ValueError, match=r"All .*no minimum"):
        search.set_params(lambda_means=[1e9]).fit(X, y)


def test_a_scorer_that_fails_gets_the_error_score(rows):
    def fails(machine, X, y):
        raise RuntimeError("no score today")

    search = LinearLDMClassifierCV(Cs=[1.0], cv=2, scoring=fails)
    with pytest.raises(ValueError, match=r"All .* RuntimeError: no score today"):
        search.fit(*rows)
    search.set_params(scoring=make_scorer(lambda y, p: np.nan))
    with pytest.raises(ValueError, match="score was NaN"):
        search.fit(*rows)


def test_leave_one_out_is_a_splitter_like_any_other(rows):
    X, y = rows[0][:20], rows[1][:20]
    ours, theirs = pair("linear", cv=LeaveOneOut())
    assert_same_results(ours.fit(X, y), theirs.fit(X, y))


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
        LinearLDMClassifierCV(Cs=[1.0], cv=2, verbose=1).fit(*rows)
    assert "20 of 20 fits" in caplog.text
    assert "s left" in caplog.text


def test_progress_is_told_within_a_fold_that_takes_long(rows, caplog, monkeypatch):
    monkeypatch.setattr(search_module, "REPORT_SECONDS", 0.0)
    with caplog.at_level(logging.INFO, logger="largemargin"):
        LinearLDMClassifierCV(Cs=[1.0], cv=2, verbose=1).fit(*rows)
    told = [record.progress for record in caplog.records if hasattr(record, "progress")]
    assert told == sorted(told)
    assert {done for done, _ in told} == set(range(1, 21))
    assert {total for _, total in told} == {20}


def test_entries_that_come_twice_in_sparse_rows_are_added(rows):
    X, y = rows
    columns, starts = np.tile(np.tile(np.arange(6), 2), 90), np.arange(0, 1081, 12)
    twice = sp.csr_matrix((np.hstack([3 * X, -2 * X]).ravel(), columns, starts), (90, 6))
    ours, _ = pair("linear", cv=3)
    scores = [clone(ours).fit(Z, y).cv_results_["mean_test_score"] for Z in (X, twice)]
    assert_allclose(*scores)


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


def test_names_of_features_reach_the_best_machine(rows):
    pd = pytest.importorskip("pandas")
    X, y = pd.DataFrame(rows[0], columns=list("abcdef")), rows[1]
    search = LDMClassifierCV(Cs=[1.0], lambda_vars=[0.0], cv=2).fit(X, y)
    assert list(search.best_estimator_.feature_names_in_) == list("abcdef")
    assert_array_equal(search.predict(X), search.best_estimator_.predict(X))


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


def test_scores_of_unseen_rows_have_a_column_a_class_that_has_weight(iris):
    X, y = iris
    options = {"Cs": [1], "lambda_vars": [0], "lambda_means": [0], "cv": 3, **TIGHT}
    search = LinearLDMClassifierCV(**options).fit(X, y)
    expected = cross_val_predict(
        search.best_estimator_, X, y, cv=3, method="decision_function"
    )
    assert_allclose(search.unseen_scores_, expected, atol=1e-5)
    search.fit(X, y, sample_weight=(y != 2).astype(float))
    assert search.unseen_scores_.shape == (150,)
    assert ((search.unseen_scores_ > 0) == y)[y != 2].mean() > 0.9


def test_of_folds_that_test_a_row_the_first_gives_its_score(rows):
    X, y = rows
    train, test = np.arange(40, 90), np.arange(20)
    splits = [(train, test), (train[:40], np.arange(10, 30))]
    options = {"Cs": [1], "lambda_vars": [0], "lambda_means": [0], **TIGHT}
    found = LinearLDMClassifierCV(cv=splits, **options).fit(X, y).unseen_scores_
    machine = LinearLDMClassifier(lambda_var=0, lambda_mean=0, **TIGHT)
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
    monkeypatch.setattr(search_module, "MAX_KEPT", 89)
    assert not hasattr(search.fit(*rows), "unseen_scores_")
    monkeypatch.undo()
    assert not hasattr(search.set_params(refit=False).fit(*rows), "unseen_scores_")


def test_a_search_without_a_refit_forgets_the_last_one(rows):
    search = LinearLDMClassifierCV(Cs=[1.0], cv=2).fit(*rows)
    search.set_params(refit=False).fit(*rows)
    assert not hasattr(search, "best_estimator_")


def test_any_two_numbers_are_labels(rows):
    X, y = rows
    search = LinearLDMClassifierCV(Cs=[1, 10], cv=3)
    halves = np.where(y == "yes", 1.5, 0.5)
    expected = search.fit(X, y).cv_results_["mean_test_score"]
    assert_allclose(search.fit(X, halves).cv_results_["mean_test_score"], expected)
