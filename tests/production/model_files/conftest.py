import pytest

from largemargin.production.model_files import save
from machines import fixed_linear_ldm


@pytest.fixture
def path(tmp_path):
    return tmp_path / "machine.model"


@pytest.fixture
def saved(path, blobs):
    X, y = blobs
    machine = fixed_linear_ldm().fit(X, y)
    save(machine, path)
    return machine
