"""Model files give back what was saved, or say why not."""

import json
import os
import pickle
import sys
from io import BytesIO
from pathlib import Path

import joblib
import numpy as np
import pytest
import scipy.sparse as sp
import sklearn
import skops.io
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MinMaxScaler,
    OneHotEncoder,
    StandardScaler,
)

import largemargin
from largemargin import (
    KOMDClassifier,
    LDMClassifier,
    LDMClassifierCV,
    LinearLDMClassifier,
    LinearLDMClassifierCV,
    MAMCClassifier,
    MDOClassifier,
    ODMClassifier,
)
from largemargin.calibration import CalibratedMachine
from largemargin.model_files import (
    FORMAT,
    MAGIC,
    ModelFileError,
    digest,
    load,
    read_header,
    save,
)

MODELS = {
    "kernel": LDMClassifier(),
    "linear": LinearLDMClassifier(random_state=np.random.RandomState(0)),
    "kernel search": LDMClassifierCV(Cs=[1], gammas=["scale"], cv=StratifiedKFold(3)),
    "linear search": LinearLDMClassifierCV(Cs=[1], cv=3),
    "mamc": MAMCClassifier(),
    "mdo": MDOClassifier(random_state=0),
    "komd": KOMDClassifier(kernel="linear"),
    "odm": ODMClassifier(kernel="laplacian"),
    "scikit-learn's search": GridSearchCV(LDMClassifier(), {"C": [1, 10]}, cv=3),
    "pipeline": make_pipeline(
        make_column_transformer(
            (MinMaxScaler(), [0, 1]), (OneHotEncoder(handle_unknown="ignore"), [2])
        ),
        StandardScaler(with_mean=False),
        LDMClassifier(),
    ),
    "sigmoid": CalibratedMachine(LinearLDMClassifier()),
    "isotonic": CalibratedMachine(
        make_pipeline(MinMaxScaler(), LDMClassifier()), method="isotonic"
    ),
}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "machine.model"


@pytest.fixture
def saved(path, blobs):
    X, y = blobs
    machine = LinearLDMClassifier().fit(X, y)
    save(machine, path)
    return machine


def forge(model, path):
    """Write a file as ``save`` does, with no questions asked."""
    rest = json.dumps({"versions": {}}).encode() + b"\n" + skops.io.dumps(model)
    path.write_bytes(b"%s %d %s\n%s" % (MAGIC, FORMAT, digest(rest), rest))


def own_kernel(X, Y):
    return X @ Y.T


@pytest.mark.parametrize("name", MODELS)
def test_a_loaded_model_gives_the_same_scores_to_the_last_bit(name, path, iris):
    X, y = iris
    model = clone(MODELS[name]).fit(X, np.array(["a", "b", "c"])[y])
    save(model, path)
    loaded = load(path)
    assert_array_equal(loaded.decision_function(X), model.decision_function(X))
    assert_array_equal(loaded.predict(X), model.predict(X))
    assert loaded.get_params().keys() == model.get_params().keys()


@pytest.mark.parametrize("sparse", [sp.csr_matrix, sp.csr_array])
def test_sparse_support_vectors_stay_sparse(sparse, path, iris):
    X, y = iris
    machine = LDMClassifier().fit(sparse(X), y)
    save(machine, path)
    loaded = load(path)
    assert type(loaded.support_vectors_) is sparse
    assert_array_equal(loaded.decision_function(X), machine.decision_function(X))


def test_a_stream_goes_on_after_loading_as_it_would_have(path, blobs):
    X, y = blobs
    machine = LinearLDMClassifier(random_state=0).partial_fit(X[:40], y[:40], [-1, 1])
    save(machine, path)
    loaded = load(path).partial_fit(X[40:], y[40:])
    assert_array_equal(loaded.coef_, machine.partial_fit(X[40:], y[40:]).coef_)


@pytest.mark.parametrize("library", [pickle, joblib])
def test_pickle_and_joblib_keep_working(library, iris):
    X, y = iris
    machine = LDMClassifier().fit(X, y)
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


OLD_FILES = sorted((Path(__file__).parent / "data").glob("*.model"))


@pytest.mark.parametrize("old", OLD_FILES, ids=lambda path: path.name)
def test_files_of_earlier_releases_load_and_predict_as_they_did(old, iris):
    told = json.loads(old.with_suffix(".json").read_text())
    search = load(old)
    X = iris[0][::3]
    assert search.predict(X).tolist() == told["labels"]
    assert_allclose(search.decision_function(X), told["scores"], rtol=1e-10, atol=1e-10)


def test_the_file_of_the_first_release_is_kept():
    assert "search_0.1.0.model" in {path.name for path in OLD_FILES}


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
    machine = LDMClassifier().fit(X, y)
    for contents in b"", b"a,b\n1,2\n", pickle.dumps(machine), skops.io.dumps(machine):
        path.write_bytes(contents)
        with pytest.raises(ModelFileError, match="not a model file of largemargin"):
            load(path)


def test_a_later_format_asks_for_a_later_release(saved, path):
    contents = path.read_bytes()
    path.write_bytes(contents.replace(b"model 1 ", b"model 2 ", 1))
    with pytest.raises(ModelFileError, match=r"format 2; .* Install a later release"):
        load(path)


@pytest.mark.parametrize("kernel", [own_kernel, rbf_kernel, lambda X, Y: X @ Y.T])
def test_a_function_is_not_saved_and_no_file_appears(kernel, path, blobs):
    X, y = blobs
    machine = LDMClassifier(kernel=kernel).fit(X, y)
    with pytest.raises(ModelFileError, match=f"holds .*{kernel.__name__}"):
        save(machine, path)
    assert list(path.parent.iterdir()) == []


def test_what_skops_cannot_hold_is_said_to_be_so(path):
    with pytest.raises(ModelFileError, match="cannot hold this LDMClassifier"):
        save(LDMClassifier(kernel=(row for row in ())), path)


@pytest.mark.parametrize("function", [os.system, eval, own_kernel])
def test_a_forged_file_is_refused_by_the_name_of_what_it_smuggles(function, path):
    forge(make_pipeline(FunctionTransformer(function), LDMClassifier()), path)
    with pytest.raises(ModelFileError, match=rf"not trusted: .*\.{function.__name__}"):
        load(path)


def test_a_trusted_name_is_let_in_and_out(path, blobs):
    X, y = blobs
    machine = LDMClassifier(kernel=own_kernel).fit(X, y)
    names = [f"{own_kernel.__module__}.own_kernel"]
    save(machine, path, trusted=names)
    with pytest.raises(ModelFileError, match="own_kernel"):
        load(path)
    loaded = load(path, trusted=names)
    assert_array_equal(loaded.decision_function(X), machine.decision_function(X))


def test_an_unharmed_file_that_cannot_be_loaded_tells_who_wrote_it(
    saved, path, monkeypatch
):
    monkeypatch.delattr("largemargin.estimators.linear.LinearLDMClassifier")
    with pytest.raises(ModelFileError, match=r"unharmed .* written by largemargin 0"):
        load(path)


def test_an_interrupted_save_leaves_the_old_file_alone(saved, path, monkeypatch):
    before = path.read_bytes()

    def interrupt(descriptor):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        save(LDMClassifier(), path)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_saving_again_replaces_the_file(saved, path):
    save(LDMClassifier(C=7), path)
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
