"""Values of kernels between rows, tile by tile, and bounds of their rounding errors."""

from functools import cached_property

import numpy as np
import scipy.sparse as sp
from sklearn.utils.extmath import safe_sparse_dot

from largemargin.numerics.jit import JIT, SUM, njit
from largemargin.numerics.lines import add_row
from largemargin.numerics.memory import fits_dense
from largemargin.numerics.rounding import UNIT, growth

# Kernels are evaluated in tiles of this many rows, so that long work can be interrupted.
TILE = 400
# Sparse rows of no more features than this are made dense for the rbf kernel.
MAX_DENSE_FEATURES = 500
# Products of these rows visit stored values only, if no more than this part is stored.
MAX_STORED = 1 / 6
# Exponents of the rbf kernel are computed from differences of rows where a matrix product
# would have a larger error than this.
MAX_EXPONENT_ERROR = 1e-12
# Exponents are computed in float32, if that is asked for, up to this bound of their errors.
MAX_NARROW_ERROR = 1e-4
# The relative error of a float32 operation.
NARROW_UNIT = 2.0**-24
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
    if sp.issparse(X):
        return np.asarray(X.multiply(X).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", X, X)


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

    ``-gamma |x - z|^2`` is ``2 gamma x . z - gamma |x|^2 - gamma |z|^2``. Rows far from
    zero would lose their distances in it, so all rows are moved by the same ``shift``;
    where they are still too long, differences are used.
    """

    is_bounded = True

    def __init__(self, gamma, X, others=None):
        self.gamma = gamma
        # Sparse rows are made dense where that takes little room beside a Gram matrix.
        is_sparse = sp.issparse(X if others is None else others.X)
        if is_sparse and others is None:
            is_sparse = X.shape[1] > MAX_DENSE_FEATURES or not fits_dense(*X.shape)
        stored = X if sp.issparse(X) and not is_sparse else None
        if stored is not None:
            X = X.toarray()
        self.X = X.astype(np.float64, copy=False)
        self.shift = None if others is None else others.shift
        self.stored, self._columns = None, {}
        with np.errstate(over="ignore", invalid="ignore"):
            if not is_sparse:
                is_thin = stored is not None and stored.nnz <= MAX_STORED * self.X.size
                if others is None:
                    can_stay = is_thin and self._rounding_of(X) <= MAX_EXPONENT_ERROR
                    self.shift = np.zeros(X.shape[1]) if can_stay else coarse_centre(self.X)
                self.unmoved = self.X
                if self.shift.any():
                    self.X = self.X - self.shift
                elif is_thin:
                    self.stored = stored.tocsr()
            squares = squared_lengths(self.X)
            self.norms = gamma * squares
        if not np.isfinite(self.norms).all():
            raise ValueError(
                "kernel='rbf' overflows on these rows. Scale the features or lower gamma."
            )
        self.length = np.sqrt(squares.max(initial=0.0))
        self.rounding = self._rounding_of(self.X, self.norms)
        self.is_small = len(self.norms) <= FEW_ROWS and not sp.issparse(X)
        self.step = finest_step(self.length) if others is None else others.step

    def _rounding_of(self, X, norms=None):
        """Return a bound of the error of exponents that are computed in float64."""
        norms = self.gamma * squared_lengths(X) if norms is None else norms
        return 4.0 * growth(X.shape[1] + 6) * norms.max(initial=0.0)

    @cached_property
    def is_coarse(self) -> bool:
        """Whether float32 products of these rows are exact, with each other and others."""
        return not sp.issparse(self.X) and is_on_grid(self.X, self.step, self.length)

    @cached_property
    def narrow_rounding(self) -> float:
        """A bound of the error of exponents that are computed in float32."""
        n_roundings = 6 if self.is_coarse else self.X.shape[1] + 6
        return 4.0 * n_roundings * NARROW_UNIT * self.norms.max(initial=0.0)

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

    @cached_property
    def narrow(self) -> np.ndarray:
        """The moved rows in float32."""
        return self.X.astype(np.float32)

    @cached_property
    def narrow_norms(self) -> np.ndarray:
        """The scaled squared lengths in float32."""
        return self.norms.astype(np.float32)

    def values(self, down, other, across, dtype) -> np.ndarray:
        """Return the kernel between some of these rows and some of the others.

        For float32 they are computed in float32 throughout where their errors are small.
        """
        if sp.issparse(self.X) or sp.issparse(other.X):
            exponent = self._sparse_exponents(down, other, across)
        elif self._needs_differences(other):
            X, Z = self.unmoved[down], other.unmoved[across]
            exponent = np.empty((len(X), len(Z)))
            fill_exponents(X, Z, self.gamma, exponent)
        else:
            exponent = self._exponents(down, other, across, dtype)
        if other is self and down is across:
            np.fill_diagonal(exponent, 0.0)
        return np.exp(exponent, out=exponent)

    def _needs_differences(self, other):
        rounding = max(self.rounding, other.rounding)
        return (self.is_small and other.is_small) or rounding > MAX_EXPONENT_ERROR

    def _sparse_exponents(self, down, other, across):
        products = safe_sparse_dot(self.X[down], other.X[across].T, dense_output=True)
        norms = self.norms[down], other.norms[across]
        finish_exponents(products, 2.0 * self.gamma, *norms, products)
        return products

    def _exponents(self, down, other, across, dtype):
        is_narrow = (
            dtype == np.float32
            and max(self.narrow_rounding, other.narrow_rounding) <= MAX_NARROW_ERROR
        )
        if is_narrow:
            products = self._products("narrow", down, other, across)
            norms = self.narrow_norms[down], other.narrow_norms[across]
            finish_exponents(products, np.float32(2.0 * self.gamma), *norms, products)
            return products
        # Products of float32 are exact on a coarse grid.
        name = "narrow" if self.is_coarse and other.is_coarse else "X"
        products = self._products(name, down, other, across)
        norms = self.norms[down], other.norms[across]
        out = products if products.dtype == np.float64 else np.empty(products.shape)
        finish_exponents(products, 2.0 * self.gamma, *norms, out)
        return out

    def _products(self, name, down, other, across):
        """Return inner products of rows, in the precision of ``X`` or of ``narrow``."""
        if self.stored is None:
            return getattr(self, name)[down] @ getattr(other, name)[across].T
        columns = other.columns(across, np.float32 if name == "narrow" else np.float64)
        start, stop, _ = down.indices(len(self.X))
        ends = self.stored.indptr[start : stop + 1]
        products = np.zeros((len(ends) - 1, columns.shape[1]), dtype=columns.dtype)
        values = self.stored.data.astype(columns.dtype, copy=False)
        add_stored(ends, self.stored.indices, values, columns, products)
        return products

    def columns(self, some: slice, dtype) -> np.ndarray:
        """Return the moved values of some rows, feature by feature; they are kept."""
        key = some.start, some.stop, dtype
        if key not in self._columns:
            self._columns[key] = np.ascontiguousarray(self.X[some].T, dtype=dtype)
        return self._columns[key]


def coarse_centre(X) -> np.ndarray:
    """Return a point near the mean of the rows, rounded so that integers stay coarse."""
    least, largest = X.min(axis=0), X.max(axis=0)
    step = np.exp2(np.floor(np.log2(np.where(largest > least, largest - least, 1.0))) - 1.0)
    return np.where(largest > least, np.rint(X.mean(axis=0) / step) * step, least)


def finest_step(length: float) -> float:
    """Return the finest grid on which float32 products of rows up to a length are exact.

    All sums of products are then multiples of the squared step below 2^24 of them.
    """
    return float(np.exp2(np.ceil(np.log2(length)) - 12.0)) if length > 0 else 1.0


def is_on_grid(X: np.ndarray, step: float, length: float) -> bool:
    """Return whether rows up to a length are multiples of the step, and not too long."""
    return 0 < length <= 4096.0 * step and are_multiples(X, step)


def few_values(gamma: float, X, Z) -> np.ndarray:
    """Return the rbf kernel between few dense rows, without moving them first."""
    X, Z = (rows.astype(np.float64, copy=False) for rows in (X, Z))
    out = np.empty((len(X), len(Z)))
    fill_exponents(X, Z, gamma, out)
    return np.exp(out, out=out)


@njit(**JIT)
def are_multiples(X, step):
    """Return whether all numbers are multiples of a power of two."""
    for i in range(X.shape[0]):
        n_others = 0
        for j in range(X.shape[1]):
            steps = X[i, j] / step
            n_others += steps != np.rint(steps)
        if n_others > 0:
            return False
    return True


@njit(**JIT)
def add_stored(indptr, indices, values, columns, out):
    """Add the products of CSR rows with dense ones, given feature by feature."""
    for i in range(out.shape[0]):
        line, k, stop = out[i], indptr[i], indptr[i + 1]
        while k + 4 <= stop:  # so that the line is read and written once for four
            first, second = columns[indices[k]], columns[indices[k + 1]]
            third, fourth = columns[indices[k + 2]], columns[indices[k + 3]]
            a, b, c, d = values[k], values[k + 1], values[k + 2], values[k + 3]
            for j in range(line.shape[0]):
                line[j] += a * first[j] + b * second[j] + c * third[j] + d * fourth[j]
            k += 4
        for last in range(k, stop):
            add_row(columns[indices[last]], values[last], line)


@njit(**JIT)
def finish_exponents(products, scale, norms, other_norms, out):
    """Fill ``out`` with exponents of the rbf kernel; rounding makes none of them positive.

    ``out`` may be the products themselves.
    """
    for i in range(products.shape[0]):
        for j in range(products.shape[1]):
            exponent = scale * products[i, j] - (norms[i] + other_norms[j])
            out[i, j] = min(exponent, 0.0)


@njit(**SUM)
def fill_exponents(X, Z, gamma, out):
    """Fill ``out`` with ``-gamma |x - z|^2``, from differences of the rows."""
    for i in range(X.shape[0]):
        for j in range(Z.shape[0]):
            total = 0.0
            for k in range(X.shape[1]):
                difference = X[i, k] - Z[j, k]
                total += difference * difference
            out[i, j] = -gamma * total


@njit(**JIT)
def mirror_lower(matrix):
    """Copy the lower triangle of a square matrix to the upper one."""
    n_rows, width = matrix.shape[0], 16  # numbers in one or two lines of the cache
    for start in range(0, n_rows, width):
        for i in range(start, n_rows):
            for j in range(start, min(start + width, i)):
                matrix[j, i] = matrix[i, j]
