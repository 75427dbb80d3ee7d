"""Mercer kernels, their widths, and Gram matrices."""

import warnings
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cho_solve
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.utils.extmath import safe_sparse_dot

from largemargin.kernels.values import PlainRows, RadialRows, unit_rows
from largemargin.numerics.interrupt import interruptible
from largemargin.numerics.lapack import factorise, safe_threads
from largemargin.numerics.low_rank import low_rank_factor, pivoted_factor
from largemargin.numerics.rounding import FEW, WIDE_UNIT, growth
from largemargin.numerics.scale_words import multiple_of_scale
from largemargin.numerics.threads import in_threads

KERNELS = {"linear", "poly", "rbf", "sigmoid", "laplacian", "cosine"}
# Those for which a width means nothing.
WITHOUT_WIDTH = {"linear", "cosine", "precomputed"}

# Gram matrices of more rows than this are kept in float32.
MAX_WIDE_ROWS = 4000
# Kernels are evaluated in tiles of this many rows, so that a long one can be stopped.
TILE = 512
# The diagonal of a kernel is found from matrices of so many rows.
TILE_OF_PAIRS = 64
# A kernel of low rank is known by so many rows at most, or by as many as leave out no
# more than this part of its trace.
MAX_RANK = 1000
LOW_RANK_TOLERANCE = 1e-3
# Rows that span all others are looked for among samples, if there are no more than these.
MAX_SPANNING = 500
# These parts of them tell beforehand whether that is worth while.
PROBES = 1 / 16, 1 / 2
# Two elements are the same if no score of theirs on any row differs by more than this
# part of the largest, or by so many roundings of the Gram matrix.
SAME = 1e-8
SAME_ROUNDINGS = 4
# Negative eigenvalues up to this part of the largest count as rounding.
ROUNDING = 1e-7
# A matrix that came as text has six digits often, and its eigenvalues those of all entries.
SIX_DIGITS = 1e-5


def gram_type(n_rows):
    """Return the type of the numbers in a Gram matrix of so many rows."""
    return np.float32 if n_rows > MAX_WIDE_ROWS else np.float64


def gram_bytes(n_rows):
    """Return how many bytes a Gram matrix of so many rows takes."""
    return n_rows * n_rows * np.dtype(gram_type(n_rows)).itemsize


