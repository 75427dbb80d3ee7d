"""Progress reports: the ``largemargin`` logger, printed if logging is not configured."""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Lock

logger = logging.getLogger("largemargin")
_lock = Lock()
_n_printing = 0


class _Printer(logging.Handler):
    """Prints each record on what standard error is at that moment."""

    def emit(self, record):
        # A standard error that is closed does not end a fit.
        if sys.stderr is not None:
            with suppress(OSError, ValueError):
                print(self.format(record), file=sys.stderr, flush=True)


_printer = _Printer()


def is_configured() -> bool:
    """Return whether the user has decided where progress reports go."""
    is_own = logger.handlers or logger.level != logging.NOTSET or not logger.propagate
    return bool(is_own) or (logger.isEnabledFor(logging.INFO) and logger.hasHandlers())


@contextmanager
def progress_printed(verbose: int) -> Iterator[None]:
    """Print progress reports on standard error in this block, unless logging is configured.

    Of blocks that overlap in several threads, the first sets the logger up and the last
    restores it.
    """
    global _n_printing
    with _lock:
        prints = bool(verbose) and (_n_printing > 0 or not is_configured())
        _n_printing += prints
        if prints and _n_printing == 1:
            logger.addHandler(_printer)
            logger.setLevel(logging.INFO)
            logger.propagate = False
    try:
        yield
    finally:
        with _lock:
            _n_printing -= prints
            if prints and _n_printing == 0:
                logger.removeHandler(_printer)
                logger.setLevel(logging.NOTSET)
                logger.propagate = True
