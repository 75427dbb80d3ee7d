import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def clone(monkeypatch):
    """Let processes find the study, which is not installed, from any directory."""
    known = os.environ.get("PYTHONPATH")
    paths = [str(ROOT)] if known is None else [str(ROOT), known]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
