"""Rows of explicit features in memory, dense or sparse."""

import numpy as np

from largemargin.designs.base import Capability
from largemargin.designs.features import FeatureDesign
from largemargin.designs.row_loops import (
    add_squares,
    all_dot_sizes,
    all_dots,
    combine_rows,
    squared_row_norms,
)
from largemargin.numerics.rounding import UNIT, WIDE_UNIT, wide_product

# Columns that lie this many times their half width away from zero are moved there.
FAR = 100.0
# So many rows, evenly taken, tell whether any may be.
SAMPLED = 1000
# Up to so many numbers can be multiplied in extended precision where it matters.
MAX_WIDE_NUMBERS = 200_000


def without_offsets(design):
    """Return the design of the same rows, columns far from zero moved towards it.

    With a free intercept this changes nothing but the intercept, see ``offset_within``,
    while sums of squares would lose all that distinguishes such rows.
    """
    # What is far from zero on all rows is nearly as far on some.
    if not far_columns(*design.some_rows(SAMPLED).column_range(), 0.9 * FAR).any():
        return design
    low, high = design.column_range()
    shift = np.where(far_columns(low, high, FAR), 0.5 * low + 0.5 * high, 0.0)
    return design.centred(shift) if shift.any() else design


def far_columns(low, high, distance):
    """Return which columns lie so many times their half width away from zero."""
    return np.abs(0.5 * low + 0.5 * high) > distance * (0.5 * high - 0.5 * low)


class LinearDesign(FeatureDesign):
    """What dense and sparse rows share.

    Subclasses give ``rows`` for compiled loops, ``outer_products``, ``row_gram()``, the
    matrix ``X X'``, and ``centred(shift)``, the same rows less a vector.
    """

    capabilities = frozenset(Capability) - {Capability.GRAM}

    def __init__(self, X):
        self.X = X
        super().__init__(*X.shape)

    def scores(self, w):
        """Return the inner product of every row with ``w``."""
        out = np.empty(self.n_rows)
        all_dots(self.rows, w, out)
        return out

    def combine(self, coefficients):
        """Return the combination of the rows with these coefficients."""
        out = np.zeros(self.n_features)
        combine_rows(self.rows, coefficients, out)
        return out

    def some_rows(self, n_rows):
        """Return the design of so many rows, evenly taken."""
        return type(self)(self.X[:: max(1, self.n_rows // n_rows)])

    def without(self, i, weight=None):
        """Return the design of all rows but one."""
        return type(self)(self.X[np.arange(self.n_rows) != i])

    def score_of(self, i, w, kept):
        """Return the inner product of a row with an element, which needs no other rows."""
        return float((self.X[[i]] @ w)[0])

    def squared_norms(self):
        """Return the squared length of every row."""
        out = np.empty(self.n_rows)
        squared_row_norms(self.rows, out)
        return out

    def squared_columns(self, coefficients):
        """Return the combination of the squared entries of the rows."""
        out = np.zeros(self.n_features)
        add_squares(self.rows, coefficients, out)
        return out

    def column_range(self):
        """Return the least and the largest number in each column, found once."""
        return self.once_for("range", (), self._find_column_range)

    @property
    def _is_small(self):
        return self.n_rows * self.n_features <= MAX_WIDE_NUMBERS

    def measure_closely(self, w, measured, doubtful):
        """Return the same with errors as small as one more pass makes them."""
        sizes = np.empty(self.n_rows)
        all_dot_sizes(self.rows, w, sizes)
        if not self._is_small:
            errors = self._row_rounding * sizes
            return measured._replace(errors=errors, value_errors=errors)
        scores = wide_product(self.X, w)
        # Rows that were moved are rounded, as is an element that was combined of rows.
        rounding = 2.0 * UNIT + (self.most_entries + 2) * WIDE_UNIT
        errors = UNIT * np.abs(scores) + rounding * sizes
        return measured._replace(scores=scores, errors=errors, value_errors=errors)

    def slope_length(self, w, forces, errors, closely=False):
        """Return a bound of the length of ``w`` less the combination of the forces."""
        if not (closely and self._is_small):
            return super().slope_length(w, forces, errors)
        slope = (w - wide_product(self.X.T, forces, np.longdouble)).astype(np.float64)
        # Rows that were moved are rounded.
        rounding = UNIT + (self.n_rows + 2) * WIDE_UNIT
        return self._slope_bound(w, slope, forces, errors, rounding)

    def as_kernel(self):
        """Return the same rows as a kernel design, for few rows of many features."""
        from largemargin.designs.kernel import KernelDesign  # which has features, too

        return self.once_for("kernel", (), lambda: KernelDesign(self.row_gram()))
