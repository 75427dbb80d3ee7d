"""Rows known by their kernel function: what is kept of a machine is examined on them."""

from functools import cached_property

import numpy as np
import scipy.sparse as sp

from largemargin.designs.base import Design, Measured
from largemargin.designs.linear import MAX_WIDE_NUMBERS
from largemargin.numerics.rounding import UNIT, WIDE_UNIT, growth

# So many products are made in extended precision at the most.
MAX_WIDE_PRODUCTS = 50_000_000
# What narrow factors miss beyond the rows' own parts, relative to their lengths: ten times
# the most that was measured, on cosines; it is 1e-5 or less on other kernels.
FACTOR_NOISE = 1e-2


class KernelRows(Design):
    """Rows whose Gram matrix is made tile by tile, in float64, and forgotten.

    It has what the examination of a kept expansion needs, and nothing for solvers.
    ``gram`` is the design that has the Gram matrix, if there is one; ``factor`` stands for
    the matrix where even one pass over it would take too long.
    """

    def __init__(self, kernel, X, gram=None, factor=None):
        self.kernel, self.X, self.gram, self.factor = kernel, X, gram, factor
        self.n_rows = X.shape[0]
        # The last element with what was found of it.
        self._measured = self._squared = None

    @cached_property
    def entry_error(self):
        """A bound of the errors of the kernel's values, relative to the rows' lengths."""
        return self.kernel.score_entry_error(self.X)

    @cached_property
    def _lengths(self):
        return np.sqrt(np.maximum(self.kernel.diagonal(self.X), 0.0))

    def scores(self, alpha):
        """Return the inner product of every row with the element ``alpha``."""
        return self._scores_of(slice(None), alpha)

    def _scores_of(self, some, alpha):
        used = np.flatnonzero(alpha)
        return self.kernel.scores(self.X[some], self.X[used], alpha[None, used])[:, 0]

    def _rounding(self, alpha):
        return growth(np.count_nonzero(alpha) + 2) + self.entry_error

    def measure(self, alpha):
        """Return scores and squared length of an element, errors bounded by lengths.

        Each examination of the same element asks for them.
        """
        if self._measured is None or self._measured[0] is not alpha:
            scores, size = self.scores(alpha), self._lengths @ np.abs(alpha)
            rounding = self._rounding(alpha) * size
            errors, square = rounding * self._lengths, alpha @ scores
            measured = Measured(scores, errors, errors, square, rounding * size)
            self._measured = alpha, measured
        return self._measured[1]

    def measure_closely(self, alpha, measured, doubtful):
        """Return the same; that of few rows can be had more closely."""
        if self._is_small_and_linear:
            return self._measure_widely(alpha)
        square, error = self._own_square(alpha, measured)
        return measured._replace(square=square, square_error=error)

    def _own_square(self, alpha, measured):
        """Return the squared length of an element of few rows in extended precision."""
        if self._squared is None or self._squared[0] is not alpha:
            used = np.flatnonzero(alpha)
            square = measured.square, measured.square_error
            if len(used) ** 2 * self.X.shape[1] <= MAX_WIDE_PRODUCTS:
                square = self.kernel.wide_squared_length(self.X[used], alpha[used])
            self._squared = alpha, square
        return self._squared[1]

    def measure_some(self, alpha, measured, doubtful):
        """Return what others have measured, with the scores of some rows made closer."""
        if self._is_small_and_linear:
            return self._measure_widely(alpha)
        scores, errors = measured.scores.copy(), measured.errors.copy()
        scores[doubtful] = self._scores_of(doubtful, alpha)
        size = self._rounding(alpha) * (self._lengths @ np.abs(alpha))
        errors[doubtful] = size * self._lengths[doubtful]
        return measured._replace(scores=scores, errors=errors)

    @property
    def _is_small_and_linear(self):
        return self.kernel.name == "linear" and np.prod(self.X.shape) <= MAX_WIDE_NUMBERS

    def _measure_widely(self, alpha):
        """Return the same for a linear kernel, by way of the element itself."""
        X = (self.X.toarray() if sp.issparse(self.X) else self.X).astype(np.longdouble)
        w = alpha.astype(np.longdouble) @ X
        scores, square = (X @ w).astype(np.float64), float(w @ w)
        size = self._lengths @ np.abs(alpha)
        rounding = sum(X.shape) * WIDE_UNIT * size
        errors = UNIT * np.abs(scores) + rounding * self._lengths
        return Measured(scores, errors, errors, square, UNIT * square + rounding * size)

    def slope_length(self, alpha, forces, errors, closely=False):
        """Return a bound of the length of an element less the combination of the forces.

        The two may have nothing in common but their scores, so the square is multiplied
        out; that of the element, whose terms may be large, in the widest numbers.
        """
        if self.factor is not None:
            return self._slope_length_by_factor(alpha - forces, errors)
        measured = self.measure(alpha)
        own, own_error = self._own_square(alpha, measured)
        scores = measured.scores
        errors_of_scores = measured.errors + growth(self.n_rows) * np.abs(scores)
        pulled, pulled_error = self._squared_length(forces)
        rounding = own_error + pulled_error + 2.0 * (np.abs(forces) @ errors_of_scores)
        square = max(own - 2.0 * (forces @ scores) + pulled, 0.0) + rounding
        return np.sqrt(square) + errors @ self._lengths

    def _slope_length_by_factor(self, slope, errors):
        """Return a bound from a factor: what it misses of each row may add up."""
        rows = self.factor.rows
        spanned = slope @ rows.astype(np.float64, copy=False)
        missing = self._lengths**2 - np.einsum("ij,ij->i", rows, rows, dtype=np.float64)
        missed = np.abs(slope) @ np.sqrt(np.maximum(missing, 0.0))
        noise = FACTOR_NOISE * (np.abs(slope) @ self._lengths) ** 2
        return np.sqrt(spanned @ spanned + missed**2 + noise) + errors @ self._lengths

    def _squared_length(self, forces):
        if self.gram is None:
            return self.kernel.squared_length(self.X, forces)
        size = self._lengths @ np.abs(forces)
        rounding = growth(self.n_rows + 2) + self.gram.entry_error
        return forces @ self.gram.scores(forces), rounding * size**2
