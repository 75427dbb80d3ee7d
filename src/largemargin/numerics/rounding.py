"""How far floating-point sums may be from the truth."""

import numpy as np
import scipy.sparse as sp

UNIT = 2.0**-53
# Sums by pairs, as numpy makes them, and a handful of operations on each term round by no
# more than this many units of the sum of the sizes.
FEW = 64
# The same of sums in the widest numbers that the machine has.
WIDE_UNIT = float(np.finfo(np.longdouble).eps)


def growth(n_terms):
    """Return the relative error of a sum of so many terms, in any order."""
    return n_terms * UNIT / (1.0 - n_terms * UNIT)


def wide_product(matrix, vector, dtype=np.float64):
    """Return ``matrix @ vector``, summed in the widest numbers; sparse ones made dense."""
    matrix = matrix.toarray() if sp.issparse(matrix) else matrix
    wide = matrix.astype(np.longdouble) @ vector.astype(np.longdouble)
    return wide.astype(dtype)


def add_wide_dot(number, v, w):
    """Return ``number + v . w`` as rounded once, nearly, and a bound of its error."""
    v, w = v.astype(np.longdouble), w.astype(np.longdouble)
    total = float(number + v @ w)
    size = float(abs(number) + np.abs(v) @ np.abs(w))
    return total, UNIT * abs(total) + (len(v) + 2) * WIDE_UNIT * size
