"""Cholesky factors by LAPACK, with other threads running meanwhile.

SciPy's own functions for them hold Python's lock, so that neither other threads nor an
interrupt get a turn for all the seconds that a large matrix takes; ctypes lets it go.
Matrices are of float64, in Fortran order; only their lower triangle counts.
"""

from contextlib import nullcontext
from ctypes import CFUNCTYPE, POINTER, byref, c_char_p, c_double, c_int

import numpy as np
from numba.extending import get_cython_function_address

from largemargin.numerics.threads import one_blas_thread

MAX_THREADED_ROWS = 10_000
LOWER = c_char_p(b"L")
INT, REALS = POINTER(c_int), POINTER(c_double)


def routine(name, *kinds):
    """Return a function of LAPACK by its name and the kinds of its arguments."""
    address = get_cython_function_address("scipy.linalg.cython_lapack", name)
    return CFUNCTYPE(None, c_char_p, INT, REALS, INT, *kinds)(address)


POTRF = routine("dpotrf", INT)
POTRI = routine("dpotri", INT)
PSTRF = routine("dpstrf", INT, INT, REALS, REALS, INT)


def factorise(matrix):
    """Put the lower Cholesky factor in the place of the lower triangle of a matrix."""
    if call(POTRF, matrix):
        raise np.linalg.LinAlgError("the matrix is not positive definite")


def invert(factor):
    """Put the inverse in the place of a factor that ``factorise`` made."""
    if call(POTRI, factor):
        raise np.linalg.LinAlgError("the matrix is singular")


def factorise_with_pivots(matrix, tolerance):
    """Factorise rows in the order of the largest left over; return order and rank.

    The rank is reached when no more than ``tolerance`` is left on the diagonal.
    """
    n = len(matrix)
    order, rank, work = np.empty(n, dtype=np.intc), c_int(), np.empty(2 * n)
    found = order.ctypes.data_as(INT), byref(rank)
    limit = byref(c_double(tolerance))
    call(PSTRF, matrix, *found, limit, work.ctypes.data_as(REALS))
    return order - 1, rank.value


def safe_threads(n_rows):
    """Return a context in which LAPACK may factorise a matrix of so many rows.

    OpenBLAS's threaded factorisations crash the process from some 18,000 rows on.
    """
    return one_blas_thread() if n_rows > MAX_THREADED_ROWS else nullcontext()


def call(function, matrix, *arguments):
    """Call LAPACK on a matrix; return if it met a pivot that is not positive."""
    # LAPACK would read other memory than was meant.
    assert matrix.dtype == np.float64
    assert matrix.flags.f_contiguous
    assert matrix.shape == (len(matrix), len(matrix))
    n, info = c_int(len(matrix)), c_int()
    at = matrix.ctypes.data_as(REALS)
    with safe_threads(len(matrix)):
        lead = byref(c_int(max(1, n.value)))
        function(LOWER, byref(n), at, lead, *arguments, byref(info))
    if info.value < 0:
        raise ValueError(f"LAPACK refused argument {-info.value}.")
    return info.value > 0
