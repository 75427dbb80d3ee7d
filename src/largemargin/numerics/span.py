"""Vectors whose products with a matrix are known, and combinations of them."""

from collections.abc import Callable

import numpy as np

# Vectors that are shorter than this part of themselves, once those of the span are taken
# out, add nothing but rounding errors.
NOTHING = 1e-10
# What is left of a vector has its rounding errors, and those of the vectors taken out: if
# it is shorter than this part of the vector, they are too large to be passed on.
CLEAN = 0.03


class Span:
    """Vectors ``v`` with their images ``G v``, for a positive semi-definite matrix G.

    The vectors are orthonormal in ``G + diag(ridge)``. A point of the span is the vector of
    its coordinates. ``products`` is ``V G V'``, and ``squares`` is ``V diag(ridge) V'``.
    """

    def __init__(self, ridge: np.ndarray, room: int):
        self.ridge, self.room, self.size = ridge, room, 0
        self._vectors = np.empty((room, len(ridge)))
        self._images = np.empty((room, len(ridge)))
        self._products, self._squares = np.zeros((2, room, room))

    @property
    def vectors(self) -> np.ndarray:
        """The vectors, one per row."""
        return self._vectors[: self.size]

    @property
    def images(self) -> np.ndarray:
        """Their products with the matrix, one per row."""
        return self._images[: self.size]

    @property
    def products(self) -> np.ndarray:
        """The matrix ``V G V'``."""
        return self._products[: self.size, : self.size]

    @property
    def squares(self) -> np.ndarray:
        """The matrix ``V diag(ridge) V'``."""
        return self._squares[: self.size, : self.size]

    def coordinates(self, vector: np.ndarray, image: np.ndarray) -> np.ndarray:
        """Return the coordinates of the point of the span that is nearest to a vector."""
        return self.vectors @ (image + self.ridge * vector)

    def add(self, vector: np.ndarray, image: np.ndarray, renewed: Callable) -> bool:
        """Add a vector, made orthonormal; return whether it had anything new.

        ``renewed(vector)`` returns what to take in place of a vector that is mostly
        rounding errors, and its product with the matrix.
        """
        size = np.abs(vector).max()
        if not 0 < size < np.inf:
            return False
        vector, image = self._normalised(vector / size, image / size)
        for _ in range(2):  # the second time for what rounding left
            known = self.coordinates(vector, image)
            vector, image = vector - known @ self.vectors, image - known @ self.images
            part = self._square(vector, image)
            if not part > NOTHING**2:
                return False
            vector, image = self._normalised(vector, image)
            if part < CLEAN**2:
                vector, image = self._normalised(*renewed(vector))
        k = self.size
        self._vectors[k], self._images[k] = vector, image
        self.size += 1
        self._products[k, : k + 1] = self._products[: k + 1, k] = self.vectors @ image
        own = self.vectors @ (self.ridge * vector)
        self._squares[k, : k + 1] = self._squares[: k + 1, k] = own
        return True

    def _square(self, vector, image):
        return vector @ image + vector @ (self.ridge * vector)

    def _normalised(self, vector, image):
        length = np.sqrt(self._square(vector, image))
        return vector / length, image / length

    def make_room(self, point: np.ndarray) -> np.ndarray:
        """Keep the newer half of the vectors and a point; return its new coordinates."""
        n_kept = (self.room - 1) // 2
        n_gone = self.size - n_kept
        length = np.linalg.norm(point[:n_gone])
        change = np.zeros((n_kept + 1, self.size))
        change[0, :n_gone] = point[:n_gone] / (length or 1.0)
        change[np.arange(1, n_kept + 1), np.arange(n_gone, self.size)] = 1.0
        matrices = change @ self.products @ change.T, change @ self.squares @ change.T
        arrays = change @ self.vectors, change @ self.images
        first = 0 if length > 0 else 1
        self.size = n_kept + 1 - first
        self._vectors[: self.size], self._images[: self.size] = (a[first:] for a in arrays)
        self.products[:], self.squares[:] = (a[first:, first:] for a in matrices)
        return np.concatenate([[length], point[n_gone:]])[first:]