@dataclass(frozen=True)
class Kernel:
    """A kernel with its parameters settled.

    ``name`` is one of ``KERNELS`` or a callable that maps two arrays of rows to the
    matrix of their inner products.
    """

    name: object
    gamma: float = 1.0
    degree: int = 3
    coef0: float = 0.0

    def __call__(self, X, Y):
        """Return the kernel between the rows of ``X`` and those of ``Y``."""
        if callable(self.name):
            values = self.name(X, Y)
            return values.toarray() if sp.issparse(values) else np.asarray(values)
        # Expansions have large coefficients of both signs: narrow values would show.
        X, Y = (rows.astype(np.float64, copy=False) for rows in (X, Y))
        if self.name in ("linear", "cosine"):
            if self.name == "cosine":
                X, Y = unit_rows(X), unit_rows(Y)
            return safe_sparse_dot(X, Y.T, dense_output=True)
        wanted = {
            "poly": ("gamma", "degree", "coef0"),
            "rbf": ("gamma",),
            "laplacian": ("gamma",),
            "sigmoid": ("gamma", "coef0"),
        }
        parameters = {key: getattr(self, key) for key in wanted.get(self.name, ())}
        return pairwise_kernels(X, Y, metric=self.name, **parameters)

    @property
    def is_definite(self):
        """Whether every Gram matrix is known to be positive semi-definite."""
        if callable(self.name):
            return False
        return self.name in {"linear", "rbf", "laplacian", "cosine"} or (
            self.name == "poly" and self.coef0 >= 0
        )

    def gram(self, X):
        """Return the Gram matrix of the rows, symmetric to the last bit."""
        n_rows = X.shape[0]
        if callable(self.name):
            return check_gram(self(X, X), n_rows, "the kernel's values")
        dtype = gram_type(n_rows)
        out = np.empty((n_rows, n_rows), dtype=dtype)
        rows = self._prepare(X)

        def fill(corner):
            down, across = (slice(start, min(start + TILE, n_rows)) for start in corner)
            tile = rows.kernel(down, rows, across, dtype)
            if corner[0] == corner[1]:
                tile = 0.5 * (tile + tile.T)
            if not (rows.is_bounded or np.isfinite(tile).all()):
                raise ValueError(
                    f"kernel={self.name!r} overflows on these rows. Scale the features or "
                    "lower gamma, degree or coef0."
                )
            out[down, across] = tile
            out[across, down] = tile.T

        starts = range(0, n_rows, TILE)
        in_threads(fill, [(i, j) for i in starts for j in starts if j <= i])
        return out

    def low_rank(self, X):
        """Return a factor of the Gram matrix, which is never made, and what it misses."""
        rows = self._prepare(X)

        def columns(pivots):
            out = np.empty((X.shape[0], len(pivots)), dtype=np.float32)
            chosen = self._prepare(X[pivots], rows)

            def fill(start):
                down = slice(start, start + TILE)
                out[down] = rows.kernel(down, chosen, slice(None), np.float32)

            in_threads(fill, range(0, X.shape[0], TILE))
            return out

        return low_rank_factor(
            columns,
            self.diagonal(X),
            max_rank=min(MAX_RANK, X.shape[0]),
            tolerance=LOW_RANK_TOLERANCE,
            dtype=np.float32,
        )

    def condense(self, X, alpha, scores):
        """Return the same elements over few rows that span all others, if there are such.

        Of all elements in the span of some rows, the one with given scores on these rows
        is the element itself. Each line of ``alpha`` expands one over the rows of ``X``,
        each line of ``scores`` is what they give these rows.
        """
        n_rows = X.shape[0]
        most = min(n_rows // 4, MAX_SPANNING)
        sample = np.random.default_rng(0).permutation(n_rows)[: 2 * most]
        if most == 0 or not all(self._decays(X[sample], part * most) for part in PROBES):
            return alpha
        gram = self.gram(X[sample])
        corner, pivots = pivoted_factor(gram)
        if not 0 < len(pivots) <= most:
            return alpha
        wanted = self.scores(X[sample[pivots]], X, alpha)
        short = np.zeros((len(pivots), len(alpha)))
        for _ in range(2):  # the second time for what rounding left
            missed = wanted - gram[np.ix_(pivots, pivots)] @ short
            short += cho_solve((corner[pivots], True), missed)
        missed = np.abs(self.scores(X, X[sample[pivots]], short.T) - scores.T).max()
        rounding = np.finfo(gram_type(n_rows)).eps * np.linalg.norm(alpha, axis=1).max()
        if missed > max(SAME * np.abs(scores).max(), SAME_ROUNDINGS * rounding):
            return alpha
        out = np.zeros_like(alpha)
        out[:, sample[pivots]] = short.T
        return out

    def _decays(self, X, n_probed):
        """Return whether half of these rows may span the others, judged by a few.

        What rows leave of the last one falls by the same factor for each at best.
        """
        n_probed = max(int(n_probed), 1)
        corner, pivots = pivoted_factor(self.gram(X[:n_probed]))
        if len(pivots) < n_probed:
            return True
        left = corner[pivots[-1], -1] ** 2 / np.square(corner).sum(axis=1).max()
        return left <= np.finfo(np.float64).eps ** (2 * n_probed / X.shape[0])

    def diagonal(self, X):
        """Return the kernel of each row with itself."""
        if self.name in ("rbf", "laplacian"):
            return np.ones(X.shape[0])
        if self.name == "linear":
            squares = X.multiply(X) if sp.issparse(X) else X.astype(np.float64) ** 2
            return np.asarray(squares.sum(axis=1)).ravel()
        starts = range(0, X.shape[0], TILE_OF_PAIRS)
        tiles = (X[start : start + TILE_OF_PAIRS] for start in starts)
        return np.concatenate([np.diagonal(self(tile, tile)) for tile in tiles])

    def scores(self, X, Y, coefficients):
        """Return ``kernel(X, Y) coefficients'`` without the whole matrix at once."""
        if callable(self.name):
            return self(X, Y) @ coefficients.T
        out = np.zeros((X.shape[0], len(coefficients)))
        if Y.shape[0] == 0:
            return out
        right = self._prepare(Y)

        def fill(start):
            down = slice(start, start + TILE)
            left = self._prepare(X[down], right)
            for other in range(0, Y.shape[0], TILE):
                across = slice(other, other + TILE)
                tile = left.kernel(slice(None), right, across, np.float64)
                out[down] += tile @ coefficients[:, across].T

        in_threads(fill, range(0, X.shape[0], TILE))
        return out

    def squared_length(self, X, coefficients):
        """Return the squared length of an element, and a bound of its error.

        The Gram matrix is made tile by tile, and forgotten.
        """
        rows = self._prepare(X)
        starts = range(0, X.shape[0], TILE)
        corners = [(i, j) for i in starts for j in starts if j <= i]
        parts = np.zeros(len(corners))

        def add(number):
            down, across = (slice(start, start + TILE) for start in corners[number])
            tile = rows.kernel(down, rows, across, np.float64)
            part = coefficients[down] @ tile @ coefficients[across]
            parts[number] = part if down == across else 2.0 * part

        in_threads(add, range(len(corners)))
        size = np.abs(coefficients) @ np.sqrt(np.maximum(self.diagonal(X), 0.0))
        return parts.sum(), (growth(2 * TILE + FEW) + rows.entry_error) * size**2

    def wide_squared_length(self, X, coefficients):
        """Return the same in the widest numbers there are, for few rows."""
        X = (X.toarray() if sp.issparse(X) else X).astype(np.longdouble)
        coefficients = coefficients.astype(np.longdouble)
        total = sum(
            coefficient * (self._wide_values(row, X) @ coefficients)
            for coefficient, row in zip(coefficients, X, strict=True)
        )
        lengths = np.array([self._wide_values(row, row[None])[0] for row in X])
        size = np.abs(coefficients) @ np.sqrt(np.maximum(lengths, 0.0))
        rounding = 2.0 * max(self.degree, 1) * (len(X) + X.shape[1] + FEW) * WIDE_UNIT
        return float(total), float(rounding * size**2)

    def _wide_values(self, row, X):
        """Return the kernel of one row with others, in their own type."""
        if self.name == "rbf":
            return np.exp(-self.gamma * ((X - row) ** 2).sum(axis=1))
        if self.name == "laplacian":
            return np.exp(-self.gamma * np.abs(X - row).sum(axis=1))
        values = X @ row
        if self.name == "poly":
            return (self.gamma * values + self.coef0) ** self.degree
        if self.name == "cosine":
            length = np.sqrt((X**2).sum(axis=1) * (row @ row))
            return values / np.where(length > 0, length, 1)
        assert self.name == "linear"
        return values

    def _prepare(self, X, others=None):
        """Return the rows in the form that gives kernels fastest with some others."""
        if self.name == "rbf":
            return RadialRows(self.gamma, X, others)
        return PlainRows(self, X)

    def score_entry_error(self, X):
        """Return a bound of the error of values in ``scores`` among these rows."""
        if self.is_definite or callable(self.name):
            return self._prepare(X).entry_error_anywhere
        return self.entry_error(X)

    def entry_error(self, X, dtype=np.float64, diagonal=None):
        """Return a bound of the error of Gram matrices, relative to the rows' lengths.

        ``diagonal`` are their squares, if others than the kernel of each row with itself.
        """
        narrow = 2.0 * float(np.finfo(dtype).eps) if dtype != np.float64 else 0.0
        if self.is_definite or callable(self.name):
            return self._prepare(X).entry_error + narrow
        # Inner products may cancel against coef0, and their rounding does not.
        squares = X.multiply(X) if sp.issparse(X) else X.astype(np.float64) ** 2
        sizes = self.gamma * np.asarray(squares.sum(axis=1)).ravel() + abs(self.coef0)
        sizes = sizes**self.degree if self.name == "poly" else sizes + 1.0
        diagonal = self.diagonal(X) if diagonal is None else diagonal
        with np.errstate(divide="ignore", over="ignore"):
            largest = np.max(sizes / np.maximum(diagonal, 0.0), initial=0.0)
        return 2.0 * max(self.degree, 1) * growth(X.shape[1] + 8) * largest + narrow


def settle_gamma(gamma, X, weight):
    """Return the width as a number; ``"scale"`` counts each row by its weight."""
    n_features = X.shape[1]
    if gamma == "auto":
        return 1.0 / n_features
    factor = multiple_of_scale(gamma, "gamma")
    if factor is None:
        return float(gamma)
    if factor == 0:
        raise ValueError(f"gamma must be above 0; got {gamma!r}.")
    entries = weight.sum() * n_features
    if sp.issparse(X):
        mean = (weight @ X).sum() / entries
        square = (weight @ X.multiply(X)).sum() / entries
        variance = square - mean**2
    else:
        mean = (weight @ X).sum() / entries
        variance = sum(
            weight[start : start + TILE]
            @ ((X[start : start + TILE] - mean) ** 2).sum(axis=1)
            for start in range(0, len(X), TILE)
        )
        variance /= entries
    return factor / (n_features * variance) if variance > 0 else factor


def check_gram(gram, n_rows, what):
    """Return a Gram matrix of floats, or raise if it is no such matrix."""
    if gram.shape != (n_rows, n_rows):
        raise ValueError(
            f"{what} must form a square matrix of shape ({n_rows}, {n_rows}), one row and "
            f"one column for each training row; got shape {gram.shape}."
        )
    if gram.dtype not in (np.float32, np.float64):
        gram = gram.astype(np.float64)
    if not np.isfinite(gram).all():
        raise ValueError(f"{what} must be finite; got NaN or infinity.")
    size = np.abs(gram).max()
    tolerance = 1e-5 if gram.dtype == np.float32 else 1e-8
    starts = range(0, n_rows, TILE)
    asymmetry = max(
        np.abs(gram[start : start + TILE] - gram[:, start : start + TILE].T).max()
        for start in starts
    )
    if asymmetry > tolerance * size:
        raise ValueError(
            f"{what} must be symmetric; got k(x, z) != k(z, x). Pass (K + K.T) / 2 "
            "if that is what you mean."
        )
    return np.ascontiguousarray(0.5 * (gram + gram.T) if asymmetry > 0 else gram)


def is_indefinite(gram):
    """Return whether a matrix is indefinite by more than rounding."""
    shifted = gram.astype(np.float64, order="F")
    scale = max(np.trace(shifted), np.abs(shifted).max())
    if scale == 0:
        return False
    shifted[np.diag_indices_from(shifted)] += ROUNDING * scale
    try:
        factorise(shifted)
    except np.linalg.LinAlgError:
        return True
    return False


def eigen_decomposition(gram):
    """Return eigenvalues and eigenvectors, in float64."""
    with safe_threads(len(gram)):
        return np.linalg.eigh(gram.astype(np.float64))


def definite_part(gram, kernel):
    """Return the positive semi-definite part of a Gram matrix and its projector.

    The projector is None for a definite matrix. Only ``sigmoid`` and ``poly`` with a
    negative ``coef0`` are cut; an indefinite matrix of the user's own is refused, unless
    that may come from numbers of six digits.
    """
    if kernel.is_definite or not interruptible(lambda: is_indefinite(gram)):
        return gram, None
    values, vectors = interruptible(lambda: eigen_decomposition(gram))
    told = f"eigenvalues from {values[0]:.3g} to {values[-1]:.3g} on these rows"
    is_own = callable(kernel.name) or kernel.name not in KERNELS
    if is_own and values[0] < -SIX_DIGITS * values[-1]:
        raise ValueError(
            "The kernel must be positive semi-definite, or the problem has no minimum; "
            f"got {told}. Add a multiple of the identity, cut the negative eigenvalues "
            "off, or use another kernel."
        )
    if values[-1] <= 0:
        raise ValueError(f"kernel={kernel.name!r} has no positive part: {told}.")
    warnings.warn(
        f"kernel={kernel.name!r} is not positive semi-definite: {told}. The negative "
        "part was cut off, in training and in prediction.",
        UserWarning,
        stacklevel=4,
    )
    kept = vectors[:, values > 0]
    return (kept * values[values > 0]) @ kept.T, kept
