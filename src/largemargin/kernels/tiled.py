"""Gram matrices that are computed tile by tile for each product, and not stored."""

from functools import partial
from itertools import pairwise

import numpy as np

from largemargin.kernels import values
from largemargin.kernels.values import mirror_lower, tile_pairs, tiles
from largemargin.numerics.jit import SUM, njit
from largemargin.numerics.threads import in_threads

# Each band of rows has sums of its own, which are added in the same order however many
# threads there are. There are at most this many, of about the same work each.
MAX_BANDS = 32
# By default tiles up to this many bytes are kept, which leaves room for the rows and for
# the vectors of a solver of 60,000 rows in 4 GiB.
MAX_KEPT_BYTES = 2 << 30


class TiledGram:
    """The Gram matrix of rows, of which only tiles exist.

    The tiles on and below the diagonal are computed for each product, and each serves its
    rows and its columns. With ``dtype=numpy.float32`` they are computed in float32 where
    their errors are small; sums are always those of float64. The first tiles, up to
    ``max_kept_bytes`` in all, are kept for the next product. ``rows`` are the prepared
    rows, if there are any already.
    """

    def __init__(
        self, kernel, X, dtype=np.float32, max_kept_bytes=MAX_KEPT_BYTES, rows=None
    ):
        self.kernel, self.X, self.dtype = kernel, X, dtype
        self.n_rows = X.shape[0]
        self.rows = kernel.prepare(X) if rows is None else rows
        self.tiles = tiles(self.n_rows)
        # One array for all of them, since memory in large pieces is much faster to get.
        n_tiles, tile_size = len(self.tiles), values.TILE**2
        n_kept = max_kept_bytes // (tile_size * np.dtype(dtype).itemsize)
        n_kept = min(n_kept, n_tiles * (n_tiles + 1) // 2)
        self._kept = np.empty((n_kept, tile_size), dtype=dtype)
        self._is_kept = np.zeros(n_kept, dtype=bool)

    def product(self, coefficients: np.ndarray, n_threads: int | None = None) -> np.ndarray:
        """Return the product with a vector, or with every column of a matrix."""
        columns = coefficients.reshape(self.n_rows, -1).T
        columns = np.ascontiguousarray(columns, dtype=np.float64)
        used = np.flatnonzero(columns.any(axis=0))
        if 2 * len(used) < self.n_rows:
            return self._product_of_few(columns, used).reshape(coefficients.shape)
        out = np.zeros(columns.shape)
        work = partial(self._product_of_band, columns)
        for part in in_threads(work, bands(len(self.tiles)), n_threads):
            out[:, : part.shape[1]] += part
        return out.T.reshape(coefficients.shape)

    def _product_of_few(self, columns, used):
        """Return the product where few coefficients are not zero."""
        out = np.zeros((self.n_rows, len(columns)))
        if len(used) == 0:
            return out
        chosen = self.kernel.prepare(self.X[used], self.rows)

        def fill(down):
            for across in tiles(len(used)):
                tile = self.rows.values(down, chosen, across, self.dtype)
                out[down] += tile @ columns[:, used[across]].T

        in_threads(fill, self.tiles)
        return out

    def _product_of_band(self, columns, band):
        """Return the share of some rows of tiles, and of their mirror images."""
        out = np.zeros((len(columns), min(self.tiles[band[-1]].stop, self.n_rows)))
        for i in band:
            down = self.tiles[i]
            for j in range(i):
                tile, across = self._tile(i, j), self.tiles[j]
                for column, sums in zip(columns, out, strict=True):
                    add_tile(tile, column[down], column[across], sums[down], sums[across])
            corner = self._tile(i, i)
            for column, sums in zip(columns, out, strict=True):
                sums[down] += corner @ column[down]
        return out

    def _tile(self, i, j):
        """Return one tile, which is kept if it belongs to the first that fit."""
        k = i * (i + 1) // 2 + j
        if k < len(self._kept) and self._is_kept[k]:
            down, across = (len(range(self.n_rows)[self.tiles[n]]) for n in (i, j))
            return self._kept[k, : down * across].reshape(down, across)
        down, across = self.tiles[i], self.tiles[j]
        tile = self.rows.values(down, self.rows, across, self.dtype)
        tile = tile.astype(self.dtype, copy=False)
        if k < len(self._kept):
            self._kept[k, : tile.size] = tile.ravel()
            self._is_kept[k] = True
        return tile

    def columns(self, pivots: np.ndarray) -> np.ndarray:
        """Return the columns of some rows, one column each."""
        out = np.empty((self.n_rows, len(pivots)), dtype=self.dtype)
        chosen = self.kernel.prepare(self.X[pivots], self.rows)

        def fill(down):
            with np.errstate(over="ignore"):  # of float32
                out[down] = self.rows.values(down, chosen, slice(None), self.dtype)

        in_threads(fill, self.tiles)
        return out

    def block(self, rows: np.ndarray) -> np.ndarray:
        """Return the Gram matrix of some rows."""
        out = np.empty((len(rows), len(rows)), dtype=self.dtype)
        fill_gram(self.kernel.prepare(self.X[rows], self.rows), out, self.dtype)
        return out


def fill_gram(rows, out: np.ndarray, dtype) -> None:
    """Fill ``out`` with the Gram matrix of prepared rows, symmetric to the last bit."""

    def fill(pair):
        down, across = pair
        tile = rows.values(down, rows, across, dtype)
        with np.errstate(over="ignore"):  # of float32
            if down is across:
                mirror_lower(tile)
            else:
                out[across, down] = tile.T
            out[down, across] = tile

    in_threads(fill, tile_pairs(len(out)))


def bands(n_tiles: int) -> list[range]:
    """Return ranges of rows of tiles, with about as many tiles in each lower triangle.

    Examples
    --------
    >>> bands(3)
    [range(0, 1), range(1, 2), range(2, 3)]
    """
    parts = np.sqrt(np.arange(MAX_BANDS + 1) / MAX_BANDS)
    ends = np.unique(np.ceil(n_tiles * parts).astype(int)).tolist()
    return [range(start, stop) for start, stop in pairwise(ends)]


@njit(**SUM)
def add_tile(tile, down, across, down_sums, across_sums):
    """Add the products of a tile with ``across`` and of its mirror image with ``down``."""
    n_rows, n_columns = tile.shape
    n_paired = n_rows - n_rows % 4
    for i in range(0, n_paired, 4):  # so that the sums are read and written once for four
        one = two = three = four = 0.0
        first, second, third, fourth = down[i], down[i + 1], down[i + 2], down[i + 3]
        for j in range(n_columns):
            a, b = np.float64(tile[i, j]), np.float64(tile[i + 1, j])
            c, d = np.float64(tile[i + 2, j]), np.float64(tile[i + 3, j])
            one += a * across[j]
            two += b * across[j]
            three += c * across[j]
            four += d * across[j]
            across_sums[j] += first * a + second * b + third * c + fourth * d
        down_sums[i] += one
        down_sums[i + 1] += two
        down_sums[i + 2] += three
        down_sums[i + 3] += four
    for i in range(n_paired, n_rows):
        for j in range(n_columns):
            down_sums[i] += tile[i, j] * across[j]
            across_sums[j] += tile[i, j] * down[i]
