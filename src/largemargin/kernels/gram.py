"""Gram matrices: their type, products, checks, and positive semi-definite part."""

import warnings

import numpy as np

from largemargin.kernels.values import tiles
from largemargin.numerics.interrupt import interruptible
from largemargin.numerics.jit import SUM, njit
from largemargin.numerics.lapack import factorise, safe_threads
from largemargin.numerics.threads import in_threads

# Gram matrices of more rows than this are kept in float32; where few digits are enough, of
# more than so many.
MAX_WIDE_ROWS = 4000
MAX_WIDE_ROWS_OF_FEW_DIGITS = 1200
# Negative eigenvalues up to this fraction of the largest count as rounding.
ROUNDING = 1e-7
# The same for the user's own matrix: read from a text file, it often has only six digits.
SIX_DIGITS = 1e-5
# Products with matrices of at least this many rows are made in this many parts.
MANY_ROWS = 6000
N_PARTS = 4
# Fewer vectors than this are multiplied one by one. The others are taken four at a time
# with blocks of the matrix of this many rows and columns, which caches hold for all of
# them. Threads get this many rows at a time.
FEWEST_TOGETHER = 3
BLOCK_ROWS, BLOCK_COLUMNS = 64, 1000
ROWS_OF_THREAD = 512


def gram_type(n_rows: int, few_digits: bool = False) -> type[np.floating]:
    """Return the dtype of a Gram matrix of this many rows."""
    most = MAX_WIDE_ROWS_OF_FEW_DIGITS if few_digits else MAX_WIDE_ROWS
    return np.float32 if n_rows > most else np.float64


def gram_bytes(n_rows: int) -> int:
    """Return the size of a Gram matrix of this many rows, in bytes."""
    return n_rows * n_rows * np.dtype(gram_type(n_rows)).itemsize


def gram_product(gram: np.ndarray, coefficients: np.ndarray) -> np.ndarray:
    """Return the product of a Gram matrix with a vector."""
    n_rows, used = len(gram), np.flatnonzero(coefficients)
    if 2 * len(used) <= n_rows:
        out = np.zeros(n_rows)
        add_columns(gram, used, coefficients, out)
        return out
    if n_rows < MANY_ROWS:
        out = np.zeros(n_rows)
        add_product(gram, 0, n_rows, coefficients, out)
        return out
    # Parts of the lower triangle with the same number of entries; they do not depend on
    # how many threads work on them, and neither does the sum.
    shares = np.sqrt(np.arange(N_PARTS) / N_PARTS)
    ends = [*(int(n_rows * share) & ~3 for share in shares), n_rows]

    def product_of(part):
        out = np.zeros(n_rows)
        add_product(gram, ends[part], ends[part + 1], coefficients, out)
        return out

    return sum(in_threads(product_of, range(N_PARTS)))


