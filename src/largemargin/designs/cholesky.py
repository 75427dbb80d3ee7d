"""Factors and inverses of matrices that rounding may have made indefinite."""

import operator
from functools import partial
from itertools import product
from typing import NamedTuple, Self

import numpy as np

from largemargin.kernels.values import mirror_lower
from largemargin.numerics import lapack
from largemargin.numerics.interrupt import interruptible
from largemargin.numerics.rounding import UNIT

# A factorisation of more rows than this takes long enough to be interrupted.
LONG = 2000
# Relative increases of the diagonal, tried in turn on a matrix that is not definite.
DAMPINGS = 1e-14, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4, 1e-2, 1.0


def damped_factor(matrix: np.ndarray) -> tuple[np.ndarray, bool]:
    """Return a Cholesky factor for ``cho_solve``, the diagonal increased if necessary.

    A matrix that stays indefinite is replaced by its diagonal: any positive definite
    matrix gives a descent direction.
    """
    if not np.isfinite(np.trace(matrix)):
        raise ValueError(
            "A Newton system overflowed. Scale the features, for example with "
            "sklearn.preprocessing.MinMaxScaler, or lower C or the sample weights."
        )
    run = interruptible if len(matrix) >= LONG else operator.call
    diagonal = np.diagonal(matrix).copy()
    for damping in DAMPINGS:
        factor = matrix.copy(order="F")
        try:
            run(partial(lapack.factorise, factor))
            return factor, True
        except np.linalg.LinAlgError:
            # In proportion to each entry: features may have different units.
            sizes = np.abs(diagonal)
            unit = np.maximum(sizes, UNIT * sizes.max()) + (sizes.max() == 0)
            np.fill_diagonal(matrix, diagonal + damping * unit)
    return np.asfortranarray(np.diag(np.sqrt(unit))), True


def inverse_of(gram: np.ndarray, ridge: np.ndarray, dtype=np.float64) -> np.ndarray:
    """Return the inverse of a Gram matrix plus a ridge, in the memory of one matrix."""
    for damping in 0.0, *DAMPINGS:
        matrix = gram.astype(dtype, order="F")
        matrix[np.diag_indices_from(matrix)] += ridge + damping * np.diagonal(gram)
        try:
            lapack.factorise(matrix)
            lapack.invert(matrix)
        except np.linalg.LinAlgError:
            continue
        mirror_lower(matrix)
        return matrix.T  # the same matrix, in C order
    raise ValueError(
        "The kernel matrix is not positive definite, even with a ridge. Scale the "
        "features, or use another kernel."
    )


class Spectrum(NamedTuple):
    """The eigendecomposition of a Gram matrix whose rows are scaled by root weights."""

    values: np.ndarray
    vectors: np.ndarray
    roots: np.ndarray

    @classmethod
    def of(cls, gram: np.ndarray, weight: np.ndarray) -> Self:
        """Return the decomposition; rounding makes no eigenvalue negative."""
        roots = np.sqrt(weight)
        values, vectors = np.linalg.eigh(roots[:, None] * gram * roots)
        return cls(np.maximum(values, 0.0), vectors, roots)

    def damped_inverse(self, spread: float) -> np.ndarray:
        """Return ``(G + diag(1 / (spread weight)))^-1`` for any positive spread."""
        half = self.vectors / np.sqrt(self.values + 1.0 / spread)
        half *= self.roots[:, None]
        return half @ half.T


def solve_small(matrix: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Solve with a matrix of one or two rows, which rounding may have made singular."""
    try:
        return np.linalg.solve(matrix, targets)
    except np.linalg.LinAlgError:
        return np.linalg.lstsq(matrix, targets)[0]


def without_row(matrix: np.ndarray, i: int) -> np.ndarray:
    """Return a square matrix without one row and column, copied block by block."""
    out = np.empty((len(matrix) - 1, len(matrix) - 1), dtype=matrix.dtype)
    blocks = (slice(0, i), slice(0, i)), (slice(i, None), slice(i + 1, None))
    for (down, old_down), (across, old_across) in product(blocks, repeat=2):
        out[down, across] = matrix[old_down, old_across]
    return out
