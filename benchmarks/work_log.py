"""What a fit reports about its own work, for the tables.

A solver may log ``{"products": 12, "rank": 200, "gram_seconds": 0.3, ...}`` as the
attribute ``work`` of a record of the logger ``largemargin.work``, at level DEBUG.
"""

import logging
from contextlib import contextmanager

LOGGER = logging.getLogger("largemargin.work")


class _Collector(logging.Handler):
    """Adds up the numbers of all records; of ranks, it keeps the largest."""

    def __init__(self):
        super().__init__(logging.DEBUG)
        self.work = {}

    def emit(self, record):
        for name, value in getattr(record, "work", {}).items():
            known = self.work.get(name, 0)
            self.work[name] = max(known, value) if name == "rank" else known + value


@contextmanager
def collected():
    """Collect in a dictionary what fits in this block report."""
    collector = _Collector()
    level, propagate = LOGGER.level, LOGGER.propagate
    LOGGER.addHandler(collector)
    LOGGER.setLevel(logging.DEBUG)
    LOGGER.propagate = False
    try:
        yield collector.work
    finally:
        LOGGER.removeHandler(collector)
        LOGGER.setLevel(level)
        LOGGER.propagate = propagate
