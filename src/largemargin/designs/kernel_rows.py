"""Rows known by their kernel function: what is kept of a machine is examined on them."""

import numpy as np
import scipy.sparse as sp

from largemargin.designs.base import Design
from largemargin.designs.linear import MAX_WIDE_NUMBERS
from largemargin.rounding import UNIT, WIDE_UNIT, growth


class KernelRows(Design):
    """Rows whose Gram matrix is made tile by tile, in float64, and forgotten.

    It has what the examination of a kept expansion needs, and nothing for solvers.
    ``gram`` is the design that has the Gram matrix, if one has it in float64.
    """

    def __init__(self, kernel, X, gram=None):
        self.kernel, self.X, self.gram = kernel, X, gram
        self.n_rows = X.shape[0]
        self.entry_error = kernel.entry_error(X)
        self._lengths = np.sqrt(np.maximum(kernel.diagonal(X), 0.0))

    def row_lengths(self):
        """Return the length of every row."""
        return self._lengths

    def scores(self, alpha):
        """Return the inner product of every row with the element ``alpha``."""
        return self.scores_of(slice(None), alpha)

    def scores_of(self, some, alpha):
        """Return the inner product of some rows with the element ``alpha``."""
        used = np.flatnonzero(alpha)
        return self.kernel.scores(self.X[some], self.X[used], alpha[None, used])[:, 0]

    def closest_scores(self, some, alpha):
        """Return the scores of some rows, and bounds of their errors."""
        if self.kernel.name != "linear" or np.prod(self.X.shape) > MAX_WIDE_NUMBERS:
            return self.scores_of(some, alpha), self.score_errors(alpha)[some]
        X = (self.X.toarray() if sp.issparse(self.X) else self.X).astype(np.longdouble)
        scores = (X[some] @ (alpha.astype(np.longdouble) @ X)).astype(np.float64)
        size = sum(X.shape) * WIDE_UNIT * (self._lengths @ np.abs(alpha))
        return scores, UNIT * np.abs(scores) + size * self._lengths[some]

    def inner(self, v, w, w_scores):
        """Return the inner product of two elements, from the scores of the second."""
        return v @ w_scores

    def score_errors(self, alpha):
        """Return bounds of the errors of the scores, from the lengths of the rows."""
        n_used = np.count_nonzero(alpha)
        size = (growth(n_used + 2) + self.entry_error) * (self._lengths @ np.abs(alpha))
        return size * self._lengths

    def closer_scores(self, alpha, scores, errors, doubtful):
        """Return the scores as closely as they can be had."""
        return self.closest_scores(slice(None), alpha)

    def slope_length(self, alpha, forces, errors):
        """Return a bound of the length of an element less the combination of the forces.

        The two may have nothing in common but their scores, so the square is multiplied
        out; that of the element, whose terms may be large, in the widest numbers.
        """
        used = np.flatnonzero(alpha)
        own, own_error = self.kernel.wide_squared_length(self.X[used], alpha[used])
        scores = self.scores(alpha)
        errors_of_scores = self.score_errors(alpha) + growth(self.n_rows) * np.abs(scores)
        pulled, pulled_error = self._squared_length(forces)
        rounding = own_error + pulled_error + 2.0 * (np.abs(forces) @ errors_of_scores)
        square = max(own - 2.0 * (forces @ scores) + pulled, 0.0) + rounding
        return np.sqrt(square) + errors @ self._lengths

    def _squared_length(self, forces):
        if self.gram is None:
            return self.kernel.squared_length(self.X, forces)
        size = self._lengths @ np.abs(forces)
        rounding = growth(self.n_rows + 2) + self.gram.entry_error
        return forces @ self.gram.scores(forces), rounding * size**2
