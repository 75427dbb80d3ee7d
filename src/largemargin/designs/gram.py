"""Rows known by their Gram matrix only: the feature space is that of a kernel."""

import numpy as np

from largemargin.designs.base import Capability, Measured
from largemargin.designs.cholesky import Spectrum, inverse_of, without_row
from largemargin.designs.dense import DenseDesign
from largemargin.designs.surrogate import FactorableDesign
from largemargin.kernels.gram import gram_block, gram_product, gram_products
from largemargin.numerics.low_rank import Factor, pivoted_factor
from largemargin.numerics.rounding import UNIT, WIDE_UNIT, growth, widened

# Up to this many rows, scores can be summed in extended precision where it matters.
MAX_EXTENDED_ROWS = 500
# An eigendecomposition costs about six inverses, and makes each of them much cheaper. It
# takes more memory, so larger matrices have none.
MANY_INVERSES = 6
MAX_SPECTRUM_ROWS = 2000
# A difference of an element and its forces below this part of their terms is rounding.
NEGLIGIBLE = 1e-10
# The error of a number rounded to float32, relative to it or, if it is tiny, in all.
NARROW_ROUNDING, LEAST_NARROW = 2.0**-24 * (1.0 + 1e-6), 2.0**-149


class GramDesign(FactorableDesign):
    """A symmetric positive semi-definite Gram matrix, float32 or float64.

    ``entry_error`` bounds the error of its entries, relative to the lengths of the two
    rows; where that is large, the ``KernelRows`` in ``source`` compute scores from the
    rows themselves.

    An element of the feature space is the vector of its expansion over the rows, so
    ``combine`` has nothing to do and inner products use scores.
    """

    capabilities = frozenset({Capability.GRAM, Capability.REMOVAL})

    def __init__(self, gram: np.ndarray, entry_error: float = 0.0, source=None):
        self.gram_matrix = gram
        self.n_rows, self.size = len(gram), gram.size
        self.entry_error = entry_error
        # The error of a score, relative to the lengths of the rows.
        self._rounding = growth(self.n_rows + 2) + entry_error
        self.source = source
        # The design, weights and index from which ``without`` removed a row.
        self._whole: tuple[GramDesign, np.ndarray, int] | None = None

    @property
    def is_rounded(self) -> bool:
        """Whether float32 entries stand for closer ones, which ``source`` computes."""
        return self.gram_matrix.dtype == np.float32 and self.source is not None

    def scores(self, alpha) -> np.ndarray:
        """Return the inner product of every row with the element ``alpha``."""
        self.n_products += 1
        return self.product(alpha)

    def product(self, alpha) -> np.ndarray:
        """Return the product of the matrix with a vector."""
        return gram_product(self.gram_matrix, alpha)

    def products(self, rank: int, vectors: list, n_threads: int) -> np.ndarray:
        """Return the products with several vectors; all products have the rank 0."""
        return gram_products(self.gram_matrix, np.array(vectors), n_threads)

    def squared_norms(self) -> np.ndarray:
        """Return the squared length of every row."""
        return np.diagonal(self.gram_matrix).astype(np.float64)

    def measure(self, alpha) -> Measured:
        """Return scores and squared length of an element, errors bounded by lengths."""
        scores, lengths = self.scores(alpha), self.row_lengths
        size = lengths @ np.abs(alpha)
        errors = self._score_errors(alpha, size)
        # The objective takes the entries of a float32 matrix as exact.
        is_wide = self.gram_matrix.dtype == np.float64
        rounding = self._rounding if is_wide else growth(self.n_rows)
        value_errors = rounding * size * lengths
        return Measured(scores, errors, value_errors, alpha @ scores, rounding * size**2)

    def _score_errors(self, alpha, size):
        """Return bounds of the errors of scores; ``size`` is the sum of their terms."""
        source, is_wide = self.source, self.gram_matrix.dtype == np.float64
        if is_wide or source is None or not source.kernel.is_positive:
            return self._rounding * size * self.row_lengths
        # Each entry was rounded by half a unit of its own, which is less than its length.
        own = NARROW_ROUNDING * self.product(np.abs(alpha))
        rounding = growth(self.n_rows + 2) + source.entry_error + LEAST_NARROW
        return own + rounding * size * self.row_lengths

    def measure_closely(self, alpha, measured, doubtful) -> Measured:
        """Return the same from the rows themselves, or summed in extended precision.

        For a float32 matrix this is done for the doubtful rows only.
        """
        if self.source is not None:
            return self.source.measure_some(alpha, measured, doubtful)
        if self.n_rows > MAX_EXTENDED_ROWS:
            return measured
        lengths, wide = self.row_lengths, widened(alpha)
        size = lengths @ np.abs(alpha)
        rounding = (self.n_rows + 2) * WIDE_UNIT + self.entry_error
        scores = widened(self.gram_matrix) @ wide
        square = float(wide @ scores)
        scores = scores.astype(np.float64)
        errors = UNIT * np.abs(scores) + rounding * size * lengths
        square_error = rounding * size**2 + UNIT * abs(square)
        return Measured(scores, errors, errors, square, square_error)

    def slope_length(self, alpha, forces, errors, closely=False) -> float:
        """Return a bound of the length of an element minus the combined forces."""
        slope, lengths = alpha - forces, self.row_lengths
        size, rounding = lengths @ np.abs(slope), self._rounding
        if not closely and size <= NEGLIGIBLE * (lengths @ np.abs(alpha)):
            square = size**2  # no combination is longer than the sum of its terms
        elif closely and self.n_rows <= MAX_EXTENDED_ROWS:
            wide = widened(slope)
            square = float(wide @ (widened(self.gram_matrix) @ wide))
            rounding = (2 * self.n_rows + 2) * WIDE_UNIT + self.entry_error
        else:
            square = slope @ self.scores(slope)
        square = max(square, 0.0) + rounding * size**2
        return np.sqrt(square) + (errors + UNIT * np.abs(slope)) @ lengths

    def without(self, i: int, weight=None) -> "GramDesign":
        """Return the design of all rows except one.

        Given the weights of all rows, it derives its inverses from those of this design.
        """
        rest = GramDesign(without_row(self.gram_matrix, i))
        rest._whole = None if weight is None else (self, weight, i)
        return rest

    def score_of(self, i: int, alpha, kept) -> float:
        """Return the inner product of a row with an element over the kept rows."""
        return float(self.gram_matrix[i, kept] @ alpha)

    def columns(self, pivots: np.ndarray) -> np.ndarray:
        """Return the columns of the Gram matrix of some rows, one column each."""
        return self.gram_matrix[pivots].T

    def block(self, rows: np.ndarray) -> np.ndarray:
        """Return the Gram matrix of some rows."""
        return gram_block(self.gram_matrix, rows)

    def on_features(self) -> tuple[Factor, DenseDesign]:
        """Return a factor with as many features as the rank, and its design, made once."""

        def factorise():
            factor = pivoted_factor(self.gram_matrix)
            return factor, DenseDesign(factor.rows)

        return self.once_for("features", (), factorise)

    def damped_inverse(
        self, weight: np.ndarray, spread: float, n_spreads=1, dtype=np.float64
    ) -> np.ndarray:
        """Return ``(G + diag(1 / (spread weight)))^-1``, made once for all classes.

        ``n_spreads`` is the number of different spreads that will be asked for. With
        ``dtype=numpy.float32`` it is float32 where that takes less time.
        """
        has_spectrum = n_spreads >= MANY_INVERSES and self.may_have_spectrum
        spectrum = self.spectrum(weight) if has_spectrum else None

        def invert():
            if spectrum is not None:
                return spectrum.damped_inverse(spread)
            if self._whole is None:
                return inverse_of(self.gram_matrix, 1.0 / (spread * weight), dtype)
            whole, whole_weight, i = self._whole
            inverse = whole.damped_inverse(whole_weight, spread)
            column = np.delete(inverse[i], i)
            return without_row(inverse, i) - np.outer(column, column / inverse[i, i])

        return self.once_for(("inverse", spread, dtype), (weight,), invert)

    @property
    def may_have_spectrum(self) -> bool:
        """Whether rows are few enough, and other inverses are not derived from theirs."""
        return self.n_rows <= MAX_SPECTRUM_ROWS and self._whole is None

    def spectrum(self, weight) -> Spectrum:
        """Return the eigendecomposition of the weighted matrix, made once."""
        return self.once_for(
            Spectrum, (weight,), lambda: Spectrum.of(self.gram_matrix, weight)
        )
