"""Rows known by their kernel function, on which kept expansions are examined."""

import time
from functools import cached_property

import numpy as np

from largemargin.designs.base import Capability, Design, Measured
from largemargin.designs.surrogate import FactorableDesign
from largemargin.kernels.functions import Kernel
from largemargin.kernels.tiled import MAX_KEPT_BYTES, TiledGram
from largemargin.numerics.low_rank import Factor
from largemargin.numerics.rounding import (
    MAX_WIDE_NUMBERS,
    UNIT,
    WIDE_UNIT,
    growth,
    widened,
)

# At most this many products are computed in extended precision.
MAX_WIDE_PRODUCTS = 50_000_000
# Ranks of products of a ``TiledDesign``, by the type of the values. Where several machines
# share them, those of the larger rank wait for each other: an examination needs two.
NARROW, WIDE = 0, 1
# The error of float32 factors beyond what they miss of each row, relative to the lengths:
# ten times the largest that was measured, on cosines; on other kernels it is below 1e-5.
FACTOR_NOISE = 1e-2


class KernelRows(Design):
    """Rows whose Gram matrix is computed tile by tile, in float64, and not kept.

    It has what the examination of a kept expansion needs; ``TiledDesign`` is for solvers.
    ``gram_design``, a ``GramDesign``, has the Gram matrix if there is one; ``factor``
    replaces the matrix where even one pass over it would take too long. ``entry_error``
    is computed if it is not given.
    """

    def __init__(
        self,
        kernel: Kernel,
        X,
        gram_design=None,
        factor: Factor | None = None,
        entry_error: float | None = None,
    ):
        self.kernel, self.X, self.gram_design, self.factor = kernel, X, gram_design, factor
        if entry_error is not None:
            self.entry_error = entry_error
        self.n_rows, self.size = X.shape[0], X.shape[0] * X.shape[1]
        self._is_small_and_linear = (
            kernel.name == "linear" and self.size <= MAX_WIDE_NUMBERS
        )

    @cached_property
    def entry_error(self) -> float:
        """A bound of the errors of the kernel's values, relative to the rows' lengths."""
        return self.kernel.score_entry_error(self.X)

    def squared_norms(self) -> np.ndarray:
        """Return the squared length of every row."""
        return self.kernel.diagonal(self.X)

    def scores(self, alpha) -> np.ndarray:
        """Return the inner product of every row with the element ``alpha``."""
        return self._wide_scores(alpha)

    def _wide_scores(self, alpha):
        """Return scores from values of float64."""
        if callable(self.kernel.name):
            return self._scores_of(slice(None), alpha)
        return self._tiled.product(alpha)

    @cached_property
    def _tiled(self) -> TiledGram:
        return TiledGram(self.kernel, self.X, np.float64, max_kept_bytes=0)

    def _scores_of(self, some, alpha):
        used = np.flatnonzero(alpha)
        return self.kernel.scores(self.X[some], self.X[used], alpha[None, used])[:, 0]

    def _rounding(self, alpha):
        return growth(np.count_nonzero(alpha) + 2) + self.entry_error

    def measure(self, alpha) -> Measured:
        """Return scores and squared length of an element, errors bounded by lengths.

        It is computed once, since each examination of the element asks for it.
        """
        return self.once_for("measured", (alpha,), lambda: self._measure_all(alpha))

    def _measure_all(self, alpha):
        scores, size = self._wide_scores(alpha), self.row_lengths @ np.abs(alpha)
        rounding = self._rounding(alpha) * size
        errors = rounding * self.row_lengths
        return Measured(scores, errors, errors, alpha @ scores, rounding * size)

    def measure_closely(self, alpha, measured, doubtful) -> Measured:
        """Return the same, more closely for an element of few rows."""
        if self._is_small_and_linear:
            return self._measure_widely(alpha)
        square, error = self._own_square(alpha, measured)
        return measured._replace(square=square, square_error=error)

    def _own_square(self, alpha, measured):
        """Return the squared length of an element of few rows in extended precision."""
        used = np.flatnonzero(alpha)
        if len(used) ** 2 * self.X.shape[1] > MAX_WIDE_PRODUCTS:
            return measured.square, measured.square_error
        return self.once_for(
            "square",
            (alpha,),
            lambda: self.kernel.wide_squared_length(self.X[used], alpha[used]),
        )

    def measure_some(self, alpha, measured: Measured, doubtful: np.ndarray) -> Measured:
        """Return ``measured`` with the scores of the doubtful rows computed here."""
        if self._is_small_and_linear:
            return self._measure_widely(alpha)
        # The lower half of the Gram matrix may have fewer entries than these rows.
        n_entries = np.count_nonzero(doubtful) * np.count_nonzero(alpha)
        if 2 * n_entries > self.n_rows**2:
            own = self._measure_all(alpha)
            return measured._replace(scores=own.scores, errors=own.errors)
        scores, errors = measured.scores.copy(), measured.errors.copy()
        scores[doubtful] = self._scores_of(doubtful, alpha)
        size = self._rounding(alpha) * (self.row_lengths @ np.abs(alpha))
        errors[doubtful] = size * self.row_lengths[doubtful]
        return measured._replace(scores=scores, errors=errors)

    def _measure_widely(self, alpha):
        """Return the same for a linear kernel, from the element itself."""
        X = widened(self.X)
        w = widened(alpha) @ X
        scores, square = (X @ w).astype(np.float64), float(w @ w)
        size = self.row_lengths @ np.abs(alpha)
        rounding = sum(X.shape) * WIDE_UNIT * size
        errors = UNIT * np.abs(scores) + rounding * self.row_lengths
        return Measured(scores, errors, errors, square, UNIT * square + rounding * size)

    def slope_length(self, alpha, forces, errors, closely=False) -> float:
        """Return a bound of the length of an element minus the combined forces.

        The two may be expansions over different rows, so the square is multiplied out;
        that of the element, whose terms may be large, in the widest floats.
        """
        if self.factor is not None:
            return self._slope_length_by_factor(alpha - forces, errors)
        measured = self.measure(alpha)
        own, own_error = self._own_square(alpha, measured)
        if self.gram_design is None:
            pulled, pulled_error = self._pulled_square(forces)
        else:
            pulled = forces @ self.gram_design.scores(forces)
            rounding = growth(self.n_rows + 2) + self.gram_design.entry_error
            pulled_error = rounding * (self.row_lengths @ np.abs(forces)) ** 2
        scores = measured.scores
        errors_of_scores = measured.errors + growth(self.n_rows) * np.abs(scores)
        rounding = own_error + pulled_error + 2.0 * (np.abs(forces) @ errors_of_scores)
        square = max(own - 2.0 * (forces @ scores) + pulled, 0.0) + rounding
        return np.sqrt(square) + errors @ self.row_lengths

    def _pulled_square(self, forces):
        """Return the squared length of an element, and a bound of its error."""
        return self.kernel.squared_length(self.X, forces)

    def _slope_length_by_factor(self, slope, errors):
        """Return a bound from a factor; the parts of the rows that it misses may add up."""
        rows = self.factor.rows
        spanned = slope @ rows.astype(np.float64, copy=False)
        missing = self.row_lengths**2 - np.einsum("ij,ij->i", rows, rows, dtype=np.float64)
        missed = np.abs(slope) @ np.sqrt(np.maximum(missing, 0.0))
        noise = FACTOR_NOISE * (np.abs(slope) @ self.row_lengths) ** 2
        return np.sqrt(spanned @ spanned + missed**2 + noise) + errors @ self.row_lengths


