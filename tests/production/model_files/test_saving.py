"""Model files give back what was saved, or say why not."""

import os
import pickle
import sys
from functools import cache
from io import BytesIO

import joblib
import numpy as np
import pytest
import scipy.sparse as sp
import sklearn
import skops.io
from numpy.testing import assert_array_equal
from sklearn import model_selection
from sklearn.base import clone
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.datasets import load_iris
from sklearn.feature_selection import SelectKBest, chi2, mutual_info_classif
from sklearn.metrics import f1_score, get_scorer, get_scorer_names, make_scorer
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, StandardScaler

import largemargin
from every_estimator import some
from largemargin import (
    KOMDClassifier,
    LDMClassifier,
    LDMClassifierCV,
    LinearLDMRegressor,
    ODMClassifier,
)
from largemargin.estimators.table import CLASSIFIERS
from largemargin.production.calibration import CalibratedMachine
from largemargin.production.model_files import ModelFileError, load, read_header, save
from largemargin.production.model_files.trust import SPLITTERS
from machines import fixed_ldm, fixed_linear_ldm, fixed_regressor

MODELS = {name: some(name) for name in CLASSIFIERS} | {
    "linear": fixed_linear_ldm(random_state=np.random.RandomState(0)),
    "kernel search": LDMClassifierCV(Cs=[1], gammas=["scale"], cv=StratifiedKFold(3)),
    "komd": KOMDClassifier(kernel="linear"),
    "odm": ODMClassifier(kernel="laplacian"),
    "scikit-learn's search": GridSearchCV(fixed_ldm(), {"C": [1, 10]}, cv=3),
    "pipeline": make_pipeline(
        make_column_transformer(
            (MinMaxScaler(), [0, 1]), (OneHotEncoder(handle_unknown="ignore"), [2])
        ),
        StandardScaler(with_mean=False),
        fixed_ldm(),
    ),
    "sigmoid": CalibratedMachine(fixed_linear_ldm()),
    "isotonic": CalibratedMachine(
        make_pipeline(MinMaxScaler(), fixed_ldm()), method="isotonic"
    ),
}


@cache
def fitted(name):
    """Return a model fitted on the irises, which no test changes."""
    X, y = load_iris(return_X_y=True)
    return clone(MODELS[name]).fit(X, np.array(["a", "b", "c"])[y])


def own_kernel(X, Y):
    return X @ Y.T


@pytest.mark.parametrize("name", MODELS)
def test_a_loaded_model_gives_the_same_scores_to_the_last_bit(name, path, iris):
    X, model = iris[0], fitted(name)
    save(model, path)
    loaded = load(path)
    assert_array_equal(loaded.decision_function(X), model.decision_function(X))
    assert_array_equal(loaded.predict(X), model.predict(X))
    assert loaded.get_params().keys() == model.get_params().keys()


@pytest.mark.parametrize("sparse", [sp.csr_matrix, sp.csr_array])
def test_sparse_support_vectors_stay_sparse(sparse, path, iris):
    X, y = iris
    machine = fixed_ldm().fit(sparse(X), y)
    save(machine, path)
    loaded = load(path)
    assert type(loaded.support_vectors_) is sparse
    assert_array_equal(loaded.decision_function(X), machine.decision_function(X))


def test_a_stream_goes_on_after_loading_as_it_would_have(path, blobs):
    X, y = blobs
    machine = fixed_linear_ldm(random_state=0).partial_fit(X[:40], y[:40], [-1, 1])
    save(machine, path)
    loaded = load(path).partial_fit(X[40:], y[40:])
    assert_array_equal(loaded.coef_, machine.partial_fit(X[40:], y[40:]).coef_)


def test_a_stream_of_values_goes_on_after_loading_as_it_would_have(path, blobs):
    X, y = blobs
    machine = fixed_regressor(LinearLDMRegressor, random_state=0).partial_fit(X, y)
    save(machine, path)
    loaded = load(path).partial_fit(X[40:], y[40:])
    assert_array_equal(loaded.coef_, machine.partial_fit(X[40:], y[40:]).coef_)


@pytest.mark.parametrize("library", [pickle, joblib])
@pytest.mark.parametrize("name", MODELS)
def test_pickle_and_joblib_keep_working(name, library, iris):
    X, machine = iris[0], fitted(name)
    stream = BytesIO()
    library.dump(machine, stream)
    stream.seek(0)
    loaded = library.load(stream)
    assert_array_equal(loaded.decision_function(X), machine.decision_function(X))


def test_a_file_tells_what_wrote_it(saved, path):
    header = read_header(path)
    assert header["model"] == "LinearLDMClassifier"
    assert header["versions"]["largemargin"] == largemargin.__version__
    assert header["versions"]["scikit-learn"] == sklearn.__version__
    assert header["versions"]["numpy"] == np.__version__


