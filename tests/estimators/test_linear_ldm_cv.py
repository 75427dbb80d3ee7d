"""The search on explicit features, where they outnumber the rows."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.datasets import make_classification
from sklearn.model_selection import StratifiedKFold

from largemargin import LinearLDMClassifier, LinearLDMClassifierCV
from largemargin.estimators import linear_ldm_cv
from searching import assert_same_results, pair


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


def test_of_equal_points_the_largest_price_wins_and_the_svm_never(separable):
    search = LinearLDMClassifierCV(cv=2).fit(*separable)
    scores, points = (search.cv_results_[key] for key in ("mean_test_score", "params"))
    best = [point for point, score in zip(points, scores, strict=True) if score == 1.0]
    assert {"C": 2.0**-6, "lambda_mean": 0.0, "lambda_var": 0.0} in best
    assert search.best_params_ == {
        "C": 2.0**-6,
        "lambda_mean": 0.0,
        "lambda_var": "300*scale",
    }
