"""Values of kernels between rows, tile by tile, and bounds of their rounding errors."""

import numpy as np
import scipy.sparse as sp
from numba import njit
from sklearn.utils.extmath import safe_sparse_dot

from largemargin.numerics.jit import JIT
from largemargin.numerics.memory import fits_dense
from largemargin.numerics.rounding import UNIT, growth

# Kernels are evaluated in tiles of this many rows, so that long work can be interrupted.
TILE = 512
# Sparse rows of no more features than this are made dense for the rbf kernel.
MAX_DENSE_FEATURES = 500
# Exponents of the rbf kernel are computed from differences of rows where a matrix product
# would have a larger error than this.
MAX_EXPONENT_ERROR = 1e-12
# Up to this many rows, differences cost no more than the overhead of a call.
FEW_ROWS = 300


def tiles(n_rows: int, height: int | None = None) -> list[slice]:
    """Return slices of consecutive rows that cover all of them."""
    height = TILE if height is None else height
    return [slice(start, start + height) for start in range(0, n_rows, height)]


def tile_pairs(n_rows: int) -> list[tuple[slice, slice]]:
    """Return the tiles on and below the diagonal of a square matrix."""
    slices = tiles(n_rows)
    return [(down, across) for i, down in enumerate(slices) for across in slices[: i + 1]]


def squared_lengths(X) -> np.ndarray:
    """Return the squared length of every row, dense or sparse, computed in float64."""
    X = X.astype(np.float64, copy=False)
    squares = X.multiply(X) if sp.issparse(X) else X**2
    return np.asarray(squares.sum(axis=1)).ravel()


def normalised_rows(X):
    """Return the rows divided by their lengths, however long or short; zeros stay zero.

    Scikit-learn's function treats rows shorter than 2e-15 as zeros.
    """
    largest = abs(X).max(axis=1)
    X = divide_rows(X, largest.toarray().ravel() if sp.issparse(X) else largest)
    return divide_rows(X, np.sqrt(squared_lengths(X)))


def divide_rows(X, divisors):
    """Return each row divided by its divisor; a divisor of 0 counts as 1."""
    divisors = np.where(divisors > 0, divisors, 1.0)
    if not sp.issparse(X):
        return X / divisors[:, None]
    X = X.tocsr(copy=True)
    X.data /= np.repeat(divisors, np.diff(X.indptr))
    return X


class PlainRows:
    """Rows whose kernels are evaluated by scikit-learn or the user's function."""

    is_bounded = False

    def __init__(self, kernel, X):
        self.kernel, self.X = kernel, X

    @property
    def entry_error(self) -> float:
        """A bound of the error of a value, relative to the lengths of the two rows."""
        if callable(self.kernel.name):
            return 0.0
        if self.kernel.name == "linear":
            return growth(self.X.shape[1])
        degree = self.kernel.degree if self.kernel.name == "poly" else 1
        return 2.0 * max(degree, 1) * growth(self.X.shape[1] + 8)

    # The same: these rows are never shifted.
    entry_error_anywhere = entry_error

    def values(self, down, other, across, dtype) -> np.ndarray:
        """Return the kernel between some of these rows and some of the others."""
        with np.errstate(over="ignore", invalid="ignore"):
            return self.kernel(self.X[down], other.X[across])


class RadialRows:
    """Rows for the rbf kernel, whose exponents come from one matrix product.

    ``-gamma |x - z|^2`` is the inner product of ``(x, |x|^2, 1)`` and ``(z, 1, |z|^2)``,
    suitably scaled. Rows far from zero would lose their distances in it, so all rows are
    moved by the same ``shift``; where they are still too long, differences are used.
    """

    is_bounded = True

    def __init__(self, gamma, X, others=None):
        self.gamma = gamma
        # Sparse rows are made dense where that takes little room beside a Gram matrix.
        is_sparse = sp.issparse(X if others is None else others.X)
        if is_sparse and others is None:
            is_sparse = X.shape[1] > MAX_DENSE_FEATURES or not fits_dense(*X.shape)
        if sp.issparse(X) and not is_sparse:
            X = X.toarray()
        self.X = X.astype(np.float64, copy=False)
        self.shift = None if others is None else others.shift
        with np.errstate(over="ignore", invalid="ignore"):
            if not is_sparse:
                if others is None:
                    self.shift = 0.5 * self.X.min(axis=0) + 0.5 * self.X.max(axis=0)
                self.unmoved, self.X = self.X, self.X - self.shift
            self.norms = gamma * squared_lengths(self.X).reshape(-1, 1)
        if not np.isfinite(self.norms).all():
            raise ValueError(
                "kernel='rbf' overflows on these rows. Scale the features or lower gamma."
            )
        self.rounding = 4.0 * growth(X.shape[1] + 6) * self.norms.max(initial=0.0)
        self.is_small = len(self.norms) <= FEW_ROWS and not sp.issparse(X)

    @property
    def entry_error(self) -> float:
        """A bound of the error of a value."""
        # The errors of the exponent -t and of exp, at the t where t exp(-t) is largest.
        own = growth(self.X.shape[1] + 3) * np.exp(-1.0) + 4.0 * UNIT
        if sp.issparse(self.X):
            return own + self.rounding
        return own if self.is_small else own + min(self.rounding, MAX_EXPONENT_ERROR)

    @property
    def entry_error_anywhere(self) -> float:
        """The same for any other rows among these, which decide on the shift."""
        # Few of the rows may be made dense and moved, even if all of them stay sparse.
        stays_sparse = sp.issparse(self.X) and self.X.shape[1] > MAX_DENSE_FEATURES
        if self.is_small or stays_sparse:
            return self.entry_error
        return self.entry_error + MAX_EXPONENT_ERROR

    def values(self, down, other, across, dtype) -> np.ndarray:
        """Return the kernel between some of these rows and some of the others."""
        X, Z = self.X[down], other.X[across]
        norms, other_norms = self.norms[down], other.norms[across]
        if sp.issparse(X) or sp.issparse(Z):
            exponent = 2.0 * self.gamma * safe_sparse_dot(X, Z.T, dense_output=True)
            exponent -= norms + other_norms.T
        elif self.is_small or max(self.rounding, other.rounding) > MAX_EXPONENT_ERROR:
            exponent = np.empty((len(X), len(Z)))
            fill_exponents(self.unmoved[down], other.unmoved[across], self.gamma, exponent)
        else:
            left = np.hstack([2.0 * self.gamma * X, -norms, np.ones_like(norms)])
            right = np.hstack([Z, np.ones_like(other_norms), -other_norms])
            exponent = left @ right.T
        if other is self and down == across:
            np.fill_diagonal(exponent, 0.0)
        exponent = exponent.astype(dtype, copy=False)
        # Rounding may make the squared distance of close rows negative.
        np.minimum(exponent, 0.0, out=exponent)
        return np.exp(exponent, out=exponent)


@njit(**JIT)
def fill_exponents(X, Z, gamma, out):
    """Fill ``out`` with ``-gamma |x - z|^2``, from differences of the rows."""
    for i in range(X.shape[0]):
        for j in range(Z.shape[0]):
            total = 0.0
            for k in range(X.shape[1]):
                difference = X[i, k] - Z[j, k]
                total += difference * difference
            out[i, j] = -gamma * total
