"""Rows known by their Gram matrix only: the feature space is that of a kernel."""

import numpy as np
from numba import njit
from scipy.linalg import cho_solve

from largemargin.designs.base import Capability, Design, Measured, MissingCapability
from largemargin.designs.dense import DenseDesign
from largemargin.designs.factors import damped_factor, inverse_of, without_row
from largemargin.numerics.jit import SUM
from largemargin.numerics.low_rank import pivoted_factor
from largemargin.numerics.rounding import UNIT, WIDE_UNIT, growth

# Up to this many rows scores can be summed in extended precision where it matters.
MAX_EXTENDED_ROWS = 500


@njit(**SUM)
def add_columns(gram, selected, coefficients, out):
    """Add the selected columns of a symmetric matrix, combined, to ``out``."""
    n_fours = len(selected) // 4
    for k in range(n_fours):  # so that ``out`` is read and written once for four
        first, second, third, fourth = selected[4 * k : 4 * k + 4]
        for i in range(out.shape[0]):
            out[i] += (
                coefficients[first] * gram[first, i]
                + coefficients[second] * gram[second, i]
                + coefficients[third] * gram[third, i]
                + coefficients[fourth] * gram[fourth, i]
            )
    for j in selected[4 * n_fours :]:
        for i in range(out.shape[0]):
            out[i] += coefficients[j] * gram[j, i]


@njit(**SUM)
def add_product(gram, coefficients, out):
    """Add the product of a symmetric matrix with a vector to ``out``.

    Each number of the lower half is read once and serves twice.
    """
    n_rows = out.shape[0]
    n_paired = n_rows - n_rows % 4
    for i in range(0, n_paired, 4):
        add_four_rows(gram, i, coefficients, out)
        for k in range(i, i + 4):
            for j in range(i, i + 4):
                out[k] += gram[k, j] * coefficients[j]
    for i in range(n_paired, n_rows):
        for j in range(i):
            out[i] += gram[i, j] * coefficients[j]
            out[j] += gram[i, j] * coefficients[i]
        out[i] += gram[i, i] * coefficients[i]


@njit(**SUM)
def add_four_rows(gram, i, coefficients, out):
    """Add what the four rows from ``i`` on, and their mirror images, do left of ``i``."""
    first, second, third, fourth = gram[i], gram[i + 1], gram[i + 2], gram[i + 3]
    own = coefficients[i : i + 4]
    one = two = three = four = 0.0
    for j in range(i):
        a, b = np.float64(first[j]), np.float64(second[j])
        c, d = np.float64(third[j]), np.float64(fourth[j])
        one += a * coefficients[j]
        two += b * coefficients[j]
        three += c * coefficients[j]
        four += d * coefficients[j]
        out[j] += own[0] * a + own[1] * b + own[2] * c + own[3] * d
    out[i] += one
    out[i + 1] += two
    out[i + 2] += three
    out[i + 3] += four


def gram_product(gram, coefficients):
    """Return the product of a Gram matrix with a vector; all are made here."""
    out = np.zeros(len(gram))
    used = np.flatnonzero(coefficients)
    if 2 * len(used) > len(gram):
        add_product(gram, coefficients, out)
    else:
        add_columns(gram, used, coefficients, out)
    return out


