"""Files of earlier releases give the models that were saved."""

import json
from pathlib import Path

import pytest
import skops.io
from numpy.testing import assert_allclose

from largemargin.model_files import load, read
from largemargin.model_files.trust import TRUSTED

OLD_FILES = sorted((Path(__file__).parents[1] / "data").glob("*.model"))


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


def test_every_class_of_ours_is_in_the_file_of_a_release():
    payload = read(OLD_FILES[0])[1]
    ours = {name for name in TRUSTED if name.startswith("largemargin.")}
    assert ours <= set(skops.io.get_untrusted_types(data=payload))
