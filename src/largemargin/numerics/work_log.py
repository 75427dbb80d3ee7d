"""Counts and seconds of the work of a fit, for benchmarks: logged at level DEBUG."""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager

logger = logging.getLogger("largemargin.work")


def log_work(**numbers: float) -> None:
    """Log some numbers, also as the attribute ``work`` of the record."""
    if logger.isEnabledFor(logging.DEBUG):
        logger.debug("work: %s", numbers, extra={"work": numbers})


@contextmanager
def timed(name: str) -> Iterator[None]:
    """Log the seconds that the block takes."""
    begin = time.perf_counter()
    try:
        yield
    finally:
        log_work(**{name: time.perf_counter() - begin})