class KernelDesign(Design):
    """A symmetric positive semi-definite Gram matrix, float32 or float64.

    ``entry_error`` bounds the error of its entries, relative to the lengths of the two
    rows; where that is large, ``source`` gives scores from the rows themselves.

    An element of the feature space is the vector of its expansion over the rows, so
    ``combine`` has nothing to do and inner products go through scores.
    """

    capabilities = frozenset({Capability.GRAM, Capability.REMOVAL})

    def __init__(self, gram, entry_error=0.0, source=None):
        self.gram_matrix = gram
        self.n_rows, self.size = len(gram), gram.size
        self.entry_error = entry_error
        self.source = source
        # What all rows know, where these are all but one of them.
        self._whole = None

    def zeros(self):
        """Return the origin of the feature space."""
        return np.zeros(self.n_rows)

    def scores(self, alpha):
        """Return the inner product of every row with the element ``alpha``."""
        return gram_product(self.gram_matrix, alpha)

    def combine(self, coefficients):
        """Return the combination of the rows with these coefficients."""
        return coefficients

    def inner(self, v, w, w_scores=None):
        """Return the inner product of two elements, from the scores of the second."""
        return v @ (self.scores(w) if w_scores is None else w_scores)

    def squared_norms(self):
        """Return the squared length of every row."""
        return np.diagonal(self.gram_matrix).astype(np.float64)

    def row_lengths(self):
        """Return the length of every row."""
        return np.sqrt(np.maximum(self.squared_norms(), 0.0))

    @property
    def _rounding(self):
        """The error of a score, relative to the lengths of the row and of the others."""
        return growth(self.n_rows + 2) + self.entry_error

    def measure(self, alpha):
        """Return scores and squared length of an element, errors bounded by lengths."""
        scores, lengths = self.scores(alpha), self.row_lengths()
        size = lengths @ np.abs(alpha)
        errors = self._rounding * size * lengths
        # Where the matrix is narrow, its entries are taken as they are for the objective.
        rounding = (
            self._rounding if self.gram_matrix.dtype == np.float64 else growth(self.n_rows)
        )
        value_errors = rounding * size * lengths
        return Measured(scores, errors, value_errors, alpha @ scores, rounding * size**2)

    def measure_closely(self, alpha, measured, doubtful):
        """Return the same from the rows themselves, or summed in extended precision.

        With a narrow matrix this is done for the doubtful rows only.
        """
        if self.source is not None:
            return self.source.measure_some(alpha, measured, doubtful)
        if self.n_rows > MAX_EXTENDED_ROWS:
            return measured
        lengths, wide = self.row_lengths(), alpha.astype(np.longdouble)
        size = lengths @ np.abs(alpha)
        rounding = (self.n_rows + 2) * WIDE_UNIT + self.entry_error
        scores = self.gram_matrix.astype(np.longdouble) @ wide
        square = float(wide @ scores)
        scores = scores.astype(np.float64)
        errors = UNIT * np.abs(scores) + rounding * size * lengths
        square_error = rounding * size**2 + UNIT * abs(square)
        return Measured(scores, errors, errors, square, square_error)

    def slope_length(self, alpha, forces, errors, closely=False):
        """Return a bound of the length of an element less the combination of the forces.

        ``errors`` bound those of the forces.
        """
        slope, lengths = alpha - forces, self.row_lengths()
        size, rounding = lengths @ np.abs(slope), self._rounding
        if closely and self.n_rows <= MAX_EXTENDED_ROWS:
            wide = slope.astype(np.longdouble)
            square = float(wide @ (self.gram_matrix.astype(np.longdouble) @ wide))
            rounding = (2 * self.n_rows + 2) * WIDE_UNIT + self.entry_error
        else:
            square = slope @ self.scores(slope)
        square = max(square, 0.0) + rounding * size**2
        return np.sqrt(square) + (errors + UNIT * np.abs(slope)) @ lengths

    def newton_system(self, curvature):
        """Return a solver of ``(I + curvature G) step = slope`` in expansions.

        Only rows with curvature couple, so the system is as large as their number.
        A margin variance would couple all: it is kept out of this design, see
        ``solvers.kernel_dual``.
        """
        if curvature.spread > 0:
            raise MissingCapability(
                "A Newton system with prices of squares needs elements with one number per "
                "feature; KernelDesign has none. Use solver='kernel_dual'."
            )
        near = np.flatnonzero(curvature.extra)
        if len(near) == 0:
            return lambda slope, accuracy: slope
        matrix = self.gram_matrix[np.ix_(near, near)].astype(np.float64)
        matrix[np.diag_indices_from(matrix)] += 1.0 / curvature.extra[near]
        factor = damped_factor(matrix)
        along_ones = cho_solve(factor, np.ones(len(near)), check_finite=False)

        def solve(slope, accuracy):
            response = cho_solve(factor, self.scores(slope)[near], check_finite=False)
            if curvature.border is not None and along_ones.sum() > 0:
                # The intercept keeps the sum of the responses zero.
                response -= along_ones * (response.sum() / along_ones.sum())
            step = slope.copy()
            step[near] -= response
            return step

        return solve

    def without(self, i, weight=None):
        """Return the design of all rows but one.

        Given the weights of all rows, its inverses are derived from those of this design.
        """
        rest = KernelDesign(without_row(self.gram_matrix, i))
        if weight is not None:
            rest._whole = self, weight, i
        return rest

    def score_of(self, i, alpha, kept):
        """Return the inner product of a row with an element over the rows that are kept."""
        return float(self.gram_matrix[i, kept] @ alpha)

    def on_features(self):
        """Return rows of as many features as the rank, and their design, made once."""

        def factorise():
            factor = pivoted_factor(self.gram_matrix)
            return factor, DenseDesign(factor.rows)

        return self.once_for("features", (), factorise)

    def damped_inverse(self, weight, spread):
        """Return ``(G + diag(1 / (spread weight)))^-1``, once for all classes."""

        def invert():
            if self._whole is not None:
                return self._inverse_from_whole(spread)
            return inverse_of(self.gram_matrix, 1.0 / (spread * weight))

        return self.once_for(("inverse", spread), (weight,), invert)

    def _inverse_from_whole(self, spread):
        """Return the inverse without one row and column, which follows from the whole."""
        whole, weight, i = self._whole
        inverse = whole.damped_inverse(weight, spread)
        column = np.delete(inverse[i], i)
        return without_row(inverse, i) - np.outer(column, column / inverse[i, i])
