"""Rows of explicit features, wherever they are stored, and the Newton systems over them."""

import numpy as np
from scipy.linalg import cho_solve
from scipy.linalg.blas import dsymv

from largemargin.designs.base import Capability, Design, Measured
from largemargin.designs.factors import damped_factor
from largemargin.numerics.rounding import UNIT, growth

# Up to this many features a Newton system is factored, beyond it is iterated.
MAX_FACTORED = 2000


class FeatureDesign(Design):
    """Rows whose elements are vectors with one number a feature.

    Subclasses give ``scores``, ``combine`` and ``squared_norms``, and two sums over the
    rows: ``outer_products(coefficients)``, the lower half of
    ``sum coefficients_i x_i x_i'``, and ``squared_columns(coefficients)``, its diagonal.
    """

    capabilities = frozenset({Capability.FEATURES})

    def __init__(self, n_rows, n_features):
        self.n_rows, self.n_features = n_rows, n_features

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

    def inner(self, v, w, w_scores=None):
        """Return the inner product of two elements; the scores are not needed here."""
        return v @ w

    def row_lengths(self):
        """Return the length of every row, found once."""
        return self.once_for("lengths", (), lambda: np.sqrt(self.squared_norms()))

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

    def slope_length(self, w, forces, errors, closely=False):
        """Return a bound of the length of ``w`` less the combination of the forces.

        ``errors`` bound those of the forces.
        """
        slope = w - self.combine(forces)
        return self._slope_bound(w, slope, forces, errors, growth(self.n_rows + 2))

    def _slope_bound(self, w, slope, forces, errors, rounding):
        moved = rounding * np.abs(forces) + errors
        length = (1.0 + growth(len(w) + 2)) * np.linalg.norm(slope)
        return length + 4.0 * UNIT * np.linalg.norm(w) + moved @ self.row_lengths()

    def second_moment(self, weight):
        """Return ``sum weight_i x_i x_i'``, formed once for all classes and prices."""
        return self.once_for("moment", (weight,), lambda: self.outer_products(weight))

    def moment_product(self, weight, w):
        """Return ``sum weight_i x_i x_i' w``, from the lower half of the moment."""
        return dsymv(1.0, self.second_moment(weight).T, w)

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
        return self.once_for("mean", (mean,), lambda: self.combine(mean))

    def _factor(self, curvature, downdates):
        matrix = self.outer_products(curvature.extra)
        if curvature.spread > 0:
            matrix += curvature.spread * self.second_moment(curvature.weight)
        matrix -= downdates.T @ downdates
        matrix[np.diag_indices_from(matrix)] += 1.0
        factor = damped_factor(matrix)
        return lambda slope, accuracy: cho_solve(factor, slope, check_finite=False)

    def _iterate(self, curvature, downdates):
        diagonal = curvature.weight * curvature.spread + curvature.extra
        scale = 1.0 + self.squared_columns(diagonal)

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
