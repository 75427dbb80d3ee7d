"""Model files hold regressors and machines of one class, and no forged ones."""

import pickle
from functools import cache

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.datasets import load_diabetes
from sklearn.feature_selection import (
    SelectKBest,
    f_regression,
    mutual_info_regression,
    r_regression,
)
from sklearn.model_selection import GridSearchCV, TimeSeriesSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from largemargin import LDMRegressor, LinearLDMRegressor, OneClassLDM
from largemargin.production.model_files import ModelFileError, load, read_header, save

QUANTILES = {"loss": "quantile", "quantile": [0.9, 0.1]}
MODELS = {
    "kernel": LDMRegressor(1.0),
    "linear kernel": LDMRegressor(1.0, kernel="linear"),
    "linear": LinearLDMRegressor(1.0),
    "quantiles": LDMRegressor(1.0, **QUANTILES),
    "an array of quantiles": LinearLDMRegressor(
        1.0, loss="quantile", quantile=np.array([0.9, 0.1])
    ),
    "one class": OneClassLDM(nu=0.2),
    "one class without a kernel": OneClassLDM(nu=0.2, kernel="linear"),
    "pipeline": make_pipeline(StandardScaler(), LDMRegressor(1.0)),
    "search": GridSearchCV(
        LinearLDMRegressor(1.0),
        {"epsilon": [0.1, "scale"]},
        cv=TimeSeriesSplit(3),
        scoring="neg_mean_absolute_error",
    ),
    "transformed targets": TransformedTargetRegressor(
        LDMRegressor(1.0), transformer=StandardScaler()
    ),
}
KERNELS = pytest.mark.parametrize(
    "machine", [LDMRegressor(1.0), OneClassLDM(nu=0.2)], ids=lambda one: type(one).__name__
)


@cache
def diabetes():
    X, y = load_diabetes(return_X_y=True, scaled=False)
    return X[:60], y[:60]


@cache
def fitted(name):
    """Return a model that no test changes."""
    return clone(MODELS[name]).fit(*diabetes())


@pytest.mark.parametrize("name", MODELS)
def test_a_loaded_model_predicts_the_same_to_the_last_bit(name, path):
    X, model = diabetes()[0], fitted(name)
    save(model, path)
    loaded = load(path)
    assert_array_equal(loaded.predict(X), model.predict(X))
    assert loaded.get_params().keys() == model.get_params().keys()
    assert read_header(path)["model"] == type(model).__name__


@pytest.mark.parametrize("name", MODELS)
def test_pickle_keeps_working(name):
    X, model = diabetes()[0], fitted(name)
    assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))


def test_a_loaded_machine_of_one_class_has_the_same_scores(path):
    X, model = diabetes()[0], fitted("one class")
    save(model, path)
    loaded = load(path)
    assert_array_equal(loaded.decision_function(X), model.decision_function(X))
    assert_array_equal(loaded.score_samples(X), model.score_samples(X))
    assert loaded.offset_ == model.offset_


@KERNELS
def test_sparse_support_vectors_stay_sparse(machine, path):
    X, y = diabetes()
    machine = clone(machine).fit(sp.csr_array(X), y)
    save(machine, path)
    loaded = load(path)
    assert type(loaded.support_vectors_) is sp.csr_array
    assert_array_equal(loaded.predict(X), machine.predict(X))


def test_a_warm_start_goes_on_after_loading_as_it_would_have(path):
    X, y = diabetes()
    machine = LDMRegressor(1.0, warm_start=True).fit(X, y)
    save(machine, path)
    again = load(path).fit(X, y)
    assert_array_equal(again.predict(X), machine.fit(X, y).predict(X))


@pytest.mark.parametrize(
    "function",
    [f_regression, r_regression, mutual_info_regression],
    ids=lambda f: f.__name__,
)
def test_features_may_be_selected_by_what_they_say_of_values(function, path):
    X, y = diabetes()
    model = make_pipeline(SelectKBest(function, k=3), LinearLDMRegressor(1.0)).fit(X, y)
    save(model, path)
    assert_array_equal(load(path).predict(X), model.predict(X))


def shorten(machine):
    machine.support_vectors_ = machine.support_vectors_[:, :1]


def forget_width(machine):
    del machine.n_features_in_


@KERNELS
@pytest.mark.parametrize("change", [shorten, forget_width])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_support_vectors_shorter_than_the_rows_to_score_are_refused(
    change, kind, machine, path
):
    X, y = diabetes()
    machine = clone(machine).fit(kind(X), y)
    change(machine)
    save(machine, path)
    name = type(machine).__name__
    with pytest.raises(ModelFileError, match=rf"on purpose.* its {name} is broken"):
        load(path)


def change_indices(rows):
    rows.indices = np.full_like(rows.indices, 600)


def change_ends(rows):
    rows.indptr[1:-1] = 10**6
    rows.indptr[-1] = 0


@KERNELS
@pytest.mark.parametrize("change", [change_indices, change_ends])
def test_sparse_rows_that_reach_beyond_their_arrays_are_refused(change, machine, path):
    X, y = diabetes()
    machine = clone(machine).fit(sp.csr_array(X), y)
    change(machine.support_vectors_)
    save({"inside": [machine]}, path)
    with pytest.raises(ModelFileError, match=r"on purpose.* its csr_array is broken"):
        load(path)


def test_a_linear_machine_with_too_few_coefficients_is_refused(path):
    machine = LinearLDMRegressor(1.0).fit(*diabetes())
    machine.coef_ = machine.coef_[:, :3]
    save(machine, path)
    with pytest.raises(ModelFileError, match=r"LinearLDMRegressor is broken: .*lengths"):
        load(path)
