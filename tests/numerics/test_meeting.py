"""Meetings: what is answered together, and that nobody waits for ever."""

import _thread
import threading
import time
from threading import Barrier, Lock

import pytest

from largemargin.numerics.meeting import Meeting

# How often each job asks. The fifth never does.
LENGTHS = 3, 1, 4, 1, 0, 2


class Clerk:
    """Doubles numbers, and remembers what was asked together."""

    def __init__(self):
        self.rounds = []

    def answer(self, rank, items):
        """Return the doubles, as all answers at a time."""
        self.rounds.append((rank, list(items)))
        return [2 * item for item in items]


def ask_often(job, ask):
    """Ask as often as the job says; return the last answer."""
    number, length = job
    answer = None
    for k in range(length):
        answer = ask(10 * number + k)
    return answer


def still_waiting():
    """Return the threads of meetings that are left after some time to end."""
    deadline = time.monotonic() + 10.0
    while time.monotonic() < deadline:
        left = [one for one in threading.enumerate() if "ThreadPool" in one.name]
        if not left:
            return []
        left[0].join(timeout=0.1)
    return left


@pytest.mark.parametrize("n_running", [1, 2, 7])
@pytest.mark.parametrize("n_seats", [1, 2, 4, 9])
def test_every_job_gets_its_own_answers(n_seats, n_running):
    clerk = Clerk()
    jobs = list(enumerate(LENGTHS))
    found = Meeting(clerk.answer, n_running).run(ask_often, jobs, n_seats)
    assert found == [2 * (10 * k + n - 1) if n else None for k, n in jobs]
    assert sorted(item for _, items in clerk.rounds for item in items) == [
        10 * number + k for number, length in jobs for k in range(length)
    ]
    assert still_waiting() == []


@pytest.mark.parametrize("n_running", [1, 2, 7])
def test_all_that_still_run_are_answered_together(n_running):
    clerk = Clerk()
    Meeting(clerk.answer, n_running).run(ask_often, list(enumerate(LENGTHS)), 6)
    items = [items for _, items in clerk.rounds]
    assert items == [[0, 10, 20, 30, 50], [1, 21, 51], [2, 22], [23]]


@pytest.mark.parametrize("n_running", [1, 2, 7])
def test_the_next_job_takes_the_place_of_one_that_ended(n_running):
    clerk = Clerk()
    Meeting(clerk.answer, n_running).run(ask_often, list(enumerate(LENGTHS)), 2)
    items = [items for _, items in clerk.rounds]
    assert items == [[0, 10], [1, 20], [2, 21], [22, 30], [23, 50], [51]]


def test_requests_of_a_larger_rank_wait_for_each_other():
    clerk = Clerk()

    def work(length, ask):
        for k in range(length):
            ask(k)
        return ask(100 * length, rank=1)

    assert Meeting(clerk.answer).run(work, [1, 3, 2], 3) == [200, 600, 400]
    ranks = [(0, [0, 0, 0]), (0, [1, 1]), (0, [2]), (1, [100, 300, 200])]
    assert clerk.rounds == ranks


@pytest.mark.parametrize("n_running", [1, 2])
def test_no_more_threads_run_at_a_time_than_allowed(n_running):
    running, most, lock = 0, 0, Lock()

    def work(job, ask):
        nonlocal running, most
        for _ in range(5):
            with lock:
                running += 1
                most = max(most, running)
            time.sleep(0.002)
            with lock:
                running -= 1
            ask(job)

    Meeting(Clerk().answer, n_running).run(work, range(6), 6)
    assert most == n_running


def test_two_threads_do_run_at_the_same_time():
    barrier = Barrier(2, timeout=10.0)

    def work(job, ask):
        barrier.wait()
        ask(job)

    Meeting(Clerk().answer, 2).run(work, range(4), 4)


@pytest.mark.parametrize("n_running", [1, 2, 7])
@pytest.mark.parametrize("failing", [0, 2, 5])
@pytest.mark.parametrize("when", [0, 1])
def test_an_error_in_one_job_ends_the_meeting(failing, when, n_running):
    def work(job, ask):
        for k in range(100):
            if job == failing and k == when:
                raise ValueError(f"job {job}")
            ask(k)

    with pytest.raises(ValueError, match=f"job {failing}"):
        Meeting(Clerk().answer, n_running).run(work, range(6), 4)
    assert still_waiting() == []


def test_an_error_of_the_answer_reaches_all_who_asked():
    def answer(rank, items):
        raise MemoryError("no room")

    caught = []

    def work(job, ask):
        try:
            ask(job)
        except MemoryError as error:
            caught.append((job, str(error)))
            raise

    with pytest.raises(MemoryError, match="no room"):
        Meeting(answer).run(work, range(3), 3)
    assert still_waiting() == []
    assert caught[0] == (0, "no room")


def test_an_answer_to_too_few_is_an_error():
    with pytest.raises(ValueError, match="zip"):
        Meeting(lambda rank, items: items[1:]).run(lambda job, ask: ask(job), range(3), 3)
    assert still_waiting() == []


@pytest.mark.parametrize("n_running", [1, 2])
def test_an_interrupt_ends_the_meeting(n_running):
    n_asked = 0

    def work(job, ask):
        nonlocal n_asked
        while True:
            ask(job)
            n_asked += 1
            if n_asked == 20:
                _thread.interrupt_main()

    with pytest.raises(KeyboardInterrupt):
        Meeting(Clerk().answer, n_running).run(work, range(4), 4)
    assert still_waiting() == []


def test_one_that_is_slow_holds_the_others_up_but_loses_nothing():
    clerk = Clerk()

    def work(job, ask):
        if job == 1:
            time.sleep(0.1)
        return [ask(10 * job), ask(10 * job + 1)]

    found = Meeting(clerk.answer, 3).run(work, range(3), 3)
    assert found == [[0, 2], [20, 22], [40, 42]]
    assert [items for _, items in clerk.rounds] == [[0, 10, 20], [1, 11, 21]]
