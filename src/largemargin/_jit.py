"""How every compiled loop is compiled: cached on disk, without the GIL."""

JIT = {"cache": True, "nogil": True, "error_model": "numpy"}

# For plain sums: the order is free, as in BLAS; nothing else is relaxed.
SUM = {"fastmath": {"reassoc", "contract"}, **JIT}

# For extremes of numbers that are never NaN.
EXTREME = {"fastmath": {"reassoc", "contract", "nnan", "nsz"}, **JIT}
