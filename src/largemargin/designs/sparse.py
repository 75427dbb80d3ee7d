"""Sparse rows in CSR form, with 32 or 64 bit indices."""

import numpy as np

from largemargin.designs.in_memory import InMemoryDesign
from largemargin.designs.row_loops import (
    add_outer_products,
    all_dots,
    combine_rows,
    multiply_sparse,
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
        self.size = X.nnz
        self.most_entries = int(np.diff(X.indptr).max(initial=0))
        self.has_cheap_moments = 4 * self.n_features**2 <= X.nnz

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

    def times(self, matrix) -> np.ndarray:
        """Return the rows times a matrix, dense and in float64."""
        out = np.zeros((self.n_rows, matrix.shape[1]))
        multiply_sparse(self.rows, np.ascontiguousarray(matrix, dtype=np.float64), out)
        return out

    def squared_norms(self) -> np.ndarray:
        """Return the squared length of every row."""
        out = np.empty(self.n_rows)
        squared_row_norms(self.rows, out)
        return out

    def outer_products(self, coefficients) -> np.ndarray:
        """Return ``sum coefficients_i x_i x_i'``; only its lower triangle is valid."""
        out = np.zeros((self.n_features, self.n_features))
        add_outer_products(self.rows, coefficients, out)
        return out
