"""Sparse rows in CSR form, with 32 or 64 bit indices."""

import numpy as np

from largemargin.designs.linear import LinearDesign
from largemargin.designs.row_loops import add_outer_products


def unsigned(indices):
    """Return the same bits as unsigned integers: no copy, no test for negatives."""
    return indices.view(np.uint32 if indices.itemsize == 4 else np.uint64)


class SparseDesign(LinearDesign):
    """A CSR matrix of float32 or float64, used in place."""

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

    def gram(self, coefficients):
        """Return ``sum coefficients_i x_i x_i'``; only its lower half counts."""
        out = np.zeros((self.n_features, self.n_features))
        add_outer_products(self.rows, coefficients, out)
        return out

    def row_gram(self):
        """Return the inner products of all pairs of rows."""
        X = self.X.astype(np.float64, copy=False)
        return np.ascontiguousarray((X @ X.T).toarray())
