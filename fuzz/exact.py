"""Elements in 80 bits: scores and norms of what a machine kept, with their own rounding.

Every number here comes with a bound on its own error, so that the judge never blames a
machine for the rounding of the judge.
"""

from dataclasses import dataclass

import numpy as np

LONG = np.longdouble
EPS = np.finfo(LONG).eps


@dataclass
class Element:
    """An element ``w``: its scores on all rows and its squared length.

    ``error`` and ``norm_error`` bound the rounding of the judge; ``size`` is the sum of
    the absolute values of the terms of each score, by which float64 may round.
    """

    scores: np.ndarray
    error: np.ndarray
    size: np.ndarray
    norm: LONG
    norm_error: LONG


class LinearSpace:
    """Elements that are vectors of features."""

    def __init__(self, rows):
        self.rows = rows.astype(LONG)
        self.absolute = np.abs(self.rows)
        self.n_features = rows.shape[1]
        self.squares = (self.rows**2).sum(axis=1)
        self.longest = np.sqrt(self.squares.max())

    def of_coef(self, coef):
        """Return the element with these coordinates."""
        w = np.asarray(coef, dtype=LONG)
        return self._element(w, np.zeros_like(w), np.abs(w))

    def of_expansion(self, alpha, support):
        """Return the combination of some rows."""
        rows = self.rows[support]
        size = np.abs(alpha) @ self.absolute[support]
        if np.asarray(alpha).dtype == np.float64:
            w = combine_exactly(alpha, rows.astype(np.float64))
            return self._element(w, EPS * np.abs(w), size)
        return self._element(alpha @ rows, (len(alpha) + 2) * EPS * size, size)

    def _element(self, w, w_error, w_size):
        error = (self.n_features + 4) * EPS * (self.absolute @ np.abs(w))
        error += self.absolute @ w_error
        norm = w @ w
        norm_error = (self.n_features + 4) * EPS * norm
        norm_error += w_error @ (2 * np.abs(w) + w_error)
        return Element(self.rows @ w, error, self.absolute @ w_size, norm, norm_error)


class KernelSpace:
    """Elements that are combinations of rows, whose inner products are a Gram matrix."""

    def __init__(self, gram, error):
        self.gram, self.error = gram, error
        self.absolute = np.abs(gram)
        self.squares = np.diagonal(gram)
        self.longest = np.sqrt(self.squares.max())

    def of_expansion(self, alpha, support):
        """Return the combination of some rows."""
        alpha = np.asarray(alpha, dtype=LONG)
        length = np.abs(alpha)
        scores = self.gram[:, support] @ alpha
        size = self.absolute[:, support] @ length
        error = self.error[:, support] @ length + (len(alpha) + 4) * EPS * size
        norm = alpha @ scores[support]
        norm_error = length @ (error + 4 * EPS * size)[support]
        return Element(scores, error, size, norm, norm_error)


def combine_exactly(alpha, rows):
    """Return a combination of rows of float64, rounded once, however much cancels."""
    alpha, alpha_exponent = as_integers(alpha)
    rows, rows_exponent = as_integers(rows)
    sums = alpha @ rows if len(alpha) else np.zeros(rows.shape[1], dtype=object)
    exponent = alpha_exponent + rows_exponent
    return np.array([to_long(int(number), exponent) for number in sums], dtype=LONG)


def as_integers(values):
    """Return whole numbers and the power of two by which they are to be multiplied."""
    fractions, exponents = np.frexp(values)
    mantissas = np.ldexp(fractions, 53).astype(np.int64)
    lowest = int(exponents[mantissas != 0].min(initial=1024))
    whole = np.empty(values.shape, dtype=object)
    for place, mantissa in np.ndenumerate(mantissas):
        whole[place] = int(mantissa) << max(int(exponents[place]) - lowest, 0)
    return whole, lowest - 53


def to_long(number, exponent):
    """Return ``number * 2**exponent``, cut to 64 bits."""
    size = abs(number)
    surplus = max(size.bit_length() - 64, 0)
    high, low = divmod(size >> surplus, 1 << 32)
    value = np.ldexp(LONG(high) * (1 << 32) + LONG(low), exponent + surplus)
    return value if number >= 0 else -value


def exact_space(kernel, matrix, gamma=None, degree=3, coef0=0.0):
    """Return the space of a kernel on rows, or of a Gram matrix itself."""
    if kernel == "linear":
        return LinearSpace(matrix)
    rows = matrix.astype(LONG)
    if kernel == "precomputed":
        return KernelSpace(rows, np.zeros_like(rows))
    if kernel == "poly":
        return KernelSpace(*polynomial(rows, LONG(gamma), degree, LONG(coef0)))
    if kernel == "cosine":
        return KernelSpace(*cosine(rows))
    power = {"rbf": 2, "laplacian": 1}[kernel]
    return KernelSpace(*radial(rows, LONG(gamma), power))


def radial(rows, gamma, power):
    """Return ``exp(-gamma sum |x - z|^power)`` by differences, and its rounding."""
    exponent = np.stack(
        [gamma * np.sum(np.abs(rows - row) ** power, axis=1) for row in rows]
    )
    gram = np.exp(-exponent)
    return gram, EPS * gram * ((rows.shape[1] + 5) * exponent + 2)


def polynomial(rows, gamma, degree, coef0):
    """Return ``(gamma x . z + coef0)^degree`` and its rounding."""
    base = gamma * (rows @ rows.T) + coef0
    absolute = np.abs(rows)
    error = EPS * ((rows.shape[1] + 4) * gamma * (absolute @ absolute.T) + 2 * abs(coef0))
    gram = base**degree
    grown = (np.abs(base) + error) ** (degree - 1)
    return gram, degree * grown * error + (degree + 1) * EPS * np.abs(gram)


def cosine(rows):
    """Return the cosines between rows, zero for rows of zeros, and their rounding."""
    lengths = np.sqrt(np.sum(rows * rows, axis=1))
    rows = rows / np.where(lengths > 0, lengths, 1)[:, None]
    absolute = np.abs(rows)
    return rows @ rows.T, (2 * rows.shape[1] + 10) * EPS * (absolute @ absolute.T)
