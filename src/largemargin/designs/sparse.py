"""Sparse rows in CSR form, with 32 or 64 bit indices."""

import numpy as np
import scipy.sparse as sp

from largemargin.designs.linear import LinearDesign
from largemargin.designs.row_loops import add_outer_products, find_sparse_range


def unsigned(indices):
    """Return the same bits as unsigned integers: no copy, no test for negatives."""
    return indices.view(np.uint32 if indices.itemsize == 4 else np.uint64)


class SparseDesign(LinearDesign):
    """A CSR matrix of float32 or float64, used in place."""

    sweeps_are_cheap = True

    def __init__(self, X):
        super().__init__(X)
        self.rows = X.data, unsigned(X.indices), unsigned(X.indptr)

    @property
    def has_cheap_moments(self):
        """Whether products with the second moment cost less than a pass over the rows."""
        return 4 * self.n_features**2 <= self.X.nnz

    @property
    def size(self):
        """How many numbers the rows hold."""
        return self.X.nnz

    @property
    def most_entries(self):
        """How many numbers the longest row holds."""
        return int(np.diff(self.X.indptr).max(initial=0))

    def _find_column_range(self):
        low, high = np.full(self.n_features, np.inf), np.full(self.n_features, -np.inf)
        counts = np.zeros(self.n_features, dtype=np.int64)
        find_sparse_range(*self.rows[:2], low, high, counts)
        partly = counts < self.n_rows
        low[partly], high[partly] = np.minimum(low[partly], 0), np.maximum(high[partly], 0)
        return low, high

    def centred(self, shift):
        """Return the rows less a vector, which must be zero where a column has zeros."""
        data = self.X.data - shift[self.X.indices]
        design = SparseDesign(
            sp.csr_matrix((data, self.X.indices, self.X.indptr), shape=self.X.shape)
        )
        design.shift = shift
        return design

    def outer_products(self, coefficients):
        """Return ``sum coefficients_i x_i x_i'``; only its lower half counts."""
        out = np.zeros((self.n_features, self.n_features))
        add_outer_products(self.rows, coefficients, out)
        return out

    def row_gram(self):
        """Return the inner products of all pairs of rows."""
        X = self.X.astype(np.float64, copy=False)
        return np.ascontiguousarray((X @ X.T).toarray())
