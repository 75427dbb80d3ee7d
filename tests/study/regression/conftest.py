import numpy as np
import pytest

from largemargin.tables import Data
from study.regression import comparison, report, sets, tasks
from study.regression.sets import Source, ValueSet
from study.tasks import loaded

TINY = {"near": ValueSet("near", 60, 2), "far": ValueSet("far", 80, 3)}


def made_up(source):
    """Return values that follow a line, with noise."""
    known = TINY[source.name]
    rng = np.random.default_rng(known.rows)
    X = rng.normal(size=(known.rows, known.features))
    return Data(X, X[:, 0] + 0.1 * rng.normal(size=known.rows), known.name, "made up")


@pytest.fixture
def tiny_sets(monkeypatch):
    """Put two made-up sets in the place of the table."""
    loaded.cache_clear()
    for module in (sets, tasks, comparison, report):
        monkeypatch.setattr(module, "SETS", TINY)
    monkeypatch.setattr(sets, "TABLE", tuple(TINY.values()))
    monkeypatch.setattr(Source, "load", made_up)
    yield TINY
    loaded.cache_clear()
