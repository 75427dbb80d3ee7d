"""Dense rows: products by BLAS, narrow rows widened block by block."""

from functools import cached_property

import numpy as np

from largemargin.designs.linear import LinearDesign
from largemargin.designs.row_loops import add_narrow_products
from largemargin.numerics.threads import in_threads

# Rows are widened and weighted in blocks of about this many bytes, which fit a cache.
BLOCK_BYTES = 1 << 20
# Rows of so few numbers are better served by a plain loop, in blocks of as many rows: no
# power of two, which would make the lines of a block compete for the same cache lines.
MAX_NARROW = 64
NARROW_BLOCK = 264
# Threads take so many rows at a time; sums do not depend on how many threads there are.
ROWS_PER_THREAD = 1 << 15


class DenseDesign(LinearDesign):
    """An array of float32 or float64, used in place."""

    @cached_property
    def rows(self):
        """The rows for compiled loops; copied only if they are not contiguous."""
        starts = np.arange(self.n_rows + 1, dtype=np.uint64) * np.uint64(self.n_features)
        data = np.ascontiguousarray(self.X).reshape(-1)
        return data, None, starts

    @property
    def _wide(self):
        return self.X.dtype == np.float64

    def scores(self, w):
        """Return the inner product of every row with ``w``."""
        if self._wide:
            return self.X @ w
        out = np.empty(self.n_rows)
        for block in self._blocks(self.n_rows):
            out[block] = self.X[block].astype(np.float64) @ w
        return out

    def combine(self, coefficients):
        """Return the combination of the rows with these coefficients."""
        if self._wide:
            return coefficients @ self.X
        out = np.zeros(self.n_features)
        for block in self._blocks(self.n_rows):
            out += coefficients[block] @ self.X[block].astype(np.float64)
        return out

    def _find_column_range(self):
        low, high = self.X.min(axis=0), self.X.max(axis=0)
        return low.astype(np.float64), high.astype(np.float64)

    def centred(self, shift):
        """Return the rows less a vector."""
        design = DenseDesign(self.X - shift)
        design.shift = shift
        return design

    def squared_norms(self):
        """Return the squared length of every row."""
        out = np.empty(self.n_rows)
        for block in self._blocks(self.n_rows):
            rows = self.X[block].astype(np.float64, copy=False)
            out[block] = np.einsum("ij,ij->i", rows, rows)
        return out

    def _blocks(self, n_rows, at_least=1):
        height = max(at_least, BLOCK_BYTES // (8 * max(self.n_features, 1)))
        return (slice(start, start + height) for start in range(0, n_rows, height))

    def outer_products(self, coefficients):
        """Return ``sum coefficients_i x_i x_i'``; only its lower half counts."""
        if self.n_features <= MAX_NARROW:
            return self._narrow_products(coefficients)
        out = np.zeros((self.n_features, self.n_features))
        selected = np.flatnonzero(coefficients)
        root = np.sqrt(coefficients[selected]).astype(self.X.dtype)[:, None]
        # A block of fewer rows than features would mostly add matrices.
        for block in self._blocks(len(selected), at_least=self.n_features):
            scaled = self.X[selected[block]] * root[block]
            out += scaled.T @ scaled
        return out

    def _narrow_products(self, coefficients):
        n_lines = self.n_features + self.n_features % 2
        starts = range(0, self.n_rows, ROWS_PER_THREAD)
        parts = np.zeros((len(starts), n_lines, n_lines))

        def fill(part):
            some = slice(starts[part], starts[part] + ROWS_PER_THREAD)
            block = np.zeros((n_lines, NARROW_BLOCK))
            add_narrow_products(self.X[some], coefficients[some], block, parts[part])

        in_threads(fill, range(len(starts)))
        return parts.sum(axis=0)[: self.n_features, : self.n_features]

    def row_gram(self):
        """Return the inner products of all pairs of rows."""
        X = self.X.astype(np.float64, copy=False)
        return X @ X.T