def test_any_changed_byte_is_noticed(saved, path):
    contents = path.read_bytes()
    first_lines = contents.index(b"\n", contents.index(b"\n") + 1) + 1
    for place in [*range(first_lines), *range(first_lines, len(contents), 37)]:
        changed = bytearray(contents)
        changed[place] ^= 1
        path.write_bytes(changed)
        with pytest.raises(ModelFileError):
            load(path)


def test_a_file_cut_short_anywhere_is_noticed(saved, path):
    contents = path.read_bytes()
    for length in [*range(300), *range(300, len(contents), 37), len(contents) - 1]:
        path.write_bytes(contents[:length])
        with pytest.raises(ModelFileError, match=r"cut short|not a model file"):
            load(path)


def test_something_else_is_no_model_file(path, blobs):
    X, y = blobs
    machine = fixed_ldm().fit(X, y)
    for contents in b"", b"a,b\n1,2\n", pickle.dumps(machine), skops.io.dumps(machine):
        path.write_bytes(contents)
        with pytest.raises(ModelFileError, match="not a model file of largemargin"):
            load(path)


@pytest.mark.parametrize(
    ("number", "way_out"),
    [(0, "the release that wrote it"), (3, "Install a later release")],
)
def test_another_format_asks_for_another_release(number, way_out, saved, path):
    contents = path.read_bytes()
    path.write_bytes(contents.replace(b"model 2 ", b"model %d " % number, 1))
    with pytest.raises(ModelFileError, match=rf"format {number}; .* {way_out}"):
        load(path)


@pytest.mark.parametrize("kernel", [own_kernel, rbf_kernel, lambda X, Y: X @ Y.T])
def test_a_function_is_not_saved_and_no_file_appears(kernel, path, blobs):
    X, y = blobs
    machine = fixed_ldm(kernel=kernel).fit(X, y)
    with pytest.raises(ModelFileError, match=f"holds .*{kernel.__name__}"):
        save(machine, path)
    assert list(path.parent.iterdir()) == []


def test_what_skops_cannot_hold_is_said_to_be_so(path):
    with pytest.raises(ModelFileError, match="cannot hold this LDMClassifier"):
        save(fixed_ldm(kernel=(row for row in ())), path)


def test_a_trusted_name_is_let_in_and_out(path, blobs):
    X, y = blobs
    machine = fixed_ldm(kernel=own_kernel).fit(X, y)
    names = [f"{own_kernel.__module__}.own_kernel"]
    save(machine, path, trusted=names)
    with pytest.raises(ModelFileError, match="own_kernel"):
        load(path)
    loaded = load(path, trusted=names)
    assert_array_equal(loaded.decision_function(X), machine.decision_function(X))


@pytest.mark.parametrize("trusted", ["largemargin.Something", LDMClassifier])
def test_trusted_must_be_several_names(trusted, saved, path):
    with pytest.raises(TypeError, match="iterable of types or of their names"):
        load(path, trusted=trusted)
    with pytest.raises(TypeError, match="Put it into a list"):
        save(saved, path, trusted=trusted)


def test_trusted_may_be_a_generator_of_things_themselves(path):
    machine = fixed_ldm(kernel=own_kernel)
    save(machine, path, trusted=(one for one in [own_kernel]))
    assert load(path, trusted=(one for one in [own_kernel])).kernel is own_kernel


def test_an_unharmed_file_that_cannot_be_loaded_tells_who_wrote_it(
    saved, path, monkeypatch
):
    monkeypatch.delattr("largemargin.estimators.linear_ldm.LinearLDMClassifier")
    monkeypatch.delitem(vars(largemargin), "LinearLDMClassifier", raising=False)
    with pytest.raises(ModelFileError, match=r"unharmed .* written by largemargin 0"):
        load(path)


def test_an_interrupted_save_leaves_the_old_file_alone(saved, path, monkeypatch):
    before = path.read_bytes()

    def interrupt(descriptor):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        save(fixed_ldm(), path)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_saving_again_replaces_the_file(saved, path):
    save(fixed_ldm(C=7), path)
    assert load(path).C == 7
    assert list(path.parent.iterdir()) == [path]


def test_a_model_file_may_be_read_by_whoever_may_read_others(saved, path):
    plain = path.with_name("plain")
    plain.touch()
    assert path.stat().st_mode == plain.stat().st_mode


def test_without_skops_the_extra_is_named(saved, path, monkeypatch):
    monkeypatch.setitem(sys.modules, "skops.io", None)
    with pytest.raises(ImportError, match=r"largemargin\[cli\]"):
        load(path)


