from dataclasses import replace

import numpy as np

from study.regression.sets import SETS, Source
from study.regression.tasks import Task, contaminated, n_splits, perform, rows_of, sizes

METHOD = "C loo, k 0/0, epsilon loo"


def test_training_rows_are_capped_and_larger_sets_have_fewer_splits():
    assert sizes(SETS["Hitters"]) == (131, 132)
    assert sizes(SETS["Wage"])[0] == 400
    assert sizes(SETS["diamonds"]) == (1000, 5000)
    assert n_splits(SETS["Hitters"]) > n_splits(SETS["diamonds"])


def test_a_task_gives_the_same_result_again(tiny_sets):
    task = Task(Source("near"), "contaminated", METHOD, 0)
    first, second = (replace(perform(task), cpu_seconds=0.0) for _ in range(2))
    assert first == second
    assert first.key == task.key
    assert first.r2 > 0.8


def test_a_follower_takes_what_its_search_chose_by_absolute_errors(tiny_sets):
    search = Task(Source("near"), "clean", "LinearSVR search", 0)
    own = Task(Source("near"), "clean", "LinearSVR search by MAE", 0)
    assert own.leader == search.key
    chosen = {"C": 1.0, "by_mae": {"C": 1e-9, "epsilon": 0.0}}
    assert abs(perform(replace(own, chosen=chosen)).r2) < 0.1


def test_a_tenth_of_the_training_values_is_replaced_and_no_test_value(tiny_sets):
    clean, other = (
        rows_of(Task(Source("near"), targets, METHOD, 0))
        for targets in ("clean", "contaminated")
    )
    assert (clean[1] != other[1]).sum() == 3
    for k in (0, 2, 3):
        np.testing.assert_array_equal(clean[k], other[k])


def test_outliers_follow_the_units_of_the_values():
    y = np.random.default_rng(0).normal(size=40)
    first, second = (
        contaminated(values, np.random.default_rng(1)) for values in (y, 3 * y + 1)
    )
    np.testing.assert_allclose(second, 3 * first + 1)
