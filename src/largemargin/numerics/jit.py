"""Options for every compiled loop: cached on disk, without the GIL.

A loop that Python calls fills arrays it is given and returns numbers only: making an array
of a result runs Python inside numba, where a Ctrl-C that came during the loop becomes a
SystemError.
"""

from typing import Any

JIT: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy"}

# For plain sums: the order is free, as in BLAS; nothing else is relaxed.
SUM: dict[str, Any] = {"fastmath": {"reassoc", "contract"}, **JIT}

# For extremes of numbers that are never NaN.
EXTREME: dict[str, Any] = {"fastmath": {"reassoc", "contract", "nnan", "nsz"}, **JIT}
