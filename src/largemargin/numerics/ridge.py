"""Ridge regressions at many prices of the squares, and what they predict for rows left out.

For rows of weights s, a ridge regression minimises over w and b

    |w|^2 / 2 + c / 2 sum_i s_i (w . x_i + b - t_i)^2.

One eigendecomposition of the Gram matrix, weighted and centred so that b is eliminated,
gives the outputs of the regressions at all c, and those for each row by a regression that
has not seen it.
"""

from typing import NamedTuple, Self

import numpy as np

# Where a row alone decides on its output, it says nothing about the row without it.
LEAST = 1e-12


class Outputs(NamedTuple):
    """One column per price: outputs without each row, coefficients and intercepts."""

    left_out: np.ndarray
    coefficients: np.ndarray
    intercepts: np.ndarray


class RidgePath:
    """Ridge regressions on some rows, known by their features or by their Gram matrix."""

    def __init__(self, weight, fit_intercept, values, vectors, mean_scores):
        self.weight, self.fit_intercept = weight, fit_intercept
        self._root, self._total = np.sqrt(weight), weight.sum()
        # Eigenvalues and eigenvectors of the weighted Gram matrix, without null vectors
        # perhaps; and the inner product of every row with the mean row.
        self._values, self._vectors = np.maximum(values, 0.0)[:, None], vectors
        self._mean_scores = mean_scores

    @classmethod
    def on_gram(cls, gram, weight, fit_intercept=True) -> Self:
        """Return the regressions on rows with this Gram matrix."""
        means, root, centred = weight @ gram / weight.sum(), np.sqrt(weight), gram
        if fit_intercept:
            centred = gram - means - means[:, None] + weight @ means / weight.sum()
        values, vectors = np.linalg.eigh(root[:, None] * centred * root)
        return cls(weight, fit_intercept, values, vectors, means)

    @classmethod
    def on_rows(cls, X, weight, fit_intercept=True) -> Self:
        """Return the regressions on dense rows with these features."""
        mean = weight @ X / weight.sum()
        rows = np.sqrt(weight)[:, None] * (X - mean if fit_intercept else X)
        vectors, singular, _ = np.linalg.svd(rows, full_matrices=False)
        return cls(weight, fit_intercept, singular**2, vectors, X @ mean)

    def outputs(self, targets: np.ndarray, prices: np.ndarray, repeats=None) -> Outputs:
        """Return what the regressions at all prices give, see ``left_out``."""
        weight, vectors = self.weight, self._vectors
        level, inside = self._projected(targets)
        left_out = self.left_out(targets, prices, repeats)
        coefficients = self._root[:, None] * (
            vectors @ (inside[:, None] / (self._values + 1.0 / prices))
        )
        intercepts = np.zeros(len(prices))
        if self.fit_intercept:
            # Null vectors need not balance; they have no effect on centred rows only.
            coefficients -= np.outer(weight, coefficients.sum(axis=0) / self._total)
            intercepts = level - self._mean_scores @ coefficients
        return Outputs(left_out, coefficients, intercepts)

    def left_out(self, targets, prices, repeats=None) -> np.ndarray:
        """Return the output for each row of regressions, one per price, without it.

        ``repeats`` says how many rows each row stands for, of which one is left out; up to
        one, it is left out as a whole. By default these are the weights.
        """
        weight, vectors = self.weight, self._vectors
        level, inside = self._projected(targets)
        kept = self._values / (self._values + 1.0 / prices)
        fitted = level + vectors @ (kept * inside[:, None]) / self._root[:, None]
        leverage = np.square(vectors) @ kept
        if self.fit_intercept:
            leverage += weight[:, None] / self._total
        repeats = weight if repeats is None else repeats
        leverage *= np.minimum(1.0, 1.0 / repeats)[:, None]
        left_out = fitted - leverage * targets[:, None]
        return left_out / np.maximum(1.0 - leverage, LEAST)

    def _projected(self, targets):
        """Return the mean target, and the centred targets along the eigenvectors."""
        level = self.weight @ targets / self._total if self.fit_intercept else 0.0
        return level, self._vectors.T @ (self._root * (targets - level))