@pytest.mark.parametrize("version", ["0.11.0", "0.12.1"])
def test_a_skops_that_lets_files_run_code_is_refused(saved, path, monkeypatch, version):
    monkeypatch.setattr(skops, "__version__", version)
    with pytest.raises(ImportError, match=rf"0\.13 or later; found {version}"):
        load(path)


BOTH = {False: 1, True: 30}


@pytest.mark.parametrize(
    "model",
    [
        fixed_ldm(class_weight=BOTH),
        fixed_ldm(class_weight={np.False_: 1, np.True_: 30}),
        fixed_ldm(class_weight={1: 1, "1": 30}),
        fixed_ldm(class_weight={None: 1}),
        make_pipeline(GridSearchCV(fixed_ldm(), {"class_weight": [None, BOTH]})),
    ],
)
def test_keys_that_would_not_come_back_are_not_saved(model, path):
    with pytest.raises(ModelFileError, match=r"keys of dicts as text.* write 0 and 1"):
        save(model, path)


def test_keys_in_the_table_of_a_search_are_looked_at(path, blobs):
    X, y = blobs
    search = GridSearchCV(fixed_linear_ldm(), {"class_weight": [BOTH]}, cv=2)
    search.fit(X, y > 0).set_params(param_grid={}, estimator=fixed_ldm())
    search.best_estimator_, search.best_params_ = fixed_ldm(), {}
    search.cv_results_["params"] = []
    with pytest.raises(ModelFileError, match=r"keys \[False, True\]"):
        save(search, path)


def test_zero_and_one_do_for_false_and_true(path, blobs):
    X, y = blobs
    machine = fixed_ldm(class_weight={0: 1, 1.0: 30, 2.5: 1, np.int64(7): 2})
    save(machine, path)
    assert load(path).class_weight == machine.class_weight
    truths = fixed_ldm(class_weight=BOTH).fit(X, y > 0).decision_function(X)
    numbers = fixed_ldm(class_weight={0: 1, 1: 30}).fit(X, y > 0).decision_function(X)
    assert_array_equal(numbers, truths)


def test_every_scorer_can_be_saved_by_its_name(path):
    scorers = {name: get_scorer(name) for name in get_scorer_names()}
    save(scorers, path)
    loaded = load(path)
    assert {name: repr(one) for name, one in loaded.items()} == {
        name: repr(one) for name, one in scorers.items()
    }


@pytest.mark.parametrize("scoring", ["accuracy", make_scorer(f1_score, average="macro")])
def test_a_search_by_another_score_can_be_saved(scoring, path, iris):
    X, y = iris
    search = GridSearchCV(fixed_linear_ldm(), {"C": [1]}, cv=2, scoring=scoring)
    save(search.fit(X, y), path)
    assert load(path).score(X, y) == search.score(X, y)


@pytest.mark.parametrize(
    "step",
    [
        SelectKBest(k=2),
        SelectKBest(chi2, k=2),
        SelectKBest(mutual_info_classif, k=2),
        make_column_transformer(
            (StandardScaler(), make_column_selector(dtype_include=np.number)),
            (OneHotEncoder(), make_column_selector(dtype_include=object)),
        ),
    ],
)
def test_steps_that_choose_columns_can_be_saved(step, path):
    data = load_iris(as_frame=True)
    pipeline = make_pipeline(step, fixed_linear_ldm()).fit(data.data, data.target)
    save(pipeline, path)
    assert_array_equal(load(path).predict(data.data), pipeline.predict(data.data))


ARGUMENTS = {
    "LeavePGroupsOut": {"n_groups": 2},
    "LeavePOut": {"p": 2},
    "PredefinedSplit": {"test_fold": np.arange(12) // 4},
    **{name: {"n_splits": 2} for name in SPLITTERS if name.endswith("KFold")},
}
DRAWN = {name for name in SPLITTERS if "Repeated" in name or "Shuffle" in name}


@pytest.mark.filterwarnings("ignore:The groups parameter is ignored")
@pytest.mark.parametrize("name", SPLITTERS)
def test_a_search_with_any_splitter_can_be_saved(name, path, blobs):
    X = blobs[0][:12]
    y, groups = np.arange(12) % 2, np.arange(12) // 4
    seed = {"random_state": 0} if name in DRAWN else {}
    splitter = getattr(model_selection, name)(**ARGUMENTS.get(name, {}), **seed)
    search = GridSearchCV(fixed_linear_ldm(), {"C": [1]}, cv=splitter)
    search.fit(X, y, groups=groups)
    save(search, path)
    loaded = load(path)
    assert type(loaded.cv) is type(splitter)
    assert loaded.cv.get_n_splits(X, y, groups) == search.n_splits_
