"""Work that an interrupt leaves."""

import signal
import threading
import time

import pytest

from largemargin.numerics.interrupt import interruptible, is_work_left


def test_results_and_errors_come_through():
    assert interruptible(lambda: 3) == 3
    with pytest.raises(ZeroDivisionError):
        interruptible(lambda: 1 / 0)


def test_in_another_thread_the_work_is_done_there():
    seen = []
    thread = threading.Thread(
        target=lambda: seen.append(interruptible(threading.get_ident) == thread.ident)
    )
    thread.start()
    thread.join()
    assert seen == [True]


@pytest.fixture
def alarm():
    """A timer that interrupts as Ctrl-C does."""
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    yield
    signal.signal(signal.SIGALRM, before)


@pytest.mark.usefixtures("alarm")
def test_work_that_was_left_ends_without_a_word(capfd):
    def work():
        while True:
            time.sleep(0.01)

    begin = time.perf_counter()
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    with pytest.raises(KeyboardInterrupt):
        interruptible(work)
    while is_work_left() and time.perf_counter() < begin + 20:
        time.sleep(0.01)
    assert not is_work_left()
    assert capfd.readouterr().err == ""
