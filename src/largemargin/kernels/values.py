"""Values of kernels between rows, tile by tile, and how far rounding takes them."""

import numpy as np
import scipy.sparse as sp
from numba import njit
from sklearn.utils.extmath import safe_sparse_dot

from largemargin.numerics.jit import JIT
from largemargin.numerics.memory import fits_dense
from largemargin.numerics.rounding import UNIT, growth

# Sparse rows of no more features than this are made dense for the rbf kernel.
MAX_DENSE_FEATURES = 500
# Exponents of the rbf kernel that one product of matrices would give less exactly than
# this are made from the differences of rows.
MAX_EXPONENT_ERROR = 1e-12
# Up to this many rows differences cost no more than it takes to begin.
FEW_ROWS = 300


def unit_rows(X):
    """Return the rows divided by their lengths, however long or short; zeros stay.

    Scikit-learn's own takes rows shorter than 2e-15 for zeros.
    """
    largest = abs(X).max(axis=1)
    largest = largest.toarray().ravel() if sp.issparse(X) else largest
    largest[largest == 0] = 1.0
    X = divide_rows(X, largest)
    squares = X.multiply(X) if sp.issparse(X) else X**2
    lengths = np.sqrt(np.asarray(squares.sum(axis=1)).ravel())
    return divide_rows(X, np.where(lengths > 0, lengths, 1.0))


def divide_rows(X, divisors):
    """Return each row divided by its own number."""
    if not sp.issparse(X):
        return X / divisors[:, None]
    X = X.tocsr(copy=True)
    X.data /= np.repeat(divisors, np.diff(X.indptr))
    return X


class PlainRows:
    """Rows of which kernels are taken as scikit-learn does."""

    is_bounded = False

    def __init__(self, kernel, X):
        self.function, self.X = kernel, X

    @property
    def entry_error(self):
        """A bound of the error of a value, relative to the lengths of the two rows."""
        if callable(self.function.name):
            return 0.0
        if self.function.name == "linear":
            return growth(self.X.shape[1])
        degree = self.function.degree if self.function.name == "poly" else 1
        return 2.0 * max(degree, 1) * growth(self.X.shape[1] + 8)

    @property
    def entry_error_anywhere(self):
        """The same: these rows are never moved."""
        return self.entry_error

    def kernel(self, down, other, across, dtype):
        """Return the kernel between some of the rows and some of the others."""
        with np.errstate(over="ignore", invalid="ignore"):
            return self.function(self.X[down], other.X[across])


class RadialRows:
    """Rows for the rbf kernel, whose exponent is made by one product of matrices.

    ``-gamma |x - z|^2`` is the inner product of ``(x, |x|^2, 1)`` and ``(z, 1, |z|^2)``,
    all suitably scaled. Rows far from zero would lose their distances in it: all are moved
    by the same ``shift``, and those that are still too long are compared one by one.
    """

    is_bounded = True

    def __init__(self, gamma, X, others=None):
        self.gamma = gamma
        # Sparse rows are made dense where that takes little room beside a Gram matrix.
        is_sparse = sp.issparse(X) and (
            X.shape[1] > MAX_DENSE_FEATURES or not fits_dense(*X.shape)
        )
        if others is not None:
            is_sparse = sp.issparse(others.X)
        if sp.issparse(X) and not is_sparse:
            X = X.toarray()
        self.X = X.astype(np.float64, copy=False)
        self.shift = None
        with np.errstate(over="ignore", invalid="ignore"):
            if not is_sparse:
                self.shift = middle_of(self.X) if others is None else others.shift
                self.unmoved, self.X = self.X, self.X - self.shift
            square = self.X.multiply(self.X) if sp.issparse(X) else self.X**2
            self.norms = gamma * np.asarray(square.sum(axis=1)).reshape(-1, 1)
        if not np.isfinite(self.norms).all():
            raise ValueError(
                "kernel='rbf' overflows on these rows. Scale the features or lower gamma."
            )
        self.rounding = 4.0 * growth(X.shape[1] + 6) * self.norms.max(initial=0.0)

    @property
    def entry_error(self):
        """A bound of the error of a value of the kernel."""
        # Of -t and of exp, at t where t exp(-t) is largest.
        own = growth(self.X.shape[1] + 3) * np.exp(-1.0) + 4.0 * UNIT
        if sp.issparse(self.X):
            return own + self.rounding
        return own if self.is_small else own + min(self.rounding, MAX_EXPONENT_ERROR)

    @property
    def entry_error_anywhere(self):
        """The same whichever of the rows the others, and so the shift, are taken from."""
        if self.is_small or sp.issparse(self.X):
            return self.entry_error
        return self.entry_error + MAX_EXPONENT_ERROR

    @property
    def is_small(self):
        """Whether differences of the rows cost no more than it takes to begin."""
        return len(self.norms) <= FEW_ROWS and not sp.issparse(self.X)

    def kernel(self, down, other, across, dtype):
        """Return the kernel between some of the rows and some of the others."""
        X, Z = self.X[down], other.X[across]
        norms, other_norms = self.norms[down], other.norms[across]
        if sp.issparse(X) or sp.issparse(Z):
            exponent = 2.0 * self.gamma * safe_sparse_dot(X, Z.T, dense_output=True)
            exponent -= norms + other_norms.T
        elif self.is_small or max(self.rounding, other.rounding) > MAX_EXPONENT_ERROR:
            exponent = np.empty((len(X), len(Z)))
            rows, others = self.unmoved[down], other.unmoved[across]
            fill_exponents(rows, others, self.gamma, exponent)
        else:
            left = np.hstack([2.0 * self.gamma * X, -norms, np.ones_like(norms)])
            right = np.hstack([Z, np.ones_like(other_norms), -other_norms])
            exponent = left @ right.T
        if other is self and down == across:
            np.fill_diagonal(exponent, 0.0)
        exponent = exponent.astype(dtype, copy=False)
        # Rounding may make the distance of near rows negative.
        np.minimum(exponent, 0.0, out=exponent)
        return np.exp(exponent, out=exponent)


def middle_of(X):
    """Return the middle of the range of each column."""
    return 0.5 * X.min(axis=0) + 0.5 * X.max(axis=0)


@njit(**JIT)
def fill_exponents(X, Z, gamma, out):
    """Fill in ``-gamma |x - z|^2`` from the differences of the rows."""
    for i in range(X.shape[0]):
        for j in range(Z.shape[0]):
            total = 0.0
            for k in range(X.shape[1]):
                difference = X[i, k] - Z[j, k]
                total += difference * difference
            out[i, j] = -gamma * total
