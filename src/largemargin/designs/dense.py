"""Dense rows: products by BLAS, float32 rows widened block by block."""

from functools import cached_property

import numpy as np

from largemargin.designs.in_memory import InMemoryDesign
from largemargin.designs.row_loops import add_narrow_products
from largemargin.numerics.threads import in_threads

# Rows are widened and weighted in blocks of about this many bytes, which fit a cache.
BLOCK_BYTES = 1 << 20
# Outer products of rows with at most this many features use a compiled loop,
MAX_NARROW = 64
# in blocks of this many rows: no power of two, which would make the lines of a block
# compete for the same cache lines.
NARROW_BLOCK = 264
# Each thread takes this many rows at a time: sums do not depend on how many threads work.
ROWS_PER_THREAD = 1 << 15


class DenseDesign(InMemoryDesign):
    """An array of float32 or float64, used in place."""

    @cached_property
    def rows(self) -> tuple[np.ndarray, None, np.ndarray]:
        """The rows for compiled loops; copied only if they are not contiguous."""
        starts = np.arange(self.n_rows + 1, dtype=np.uint64) * np.uint64(self.n_features)
        data = np.ascontiguousarray(self.X).reshape(-1)
        return data, None, starts

    def _blocks(self, n_rows, at_least=1):
        height = max(at_least, BLOCK_BYTES // (8 * max(self.n_features, 1)))
        return (slice(start, start + height) for start in range(0, n_rows, height))

    def _wide_blocks(self):
        """Return the rows in float64, one block at a time, with their slices."""
        for block in self._blocks(self.n_rows):
            yield block, self.X[block].astype(np.float64, copy=False)

    def scores(self, w) -> np.ndarray:
        """Return the inner product of every row with ``w``."""
        if self.X.dtype == np.float64:
            return self.X @ w
        out = np.empty(self.n_rows)
        for block, rows in self._wide_blocks():
            out[block] = rows @ w
        return out

    def combine(self, coefficients) -> np.ndarray:
        """Return the combination of the rows with these coefficients."""
        if self.X.dtype == np.float64:
            return coefficients @ self.X
        out = np.zeros(self.n_features)
        for block, rows in self._wide_blocks():
            out += coefficients[block] @ rows
        return out

    def squared_norms(self) -> np.ndarray:
        """Return the squared length of every row."""
        out = np.empty(self.n_rows)
        for block, rows in self._wide_blocks():
            out[block] = np.einsum("ij,ij->i", rows, rows)
        return out

    def second_moment(self, weight) -> np.ndarray:
        """Return ``sum weight_i x_i x_i'``, always in float64, because bounds use it."""
        return self.once_for(
            "moment", (weight,), lambda: self.outer_products(weight, np.float64)
        )

    def outer_products(self, coefficients, dtype=None) -> np.ndarray:
        """Return ``sum coefficients_i x_i x_i'``; only its lower triangle is valid.

        Products of many features are computed in ``dtype``, by default that of the rows,
        which is enough for Newton steps.
        """
        if self.n_features <= MAX_NARROW:
            return self._narrow_products(coefficients)
        out = np.zeros((self.n_features, self.n_features))
        selected = np.flatnonzero(coefficients)
        root = np.sqrt(coefficients[selected]).astype(dtype or self.X.dtype)[:, None]
        # With fewer rows than features, adding up the blocks would dominate the cost.
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

        if len(starts) == 1:  # asking for the number of threads would take longer
            fill(0)
        else:
            in_threads(fill, range(len(starts)))
        return parts.sum(axis=0)[: self.n_features, : self.n_features]
