"""The search of ODM against GridSearchCV."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from largemargin import ODMClassifier, ODMClassifierCV, calibrate
from searching import TIGHT, assert_same_results

GRID = {"C": [0.1, 1.0, 10.0], "mu": [0.0, 0.5, 1.0], "theta": [0.0, 0.3]}


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
