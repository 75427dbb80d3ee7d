"""Compiled loops over lines of numbers, and small systems of equations."""

from largemargin.numerics.jit import JIT, SUM, njit


@njit(**SUM)
def dot(line, vector):
    """Return the inner product of a line with as many numbers of a vector."""
    total = 0.0
    for k in range(line.shape[0]):
        total += line[k] * vector[k]
    return total


@njit(**JIT)
def add_row(line, step, vector):
    """Add ``step`` times a line to as many numbers of a vector."""
    for k in range(line.shape[0]):
        vector[k] += step * line[k]


@njit(**JIT)
def solve_factorised(factor, target):
    """Overwrite a vector by the solution of a system with an upper Cholesky factor."""
    for k in range(target.shape[0]):
        target[k] /= factor[k, k]
        add_row(factor[k, k + 1 :], -target[k], target[k + 1 :])
    for k in range(target.shape[0] - 1, -1, -1):
        target[k] = (target[k] - dot(factor[k, k + 1 :], target[k + 1 :])) / factor[k, k]


@njit(**JIT)
def invert_upper(factor, out):
    """Fill in the inverse of an upper triangle; ``out`` is zero at first."""
    for k in range(factor.shape[0] - 1, -1, -1):
        line = out[k]
        for j in range(k + 1, factor.shape[0]):
            add_row(out[j, j:], -factor[k, j], line[j:])
        line[k] = 1.0
        for j in range(k, factor.shape[0]):
            line[j] /= factor[k, k]


@njit(**JIT)
def multiply_symmetric(matrix, vector, out):
    """Fill in the product with a symmetric matrix, given by its lower triangle."""
    for j in range(vector.shape[0]):
        out[j] = dot(matrix[j, : j + 1], vector)
        add_row(matrix[j, :j], vector[j], out)
