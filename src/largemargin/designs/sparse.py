"""Sparse rows in CSR form, with 32 or 64 bit indices."""

import numpy as np
import scipy.sparse as sp
from sklearn.utils.sparsefuncs import min_max_axis

from largemargin.designs.in_memory import InMemoryDesign
from largemargin.designs.row_loops import (
    add_outer_products,
    all_dots,
    combine_rows,
    squared_row_norms,
)


def unsigned(indices: np.ndarray) -> np.ndarray:
    """Return the same bits as unsigned integers: no copy, no test for negatives."""
    return indices.view(np.uint32 if indices.itemsize == 4 else np.uint64)


class SparseDesign(InMemoryDesign):
    """A CSR matrix of float32 or float64, used in place."""

    sweeps_are_cheap = True

    def __init__(self, X):
        super().__init__(X)
        self.rows = X.data, unsigned(X.indices), unsigned(X.indptr)

    @property
    def has_cheap_moments(self) -> bool:
        """Whether products with the second moment cost less than a pass over the rows."""
        return 4 * self.n_features**2 <= self.X.nnz

    @property
    def size(self) -> int:
        """How many numbers the rows hold."""
        return self.X.nnz

    @property
    def most_entries(self) -> int:
        """How many numbers the longest row holds."""
        return int(np.diff(self.X.indptr).max(initial=0))

    def scores(self, w) -> np.ndarray:
        """Return the inner product of every row with ``w``."""
        out = np.empty(self.n_rows)
        all_dots(self.rows, w, out)
        return out

    def combine(self, coefficients) -> np.ndarray:
        """Return the combination of the rows with these coefficients."""
        out = np.zeros(self.n_features)
        combine_rows(self.rows, coefficients, out)
        return out

    def squared_norms(self) -> np.ndarray:
        """Return the squared length of every row."""
        out = np.empty(self.n_rows)
        squared_row_norms(self.rows, out)
        return out

    def column_range(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the least and the largest number in each column."""
        low, high = min_max_axis(self.X, axis=0)
        return low.astype(np.float64), high.astype(np.float64)

    def centred(self, shift: np.ndarray) -> "SparseDesign":
        """Return the rows minus a vector, which must be zero where a column has zeros."""
        data = self.X.data - shift[self.X.indices]
        design = SparseDesign(
            sp.csr_matrix((data, self.X.indices, self.X.indptr), shape=self.X.shape)
        )
        design.shift = shift
        return design

    def outer_products(self, coefficients) -> np.ndarray:
        """Return ``sum coefficients_i x_i x_i'``; only its lower triangle is valid."""
        out = np.zeros((self.n_features, self.n_features))
        add_outer_products(self.rows, coefficients, out)
        return out
