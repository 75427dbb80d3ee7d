"""Searches against GridSearchCV over the plain machines."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    LeaveOneOut,
    PredefinedSplit,
    StratifiedKFold,
)
from sklearn.preprocessing import StandardScaler

from largemargin import (
    KOMDClassifier,
    LDMClassifierCV,
    LinearLDMClassifier,
    LinearLDMClassifierCV,
    ODMClassifier,
    ODMClassifierCV,
)
from largemargin.estimators.search import ClassifierSearch, search_constraints
from searching import TIGHT, assert_same_results, pair


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


def real_rows(name):
    """Return 200 rows of a data set of scikit-learn, standardised."""
    X, y = {"cancer": load_breast_cancer, "wine": load_wine}[name](return_X_y=True)
    some = np.random.default_rng(0).permutation(len(y))[:200]
    return StandardScaler().fit_transform(X[some]), y[some]


@pytest.mark.parametrize("name", ["cancer", "wine"])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("kind", ["kernel", "linear"])
def test_at_tol_1e_6_scores_differ_by_rows_near_a_tie_alone(kind, loss, name):
    """A row is near a tie if two classes differ by less than 1e-3 in a score."""
    X, y = real_rows(name)
    ours, theirs = pair(kind, cv=3, loss=loss, refit=False)
    ours.set_params(tol=1e-6).fit(X, y)
    theirs.set_params(estimator__tol=1e-6).fit(X, y)
    splits = list(StratifiedKFold(3).split(X, y))
    n_equal = 0
    for number, point in enumerate(theirs.cv_results_["params"]):
        assert ours.cv_results_["params"][number] == point
        for fold, (train, test) in enumerate(splits):
            key = f"split{fold}_test_score"
            off = abs(ours.cv_results_[key][number] - theirs.cv_results_[key][number])
            n_equal += off == 0
            if off > 0:
                machine = (
                    clone(theirs.estimator).set_params(**point).fit(X[train], y[train])
                )
                assert off * len(test) <= n_near_a_tie(machine, X[test]) + 1e-9
    assert n_equal >= 0.9 * len(splits) * len(ours.cv_results_["params"])


def n_near_a_tie(machine, X):
    """Return for how many rows a score that decides between two classes is near zero."""
    if machine._one_vs_one:
        scores = machine._scores(X) + machine.intercept_
    else:
        scores = machine.decision_function(X).reshape(len(X), -1)
    return np.sum(np.abs(scores).min(axis=1) <= 1e-3)


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


def test_without_a_refit_there_is_no_prediction(rows):
    search = LinearLDMClassifierCV(cv=2, refit=False).fit(*rows)
    assert search.best_params_["C"] in search.cv_results_["param_C"]
    assert not hasattr(search, "predict")
    with pytest.raises(AttributeError) as raised:
        search.decision_function(rows[0])
    assert "refit=True" in str(raised.value.__cause__)


def test_prices_without_a_minimum_never_win(rows):
    X, y = rows
    grids = {"Cs": [1.0], "lambda_vars": [0], "lambda_means": [0, 1e9]}
    search = LinearLDMClassifierCV(**grids, loss="hinge", cv=3)
    search.fit(X, y)
    assert search.best_params_["lambda_mean"] == 0
    assert np.isnan(search.cv_results_["mean_test_score"][1])
    assert_array_equal(search.cv_results_["rank_test_score"], [1, 2])
    with pytest.raises(ValueError, match=r"All .*no minimum"):
        search.set_params(lambda_means=[1e9]).fit(X, y)


def test_leave_one_out_is_a_splitter_like_any_other(rows):
    X, y = rows[0][:20], rows[1][:20]
    ours, theirs = pair("linear", cv=LeaveOneOut())
    assert_same_results(ours.fit(X, y), theirs.fit(X, y))


def test_entries_that_come_twice_in_sparse_rows_are_added(rows):
    X, y = rows
    columns, starts = np.tile(np.tile(np.arange(6), 2), 90), np.arange(0, 1081, 12)
    twice = sp.csr_matrix((np.hstack([3 * X, -2 * X]).ravel(), columns, starts), (90, 6))
    ours, _ = pair("linear", cv=3)
    scores = [clone(ours).fit(Z, y).cv_results_["mean_test_score"] for Z in (X, twice)]
    assert_allclose(*scores)


def test_names_of_features_reach_the_best_machine(rows):
    pd = pytest.importorskip("pandas")
    X, y = pd.DataFrame(rows[0], columns=list("abcdef")), rows[1]
    search = LDMClassifierCV(Cs=[1.0], lambda_vars=[0.0], cv=2).fit(X, y)
    assert list(search.best_estimator_.feature_names_in_) == list("abcdef")
    assert_array_equal(search.predict(X), search.best_estimator_.predict(X))


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


def test_a_search_around_a_machine_has_its_point():
    search = ODMClassifierCV.around(ODMClassifier(mu=0.3, kernel="poly"), C=[1, 2])
    assert search.Cs == [1, 2]
    assert search.mus == [0.3]
    assert search.kernel == "poly"


def test_any_machine_with_a_recipe_can_be_searched(rows):
    class KOMDClassifierCV(ClassifierSearch):
        _machine_class = KOMDClassifier
        _grids = {"lam": "lams", "gamma": "gammas"}
        _parameter_constraints = search_constraints(KOMDClassifier, _grids)

        def __init__(
            self,
            grid="scale",
            *,
            lams=None,
            gammas=None,
            kernel="rbf",
            cv=None,
            scoring=None,
            refit=True,
            error_score=np.nan,
            tol=1e-4,
            max_iter=None,
            time_limit=None,
            n_jobs=None,
            verbose=0,
        ):
            given = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
            vars(self).update(given)

    X, y = rows
    grid = {"lam": [0.05, 0.5, 1.0], "gamma": [0.1, 1.0]}
    ours = KOMDClassifierCV(lams=grid["lam"], gammas=grid["gamma"], cv=3, **TIGHT)
    theirs = GridSearchCV(KOMDClassifier(**TIGHT), grid, cv=3)
    assert_same_results(ours.fit(X, y), theirs.fit(X, y))


def test_a_search_around_another_machine_says_which_it_takes():
    with pytest.raises(TypeError, match="around ODMClassifier; got KOMDClassifier"):
        ODMClassifierCV.around(KOMDClassifier(), C=[1.0])


def test_points_with_and_without_an_intercept_have_designs_of_their_own(rows):
    class InterceptSearch(ClassifierSearch):
        _machine_class = LinearLDMClassifier
        _grids = {"C": "Cs", "fit_intercept": "fit_intercepts"}
        _parameter_constraints = search_constraints(LinearLDMClassifier, _grids)

        def __init__(self, *, Cs=None, fit_intercepts=None, cv=None, tol=1e-4):
            vars(self).update(Cs=Cs, fit_intercepts=fit_intercepts, cv=cv, tol=tol)

        grid, scoring, refit, error_score = "scale", None, True, np.nan
        max_iter, n_jobs, verbose = None, None, 0

    X, y = rows
    X = X + 1e4 * (np.arange(6) == 2)  # so far from zero that it is moved there
    ours = InterceptSearch(Cs=[0.1, 1.0], fit_intercepts=[False, True], cv=3, tol=1e-7)
    grid = {"C": [0.1, 1.0], "fit_intercept": [False, True]}
    theirs = GridSearchCV(LinearLDMClassifier(tol=1e-7), grid, cv=3)
    assert_same_results(ours.fit(X, y), theirs.fit(X, y))
