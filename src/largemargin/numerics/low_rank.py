"""Pivoted Cholesky factors, of Gram matrices that may never be formed as a whole."""

from collections.abc import Callable
from threading import Lock
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.linalg import qr, solve_triangular

from largemargin.numerics.lapack import factorise_with_pivots
from largemargin.numerics.rounding import wide_product

# Pivots are drawn in blocks of this many rows.
BLOCK = 64
# Squared lengths of rows up to this have room in float32.
LARGEST = 1e38


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


class GrowingFactor:
    """A pivoted Cholesky factor of a positive semi-definite matrix, extended on demand.

    ``columns(pivots)`` returns columns of the matrix. ``rows`` has one row per pivot, so
    that ``rows' rows`` approximates the matrix. Pivots are drawn with probabilities
    proportional to what is missing of the diagonal, times ``mass``. The cost of rank r is
    ``len(diagonal) r^2``.
    """

    def __init__(self, columns: Callable, diagonal: np.ndarray, max_rank: int, mass=1.0):
        self._columns, self._mass = columns, mass
        self.max_rank = min(max_rank, len(diagonal))
        self.diagonal = diagonal.astype(np.float64)
        self.missing = self.diagonal.copy()
        largest = self.missing.max(initial=0.0)
        if not largest < LARGEST:
            raise ValueError(
                f"The kernel of a row with itself is {largest:.1e}; expected less than "
                f"{LARGEST:.1e}. Scale the features or lower gamma, degree or coef0."
            )
        # Pivots that nearly depend on others would only add rounding errors.
        self._smallest = 100 * np.finfo(np.float32).eps * largest
        self._rng = np.random.default_rng(0)
        self._store = np.empty((self.max_rank, len(diagonal)), dtype=np.float32)
        self.pivots = np.empty(0, dtype=np.intp)
        # The rank after each extension, and what was missing then.
        self._history = [(0, self.left)]
        self._lock = Lock()

    @property
    def rows(self) -> np.ndarray:
        """The factor, one row per pivot."""
        return self._store[: len(self.pivots)]

    @property
    def left(self) -> float:
        """What is missing of the trace, each row times its mass."""
        return float((self._mass * self.missing).sum())

    def extend(self) -> bool:
        """Draw another block of pivots; return whether there were any left to draw."""
        self.missing[self.missing <= self._smallest] = 0.0
        rank, chances = len(self.pivots), self._mass * self.missing
        n_drawn = min(BLOCK, self.max_rank - rank, int(np.count_nonzero(chances)))
        if n_drawn == 0:
            return False
        chances = chances / chances.sum()
        drawn = self._rng.choice(len(chances), n_drawn, replace=False, p=chances)
        block = self._columns(drawn).T.astype(np.float32)
        block -= self.rows[:, drawn].T @ self.rows
        corner = span(block[:, drawn], self._smallest)
        self.missing[drawn] = 0.0
        inverse = solve_triangular(
            corner.rows[corner.pivots], np.eye(len(corner.pivots)), lower=True
        )
        drawn, block = drawn[corner.pivots], block[corner.pivots]
        block = np.matmul(
            inverse.astype(np.float32), block, out=self._store[rank : rank + len(drawn)]
        )
        self.pivots = np.concatenate([self.pivots, drawn])
        self.missing -= np.einsum("ij,ij->j", block, block)
        np.maximum(self.missing, 0.0, out=self.missing)
        self._history.append((len(self.pivots), self.left))
        return True

    def grow(self, is_enough: Callable[[int, float, float], bool]) -> int:
        """Return the first rank that is enough, extending the factor if need be.

        ``is_enough(rank, before, after)`` is given what was left before and after the
        last block of pivots.
        """
        with self._lock:
            k = 0
            while k + 1 < len(self._history) or self.extend():
                k += 1
                (_, before), (rank, after) = self._history[k - 1 : k + 1]
                if is_enough(rank, before, after):
                    return rank
            return len(self.pivots)

    def reached(self, most: float) -> int:
        """Return the largest rank up to ``most`` that was reached, at least the first."""
        ranks = [rank for rank, _ in self._history[1:]] or [0]
        return max((rank for rank in ranks if rank <= most), default=ranks[0])

    def left_at(self, rank: int) -> float:
        """Return what was missing at one of the ranks that were reached."""
        return dict(self._history)[rank]

    def missing_at(self, rank: int) -> np.ndarray:
        """Return what the first rows of the factor leave out of the diagonal."""
        known = np.einsum("ij,ij->j", self.rows[:rank], self.rows[:rank], dtype=np.float64)
        return np.maximum(self.diagonal - known, 0.0)


def low_rank_factor(
    columns: Callable, diagonal: np.ndarray, *, max_rank: int, tolerance: float
) -> tuple[Factor, float]:
    """Return a low-rank factor of a matrix, and the fraction of its trace it leaves out.

    Pivots are drawn until at most a fraction ``tolerance`` of the trace is missing or
    ``max_rank`` is reached.
    """
    factor = GrowingFactor(columns, diagonal, max_rank)
    whole = factor.left
    if not whole > 0:
        raise ValueError("The kernel is zero on all rows: there is nothing to learn from.")
    while factor.left > tolerance * whole and factor.extend():
        pass
    return Factor(factor.rows.T, factor.pivots), factor.left / whole
