import numpy as np
import pytest

from study.defaults import comparison, report, sets, tasks
from study.defaults.sets import StudySet
from study.tasks import loaded

TINY = {
    "pair": StudySet("pair", "made up", 60, 2, 2),
    "trio": StudySet("trio", "made up", 90, 2, 3),
}


def made_up(known, data_home=None, packages=None):
    """Return classes that overlap, in order."""
    rng = np.random.default_rng(known.classes)
    y = np.repeat(np.arange(known.classes), known.rows // known.classes)
    X = rng.normal(size=(known.rows, known.features))
    X[:, 0] += 2.0 * y
    return X, y


@pytest.fixture
def tiny_sets(monkeypatch):
    """Put two made-up sets in the place of the table."""
    loaded.cache_clear()
    for module in (sets, tasks, comparison, report):
        monkeypatch.setattr(module, "SETS", TINY)
    monkeypatch.setattr(sets, "TABLE", tuple(TINY.values()))
    monkeypatch.setattr(sets, "read", made_up)
    yield TINY
    loaded.cache_clear()
