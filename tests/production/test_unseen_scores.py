"""Scores of unseen rows are those a search has kept, or come from fits in folds."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.compose import ColumnTransformer
from sklearn.feature_selection import SelectFromModel, SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler, TargetEncoder

from largemargin import LinearLDMClassifier, LinearLDMClassifierCV, calibrate
from largemargin.production.unseen_scores import is_blind
from machines import fixed_linear_ldm


def refuse_to_fit(*arguments):
    raise AssertionError("nothing was to be fitted")


@pytest.mark.parametrize(
    "step",
    [
        "passthrough",
        StandardScaler(),
        ColumnTransformer(
            [
                ("words", make_pipeline(SimpleImputer(), OneHotEncoder()), [0]),
                ("numbers", StandardScaler(), [1]),
            ]
        ),
    ],
    ids=["alone", "scaled", "encoded"],
)
def test_a_search_that_kept_its_scores_is_calibrated_without_a_fit(
    step, blobs, monkeypatch
):
    X, y = blobs
    X = np.column_stack([X[:, 0].round(), X[:, 1]])
    search = LinearLDMClassifierCV(Cs=[0.1, 1], cv=3, tol=1e-10)
    model = make_pipeline(step, search).fit(X, y)
    rows = model[:-1].transform(X)
    best = calibrate(model[-1].best_estimator_, rows, y, cv=3)
    for kind in LinearLDMClassifierCV, LinearLDMClassifier:
        monkeypatch.setattr(kind, "fit", refuse_to_fit)
    found = calibrate(model, X, y).predict_proba(X)
    assert_allclose(found, best.predict_proba(rows), atol=1e-5)


def test_a_search_of_pairs_is_calibrated_without_a_fit(iris, monkeypatch):
    X, y = iris
    search = LinearLDMClassifierCV(Cs=[0.1, 1], cv=3, tol=1e-10).fit(X, y)
    best = calibrate(search.best_estimator_, X, y, cv=3)
    monkeypatch.setattr(LinearLDMClassifier, "fit", refuse_to_fit)
    found = calibrate(search, X, y).predict_proba(X)
    assert_allclose(found, best.predict_proba(X), atol=1e-5)


@pytest.mark.parametrize(
    "step",
    [
        SelectKBest(k=1),
        ColumnTransformer([("best", SelectKBest(k=1), slice(0, 300))]),
        make_pipeline(StandardScaler(), SelectKBest(k=1)),
    ],
    ids=lambda step: type(step).__name__,
)
def test_steps_that_learn_from_labels_are_fitted_in_every_fold(step):
    rng = np.random.default_rng(0)
    # Of noise, a step that has seen all labels would pick what tells them apart.
    X, y = rng.standard_normal((60, 300)), rng.integers(2, size=60)
    search = LinearLDMClassifierCV(Cs=[0.1, 1], cv=3)
    model = make_pipeline(step, search).fit(X, y)
    best = make_pipeline(step, model[-1].best_estimator_).fit(X, y)
    found = calibrate(model, X, y).predict_proba(X)
    assert_array_equal(found, calibrate(best, X, y, cv=3).predict_proba(X))


def test_steps_are_blind_that_are_known_to_need_no_labels():
    assert is_blind("passthrough")
    assert is_blind(make_pipeline(SimpleImputer(), StandardScaler()))
    assert not is_blind(TargetEncoder())
    assert not is_blind(SelectFromModel(fixed_linear_ldm()))


def test_other_rows_than_those_of_the_search_are_refused(blobs):
    X, y = blobs
    search = LinearLDMClassifierCV(Cs=[1], cv=3).fit(X, y)
    with pytest.raises(ValueError, match=rf"the {len(y)} rows .* got 10"):
        calibrate(search, X[:10], y[:10])
