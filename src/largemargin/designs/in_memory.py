"""Rows of explicit features in memory, dense or sparse."""

from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cho_solve
from sklearn.utils.extmath import safe_sparse_dot

from largemargin.designs.base import Capability, Measured
from largemargin.designs.features import FeatureDesign
from largemargin.designs.row_loops import add_squares, all_dot_sizes
from largemargin.numerics import lapack
from largemargin.numerics.interrupt import interruptible
from largemargin.numerics.rounding import (
    MAX_WIDE_NUMBERS,
    UNIT,
    WIDE_UNIT,
    growth,
    wide_product,
)

# Up to this many rows use their Gram matrix if features are more than rows, or more than
# can be factored.
MAX_GRAM_ROWS = 5000
# Squared terms that are this many times as stiff as ``|w|^2 / 2``, on the average row,
# deserve it.
STIFF = 100.0
# A sum that is no more than this fraction of its terms is zero.
ROUNDING = 1e-12
# Columns whose middle is this many half widths away from zero are moved to zero.
FAR = 100.0
# About this many evenly spaced rows are examined first, to see if any column may be far.
SAMPLED = 1000


class InMemoryDesign(FeatureDesign):
    """What dense and sparse rows share.

    Subclasses have ``rows`` for compiled loops, and the products of ``FeatureDesign``.
    """

    capabilities = frozenset(Capability) - {Capability.GRAM, Capability.PRODUCTS}
    rows: Any

    def __init__(self, X):
        self.X = X
        super().__init__(*X.shape)
        self._is_small = self.n_rows * self.n_features <= MAX_WIDE_NUMBERS

    def without(self, i: int, weight=None) -> "InMemoryDesign":
        """Return the design of all rows except one."""
        return type(self)(self.X[np.arange(self.n_rows) != i])

    def score_of(self, i: int, w, kept) -> float:
        """Return the inner product of a row with an element; ``kept`` is not needed."""
        return float((self.X[[i]] @ w)[0])

    def times(self, matrix) -> np.ndarray:
        """Return the rows times a matrix, dense and in float64."""
        return safe_sparse_dot(self.X, matrix, dense_output=True)

    def squared_columns(self, coefficients) -> np.ndarray:
        """Return the combination of the squared entries of the rows."""
        out = np.zeros(self.n_features)
        add_squares(self.rows, coefficients, out)
        return out

    def measure_closely(self, w, measured, doubtful) -> Measured:
        """Return the same with errors as small as one more pass makes them."""
        sizes = np.empty(self.n_rows)
        all_dot_sizes(self.rows, w, sizes)
        if not self._is_small:
            errors = growth(self.most_entries + 2) * sizes
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

    def as_gram_design(self):
        """Return the same rows as a ``GramDesign``, for few rows of many features."""
        from largemargin.designs.gram import GramDesign  # it imports dense designs

        def make():
            X = self.X.astype(np.float64, copy=False)
            gram = safe_sparse_dot(X, X.T, dense_output=True)
            return GramDesign(np.ascontiguousarray(gram))

        return self.once_for("gram", (), make)

    def preconditioner(self, curvature):
        """Return an approximate inverse of a Newton system.

        With few rows and squared terms it is the inverse without the rows at kinks, the
        same in every system.
        """
        stiffness = curvature.spread * (curvature.weight @ self.row_lengths**2)
        is_stiff = stiffness > STIFF * self.n_rows
        if not is_stiff or self.n_rows > MAX_GRAM_ROWS:
            return super().preconditioner(curvature)
        is_free = curvature.border is not None
        gram = self.as_gram_design().gram_matrix
        name = "without kinks", curvature.spread, is_free
        owners = curvature.weight, curvature.mean
        return self.once_for(name, owners, lambda: self._without_kinks(curvature, gram))

    def _without_kinks(self, curvature, gram):
        """Return the product with ``(I + X' (D - U U') X)^-1``, D and U without kinks.

        Without U this is ``I - X' (D^-1 + G)^-1 X``.
        """
        diagonal = curvature.spread * curvature.weight
        matrix = gram.T.copy(order="F")  # as LAPACK has it; a Gram matrix is symmetric
        matrix[np.diag_indices_from(matrix)] += 1.0 / diagonal
        try:
            interruptible(partial(lapack.factorise, matrix))
        except np.linalg.LinAlgError:  # rounding hides the smallest eigenvalues
            return super().preconditioner(curvature)

        def solve(v):
            inner = cho_solve((matrix, True), self.scores(v), check_finite=False)
            return v - self.combine(inner)

        parts, along = [], diagonal
        if curvature.mean is not None:
            parts, along = [curvature.mean], along - curvature.mean * curvature.mean.sum()
        # The squared terms depend on the intercept unless all signs are the same.
        if curvature.border is not None and along.sum() > ROUNDING * diagonal.sum():
            parts = [*parts, along / np.sqrt(along.sum())]
        if not parts:
            return solve
        downdates = np.array([self.combine(part) for part in parts])
        solved = np.array([solve(part) for part in downdates])
        corner = np.linalg.inv(np.eye(len(parts)) - downdates @ solved.T)

        def precondition(residual):
            out = solve(residual)
            return out + (corner @ (downdates @ out)) @ solved

        return precondition


def without_offsets(design: InMemoryDesign) -> InMemoryDesign:
    """Return the design with columns that lie far from zero moved towards it.

    With a free intercept this changes nothing but the intercept, see ``offset_within``.
    Without the move, sums of squares would round off the differences of such rows.
    """
    X, shift = design.X, np.zeros(design.n_features)
    if sp.issparse(X):  # a column that has zeros is not far from zero
        doubtful = np.bincount(X.indices, minlength=design.n_features) == design.n_rows
    else:  # a column that is far from zero on all rows is nearly as far on some
        doubtful = far_middles(X[:: max(1, design.n_rows // SAMPLED)], 0.9 * FAR) != 0
    if doubtful.any():
        shift[doubtful] = far_middles(X[:, doubtful], FAR)
    if not shift.any():
        return design
    if sp.issparse(X):
        data = X.data - shift[X.indices]
        moved = type(design)(sp.csr_matrix((data, X.indices, X.indptr), shape=X.shape))
    else:
        moved = type(design)(X - shift)
    moved.shift = shift
    return moved


def far_middles(X, distance: float) -> np.ndarray:
    """Return the middles of columns this many half widths from zero, 0 for others."""
    ends = X.min(axis=0), X.max(axis=0)
    dense = [end.toarray().ravel() if sp.issparse(end) else end for end in ends]
    low, high = (0.5 * end.astype(np.float64) for end in dense)
    return np.where(np.abs(low + high) > distance * (high - low), low + high, 0.0)
