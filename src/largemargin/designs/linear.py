"""Rows of explicit features, dense or sparse, and the Newton systems over them."""

from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_solve
from scipy.linalg.blas import dsymv

from largemargin.designs.base import Design, Measured
from largemargin.designs.kernel import KernelDesign, damped_factor
from largemargin.designs.memo import Memo
from largemargin.designs.row_loops import (
    add_squares,
    all_dot_sizes,
    all_dots,
    combine_rows,
    squared_row_norms,
)
from largemargin.rounding import UNIT, WIDE_UNIT, growth, wide_product

# Up to this many features a Newton system is factored, beyond it is iterated.
MAX_FACTORED = 2000
# Columns that lie this many times their half width away from zero are moved there.
FAR = 100.0
# So many rows, evenly taken, tell whether any may be.
SAMPLED = 1000
# Up to so many numbers can be multiplied in extended precision where it matters.
MAX_WIDE_NUMBERS = 200_000


class Curvature(NamedTuple):
    """Second derivative of the margin terms with respect to the scores.

    The matrix ``diag(weight * spread + extra) - mean mean' - border border'``, where
    ``extra`` is zero but on the rows near the hinge; the last two, which may be None, are
    what the mean of the margins and the intercept take up.
    """

    weight: np.ndarray
    spread: float
    extra: np.ndarray
    mean: np.ndarray | None
    border: np.ndarray | None

    @property
    def downdates(self):
        """What is taken up, as far as there is something."""
        return [part for part in (self.mean, self.border) if part is not None]


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


