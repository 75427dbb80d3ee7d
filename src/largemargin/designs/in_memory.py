"""Rows of explicit features in memory, dense or sparse."""

import numpy as np
from sklearn.utils.extmath import safe_sparse_dot

from largemargin.designs.base import Capability, Measured
from largemargin.designs.features import FeatureDesign
from largemargin.designs.row_loops import add_squares, all_dot_sizes
from largemargin.numerics.rounding import MAX_WIDE_NUMBERS, UNIT, WIDE_UNIT, wide_product

# Columns whose middle is this many times their half width away from zero are moved to it.
FAR = 100.0
# About this many evenly spaced rows are examined first, to see if any column may be far.
SAMPLED = 1000


class InMemoryDesign(FeatureDesign):
    """What dense and sparse rows share.

    Subclasses have ``rows`` for compiled loops, ``column_range()``, the least and the
    largest number in each column, and ``centred(shift)``, the rows minus a vector.
    """

    capabilities = frozenset(Capability) - {Capability.GRAM}

    def __init__(self, X):
        self.X = X
        super().__init__(*X.shape)

    def without(self, i: int, weight=None) -> "InMemoryDesign":
        """Return the design of all rows except one."""
        return type(self)(self.X[np.arange(self.n_rows) != i])

    def score_of(self, i: int, w, kept) -> float:
        """Return the inner product of a row with an element, which needs no other rows."""
        return float((self.X[[i]] @ w)[0])

    def squared_columns(self, coefficients) -> np.ndarray:
        """Return the combination of the squared entries of the rows."""
        out = np.zeros(self.n_features)
        add_squares(self.rows, coefficients, out)
        return out

    @property
    def _is_small(self):
        return self.n_rows * self.n_features <= MAX_WIDE_NUMBERS

    def measure_closely(self, w, measured, doubtful) -> Measured:
        """Return the same with errors as small as one more pass makes them."""
        sizes = np.empty(self.n_rows)
        all_dot_sizes(self.rows, w, sizes)
        if not self._is_small:
            errors = self._row_rounding * sizes
            return measured._replace(errors=errors, value_errors=errors)
        scores = wide_product(self.X, w)
        # Rows that were shifted are rounded, as is an element that was combined from rows.
        rounding = 2.0 * UNIT + (self.most_entries + 2) * WIDE_UNIT
        errors = UNIT * np.abs(scores) + rounding * sizes
        return measured._replace(scores=scores, errors=errors, value_errors=errors)

    def slope_length(self, w, forces, errors, closely=False) -> float:
        """Return a bound of the length of ``w`` minus the combination of the forces."""
        if not (closely and self._is_small):
            return super().slope_length(w, forces, errors)
        slope = (w - wide_product(self.X.T, forces, np.longdouble)).astype(np.float64)
        # Rows that were shifted are rounded.
        rounding = UNIT + (self.n_rows + 2) * WIDE_UNIT
        return self._slope_bound(w, slope, forces, errors, rounding)

    def as_kernel(self):
        """Return the same rows as a ``KernelDesign``, for few rows of many features."""
        from largemargin.designs.kernel import KernelDesign  # it imports dense designs

        def make():
            X = self.X.astype(np.float64, copy=False)
            gram = safe_sparse_dot(X, X.T, dense_output=True)
            return KernelDesign(np.ascontiguousarray(gram))

        return self.once_for("kernel", (), make)


def without_offsets(design: InMemoryDesign) -> InMemoryDesign:
    """Return the design with columns that lie far from zero moved towards it.

    With a free intercept this changes nothing but the intercept, see ``offset_within``;
    without it, sums of squares would lose all that distinguishes such rows.
    """
    # A column that is far from zero on all rows is nearly as far on some.
    sample = type(design)(design.X[:: max(1, design.n_rows // SAMPLED)])
    if not far_columns(*sample.column_range(), 0.9 * FAR).any():
        return design
    low, high = design.column_range()
    shift = np.where(far_columns(low, high, FAR), 0.5 * low + 0.5 * high, 0.0)
    return design.centred(shift) if shift.any() else design


def far_columns(low: np.ndarray, high: np.ndarray, distance: float) -> np.ndarray:
    """Return which columns lie this many times their half width away from zero."""
    return np.abs(0.5 * low + 0.5 * high) > distance * (0.5 * high - 0.5 * low)
