"""What a design computes once."""

import threading

import numpy as np
import pytest

from largemargin.designs import base
from largemargin.designs.base import Design


def memo_of(size):
    design = Design()
    design.size = size
    return design.once_for


@pytest.fixture
def make():
    made = []

    def one():
        made.append(len(made))
        return made[-1]

    return one


def test_a_result_is_kept_for_the_very_same_arrays(make):
    remember, weight = memo_of(10), np.ones(3)
    assert [remember("moment", (weight,), make) for _ in range(3)] == [0, 0, 0]
    assert remember("moment", (weight.copy(),), make) == 1
    assert remember("moment", (weight,), make) == 2  # only the last one is kept


def test_names_that_begin_with_the_same_word_share_a_place(make):
    remember = memo_of(10)
    assert remember(("inverse", 0.1), (), make) == 0
    assert remember("lengths", (), make) == 1
    assert remember(("inverse", 0.1), (), make) == 0
    assert remember(("inverse", 0.2), (), make) == 2
    assert remember(("inverse", 0.1), (), make) == 3
    assert remember("lengths", (), make) == 1


def test_threads_make_it_once(make):
    remember, found = memo_of(10), []
    workers = [
        threading.Thread(target=lambda: found.append(remember("a", (), make)))
        for _ in range(8)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert found == [0] * 8


def test_work_on_many_numbers_can_be_interrupted():
    name = memo_of(base.MANY + 1)("thread", (), lambda: threading.current_thread().name)
    assert name != threading.current_thread().name
    assert memo_of(base.MANY)("thread", (), threading.current_thread) is (
        threading.current_thread()
    )
