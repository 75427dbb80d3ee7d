"""Loops over rows of features. In place, no allocation, no Python objects.

One storage serves dense and sparse rows: a dense row is a CSR row that lists no
indices because it has them all. Data may be float32; sums are always float64.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from largemargin._jit import JIT


class Rows(NamedTuple):
    """Rows in CSR form; empty ``indices`` mean dense rows of equal length."""

    data: np.ndarray
    indices: np.ndarray
    indptr: np.ndarray


# Free order of summation, as in BLAS; nothing else is relaxed.
@njit(fastmath={"reassoc", "contract"}, **JIT)
def row_dot(rows, i, vector):
    """Inner product of row ``i`` with a dense vector."""
    start, stop = rows.indptr[i], rows.indptr[i + 1]
    total = 0.0
    if rows.indices.shape[0] == 0:
        for k in range(stop - start):
            total += rows.data[start + k] * vector[k]
    else:
        for k in range(start, stop):
            total += rows.data[k] * vector[rows.indices[k]]
    return total


@njit(**JIT)
def row_add(rows, i, step, vector):
    """Add ``step`` times row ``i`` to a dense vector."""
    start, stop = rows.indptr[i], rows.indptr[i + 1]
    if rows.indices.shape[0] == 0:
        for k in range(stop - start):
            vector[k] += step * rows.data[start + k]
    else:
        for k in range(start, stop):
            vector[rows.indices[k]] += step * rows.data[k]


@njit(**JIT)
def all_dots(rows, vector, out):
    """Inner product of every row with a dense vector."""
    for i in range(out.shape[0]):
        out[i] = row_dot(rows, i, vector)


@njit(**JIT)
def combine_rows(rows, coefficients, out):
    """Add the combination of the rows with these coefficients to ``out``."""
    for i in range(coefficients.shape[0]):
        if coefficients[i] != 0.0:
            row_add(rows, i, coefficients[i], out)


@njit(**JIT)
def squared_row_norms(rows, out):
    """Squared Euclidean length of every row."""
    for i in range(out.shape[0]):
        total = 0.0
        for k in range(rows.indptr[i], rows.indptr[i + 1]):
            total += np.float64(rows.data[k]) * rows.data[k]
        out[i] = total


@njit(**JIT)
def add_squares(rows, coefficients, out):
    """Add the combination of the squared entries of the rows to ``out``."""
    dense = rows.indices.shape[0] == 0
    for i in range(coefficients.shape[0]):
        start = rows.indptr[i]
        for k in range(start, rows.indptr[i + 1]):
            column = k - start if dense else rows.indices[k]
            out[column] += coefficients[i] * rows.data[k] * rows.data[k]


@njit(**JIT)
def add_outer_products(rows, selected, coefficients, out):
    """Add the combination of ``x x'`` over the selected sparse rows to ``out``."""
    for i in selected:
        start, stop = rows.indptr[i], rows.indptr[i + 1]
        for k in range(start, stop):
            scaled = coefficients[i] * rows.data[k]
            line = out[rows.indices[k]]
            for j in range(start, stop):
                line[rows.indices[j]] += scaled * rows.data[j]
