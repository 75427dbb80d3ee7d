from dataclasses import replace

import pytest

from study import tasks
from study.readings.scalings import METHODS
from study.readings.tasks import Task, perform


@pytest.mark.parametrize("method", ["svm", "ldm"])
def test_the_literal_reading_is_a_result_of_the_papers_study(source, method):
    ours = perform(Task(source, method, 0))
    theirs = tasks.perform(tasks.Task(source, "paper", "linear", method, 0))
    assert ours.key == theirs.key
    assert ours.accuracy == theirs.accuracy


@pytest.mark.parametrize("method", METHODS)
def test_chosen_prices_are_those_of_the_paper(source, method):
    result = perform(Task(source, method, 0))
    assert result.chosen["C"] in (10.0, 50.0, 100.0)
    assert result.accuracy > 0.5
    assert replace(perform(Task(source, method, 0)), cpu_seconds=0.0) == replace(
        result, cpu_seconds=0.0
    )
