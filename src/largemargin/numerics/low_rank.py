"""Pivoted Cholesky factors, of Gram matrices that may never be formed as a whole."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.linalg import qr, solve_triangular

from largemargin.numerics.lapack import factorise_with_pivots
from largemargin.numerics.rounding import wide_product

# Pivots are drawn in blocks of this many rows.
BLOCK = 100


class Factor(NamedTuple):
    """Rows of features with a given Gram matrix; the rows of the pivots are triangular."""

    rows: np.ndarray
    pivots: np.ndarray

    def expand(self, w: np.ndarray) -> np.ndarray:
        """Return the expansion of ``w`` over the pivots, which span all rows."""
        alpha = np.zeros(len(self.rows))
        corner = self.rows[self.pivots].astype(np.float64)
        alpha[self.pivots] = solve_triangular(corner, w, lower=True, trans=1)
        return alpha


def pivoted_factor(gram: np.ndarray) -> Factor:
    """Return rows with ``rows rows' = gram`` up to rounding, by pivoted Cholesky."""
    rounding = len(gram) * np.finfo(gram.dtype).eps * max(np.diagonal(gram).max(), 0.0)
    return span(gram, rounding)


def span(gram: np.ndarray, tolerance: float) -> Factor:
    """Return a factor whose pivots span the other rows up to ``tolerance``."""
    matrix = gram.astype(np.float64, order="F")
    order, rank = factorise_with_pivots(matrix, tolerance)
    rows = np.empty((len(gram), rank))
    rows[order] = np.tril(matrix[:, :rank])
    return Factor(rows, order[:rank])


def expand_over_few(X, w: np.ndarray) -> np.ndarray:
    """Return an expansion of ``w`` over as few rows as span all of them."""
    X = X.toarray() if sp.issparse(X) else X.astype(np.float64, copy=False)
    unit = np.abs(X).max(axis=0)
    unit[unit == 0] = 1.0
    scaled = (X / unit).T
    _, triangle, order = qr(scaled, mode="economic", pivoting=True)
    sizes = np.abs(np.diagonal(triangle))
    rank = np.count_nonzero(sizes > len(X) * np.finfo(float).eps * sizes.max(initial=0.0))
    few, alpha = order[:rank], np.zeros(len(X))
    for _ in range(2):  # the second time for what rounding left
        missed = (w - wide_product(X[few].T, alpha[few])) / unit
        alpha[few] += np.linalg.lstsq(scaled[:, few], missed)[0]
    return alpha


def low_rank_factor(
    columns: Callable, diagonal: np.ndarray, *, max_rank: int, tolerance: float, dtype
) -> tuple[Factor, float]:
    """Return a low-rank factor of a matrix, and the fraction of its trace it leaves out.

    ``columns(pivots)`` returns columns of the matrix. Pivots are drawn with probabilities
    proportional to what is still missing of the diagonal, until at most a fraction
    ``tolerance`` of the trace is missing or ``max_rank`` is reached. The cost is
    ``len(diagonal) max_rank^2``.
    """
    rng = np.random.default_rng(0)
    missing = diagonal.astype(np.float64)
    whole = missing.sum()
    if not whole > 0:
        raise ValueError("The kernel is zero on all rows: there is nothing to learn from.")
    # Pivots that nearly depend on others would only add rounding errors.
    smallest = 100 * np.finfo(dtype).eps * missing.max()
    rows = np.empty((len(diagonal), max_rank), dtype=dtype)
    pivots = np.empty(0, dtype=np.intp)
    while len(pivots) < max_rank and missing.sum() > tolerance * whole:
        missing[missing <= smallest] = 0.0
        n_drawn = min(BLOCK, max_rank - len(pivots), int(np.count_nonzero(missing)))
        if n_drawn == 0:
            break
        chances = missing / missing.sum()
        drawn = rng.choice(len(missing), n_drawn, replace=False, p=chances)
        missing[drawn] = 0.0
        known = rows[:, : len(pivots)]
        block = columns(drawn)
        block -= known @ known[drawn].T
        corner = span(block[drawn], smallest)
        drawn, block = drawn[corner.pivots], block[:, corner.pivots]
        inverse = solve_triangular(
            corner.rows[corner.pivots], np.eye(len(drawn)), lower=True
        )
        block = block @ inverse.T.astype(block.dtype)
        rows[:, len(pivots) : len(pivots) + len(drawn)] = block
        pivots = np.concatenate([pivots, drawn])
        missing = np.maximum(missing - np.einsum("ij,ij->i", block, block), 0.0)
    return Factor(rows[:, : len(pivots)], pivots), float(missing.sum() / whole)
