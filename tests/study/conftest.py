import os
from concurrent.futures import Future
from pathlib import Path

import pytest

from study import runner
from study.tasks import loaded

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def clone(monkeypatch):
    """Let processes find the study, which is not installed, from any directory."""
    known = os.environ.get("PYTHONPATH")
    paths = [str(ROOT)] if known is None else [str(ROOT), known]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))


class Here:
    """Does its work in this process, which is faster than to start others."""

    def submit(self, work, item):
        future = Future()
        try:
            future.set_result(work(item))
        except (ValueError, FileNotFoundError) as error:
            future.set_exception(error)
        return future

    def shutdown(self, kill_workers):
        loaded.cache_clear()


@pytest.fixture
def in_this_process(monkeypatch):
    """Run the tasks of a study without worker processes."""
    monkeypatch.setattr(runner, "get_reusable_executor", lambda n_jobs: Here())
