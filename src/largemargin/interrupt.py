"""Long calls into compiled libraries that a keyboard interrupt can leave."""

import threading


def interruptible(work):
    """Return ``work()``; an interrupt in the main thread does not wait for its end.

    Python delivers an interrupt between two of its own instructions only, so a
    factorisation of seconds runs in a thread of its own, which is left to end alone.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    outcome = {}

    def run():
        try:
            outcome["result"] = work()
        except BaseException as error:
            outcome["error"] = error

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(0.1)
    if "error" in outcome:
        raise outcome["error"]
    return outcome["result"]
