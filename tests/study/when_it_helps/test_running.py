import pytest

from study.defaults.sets import SETS, Source
from study.store import Store
from study.when_it_helps.conditions import CONDITIONS
from study.when_it_helps.running import HelpsRun, Plan


def plan(splits):
    return Plan((Source("pair"), Source("trio")), tuple(CONDITIONS), splits)


@pytest.mark.usefixtures("tiny")
def test_a_set_is_measured_under_the_conditions_that_have_it():
    counts = [len(plan(1).tasks(Source(name), SETS[name])) for name in ("pair", "trio")]
    assert counts == [6, 4]


@pytest.mark.usefixtures("in_this_process", "tiny")
def test_a_second_run_does_only_what_is_missing(tmp_path):
    counts = []
    for splits in (1, 2):
        store = Store(tmp_path)
        with store, HelpsRun(store, 1, lambda *progress: None) as going:
            counts.append(going.complete(plan(splits)).n_done)
    assert counts == [10, 10]


def test_sets_of_other_conditions_are_an_error_with_the_way_out():
    with pytest.raises(ValueError, match="'list' shows"):
        Plan(()).refuse()
