"""The search with a kernel."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import make_classification
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import StratifiedKFold

from largemargin import LDMClassifier, LDMClassifierCV
from searching import PRICES, TIGHT, assert_same_results, of_the_search, pair


@pytest.mark.parametrize("scoring", ["accuracy", "balanced_accuracy", "roc_auc"])
def test_any_scorer_gives_what_it_gives_in_a_grid_search(rows, scoring):
    ours, theirs = pair("kernel", cv=3, scoring=scoring)
    assert_same_results(ours.fit(*rows), theirs.fit(*rows))


@pytest.mark.parametrize("kind", ["kernel", "rows"])
def test_either_loss_gives_what_it_gives_in_a_grid_search(rows, kind):
    ours, theirs = pair(kind, cv=3, loss="squared_hinge")
    assert_same_results(ours.fit(*rows), theirs.fit(*rows))
    assert ours.best_estimator_.loss == "squared_hinge"


@pytest.mark.needs_jit
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_scores_differ_from_fits_one_by_one_only_at_ties(loss):
    X, y = make_classification(150, 5, flip_y=0.2, random_state=0)
    splits = list(StratifiedKFold(3).split(X, y))
    grid = {"Cs": [0.25, 64.0], "lambda_vars": ["3*scale", "300*scale"]}
    means = {"lambda_means": [0.0, "100*scale"], "gammas": ["scale", "4*scale"]}
    search = LDMClassifierCV(loss=loss, cv=splits, tol=1e-6, **grid, **means).fit(X, y)
    for k, point in enumerate(search.cv_results_["params"]):
        for number, (train, test) in enumerate(splits):
            alone = LDMClassifier(loss=loss, tol=1e-6, **point).fit(X[train], y[train])
            scores = alone.decision_function(X[test])
            right = np.sum((scores > 0) == (y[test] == alone.classes_[1]))
            found = search.cv_results_[f"split{number}_test_score"][k] * len(test)
            assert abs(found - right) <= np.sum(np.abs(scores) < 1e-3) + 1e-9


def test_a_scorer_may_ask_the_machine_for_anything(rows):
    def few_support_vectors(machine, X, y):
        return -len(machine.support_)

    ours, theirs = pair("kernel", cv=3, scoring=few_support_vectors)
    ours.set_params(lambda_vars=[0.0], lambda_means=[0.0])
    theirs.param_grid = {**theirs.param_grid, "lambda_var": [0.0], "lambda_mean": [0.0]}
    assert_same_results(ours.fit(*rows), theirs.fit(*rows))


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
