"""Searches of machines with other prices than the LDM's, against GridSearchCV."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.model_selection import GridSearchCV

from largemargin import (
    KOMDClassifier,
    LinearLDMClassifier,
    ODMClassifier,
    ODMClassifierCV,
    calibrate,
)
from largemargin.estimators.search import MachineSearch, search_constraints

TIGHT = {"tol": 1e-9}
GRID = {"C": [0.1, 1.0, 10.0], "mu": [0.0, 0.5, 1.0], "theta": [0.0, 0.3]}


@pytest.fixture
def rows():
    X, y = make_classification(
        90, 6, n_informative=4, flip_y=0.2, weights=[0.6], random_state=0
    )
    return X, np.array(["no", "yes"])[y]


def assert_same_results(ours, theirs):
    assert ours.cv_results_["params"] == theirs.cv_results_["params"]
    for key, wanted in theirs.cv_results_.items():
        if "test_score" in key:
            assert_allclose(ours.cv_results_[key], wanted, err_msg=key)
    assert ours.best_params_ == theirs.best_params_


@pytest.mark.parametrize("scoring", [None, "roc_auc"])
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_odm_scores_equal_those_of_a_grid_search(rows, kernel, scoring):
    X, y = rows
    grid = {**GRID, "gamma": ["scale", "3*scale"] if kernel == "rbf" else ["scale"]}
    ours = ODMClassifierCV(
        **{f"{name}s": values for name, values in grid.items()},
        kernel=kernel,
        scoring=scoring,
        cv=3,
        **TIGHT,
    ).fit(X, y)
    machine = ODMClassifier(kernel=kernel, **TIGHT)
    theirs = GridSearchCV(machine, grid, cv=3, scoring=scoring)
    assert_same_results(ours, theirs.fit(X, y))
    assert_array_equal(ours.predict(X), theirs.predict(X))


def test_odm_searches_three_classes_with_weights_on_several_threads(iris):
    X, y = iris
    weight = np.random.default_rng(0).uniform(0.2, 2.0, len(y))
    search = ODMClassifierCV(Cs=[1.0, 10.0], gammas=["scale"], cv=3, **TIGHT)
    alone = clone(search).fit(X, y, weight)
    together = clone(search).set_params(n_jobs=2).fit(X, y, weight)
    assert_array_equal(
        alone.cv_results_["mean_test_score"], together.cv_results_["mean_test_score"]
    )
    assert alone.unseen_scores_.shape == (len(y), 3)


def test_the_default_grid_is_searched_and_calibrated(rows):
    search = ODMClassifierCV(kernel="linear").fit(*rows)
    assert len(search.cv_results_["params"]) == 16
    assert set(search.best_params_) == {"C", "mu", "theta", "gamma"}
    probabilities = calibrate(search, *rows).predict_proba(rows[0])
    assert_allclose(probabilities.sum(axis=1), 1.0)


def test_a_search_around_a_machine_has_its_point():
    search = ODMClassifierCV.around(ODMClassifier(mu=0.3, kernel="poly"), C=[1, 2])
    assert search.Cs == [1, 2]
    assert search.mus == [0.3]
    assert search.kernel == "poly"


def test_any_machine_with_a_recipe_can_be_searched(rows):
    class KOMDClassifierCV(MachineSearch):
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
    class InterceptSearch(MachineSearch):
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
