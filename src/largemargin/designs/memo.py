"""Results that depend on rows and weights only, shared by classes and prices."""

import operator
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any

from largemargin.numerics.interrupt import interruptible

# Work on more numbers than this takes long enough to be interrupted.
MANY = 1_000_000


class Memo:
    """Remembers the last result of each name; safe with threads."""

    def __init__(self, n_numbers: int):
        # Work on few numbers takes less time than starting a thread.
        self._call = interruptible if n_numbers > MANY else operator.call
        self._results = {}
        self._lock = Lock()

    def __call__(self, name: Hashable, owners: tuple, make: Callable[[], Any]) -> Any:
        """Return ``make()`` for this name and these very arrays, computed once.

        ``make`` must not use the memo itself.
        """
        kind = name[0] if isinstance(name, tuple) else name
        with self._lock:
            known = self._results.get(kind)
            # Arrays are compared by identity.
            key = name, *map(id, owners)
            if known is None or known[0] != key:
                self._results[kind] = known = key, owners, self._call(make)
            return known[2]
