import pytest

from largemargin import LinearLDMClassifier
from largemargin.production.model_files import save


@pytest.fixture
def path(tmp_path):
    return tmp_path / "machine.model"


@pytest.fixture
def saved(path, blobs):
    X, y = blobs
    machine = LinearLDMClassifier().fit(X, y)
    save(machine, path)
    return machine