def gram_products(gram: np.ndarray, vectors: np.ndarray, n_threads: int = 1) -> np.ndarray:
    """Return the product of a Gram matrix with each row of ``vectors``, as rows.

    Vectors that have no zeros to speak of are multiplied together, so that the matrix is
    read once for all of them. Sums are those of float64, and the same for any number of
    threads.
    """
    out = np.empty(vectors.shape)
    are_dense = 2 * np.count_nonzero(vectors, axis=1) > len(gram)
    together = np.flatnonzero(are_dense)
    if len(together) < FEWEST_TOGETHER:
        together = together[:0]
    for k in np.setdiff1d(np.arange(len(vectors)), together):
        out[k] = gram_product(gram, vectors[k])
    if len(together) > 0:
        n_padded = -(-len(together) // 4) * 4
        columns = np.zeros((n_padded, len(gram)))
        columns[: len(together)] = vectors[together]
        sums = np.zeros(columns.shape)

        def add(rows):
            add_products(gram, rows.start, min(rows.stop, len(gram)), columns, sums)

        in_threads(add, tiles(len(gram), ROWS_OF_THREAD), n_threads)
        out[together] = sums[: len(together)]
    return out


@njit(**SUM)
def add_products(gram, start, stop, columns, out):
    """Add the products of some rows of a matrix with vectors, one per row of ``columns``.

    The number of vectors is a multiple of four.
    """
    for left in range(0, gram.shape[1], BLOCK_COLUMNS):
        right = min(left + BLOCK_COLUMNS, gram.shape[1])
        for top in range(start, stop, BLOCK_ROWS):
            bottom = min(top + BLOCK_ROWS, stop)
            n_paired = top + (bottom - top) // 4 * 4
            for c in range(0, columns.shape[0], 4):
                for i in range(top, n_paired, 4):
                    add_four_by_four(gram, i, columns, c, left, right, out)
            for i in range(n_paired, bottom):
                for c in range(columns.shape[0]):
                    total = 0.0
                    for j in range(left, right):
                        total += gram[i, j] * columns[c, j]
                    out[c, i] += total


@njit(**SUM)
def add_four_by_four(gram, i, columns, c, left, right, out):
    """Add the products of four rows from ``i`` on with four vectors from ``c`` on.

    Each entry that is read is used four times, and the sums stay in registers.
    """
    first, second = gram[i, left:right], gram[i + 1, left:right]
    third, fourth = gram[i + 2, left:right], gram[i + 3, left:right]
    one, two = columns[c, left:right], columns[c + 1, left:right]
    three, four = columns[c + 2, left:right], columns[c + 3, left:right]
    a1 = a2 = a3 = a4 = b1 = b2 = b3 = b4 = 0.0
    c1 = c2 = c3 = c4 = d1 = d2 = d3 = d4 = 0.0
    for j in range(right - left):
        a, b = np.float64(first[j]), np.float64(second[j])
        e, d = np.float64(third[j]), np.float64(fourth[j])
        p, q, r, s = one[j], two[j], three[j], four[j]
        a1, a2, a3, a4 = a1 + a * p, a2 + a * q, a3 + a * r, a4 + a * s
        b1, b2, b3, b4 = b1 + b * p, b2 + b * q, b3 + b * r, b4 + b * s
        c1, c2, c3, c4 = c1 + e * p, c2 + e * q, c3 + e * r, c4 + e * s
        d1, d2, d3, d4 = d1 + d * p, d2 + d * q, d3 + d * r, d4 + d * s
    for k, (p, q, r, s) in enumerate(
        ((a1, a2, a3, a4), (b1, b2, b3, b4), (c1, c2, c3, c4), (d1, d2, d3, d4))
    ):
        out[c, i + k] += p
        out[c + 1, i + k] += q
        out[c + 2, i + k] += r
        out[c + 3, i + k] += s


@njit(**SUM)
def add_columns(gram, selected, coefficients, out):
    """Add the combination of the selected columns of a symmetric matrix to ``out``."""
    n_fours = len(selected) // 4
    for k in range(n_fours):  # so that ``out`` is read and written once for four
        first, second, third, fourth = selected[4 * k : 4 * k + 4]
        for i in range(out.shape[0]):
            out[i] += (
                coefficients[first] * gram[first, i]
                + coefficients[second] * gram[second, i]
                + coefficients[third] * gram[third, i]
                + coefficients[fourth] * gram[fourth, i]
            )
    for j in selected[4 * n_fours :]:
        for i in range(out.shape[0]):
            out[i] += coefficients[j] * gram[j, i]


@njit(**SUM)
def add_product(gram, start, stop, coefficients, out):
    """Add the share of some rows in the product of a symmetric matrix with a vector.

    Each entry of the lower triangle is read once and used twice. ``start`` is a multiple
    of four.
    """
    n_paired = stop - stop % 4
    for i in range(start, n_paired, 4):
        add_four_rows(gram, i, coefficients, out)
        for k in range(i, i + 4):
            for j in range(i, i + 4):
                out[k] += gram[k, j] * coefficients[j]
    for i in range(n_paired, stop):
        for j in range(i):
            out[i] += gram[i, j] * coefficients[j]
            out[j] += gram[i, j] * coefficients[i]
        out[i] += gram[i, i] * coefficients[i]


@njit(**SUM)
def add_four_rows(gram, i, coefficients, out):
    """Add the products of four rows from ``i`` on, left of ``i``, and of their mirror."""
    first, second, third, fourth = gram[i], gram[i + 1], gram[i + 2], gram[i + 3]
    own = coefficients[i : i + 4]
    one = two = three = four = 0.0
    for j in range(i):
        a, b = np.float64(first[j]), np.float64(second[j])
        c, d = np.float64(third[j]), np.float64(fourth[j])
        one += a * coefficients[j]
        two += b * coefficients[j]
        three += c * coefficients[j]
        four += d * coefficients[j]
        out[j] += own[0] * a + own[1] * b + own[2] * c + own[3] * d
    out[i] += one
    out[i + 1] += two
    out[i + 2] += three
    out[i + 3] += four


def gram_block(gram: np.ndarray, members: np.ndarray) -> np.ndarray:
    """Return the Gram matrix of some of the rows, by their indices."""
    out = np.empty((len(members), len(members)), dtype=gram.dtype)
    copy_block(gram, members.astype(np.uintp), out)
    return out


@njit(**SUM)
def copy_block(gram, members, out):
    """Copy the entries of some rows and columns of a matrix to ``out``."""
    for i in range(members.shape[0]):
        row = gram[members[i]]
        for j in range(members.shape[0]):
            out[i, j] = row[members[j]]


def check_gram(gram: np.ndarray, n_rows: int, what: str) -> np.ndarray:
    """Return a Gram matrix of floats, or raise if it cannot be one."""
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
    asymmetry = max(np.abs(gram[tile] - gram[:, tile].T).max() for tile in tiles(n_rows))
    if asymmetry > tolerance * size:
        raise ValueError(
            f"{what} must be symmetric; got k(x, z) != k(z, x). Pass (K + K.T) / 2 "
            "if that is what you mean."
        )
    return np.ascontiguousarray(0.5 * (gram + gram.T) if asymmetry > 0 else gram)


def is_indefinite(gram: np.ndarray) -> bool:
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


def definite_part(
    gram: np.ndarray, kernel, *, warns: bool = True
) -> tuple[np.ndarray, np.ndarray | None]:
    """Return the positive semi-definite part of a Gram matrix, and its eigenvectors.

    The eigenvectors are None for a definite matrix. Only ``sigmoid`` and ``poly`` with a
    negative ``coef0`` lose their negative part; an indefinite matrix from the user is
    refused, unless entries that were rounded to six digits may explain it. ``warns`` is
    whether to warn if the negative part is lost.
    """
    if kernel.is_definite or not interruptible(lambda: is_indefinite(gram)):
        return gram, None

    def decompose():
        with safe_threads(len(gram)):  # also after an interrupt, until the work has ended
            return np.linalg.eigh(gram.astype(np.float64))

    values, vectors = interruptible(decompose)
    range_of_values = f"eigenvalues from {values[0]:.3g} to {values[-1]:.3g} on these rows"
    is_own = callable(kernel.name) or kernel.name == "precomputed"
    if is_own and values[0] < -SIX_DIGITS * values[-1]:
        raise ValueError(
            "The kernel must be positive semi-definite, or the problem has no minimum; "
            f"got {range_of_values}. Add a multiple of the identity, cut the negative "
            "eigenvalues off, or use another kernel."
        )
    if values[-1] <= 0:
        raise ValueError(f"kernel={kernel.name!r} has no positive part: {range_of_values}.")
    if warns:
        warnings.warn(
            f"kernel={kernel.name!r} is not positive semi-definite: {range_of_values}. The "
            "negative part was cut off, in training and in prediction.",
            UserWarning,
            stacklevel=4,
        )
    kept = vectors[:, values > 0]
    kept[~gram.any(axis=1)] = 0.0  # rows of zeros stay what they are
    return (kept * values[values > 0]) @ kept.T, kept
