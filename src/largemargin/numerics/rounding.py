"""Bounds of rounding errors in floating-point sums, and sums in wider floats."""

import numpy as np
import scipy.sparse as sp

# The relative error of a float64 operation.
UNIT = 2.0**-53
# Pairwise sums, as NumPy computes them, and a handful of operations on each term have an
# error of at most this many units of the sum of absolute values.
FEW = 64
# The same for the widest floats of this computer.
WIDE_UNIT = float(np.finfo(np.longdouble).eps)
# Matrices of up to this many numbers are multiplied in the widest floats where it matters.
MAX_WIDE_NUMBERS = 200_000


def growth(n_terms: int) -> float:
    """Return a bound of the relative error of a sum of this many terms, in any order."""
    return n_terms * UNIT / (1.0 - n_terms * UNIT)


def widened(matrix) -> np.ndarray:
    """Return an array in the widest floats; sparse matrices are made dense."""
    return (matrix.toarray() if sp.issparse(matrix) else matrix).astype(np.longdouble)


def wide_product(matrix, vector: np.ndarray, dtype=np.float64) -> np.ndarray:
    """Return ``matrix @ vector``, computed in the widest floats and then rounded."""
    return (widened(matrix) @ widened(vector)).astype(dtype)


def add_wide_dot(number: float, v: np.ndarray, w: np.ndarray) -> tuple[float, float]:
    """Return ``number + v . w``, nearly as if rounded once, and a bound of its error."""
    v, w = widened(v), widened(w)
    total = float(number + v @ w)
    size = float(abs(number) + np.abs(v) @ np.abs(w))
    return total, UNIT * abs(total) + (len(v) + 2) * WIDE_UNIT * size