class TiledDesign(FactorableDesign, KernelRows):
    """Rows whose Gram matrix is too large to store, for solvers.

    Scores are computed from values of float32, of which as many are kept as
    ``max_kept_bytes`` allows; kept expansions are examined in float64.
    """

    capabilities = frozenset({Capability.PRODUCTS})

    def __init__(self, kernel: Kernel, X, max_kept_bytes: int = MAX_KEPT_BYTES):
        super().__init__(kernel, X)
        self.pass_seconds = 0.0  # that the last product took
        self._narrow = TiledGram(kernel, X, np.float32, max_kept_bytes)
        self._tiled = TiledGram(kernel, X, np.float64, 0, self._narrow.rows)

    def scores(self, alpha) -> np.ndarray:
        """Return the inner product of every row with an element, or with several.

        Each column of a matrix is an element.
        """
        begin = time.perf_counter()
        scores = self.product(alpha)
        self.pass_seconds = time.perf_counter() - begin
        self.n_products += 1
        return scores

    def product(self, alpha, rank: int = NARROW) -> np.ndarray:
        """Return the product of the matrix with a vector, or with every column."""
        return self._of_rank(rank).product(alpha)

    def products(self, rank: int, vectors: list, n_threads: int) -> np.ndarray:
        """Return the products with several vectors, in one pass over the tiles."""
        return self._of_rank(rank).product(np.transpose(vectors), n_threads).T

    def _of_rank(self, rank):
        return self._narrow if rank == NARROW else self._tiled

    def _wide_scores(self, alpha):
        """Return scores from values of float64."""
        return self.product(alpha, WIDE)

    def _pulled_square(self, forces):
        """Return the squared length of an element, and a bound of its error."""
        if self.shared is None:
            return super()._pulled_square(forces)
        square = forces @ self._wide_scores(forces)
        return square, self._rounding(forces) * (self.row_lengths @ np.abs(forces)) ** 2

    def columns(self, pivots: np.ndarray) -> np.ndarray:
        """Return the columns of the Gram matrix of some rows, one column each."""
        return self._narrow.columns(pivots)

    def block(self, rows: np.ndarray) -> np.ndarray:
        """Return the Gram matrix of some rows."""
        return self._narrow.block(rows)
