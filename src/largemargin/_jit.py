"""How every compiled loop is compiled: cached on disk, without the GIL."""

JIT = {"cache": True, "nogil": True, "error_model": "numpy"}
