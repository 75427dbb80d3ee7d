from dataclasses import replace

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

from study.defaults.sets import Source
from study.when_it_helps.conditions import SELF_TUNED
from study.when_it_helps.tasks import Task, flipped, perform, with_probabilities


@pytest.mark.parametrize("n_classes", [2, 3])
def test_as_many_labels_are_flipped_as_asked_for(n_classes):
    y = np.tile(np.array(["a", "b", "c"])[:n_classes], 20)
    found = flipped(y, 0.1, seed=0)
    assert np.count_nonzero(found != y) == round(0.1 * len(y))
    assert set(found) == set(y)
    assert (flipped(y, 0.1, seed=0) == found).all()
    assert (flipped(y, 0.0, seed=0) == y).all()


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize("condition", ["30 rows", "20 % flipped", "half of the rows"])
def test_a_task_gives_the_same_result_again(condition):
    task = Task(Source("pair"), condition, SELF_TUNED, 0)
    first, second = (replace(perform(task), cpu_seconds=0.0) for _ in range(2))
    assert first == second
    assert first.key == task.key


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize("method", ["SVC", SELF_TUNED])
def test_probabilities_are_measured_where_the_condition_asks_for_them(method):
    with_losses, without = (
        perform(Task(Source("trio"), condition, method, 0))
        for condition in ("half of the rows", "20 % flipped")
    )
    assert 0 < with_losses.log_loss < np.log(3)
    assert without.log_loss is None


def test_a_search_is_not_repeated_for_probabilities():
    X = np.random.default_rng(0).normal(size=(60, 2))
    y = (X[:, 0] > 0).astype(int)
    search = GridSearchCV(SVC(), {"C": [1, 2]}).fit(X, y)
    assert isinstance(with_probabilities(search, X, y).estimator, SVC)
