"""Compiled loops: cached on disk, run without the GIL, loaded when they are first called.

A loop that Python calls fills arrays it is given and returns numbers only: making an array
of a result runs Python inside numba, where a Ctrl-C that came during the loop becomes a
SystemError.

Importing numba takes longer than importing this library, so it waits for the first loop
that runs: a program that only reads parameters or predicts never needs it.
"""

from collections.abc import Callable
from functools import update_wrapper
from threading import RLock
from typing import Any

JIT: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy"}

# For plain sums: the order is free, as in BLAS; nothing else is relaxed.
SUM: dict[str, Any] = {"fastmath": {"reassoc", "contract"}, **JIT}

# For extremes of numbers that are never NaN.
EXTREME: dict[str, Any] = {"fastmath": {"reassoc", "contract", "nnan", "nsz"}, **JIT}

LOADING = RLock()


class Loop:
    """A function of arrays and numbers that numba compiles when it is first called."""

    def __init__(self, function: Callable, options: dict[str, Any]):
        update_wrapper(self, function)
        self.function, self.options = function, options
        self.compiled: Callable | None = None

    def __call__(self, *args):
        """Call the compiled function."""
        return (self.compiled or self.load())(*args)

    def load(self) -> Callable:
        """Return the compiled function."""
        with LOADING:
            if self.compiled is None:
                from numba import njit

                # Numba looks up the loops that this one calls, and knows only its own.
                known = self.function.__globals__
                for name in self.function.__code__.co_names:
                    if isinstance(known.get(name), Loop):
                        known[name] = known[name].load()
                self.compiled = njit(**self.options)(self.function)
            return self.compiled


def njit(**options) -> Callable[[Callable], Loop]:
    """Return a decorator of loops, with the options of ``numba.njit``."""
    return lambda function: Loop(function, options)
