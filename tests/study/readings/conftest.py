import numpy as np
import pytest

from study.tasks import Source, loaded


@pytest.fixture
def source(tmp_path):
    """Return two overlapping classes in a file."""
    loaded.cache_clear()
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 20)
    X = rng.normal(size=(40, 3)) + y[:, None]
    path = tmp_path / "toy.csv"
    np.savetxt(path, np.column_stack([X, y]), delimiter=",", header="a,b,c,d", comments="")
    yield Source("toy", path=str(path))
    loaded.cache_clear()
