"""How people use the machines: frames, labels, pickles."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from largemargin import LDMClassifier, LinearLDMClassifier
from machines import fixed_ldm, fixed_linear_ldm


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("make", [LDMClassifier, LinearLDMClassifier])
def test_frames_bring_their_names(blobs, frame, make):
    X, y = blobs
    named = frame(dict(zip("abcd", X.T, strict=True)))
    machine = make().fit(named, y)
    assert list(machine.feature_names_in_) == list("abcd")
    assert_allclose(machine.decision_function(named), make().fit(X, y).decision_function(X))
    with pytest.raises(ValueError, match="feature names"):
        machine.predict(named[["b", "a", "c", "d"]])


def test_attributes_describe_the_margins(blobs):
    X, y = blobs
    for machine in fixed_ldm(2.0), fixed_linear_ldm(2.0):
        machine.fit(X, y)
        margins = y * machine.decision_function(X)
        assert machine.margin_mean_ == pytest.approx(margins.mean())
        assert machine.margin_variance_ == pytest.approx(margins.var())
        assert machine.dual_beta_.shape == y.shape
        assert machine.dual_beta_.min() >= 0
        assert machine.dual_beta_.max() <= 2
        assert machine.history_["duality_gap"][-1] <= machine.tol
        assert machine.n_iter_ >= 1


def test_the_objective_is_the_one_in_the_docstring(blobs):
    X, y = blobs
    weight = np.random.default_rng(0).uniform(0.5, 2, len(y))
    machine = fixed_linear_ldm(0.7, lambda_var=3.0, lambda_mean=2.0).fit(X, y, weight)
    g = y * machine.decision_function(X)
    mean = np.average(g, weights=weight)
    variance = np.average((g - mean) ** 2, weights=weight)
    loss = weight @ np.maximum(0, 1 - g)
    value = 0.5 * np.sum(machine.coef_**2) + 3 * 2 * variance - 2 * mean + 0.7 * loss
    assert machine.objective_ == pytest.approx(value)


def test_more_than_two_classes_have_a_column_each(iris):
    X, y = iris
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    for machine in (
        LDMClassifier(multi_class="ovr"),
        LinearLDMClassifier(multi_class="ovr"),
    ):
        machine.fit(X, names)
        assert machine.decision_function(X).shape == (150, 3)
        assert machine.score(X, names) > 0.75
        assert machine.duality_gap_.shape == (3,)
        assert np.all(machine.duality_gap_ <= machine.tol)
        one = clone(machine).fit(X, names == "versicolor")
        assert_allclose(
            machine.decision_function(X)[:, 1], one.decision_function(X), atol=0.05
        )


def test_pickles_predict_the_same(iris):
    X, y = iris
    for machine in LDMClassifier(), LinearLDMClassifier():
        copy = pickle.loads(pickle.dumps(machine.fit(X, y)))
        assert_array_equal(copy.decision_function(X), machine.decision_function(X))
