"""Pickles of 0.1.0 name modules that have moved since."""

import pickle
import sys

import pytest

import largemargin
from largemargin.estimators.table import ALIASES


@pytest.mark.parametrize("path", ALIASES)
def test_classes_are_found_by_their_old_paths(path):
    module, _, name = path.rpartition(".")
    found = pickle.loads(f"c{module}\n{name}\n.".encode())
    assert found is getattr(largemargin, name)


@pytest.mark.parametrize("name", ["LDMClassifier", "LinearLDMClassifier"])
def test_machines_of_0_1_0_have_the_only_loss_there_was(name, blobs):
    machine, search = getattr(largemargin, name)(), getattr(largemargin, f"{name}CV")()
    for one in machine, search:
        del one.__dict__["loss"]
        assert one.get_params()["loss"] == "hinge"
    old = pickle.loads(pickle.dumps(machine)).fit(*blobs)
    assert old.objective_ == getattr(largemargin, name)(loss="hinge").fit(*blobs).objective_


@pytest.mark.parametrize("module", ["estimators.selection", "kernels"])
def test_other_names_are_not_found_there(module):
    with pytest.raises(AttributeError, match=f"'largemargin.{module}' has no attribute"):
        sys.modules[f"largemargin.{module}"].Nonsense  # noqa: B018
