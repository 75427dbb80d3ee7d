import numpy as np
import pytest

from study.defaults import sets
from study.defaults.sets import SETS, StudySet
from study.tasks import loaded
from study.when_it_helps.conditions import CONDITIONS, SELF_TUNED, Condition

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
def tiny(monkeypatch):
    """Put two made-up sets and three conditions in the place of those of the study."""
    loaded.cache_clear()
    monkeypatch.setattr(sets, "read", made_up)
    for name, one in TINY.items():
        monkeypatch.setitem(SETS, name, one)
    for name in list(CONDITIONS):
        monkeypatch.delitem(CONDITIONS, name)
    both, methods = tuple(TINY), ("SVC", SELF_TUNED)
    for name, one in {
        "30 rows": Condition(("pair",), methods, rows=30),
        "20 % flipped": Condition(both, methods, flipped=0.2),
        "half of the rows": Condition(both, methods, has_probabilities=True),
    }.items():
        monkeypatch.setitem(CONDITIONS, name, one)
    yield both
    loaded.cache_clear()
