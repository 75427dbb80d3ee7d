"""The search with a kernel."""

import pytest
from numpy.testing import assert_allclose
from sklearn.metrics.pairwise import rbf_kernel

from largemargin import LDMClassifierCV
from searching import PRICES, TIGHT, assert_same_results, of_the_search, pair


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
