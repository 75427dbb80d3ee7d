"""Cholesky factors by LAPACK, called without Python's lock.

SciPy's functions hold the lock, so other threads and interrupts must wait for the seconds
that a large matrix takes; ctypes releases it. Matrices are in Fortran order, float64 or,
without pivots, float32; only their lower triangle is used.
"""

from contextlib import AbstractContextManager, nullcontext
from ctypes import (
    CFUNCTYPE,
    POINTER,
    PYFUNCTYPE,
    byref,
    c_char_p,
    c_double,
    c_int,
    c_void_p,
    py_object,
    pythonapi,
)

import numpy as np
from scipy.linalg import cython_lapack

from largemargin.numerics.threads import one_blas_thread

MAX_THREADED_ROWS = 10_000
LOWER = c_char_p(b"L")
INT, REALS, NUMBERS = POINTER(c_int), POINTER(c_double), c_void_p
# SciPy publishes the addresses of its LAPACK functions in capsules.
NAME_OF = PYFUNCTYPE(c_char_p, py_object)(("PyCapsule_GetName", pythonapi))
ADDRESS_IN = PYFUNCTYPE(c_void_p, py_object, c_char_p)(("PyCapsule_GetPointer", pythonapi))


def routine(name, *kinds):
    """Return a LAPACK function by its name and the types of its further arguments."""
    capsule = cython_lapack.__pyx_capi__[name]
    address = ADDRESS_IN(capsule, NAME_OF(capsule))
    return CFUNCTYPE(None, c_char_p, INT, NUMBERS, INT, *kinds)(address)


NARROW, WIDE = np.dtype(np.float32), np.dtype(np.float64)
POTRF = {NARROW: routine("spotrf", INT), WIDE: routine("dpotrf", INT)}
POTRI = {NARROW: routine("spotri", INT), WIDE: routine("dpotri", INT)}
PSTRF = routine("dpstrf", INT, INT, REALS, REALS, INT)


def factorise(matrix: np.ndarray) -> None:
    """Overwrite the lower triangle of a matrix by its Cholesky factor."""
    if call(POTRF[matrix.dtype], matrix):
        raise np.linalg.LinAlgError("the matrix is not positive definite")


def invert(factor: np.ndarray) -> None:
    """Overwrite a factor from ``factorise`` by the inverse of the matrix."""
    if call(POTRI[factor.dtype], factor):
        raise np.linalg.LinAlgError("the matrix is singular")


def factorise_with_pivots(matrix: np.ndarray, tolerance: float) -> tuple[np.ndarray, int]:
    """Factorise a matrix with the largest remaining pivot first; return order and rank.

    It stops when no more than ``tolerance`` is left on the diagonal.
    """
    n = len(matrix)
    order, rank, work = np.empty(n, dtype=np.intc), c_int(), np.empty(2 * n)
    found = order.ctypes.data_as(INT), byref(rank)
    limit = byref(c_double(tolerance))
    assert matrix.dtype == WIDE
    call(PSTRF, matrix, *found, limit, work.ctypes.data_as(REALS))
    return order - 1, rank.value


def safe_threads(n_rows: int) -> AbstractContextManager:
    """Return a context in which LAPACK can safely factorise a matrix of this many rows.

    The threaded factorisations of OpenBLAS crash the process from about 18,000 rows on.
    """
    return one_blas_thread() if n_rows > MAX_THREADED_ROWS else nullcontext()


def call(function, matrix, *arguments):
    """Call LAPACK on a matrix; return whether it met a pivot that is not positive."""
    # Otherwise LAPACK would read or write the wrong memory.
    assert matrix.dtype in (NARROW, WIDE)
    assert matrix.flags.f_contiguous
    assert matrix.shape == (len(matrix), len(matrix))
    n, info = c_int(len(matrix)), c_int()
    at = matrix.ctypes.data_as(NUMBERS)
    with safe_threads(len(matrix)):
        lead = byref(c_int(max(1, n.value)))
        function(LOWER, byref(n), at, lead, *arguments, byref(info))
    if info.value < 0:
        raise ValueError(f"LAPACK refused argument {-info.value}.")
    return info.value > 0
