"""More than two classes, fitted in pairs."""

import pickle
from contextlib import nullcontext
from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine, make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from largemargin import (
    LDMClassifierCV,
    LinearLDMClassifierCV,
    ODMClassifier,
    ODMClassifierCV,
)
from largemargin.estimators import kernel_space
from largemargin.estimators.targets import class_scores
from largemargin.numerics.memory import TooLarge
from machines import fixed_ldm, fixed_linear_ldm

MACHINES = [
    fixed_ldm(gamma=0.3, tol=1e-8),
    fixed_ldm(gamma=0.3, lambda_var=0, lambda_mean=0, tol=1e-8),
    fixed_ldm(kernel="linear", tol=1e-8),
    fixed_ldm(gamma=0.3, fit_intercept=False, tol=1e-8),
    fixed_linear_ldm(tol=1e-8),
    fixed_linear_ldm(lambda_var=0.1, lambda_mean=0.1, C=5, tol=1e-8),
    ODMClassifier(gamma=0.3, tol=1e-8),
    ODMClassifier(kernel="linear", tol=1e-8),
]


@pytest.fixture
def four():
    """Four classes of unequal size that overlap, named, in mixed order."""
    X, y = make_blobs([25, 40, 30, 20], 4, cluster_std=4.0, random_state=3)
    order = np.random.default_rng(0).permutation(len(y))
    names = np.array(["a", "b", "c", "d"])[y]
    return StandardScaler().fit_transform(X)[order], names[order]


def pair_scores(machine, X):
    """Return the scores of rows by the machine of each pair."""
    return np.concatenate(list(machine._pair_scores(X)))


@pytest.mark.parametrize("machine", MACHINES, ids=str)
@pytest.mark.parametrize("weighted", [False, True])
def test_each_pair_is_the_machine_of_two_classes(machine, weighted, four):
    X, y = four
    weight = (
        np.random.default_rng(1).uniform(0.2, 3, len(y)) if weighted else np.ones(len(y))
    )
    machine = clone(machine).fit(X, y, weight)
    scores = pair_scores(machine, X)
    for k, pair in enumerate(combinations("abcd", 2)):
        own = np.isin(y, pair)
        two = clone(machine).fit(X[own], y[own], weight[own])
        assert_allclose(scores[:, k], two.decision_function(X), atol=1e-4)
        assert_allclose(machine.intercept_[k], two.intercept_[0], atol=1e-4)
        assert_allclose(machine.objective_[k], two.objective_, rtol=1e-7)
        assert_allclose(machine.margin_mean_[k], two.margin_mean_, rtol=1e-4)
        assert_allclose(machine.margin_variance_[k], two.margin_variance_, atol=1e-4)
        assert machine.duality_gap_[k] <= machine.tol
        assert (machine.dual_beta_[k, ~own] == 0).all()
        assert_allclose(machine.dual_beta_[k, own], two.dual_beta_, atol=0.01)
        if hasattr(machine, "coef_"):
            assert_allclose(machine.coef_[k], two.coef_[0], atol=1e-4)
    assert len(machine.history_) == 6


