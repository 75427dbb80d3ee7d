"""Long calls into compiled libraries that a keyboard interrupt can leave."""

import ctypes
import threading

NAME = "largemargin, in a compiled library"


def interruptible(work):
    """Return ``work()``; an interrupt in the main thread does not wait for its end.

    Python delivers an interrupt between two of its own instructions only, so a
    factorisation of seconds runs in a thread of its own, which is left to end alone. It
    is no daemon: a process that ended during its work could hang in the library's own end.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    outcome = {}
    # An interrupt of Thread.join would let Python take the thread for ended.
    ended = threading.Event()

    def run():
        try:
            outcome["result"] = work()
        except BaseException as error:
            outcome["error"] = error
        ended.set()

    thread = threading.Thread(target=run, name=NAME)
    thread.start()
    try:
        while not ended.wait(0.1):
            pass
    except KeyboardInterrupt:
        end_soon(thread)
        raise
    if "error" in outcome:
        raise outcome["error"]
    return outcome["result"]


def end_soon(thread):
    """Let a thread end without a word when it comes to its next Python instruction."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(
        ctypes.c_ulong(thread.ident), ctypes.py_object(SystemExit)
    )


def is_work_left():
    """Return whether work goes on that an interrupt has left."""
    return any(thread.name == NAME for thread in threading.enumerate())
