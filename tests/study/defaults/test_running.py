import pytest

from study.defaults.running import Costs, DefaultsRun, Lines, Plan
from study.defaults.sets import Source
from study.defaults.tasks import Task
from study.store import Result, Store

METHODS = "SVC", "SVC search", "loo, squared, k 0.1", "loo, squared, k 0.1, ovr"
SOURCES = Source("pair"), Source("trio")


def ignore(*progress):
    pass


def test_machines_against_the_rest_are_run_with_many_classes_only(tiny_sets):
    plan = Plan(SOURCES, METHODS, ("unit",), max_splits=2)
    tasks = {name: plan.tasks(Source(name), tiny_sets[name]) for name in tiny_sets}
    assert len(tasks["pair"]) == 6
    assert len(tasks["trio"]) == 8


@pytest.mark.usefixtures("in_this_process", "tiny_sets")
def test_a_second_run_does_only_what_is_missing(tmp_path):
    counts = []
    for splits in (1, 2):
        plan = Plan(SOURCES, METHODS, max_splits=splits)
        store = Store(tmp_path)
        with store, DefaultsRun(store, 1, ignore) as going:
            counts.append(going.complete(plan).n_done)
    assert counts == [14, 14]
    assert {one.dataset for one in store.results()} == {"pair", "trio"}


@pytest.mark.usefixtures("in_this_process", "tiny_sets")
def test_the_time_left_is_known_after_the_first_task(tmp_path):
    left = []
    store = Store(tmp_path)
    with store, DefaultsRun(store, 1, lambda done, all_of, f: left.append(f())) as going:
        going.complete(Plan(SOURCES, ("SVC",), ("unit",), max_splits=2))
    assert left[0] is None
    assert left[1] > 0
    assert left[-1] == 0
    assert going.cpu_seconds > 0


def test_a_task_costs_what_its_set_and_method_cost_before():
    results = [
        Result("unit", "pair", "rbf", "SVC", 0, 0.5, {}, 1.0),
        Result("unit", "trio", "rbf", "SVC", 0, 0.5, {}, 3.0),
    ]
    costs = Costs(results)
    tasks = [(Source("pair"), "SVC"), (Source("other"), "SVC"), (Source("other"), "x")]
    found = [costs.of(Task(source, "unit", method, 1)) for source, method in tasks]
    assert found == [1.0, 2.0, 2.0]
    assert Costs().of(Task(SOURCES[0], "unit", "SVC", 0)) is None


def test_lines_of_progress_are_few_and_say_the_time_left():
    lines = []
    tell = Lines(lines.append)
    for done in range(5):
        tell(done, 4, lambda: 7200.0)
    assert lines == [
        "0 of 4 tasks, about 2.0 hours left",
        "4 of 4 tasks, about 2.0 hours left",
    ]
