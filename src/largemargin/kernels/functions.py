"""Mercer kernels: values, Gram matrices, scores, and bounds of rounding errors."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.utils.extmath import safe_sparse_dot

from largemargin.kernels.gram import check_gram, gram_type
from largemargin.kernels.tiled import TiledGram, fill_gram
from largemargin.kernels.values import (
    FEW_ROWS,
    NARROW_UNIT,
    TILE,
    PlainRows,
    RadialRows,
    few_values,
    normalised_rows,
    squared_lengths,
    tile_pairs,
    tiles,
)
from largemargin.numerics.low_rank import Factor, low_rank_factor
from largemargin.numerics.rounding import FEW, WIDE_UNIT, growth, widened
from largemargin.numerics.threads import in_threads

# The diagonal of a kernel is taken from matrices of this many rows.
DIAGONAL_TILE = 64
# Where no row has a larger square, products may vanish in float32.
LEAST_OF_FLOAT32 = 1e-25
# A factor of low rank has at most this many columns, or as many as leave out no more than
# this fraction of the trace.
MAX_RANK = 1000
LOW_RANK_TOLERANCE = 1e-3


class KernelErrors(NamedTuple):
    """Bounds of the errors of a kernel's values, relative to the lengths of two rows.

    The values that ``scores`` computes are float64, and may have been computed otherwise
    than the entries of a Gram matrix; None if their bound is not known.
    """

    of_gram: float
    of_scores: float | None


@dataclass(frozen=True)
class Kernel:
    """A kernel with fixed parameters.

    ``name`` is one of ``KERNELS``, or a callable that maps two arrays of rows to the
    matrix of their inner products.
    """

    name: str | Callable
    gamma: float = 1.0
    degree: int = 3
    coef0: float = 0.0

    def __call__(self, X, Y) -> np.ndarray:
        """Return the matrix of the kernel between the rows of ``X`` and of ``Y``."""
        if callable(self.name):
            values = self.name(X, Y)
            return values.toarray() if sp.issparse(values) else np.asarray(values)
        # Expansions have large coefficients of both signs: errors of float32 would show.
        X, Y = (rows.astype(np.float64, copy=False) for rows in (X, Y))
        if self.name == "cosine":
            X, Y = normalised_rows(X), normalised_rows(Y)
        if self.name in ("linear", "cosine"):
            return safe_sparse_dot(X, Y.T, dense_output=True)
        parameters = {"gamma": self.gamma, "degree": self.degree, "coef0": self.coef0}
        return pairwise_kernels(X, Y, metric=self.name, filter_params=True, **parameters)

    @property
    def is_definite(self) -> bool:
        """Whether every Gram matrix is known to be positive semi-definite."""
        if callable(self.name):
            return False
        return self.name in {"linear", "rbf", "laplacian", "cosine"} or (
            self.name == "poly" and self.coef0 >= 0
        )

    @property
    def is_positive(self) -> bool:
        """Whether no value is negative."""
        return self.name in ("rbf", "laplacian")

    def gram_matrix(self, X) -> np.ndarray:
        """Return the Gram matrix of the rows, symmetric to the last bit."""
        return self._gram_of(X, self.prepare(X))

    def gram_and_errors(
        self, X, few_digits: bool = False
    ) -> tuple[np.ndarray, KernelErrors]:
        """Return the Gram matrix of the rows, and bounds of the errors of values.

        ``few_digits`` is whether float32 is enough for fewer rows than usual.
        """
        rows = self.prepare(X)
        gram = self._gram_of(X, rows, few_digits)
        own = self._entry_error(X, gram.dtype, None, rows)
        has_rows = self.is_definite or callable(self.name)
        return gram, KernelErrors(own, rows.entry_error_anywhere if has_rows else own)

    def _gram_of(self, X, rows, few_digits=False):
        n_rows = X.shape[0]
        if callable(self.name):
            return check_gram(self(X, X), n_rows, "the kernel's values")
        out = np.empty((n_rows, n_rows), dtype=gram_type(n_rows, few_digits))
        fill_gram(rows, out, np.float64)
        if out.dtype == np.float32 and np.diagonal(out).max() < LEAST_OF_FLOAT32:
            out = np.empty((n_rows, n_rows))
            fill_gram(rows, out, np.float64)
        if not (
            rows.is_bounded or all(np.isfinite(out[one]).all() for one in tiles(n_rows))
        ):
            raise ValueError(
                f"kernel={self.name!r} overflows on these rows. Scale the features or "
                "lower gamma, degree or coef0."
            )
        return out

    def low_rank(self, X) -> tuple[Factor, float]:
        """Return a low-rank factor of the Gram matrix, and the fraction it leaves out.

        The Gram matrix itself is never formed.
        """
        return low_rank_factor(
            TiledGram(self, X, max_kept_bytes=0).columns,
            self.diagonal(X),
            max_rank=min(MAX_RANK, X.shape[0]),
            tolerance=LOW_RANK_TOLERANCE,
        )

    def diagonal(self, X) -> np.ndarray:
        """Return the kernel of each row with itself."""
        if self.name in ("rbf", "laplacian"):
            return np.ones(X.shape[0])
        if self.name == "linear":
            return squared_lengths(X)
        blocks = [X[tile] for tile in tiles(X.shape[0], DIAGONAL_TILE)]
        diagonals = [np.diagonal(self(block, block)) for block in blocks]
        return np.concatenate(diagonals, dtype=np.float64)

    def scores(self, X, Y, coefficients: np.ndarray) -> np.ndarray:
        """Return ``kernel(X, Y) coefficients'`` without the whole matrix at once."""
        if callable(self.name):
            return self(X, Y) @ coefficients.T
        out = np.zeros((X.shape[0], len(coefficients)))
        if Y.shape[0] == 0:
            return out
        is_dense = not (sp.issparse(X) or sp.issparse(Y))
        if self.name == "rbf" and is_dense and X.shape[0] * Y.shape[0] <= FEW_ROWS**2:
            return few_values(self.gamma, X, Y) @ coefficients.T
        right = self.prepare(Y)

        def fill(down):
            left = self.prepare(X[down], right)
            for across in tiles(Y.shape[0]):
                tile = left.values(slice(None), right, across, np.float64)
                out[down] += tile @ coefficients[:, across].T

        in_threads(fill, tiles(X.shape[0]))
        return out

    def squared_length(self, X, coefficients: np.ndarray) -> tuple[float, float]:
        """Return the squared length of an expansion over ``X``, and a bound of its error.

        The Gram matrix is formed one tile at a time.
        """
        rows = self.prepare(X)

        def part(pair):
            down, across = pair
            tile = rows.values(down, rows, across, np.float64)
            part = coefficients[down] @ tile @ coefficients[across]
            return part if down == across else 2.0 * part

        total = np.sum(in_threads(part, tile_pairs(X.shape[0])))
        size = np.abs(coefficients) @ np.sqrt(np.maximum(self.diagonal(X), 0.0))
        return total, (growth(2 * TILE + FEW) + rows.entry_error) * size**2

    def wide_squared_length(self, X, coefficients: np.ndarray) -> tuple[float, float]:
        """Return the same in the widest floats there are, for few rows."""
        X, coefficients = widened(X), widened(coefficients)
        total = sum(
            coefficient * (self._wide_values(row, X) @ coefficients)
            for coefficient, row in zip(coefficients, X, strict=True)
        )
        lengths = np.array([self._wide_values(row, row[None])[0] for row in X])
        size = np.abs(coefficients) @ np.sqrt(np.maximum(lengths, 0.0))
        rounding = 2.0 * max(self.degree, 1) * (len(X) + X.shape[1] + FEW) * WIDE_UNIT
        return float(total), float(rounding * size**2)

    def _wide_values(self, row, X):
        """Return the kernel of one row with others, in their own dtype."""
        if self.name == "rbf":
            return np.exp(-self.gamma * ((X - row) ** 2).sum(axis=1))
        if self.name == "laplacian":
            return np.exp(-self.gamma * np.abs(X - row).sum(axis=1))
        values = X @ row
        if self.name == "poly":
            return (self.gamma * values + self.coef0) ** self.degree
        if self.name == "cosine":
            length = np.sqrt((X**2).sum(axis=1) * (row @ row))
            return values / np.where(length > 0, length, 1)
        assert self.name == "linear"
        return values

    def prepare(self, X, others=None):
        """Return the rows in the form that gives kernels with ``others`` fastest."""
        if self.name == "rbf":
            return RadialRows(self.gamma, X, others)
        return PlainRows(self, X)

    def score_entry_error(self, X) -> float:
        """Return a bound of the error of the values that ``scores`` uses on these rows."""
        if self.is_definite or callable(self.name):
            return self.prepare(X).entry_error_anywhere
        return self.entry_error(X)

    def entry_error(self, X, dtype=np.float64, diagonal=None) -> float:
        """Return a bound of the error of Gram matrices, relative to the rows' lengths.

        ``diagonal`` has the squared lengths if they are not those of ``diagonal(X)``.
        """
        return self._entry_error(X, dtype, diagonal, self.prepare(X))

    def _entry_error(self, X, dtype, diagonal, rows):
        # Entries are computed in float64 and rounded once.
        narrow = NARROW_UNIT if dtype != np.float64 else 0.0
        if self.is_definite or callable(self.name):
            return rows.entry_error + narrow
        # Inner products may cancel against coef0; their rounding errors do not. The
        # hyperbolic tangent of a number is no larger than the number.
        sizes = self.gamma * squared_lengths(X) + abs(self.coef0)
        sizes = sizes**self.degree if self.name == "poly" else sizes
        diagonal = self.diagonal(X) if diagonal is None else diagonal
        some = sizes > 0  # the others are rows of zeros, and their values are exact
        with np.errstate(divide="ignore", over="ignore"):
            largest = np.max(sizes[some] / np.maximum(diagonal[some], 0.0), initial=0.0)
        return 2.0 * max(self.degree, 1) * growth(X.shape[1] + 8) * largest + narrow
