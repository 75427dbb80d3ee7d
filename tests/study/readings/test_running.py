import pytest

from study.readings.running import Plan, ReadingsRun
from study.store import Store


@pytest.mark.usefixtures("in_this_process")
def test_a_second_run_does_only_what_is_missing(source, tmp_path):
    counts = []
    for repetitions in (1, 2):
        plan = Plan((source,), ("svm", "svm, averaged"), repetitions)
        store = Store(tmp_path / "results")
        with store, ReadingsRun(store, 1, lambda *progress: None) as going:
            counts.append(going.complete(plan).n_done)
    assert counts == [2, 2]