class LinearDesign(Design):
    """What dense and sparse rows share; the solvers see nothing else.

    An element of the feature space is a vector with one number a feature.
    Subclasses give ``rows`` for compiled loops, ``gram(coefficients)``, the lower half of
    the matrix ``sum coefficients_i x_i x_i'``, ``row_gram()``, the matrix ``X X'``, and
    ``centred(shift)``, the same rows less a vector.
    """

    # Whether products with the second moment cost less than one pass over the rows.
    has_cheap_moments = False

    def __init__(self, X):
        self.X = X
        self.n_rows, self.n_features = X.shape
        self.memo = Memo(self.size)

    @property
    def size(self):
        """How many numbers the rows hold."""
        return self.n_rows * self.n_features

    @property
    def most_entries(self):
        """How many numbers the longest row holds."""
        return self.n_features

    def zeros(self):
        """Return the origin of the feature space."""
        return np.zeros(self.n_features)

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

    def inner(self, v, w, w_scores=None):
        """Return the inner product of two elements; the scores are not needed here."""
        return v @ w

    def some_rows(self, n_rows):
        """Return the design of so many rows, evenly taken."""
        return type(self)(self.X[:: max(1, self.n_rows // n_rows)])

    def without(self, i):
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

    def row_lengths(self):
        """Return the length of every row, found once."""
        return self.memo("lengths", (), lambda: np.sqrt(self.squared_norms()))

    def column_range(self):
        """Return the least and the largest number in each column, found once."""
        return self.memo("range", (), self._find_column_range)

    @property
    def _row_rounding(self):
        """The relative error of an inner product with a row."""
        return growth(self.most_entries + 2)

    def measure(self, w):
        """Return scores and squared length of an element, errors bounded by lengths."""
        square = w @ w
        errors = self._row_rounding * np.sqrt(square) * self.row_lengths()
        square_error = growth(len(w) + 2) * square
        return Measured(self.scores(w), errors, errors, square, square_error)

    def measure_closely(self, w, measured, doubtful):
        """Return the same with errors as small as one more pass makes them."""
        sizes = np.empty(self.n_rows)
        all_dot_sizes(self.rows, w, sizes)
        if self.n_rows * self.n_features > MAX_WIDE_NUMBERS:
            errors = self._row_rounding * sizes
            return measured._replace(errors=errors, value_errors=errors)
        scores = wide_product(self.X, w)
        # Rows that were moved are rounded, as is an element that was combined of rows.
        rounding = 2.0 * UNIT + (self.most_entries + 2) * WIDE_UNIT
        errors = UNIT * np.abs(scores) + rounding * sizes
        return measured._replace(scores=scores, errors=errors, value_errors=errors)

    def slope_length(self, w, forces, errors, closely=False):
        """Return a bound of the length of ``w`` less the combination of the forces.

        ``errors`` bound those of the forces.
        """
        if closely and self.n_rows * self.n_features <= MAX_WIDE_NUMBERS:
            slope = (w - wide_product(self.X.T, forces, np.longdouble)).astype(np.float64)
            # Rows that were moved are rounded.
            rounding = UNIT + (self.n_rows + 2) * WIDE_UNIT
        else:
            slope, rounding = w - self.combine(forces), growth(self.n_rows + 2)
        moved = rounding * np.abs(forces) + errors
        length = (1.0 + growth(len(w) + 2)) * np.linalg.norm(slope)
        return length + 4.0 * UNIT * np.linalg.norm(w) + moved @ self.row_lengths()

    def second_moment(self, weight):
        """Return ``sum weight_i x_i x_i'``, formed once for all classes and prices."""
        return self.memo("moment", (weight,), lambda: self.gram(weight))

    def moment_product(self, weight, w):
        """Return ``sum weight_i x_i x_i' w``, from the lower half of the moment."""
        return dsymv(1.0, self.second_moment(weight).T, w)

    def as_kernel(self):
        """Return the same rows as a kernel design, for few rows of many features."""
        return self.memo("kernel", (), lambda: KernelDesign(self.row_gram()))

    def newton_system(self, curvature):
        """Return a solver of ``(I + X' curvature X) step = slope``."""
        downdates = [self._combine_once(u, curvature.mean) for u in curvature.downdates]
        downdates = np.reshape(downdates, (len(downdates), self.n_features))
        if self.n_features <= MAX_FACTORED:
            return self._factor(curvature, downdates)
        return self._iterate(curvature, downdates)

    def _combine_once(self, coefficients, mean):
        """Return the combination of the rows; that for the mean is the same every time."""
        if coefficients is not mean:
            return self.combine(coefficients)
        return self.memo("mean", (mean,), lambda: self.combine(mean))

    def _factor(self, curvature, downdates):
        matrix = self.gram(curvature.extra)
        if curvature.spread > 0:
            matrix += curvature.spread * self.second_moment(curvature.weight)
        matrix -= downdates.T @ downdates
        matrix[np.diag_indices_from(matrix)] += 1.0
        factor = damped_factor(matrix)
        return lambda slope, accuracy: cho_solve(factor, slope, check_finite=False)

    def _iterate(self, curvature, downdates):
        diagonal = curvature.weight * curvature.spread + curvature.extra
        scale = np.ones(self.n_features)
        add_squares(self.rows, diagonal, scale)

        def apply(v):
            return (
                v + self.combine(diagonal * self.scores(v)) - downdates.T @ (downdates @ v)
            )

        return lambda slope, accuracy: conjugate_gradients(
            apply, slope, lambda residual: residual / scale, accuracy
        )


def conjugate_gradients(apply, target, precondition, accuracy, max_steps=500):
    """Solve ``apply(x) = target`` until the residual has shrunk to ``accuracy``."""
    x = np.zeros_like(target)
    residual = target.copy()
    direction = precondition(residual)
    size = residual @ direction
    goal = accuracy**2 * size
    for _ in range(max_steps):
        if size <= goal:
            break
        image = apply(direction)
        bend = direction @ image
        if not bend > 0:  # by rounding
            break
        step = size / bend
        x += step * direction
        residual -= step * image
        preconditioned = precondition(residual)
        previous, size = size, residual @ preconditioned
        direction = preconditioned + (size / previous) * direction
    return x
