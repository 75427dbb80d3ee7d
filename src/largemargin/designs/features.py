"""Rows of explicit features, wherever they are stored, and Newton systems over them."""

from collections.abc import Callable

import numpy as np
from scipy.linalg.blas import dsymv
from scipy.linalg.lapack import dpotrs

from largemargin.designs.base import Capability, Curvature, Design, Measured, NewtonSolve
from largemargin.designs.cholesky import damped_factor
from largemargin.numerics.rounding import UNIT, growth

# Newton systems of up to this many features are factorised, larger ones are iterated.
MAX_FACTORED = 2000


class FeatureDesign(Design):
    """Rows whose elements are vectors with one number per feature.

    Subclasses have ``scores``, ``combine`` and ``squared_norms``, and two sums over the
    rows, ``outer_products`` and ``squared_columns``.
    """

    capabilities = frozenset({Capability.FEATURES})

    def __init__(self, n_rows: int, n_features: int):
        self.n_rows, self.n_features = n_rows, n_features
        self.size = n_rows * n_features
        # How many numbers the longest row holds.
        self.most_entries = n_features

    def outer_products(self, coefficients: np.ndarray) -> np.ndarray:
        """Return ``sum coefficients_i x_i x_i'``; only its lower triangle is valid."""
        raise NotImplementedError

    def squared_columns(self, coefficients: np.ndarray) -> np.ndarray:
        """Return the diagonal of ``sum coefficients_i x_i x_i'``."""
        raise NotImplementedError

    def zeros(self) -> np.ndarray:
        """Return the origin of the feature space."""
        return np.zeros(self.n_features)

    def inner(self, v, w, w_scores=None) -> float:
        """Return the inner product of two elements; the scores are not needed here."""
        return v @ w

    def measure(self, w) -> Measured:
        """Return scores and squared length of an element, errors bounded by lengths."""
        square = w @ w
        errors = growth(self.most_entries + 2) * np.sqrt(square) * self.row_lengths
        square_error = growth(len(w) + 2) * square
        return Measured(self.scores(w), errors, errors, square, square_error)

    def slope_length(self, w, forces, errors, closely=False) -> float:
        """Return a bound of the length of ``w`` minus the combination of the forces."""
        slope = w - self.combine(forces)
        return self._slope_bound(w, slope, forces, errors, growth(self.n_rows + 2))

    def _slope_bound(self, w, slope, forces, errors, rounding):
        moved = rounding * np.abs(forces) + errors
        length = (1.0 + growth(len(w) + 2)) * np.linalg.norm(slope)
        return length + 4.0 * UNIT * np.linalg.norm(w) + moved @ self.row_lengths

    def second_moment(self, weight: np.ndarray) -> np.ndarray:
        """Return ``sum weight_i x_i x_i'``, formed once for all classes and prices."""
        return self.once_for("moment", (weight,), lambda: self.outer_products(weight))

    def moment_product(self, weight: np.ndarray, w: np.ndarray) -> np.ndarray:
        """Return ``sum weight_i x_i x_i' w``, from the lower triangle of the moment."""
        return dsymv(1.0, self.second_moment(weight).T, w)

    def newton_system(self, curvature: Curvature) -> NewtonSolve:
        """Return a solver of ``(I + X' curvature X) step = slope``."""
        mean = curvature.mean
        parts = [
            # The mean is the same in every system.
            self.once_for("mean", (mean,), lambda: self.combine(mean))
            if part is mean
            else self.combine(part)
            for part in curvature.downdates
        ]
        downdates = np.reshape(parts, (len(parts), self.n_features))
        if self.n_features <= MAX_FACTORED:
            return self._factor(curvature, downdates)
        return self._iterate(curvature, downdates)

    def _factor(self, curvature, downdates):
        matrix = self.outer_products(curvature.extra)
        if curvature.spread > 0:
            matrix += curvature.spread * self.second_moment(curvature.weight)
        matrix -= downdates.T @ downdates
        matrix.flat[:: self.n_features + 1] += 1.0
        factor, _ = damped_factor(matrix)
        # For few features, the checks of scipy.linalg.cho_solve would take longer.
        return lambda slope, accuracy: dpotrs(factor, slope, lower=True)[0]

    def _iterate(self, curvature, downdates):
        diagonal = curvature.weight * curvature.spread + curvature.extra
        precondition = self.preconditioner(curvature)

        def apply(v):
            image = self.combine(diagonal * self.scores(v))
            return v + image - downdates.T @ (downdates @ v)

        return lambda slope, accuracy: conjugate_gradients(
            apply, slope, precondition, accuracy
        )

    def preconditioner(self, curvature: Curvature) -> Callable[[np.ndarray], np.ndarray]:
        """Return an approximate inverse of a Newton system: that of its diagonal."""
        diagonal = curvature.weight * curvature.spread + curvature.extra
        scale = 1.0 + self.squared_columns(diagonal)
        return lambda residual: residual / scale


def conjugate_gradients(apply, target, precondition, accuracy: float, max_steps=500):
    """Solve ``apply(x) = target`` until the residual has shrunk by ``accuracy``."""
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
