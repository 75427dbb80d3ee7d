"""Compiled loops over rows of features. In place, no allocation, no Python objects.

Rows are a tuple ``(data, indices, indptr)`` in CSR form; dense rows have None for
``indices``, so that each storage compiles to a loop of its own. Data may be float32; sums
are always float64. The innermost functions take the arrays as separate arguments: taken
out of a tuple there, their references would be counted at every row, which costs several
times as much as a short row itself.
"""

import numpy as np

from largemargin.numerics.jit import JIT, SUM, njit
from largemargin.numerics.lines import add_row


@njit(**SUM)
def dense_dot(data, start, vector):
    """Return the inner product of a vector with as many numbers from ``start`` on."""
    # Of an offset index, numba would check the sign at every number: no SIMD.
    row = data[start : start + vector.shape[0]]
    total = 0.0
    for k in range(vector.shape[0]):
        total += row[k] * vector[k]
    return total


@njit(**SUM)
def sparse_dot(data, indices, start, stop, vector):
    """Return the inner product of a vector with the entries from ``start`` to ``stop``."""
    total = 0.0
    for k in range(start, stop):
        total += data[k] * vector[indices[k]]
    return total


@njit(**JIT)
def row_dot(data, indices, indptr, i, vector):
    """Return the inner product of row ``i`` with a dense vector."""
    if indices is None:
        return dense_dot(data, indptr[i], vector)
    return sparse_dot(data, indices, indptr[i], indptr[i + 1], vector)


@njit(**JIT)
def row_add(data, indices, indptr, i, step, vector):
    """Add ``step`` times row ``i`` to a dense vector."""
    start, stop = indptr[i], indptr[i + 1]
    if indices is None:
        for k in range(stop - start):
            vector[k] += step * data[start + k]
    else:
        for k in range(start, stop):
            vector[indices[k]] += step * data[k]


@njit(**JIT)
def all_dots(rows, vector, out):
    """Fill ``out`` with the inner product of every row with a dense vector."""
    for i in range(out.shape[0]):
        out[i] = row_dot(*rows, i, vector)


@njit(**JIT)
def row_dot_size(data, indices, indptr, i, vector):
    """Return the sum of the absolute terms in the inner product of row ``i``."""
    start, stop = indptr[i], indptr[i + 1]
    total = 0.0
    if indices is None:
        for k in range(stop - start):
            total += abs(data[start + k] * vector[k])
    else:
        for k in range(start, stop):
            total += abs(data[k] * vector[indices[k]])
    return total


@njit(**JIT)
def all_dot_sizes(rows, vector, out):
    """Fill ``out`` with the sum of the absolute terms in each inner product."""
    for i in range(out.shape[0]):
        out[i] = row_dot_size(*rows, i, vector)


@njit(**JIT)
def combine_rows(rows, coefficients, out):
    """Add the combination of the rows with these coefficients to ``out``."""
    for i in range(coefficients.shape[0]):
        if coefficients[i] != 0.0:
            row_add(*rows, i, coefficients[i], out)


@njit(**JIT)
def multiply_sparse(rows, matrix, out):
    """Add the product of sparse rows with a matrix to ``out``."""
    data, indices, indptr = rows
    for i in range(out.shape[0]):
        for k in range(indptr[i], indptr[i + 1]):
            add_row(matrix[indices[k]], data[k], out[i])


@njit(**JIT)
def squared_row_norms(rows, out):
    """Fill ``out`` with the squared length of every row."""
    data, _, indptr = rows
    for i in range(out.shape[0]):
        total = 0.0
        for k in range(indptr[i], indptr[i + 1]):
            total += np.float64(data[k]) * data[k]
        out[i] = total


@njit(**JIT)
def row_add_squares(data, indices, indptr, i, step, vector):
    """Add ``step`` times the squared entries of row ``i`` to a dense vector."""
    start, stop = indptr[i], indptr[i + 1]
    if indices is None:
        for k in range(stop - start):
            vector[k] += step * data[start + k] * data[start + k]
    else:
        for k in range(start, stop):
            vector[indices[k]] += step * data[k] * data[k]


@njit(**JIT)
def add_squares(rows, coefficients, out):
    """Add the combination of the squared entries of the rows to ``out``."""
    for i in range(coefficients.shape[0]):
        row_add_squares(*rows, i, coefficients[i], out)


@njit(**JIT)
def add_outer_products(rows, coefficients, out):
    """Add the lower triangle of ``sum coefficients_i x_i x_i'`` of sparse rows to ``out``.

    The indices of each row must be sorted.
    """
    data, indices, indptr = rows
    for i in range(coefficients.shape[0]):
        if coefficients[i] == 0.0:
            continue
        for k in range(indptr[i], indptr[i + 1]):
            line = indices[k]
            scaled = coefficients[i] * data[k]
            for j in range(indptr[i], k + 1):
                out[line, indices[j]] += scaled * data[j]


@njit(**JIT)
def add_narrow_products(X, coefficients, block, out):
    """Add the lower triangle of ``sum coefficients_i x_i x_i'`` of dense rows to ``out``.

    Scaled rows are collected as columns of ``block``, which stays in the cache: for short
    rows this is several times as fast as BLAS, which would gather them in memory. ``block``
    and ``out`` have an additional line of zeros if the number of features is odd.
    """
    n_collected = 0
    for i in range(coefficients.shape[0]):
        if coefficients[i] == 0.0:
            continue
        root = np.sqrt(coefficients[i])
        for column in range(X.shape[1]):
            block[column, n_collected] = root * X[i, column]
        n_collected += 1
        if n_collected == block.shape[1]:
            add_dots(block, n_collected, out)
            n_collected = 0
    add_dots(block, n_collected, out)


@njit(**SUM)
def add_dots(block, n, out):
    """Add the inner products of the lines of ``block``, ``n`` long, to the lower triangle.

    Two lines are multiplied with two lines at a time, so that each number read is used
    twice; the number of lines must be even.
    """
    for line in range(0, out.shape[0], 2):
        first, second = block[line], block[line + 1]
        for other in range(0, line + 1, 2):
            third, fourth = block[other], block[other + 1]
            one_three = one_four = two_three = two_four = 0.0
            for k in range(n):
                one_three += first[k] * third[k]
                one_four += first[k] * fourth[k]
                two_three += second[k] * third[k]
                two_four += second[k] * fourth[k]
            out[line, other] += one_three
            out[line, other + 1] += one_four
            out[line + 1, other] += two_three
            out[line + 1, other + 1] += two_four
