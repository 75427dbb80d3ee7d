"""Kernel functions, their widths, and Gram matrices."""

from importlib import import_module

# The first five in the order of their numbers in LIBSVM.
KERNELS = "linear", "poly", "rbf", "sigmoid", "precomputed", "laplacian", "cosine"


def __getattr__(name):
    """Return the class ``Kernel``, which pickles of 0.1.0 look for in this module."""
    if name != "Kernel":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module("largemargin.kernels.functions").Kernel