@pytest.mark.parametrize("data", [load_iris, load_wine])
@pytest.mark.parametrize("options", [{}, {"kernel": "linear"}, {"C": 10}], ids=str)
def test_zero_prices_are_the_pairs_of_svc(data, options):
    X, y = data(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    ours = fixed_ldm(lambda_var=0, lambda_mean=0, tol=1e-10).set_params(**options)
    svm = SVC(tol=1e-10, decision_function_shape="ovo").set_params(**options).fit(X, y)
    ours.fit(X, y)
    # Positive for the second class here, for the first one there.
    assert_allclose(pair_scores(ours, X), -svm.decision_function(X), atol=1e-4)
    assert_array_equal(ours.predict(X), svm.predict(X))
    svm.decision_function_shape = "ovr"
    assert_allclose(ours.decision_function(X), svm.decision_function(X), atol=1e-4)


def test_scale_prices_are_those_of_the_pair_and_the_width_that_of_all_rows(four):
    X, y = four
    machine = fixed_ldm(tol=1e-8).fit(X, y)
    assert_allclose(machine._kernel.gamma, 1 / (X.shape[1] * X.var()))
    own = np.isin(y, ["b", "d"])
    price = 0.01 * own.sum()
    two = fixed_ldm(
        lambda_var=price, lambda_mean=price, gamma=machine._kernel.gamma, tol=1e-8
    )
    two.fit(X[own], y[own])
    assert_allclose(pair_scores(machine, X)[:, 4], two.decision_function(X), atol=1e-4)


@pytest.mark.parametrize("machine", [MACHINES[0], MACHINES[4]], ids=str)
def test_weights_are_repetitions(machine, four):
    X, y = four
    weight = np.random.default_rng(1).integers(0, 3, len(y))
    weighted = clone(machine).fit(X, y, weight)
    repeated = clone(machine).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    for one in np.flatnonzero(weight == 0):
        assert (weighted.dual_beta_[:, one] == 0).all()
    assert_allclose(pair_scores(weighted, X), pair_scores(repeated, X), atol=1e-4)
    assert_allclose(weighted.objective_, repeated.objective_, rtol=1e-6)


@pytest.mark.parametrize("machine", [MACHINES[0], MACHINES[4]], ids=str)
def test_other_names_of_the_classes_and_other_orders_of_rows_change_nothing(machine, four):
    X, y = four
    plain = clone(machine).fit(X, y)
    names = dict(zip("abcd", "zywx", strict=True))  # another order of the classes
    order = np.random.default_rng(2).permutation(len(y))
    other = clone(machine).fit(X[order], np.array([names[label] for label in y[order]]))
    columns = np.argsort(list("zywx"))
    assert_allclose(
        other.decision_function(X), plain.decision_function(X)[:, columns], atol=1e-4
    )


@pytest.mark.parametrize("kernel", ["rbf", "sigmoid", "precomputed", rbf_kernel])
def test_prediction_by_class_is_the_product_with_all_coefficients(kernel, four):
    X, y = four
    machine = fixed_ldm(kernel=kernel, gamma=0.2, coef0=0.1)
    rows = rbf_kernel(X, gamma=0.2) if kernel == "precomputed" else X
    cut_off = pytest.warns(UserWarning, match="definite")
    with cut_off if kernel == "sigmoid" else nullcontext():
        machine.fit(rows, y)
    if kernel == "precomputed":
        values = rows[:, machine.support_]
    else:
        values = machine._kernel(X, machine.support_vectors_)
    whole = values @ machine.dual_coef_.T + machine.intercept_
    assert_allclose(pair_scores(machine, rows), whole, atol=1e-10)
    labels = y[machine.support_]
    assert_array_equal(labels, np.sort(labels))
    for k, pair in enumerate(combinations("abcd", 2)):
        assert (machine.dual_coef_[k, ~np.isin(labels, pair)] == 0).all()


def test_scores_do_not_depend_on_the_blocks_of_rows(four, monkeypatch):
    X, y = four
    machine = fixed_ldm().fit(X, y)
    scores = machine.decision_function(X)
    monkeypatch.setattr("largemargin.estimators.base.MAX_PAIR_SCORES", 30)
    assert len(list(machine._pair_scores(X))) == len(y) / 5
    assert_allclose(machine.decision_function(X), scores, rtol=1e-12)


@pytest.mark.parametrize("machine", [fixed_ldm(), fixed_linear_ldm()], ids=str)
def test_the_result_does_not_depend_on_the_number_of_threads(machine, four):
    X, y = four
    one, two = (clone(machine).set_params(n_jobs=n).fit(X, y) for n in (1, 2))
    assert_array_equal(one.intercept_, two.intercept_)
    assert_array_equal(one.dual_beta_, two.dual_beta_)


@pytest.mark.parametrize("machine", [fixed_ldm(C=50), fixed_linear_ldm(C=50)], ids=str)
def test_a_warm_start_continues_the_pairs(machine, four):
    X, y = four
    machine = clone(machine).set_params(lambda_var=0.1, lambda_mean=0.1, tol=1e-6)
    cold = machine.fit(X, y).n_iter_
    before = pair_scores(machine, X)
    warm = machine.set_params(warm_start=True).fit(X, y).n_iter_
    assert warm < cold / 2
    assert_allclose(pair_scores(machine, X), before, atol=1e-2)


def test_a_warm_start_does_not_mistake_classes_for_pairs(iris):
    X, y = iris  # three classes, three pairs
    machine = fixed_ldm(multi_class="ovr", warm_start=True, tol=1e-8).fit(X, y)
    machine.set_params(multi_class="ovo")
    fresh = fixed_ldm(tol=1e-8).fit(X, y)
    assert_allclose(pair_scores(machine.fit(X, y), X), pair_scores(fresh, X), atol=1e-4)
    assert machine.n_iter_ == fresh.n_iter_


def test_a_fitted_machine_predicts_as_it_was_fitted(iris):
    X, y = iris
    for machine in fixed_ldm(), fixed_linear_ldm():
        scores = machine.fit(X, y).decision_function(X)
        machine.set_params(multi_class="ovr")
        assert_array_equal(machine.decision_function(X), scores)
        again = machine.fit(X, y).decision_function(X)
        assert np.abs(again - scores).max() > 0.5
        copy = pickle.loads(pickle.dumps(machine))
        assert_array_equal(copy.decision_function(X), again)


def test_a_machine_without_the_parameter_is_one_against_the_rest(iris):
    X, y = iris
    machine = fixed_linear_ldm(multi_class="ovr").fit(X, y)
    scores = machine.decision_function(X)
    for name in "multi_class", "_one_vs_one":  # as in files of 0.1.0
        vars(machine).pop(name)
    old = pickle.loads(pickle.dumps(machine))
    assert old.get_params()["multi_class"] == "ovr"
    assert_array_equal(old.decision_function(X), scores)
    assert clone(old).fit(X, y).coef_.shape == (3, 4)


def test_the_time_limit_is_for_all_pairs(four):
    X, y = four
    machine = fixed_linear_ldm(C=1e4, tol=1e-12, time_limit=1e-6)
    with pytest.warns(ConvergenceWarning, match="time_limit"):
        machine.fit(X, y)
    assert machine.decision_function(X).shape == (len(y), 4)


def test_sparse_rows_are_the_same_rows(four):
    X, y = four
    X = np.where(np.abs(X) < 0.5, 0.0, X)
    for machine in fixed_ldm(tol=1e-8), fixed_linear_ldm(tol=1e-8):
        dense = pair_scores(machine.fit(X, y), X)
        sparse = pair_scores(machine.fit(sp.csr_matrix(X), y), sp.csr_matrix(X))
        assert_allclose(sparse, dense, atol=1e-4)


def test_pairs_fit_where_the_gram_of_all_rows_does_not(four, monkeypatch):
    X, y = four
    whole = fixed_ldm(tol=1e-8).fit(X, y)
    # Room for the largest pair, of 70 rows, and not for all 115 rows.
    monkeypatch.setattr(kernel_space, "MAX_GRAM_BYTES", 8 * 71**2)
    parts = fixed_ldm(tol=1e-8).fit(X, y)
    assert parts.low_rank_residual_ is None
    assert_allclose(pair_scores(parts, X), pair_scores(whole, X), atol=1e-4)
    monkeypatch.setattr(kernel_space, "MAX_GRAM_BYTES", 8 * 60**2)
    monkeypatch.setattr(kernel_space, "MAX_POLISHED_ROWS", 60)
    with pytest.warns(ConvergenceWarning, match="low-rank"):
        low = fixed_ldm(tol=1e-8).fit(X, y)
    assert low.low_rank_residual_ is not None
    assert_array_equal(low.predict(X), whole.predict(X))


def test_an_indefinite_kernel_is_mentioned_once_for_all_pairs(four):
    X, y = four
    machine = fixed_ldm(kernel="sigmoid", gamma=0.05, coef0=-0.5)
    for _ in range(2):  # in each fit
        with pytest.warns(UserWarning, match="not positive semi-definite") as caught:
            machine.fit(X, y)
        assert len(caught) == 1


def test_too_many_classes_are_refused_before_memory_is_taken(monkeypatch):
    monkeypatch.setenv("LARGEMARGIN_MAX_BYTES", "50000000")
    X, y = np.random.default_rng(0).normal(size=(1000, 5)), np.arange(1000) % 500
    for machine in fixed_ldm(), fixed_linear_ldm():
        with pytest.raises(TooLarge, match=r"500 classes.*2 GB.*multi_class='ovr'"):
            machine.fit(X, y)
    wide = sp.csr_matrix((np.ones(100), (np.arange(100), np.arange(100))), (100, 400_000))
    with pytest.raises(TooLarge, match=r"10 classes in 400,000 features.*'ovr'"):
        fixed_linear_ldm().fit(wide, np.arange(100) % 10)
    with pytest.raises(TooLarge, match="features"):
        fixed_linear_ldm().partial_fit(wide, np.arange(100) % 10, classes=np.arange(10))


@pytest.mark.parametrize("scoring", [None, "balanced_accuracy"])
@pytest.mark.parametrize(
    ("search", "values"),
    [
        (LDMClassifierCV, {"gamma": [0.1, 1.0]}),
        (LinearLDMClassifierCV, {}),
        (ODMClassifierCV, {"gamma": [0.1], "mu": [0.5], "theta": [0.1]}),
    ],
)
def test_searches_score_as_a_grid_search(search, values, scoring, four):
    X, y = four
    values = {"C": [0.1, 10.0], **values}
    machine = search._machine_class(tol=1e-8)
    found = search.around(machine, **values).set_params(scoring=scoring).fit(X, y)
    grid = GridSearchCV(machine, found_grid(found), scoring=scoring).fit(X, y)
    for name in "mean_test_score", "split0_test_score":
        assert_allclose(found.cv_results_[name], grid.cv_results_[name], atol=1e-12)
    assert found.best_estimator_.multi_class == "ovo"
    assert found.unseen_scores_.shape == (len(y), 6)
    expected = cross_val_predict(found.best_estimator_, X, y, method="decision_function")
    assert_allclose(class_scores(found.unseen_scores_, 4), expected, atol=1e-4)


def found_grid(search):
    """Return the points of a search in the form of GridSearchCV."""
    points = search.cv_results_["params"]
    return [{name: [value] for name, value in point.items()} for point in points]


def test_batches_of_a_stream_may_lack_classes(iris):
    X, y = iris
    machine = fixed_linear_ldm(random_state=0)
    machine.partial_fit(X, y, classes=[0, 1, 2])
    before = machine.coef_.copy()
    machine.partial_fit(X[y == 0], y[y == 0])
    assert_array_equal(machine.coef_[2], before[2])  # classes 1 and 2
    assert np.abs(machine.coef_[:2] - before[:2]).max() > 0
    for _ in range(20):
        machine.partial_fit(X, y)
    assert machine.score(X, y) > 0.8
