"""Long calls into compiled libraries that a keyboard interrupt can leave."""

import ctypes
import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import TypeVar

Result = TypeVar("Result")
NAME = "largemargin, in a compiled library"


def interruptible(work: Callable[[], Result]) -> Result:
    """Return ``work()``; an interrupt in the main thread does not wait for its end.

    Python handles an interrupt only between two of its own instructions, so long work,
    such as a factorisation, runs in a thread of its own, which an interrupt leaves to end
    by itself. It is not a daemon thread: a process that exits during the work could hang
    while the compiled library shuts down.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    outcome: Future[Result] = Future()

    def run():
        try:
            outcome.set_result(work())
        except BaseException as error:
            outcome.set_exception(error)

    thread = threading.Thread(target=run, name=NAME)
    thread.start()
    try:
        # If Thread.join were interrupted, Python would believe that the thread has ended.
        while not wait([outcome], timeout=0.1).done:
            pass
    except KeyboardInterrupt:
        # It ends silently at its next Python instruction.
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(thread.ident or 0), ctypes.py_object(SystemExit)
        )
        raise
    return outcome.result()


def is_work_left() -> bool:
    """Return whether work is still running that an interrupt has left."""
    return any(thread.name == NAME for thread in threading.enumerate())
