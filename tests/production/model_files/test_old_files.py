"""Files of earlier releases give the models that were saved, wherever classes are now."""

import json
import sys
import zipfile
from io import BytesIO
from pathlib import Path
from types import ModuleType

import pytest
import skops.io
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.preprocessing import FunctionTransformer

import largemargin
from largemargin import CalibratedMachine, LDMClassifier, LinearLDMClassifier
from largemargin.estimators.table import ESTIMATORS, PARTS
from largemargin.production.model_files import load, read, save
from largemargin.production.model_files.archives import checked_archive, dicts_in
from largemargin.production.model_files.trust import ALIASES, TRUSTED, public_names

OLD_FILES = sorted((Path(__file__).parents[2] / "data").glob("*.model"))


def assert_predicts(model, told, X):
    if "labels" in told:
        assert model.predict(X).tolist() == told["labels"]
        scores = model.decision_function(X)
        assert_allclose(scores, told["scores"], rtol=1e-10, atol=1e-10)
    if "odds" in told:
        odds = model.predict_proba(X)
        assert_allclose(odds, told["odds"], rtol=1e-10, atol=1e-10)
    if "parameters" in told:
        assert set(told["parameters"]) <= set(model.get_params())


@pytest.mark.parametrize("old", OLD_FILES, ids=lambda path: path.name)
def test_files_of_earlier_releases_load_and_predict_as_they_did(old, iris):
    told, models = json.loads(old.with_suffix(".json").read_text()), load(old)
    if not isinstance(models, dict):
        told, models = {"": told}, {"": models}
    X = iris[0][::3]
    assert told.keys() == models.keys()
    for name, model in models.items():
        assert_predicts(model, told[name], X @ X.T if name == "precomputed" else X)


def test_the_files_of_the_first_release_are_kept():
    names = {path.name for path in OLD_FILES}
    assert names >= {"search_0.1.0.model", "all_0.1.0.model", "more_0.1.0.model"}


def names_in(payload):
    """Return the names of all classes of ours in an archive."""
    with zipfile.ZipFile(BytesIO(payload)) as archive:
        schema = json.loads(archive.read("schema.json"))
    names = {f"{one.get('__module__')}.{one.get('__class__')}" for one in dicts_in(schema)}
    return {name for name in names if name.startswith("largemargin.")}


def test_every_class_of_ours_is_in_the_file_of_a_release():
    payload = checked_archive(read(OLD_FILES[0])[1], ALIASES)
    ours = set(ALIASES.values())  # those that the release had
    assert ours <= set(skops.io.get_untrusted_types(data=payload))
    assert names_in(payload) == ours


def test_every_name_in_old_files_stands_for_one_that_is_trusted():
    for old in OLD_FILES:
        assert names_in(read(old)[1]) <= ALIASES.keys()
    assert set(ALIASES.values()) <= set(TRUSTED)


def test_what_is_saved_again_has_public_names_only(path):
    for old in OLD_FILES:
        save(load(old), path)
        assert names_in(read(path)[1]) <= {
            f"largemargin.{one}" for one in ESTIMATORS | PARTS
        }


def move(name, monkeypatch):
    """Put a class of ours into another module, and nothing where it was."""
    moved = getattr(largemargin, name)
    place = ModuleType("largemargin.elsewhere")
    setattr(place, name, moved)
    monkeypatch.setitem(sys.modules, place.__name__, place)
    monkeypatch.setitem(largemargin._MODULES, name, "elsewhere")
    monkeypatch.delitem(vars(largemargin), name)
    monkeypatch.delattr(sys.modules[moved.__module__], name)
    monkeypatch.setattr(moved, "__module__", place.__name__)


# Not a part of what loads and checks files, which would import it from where it was.
@pytest.mark.parametrize("name", ["LDMClassifier", "Kernel", "GivenScores", "PairMap"])
def test_files_survive_the_move_of_a_class(name, path, iris, monkeypatch):
    X, y = iris
    ways = "ovr", "ovo"
    models = [CalibratedMachine(LDMClassifier(multi_class=way)).fit(X, y) for way in ways]
    expected = [model.predict_proba(X) for model in models]

    def assert_loads():
        assert_array_equal([model.predict_proba(X) for model in load(path)], expected)

    save(models, path)
    before = path.read_bytes()
    move(name, monkeypatch)
    assert f"largemargin.elsewhere.{name}" in public_names()
    assert_loads()
    for old in OLD_FILES:
        load(old)
    save(models, path)
    assert names_in(read(path)[1]) == {
        "largemargin.CalibratedMachine",
        "largemargin.GivenScores",
        "largemargin.Kernel",
        "largemargin.LDMClassifier",
        "largemargin.PairMap",
    }
    assert_loads()
    path.write_bytes(before)
    assert_loads()


def test_methods_may_be_trusted_by_the_old_names_of_their_classes(path, iris):
    machine = CalibratedMachine(LinearLDMClassifier()).fit(*iris)
    trusted = ["largemargin.calibration.CalibratedMachine.predict_proba"]
    save(FunctionTransformer(machine.predict_proba), path, trusted=trusted)
    loaded = load(path, trusted=trusted)
    assert_array_equal(loaded.transform(iris[0]), machine.predict_proba(iris[0]))
