import pytest

from study.regression.running import Plan, RegressionRun
from study.regression.sets import Source
from study.regression.tasks import ValueResult
from study.store import Store

SOURCES = Source("near"), Source("far")
METHODS = "RidgeCV", "LinearSVR search", "LinearSVR search by MAE"


@pytest.mark.usefixtures("in_this_process", "tiny_sets")
def test_a_second_run_does_only_what_is_missing(tmp_path):
    counts = []
    for splits in (1, 2):
        plan = Plan(SOURCES, METHODS, ("clean",), max_splits=splits)
        store = Store(tmp_path, ValueResult)
        with store, RegressionRun(store, 1, lambda *progress: None) as going:
            counts.append(going.complete(plan).n_done)
    assert counts == [6, 6]
    assert {one.dataset for one in store.results()} == {"near", "far"}


@pytest.mark.usefixtures("in_this_process", "tiny_sets")
def test_a_plan_without_methods_is_refused(tmp_path):
    store = Store(tmp_path, ValueResult)
    going = RegressionRun(store, 1, lambda *progress: None)
    with store, going, pytest.raises(ValueError, match="Nothing to measure"):
        going.complete(Plan(SOURCES, ()))
