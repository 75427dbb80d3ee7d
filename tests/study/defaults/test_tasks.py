from dataclasses import replace

from study.defaults.sets import SETS, Source
from study.defaults.tasks import Task, n_splits, perform, sizes, survey


def test_training_rows_are_capped_and_larger_sets_have_fewer_splits():
    assert sizes(SETS["iris"]) == (75, 75)
    assert sizes(SETS["letter"])[0] == 2000
    assert sizes(SETS["magic"])[0] == 5000
    assert [n_splits(SETS[name]) for name in ("iris", "letter", "magic")] == [30, 3, 2]


def test_a_task_gives_the_same_result_again(tiny_sets):
    task = Task(Source("trio"), "unit", "loo, squared, k 0.1", 0)
    first, second = (replace(perform(task), cpu_seconds=0.0) for _ in range(2))
    assert first == second
    assert first.key == task.key
    assert set(first.chosen) == {"C", "gamma"}
    assert first.accuracy > 0.5


def test_the_facts_of_a_set_have_its_classes(tiny_sets):
    facts, known = survey(Source("trio"))
    assert (facts.rows, facts.positives, facts.classes) == (90, 30, 3)
    assert known.name == "trio"
