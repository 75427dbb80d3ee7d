"""Training rows: validated, with labels and weights."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import validate_data

from largemargin._compat import check_sample_weight

FLOATS = [np.float64, np.float32]


@dataclass(frozen=True)
class Rows:
    """Rows with their labels and weights; those of weight zero do not count.

    ``all_repeats`` are the weights without those of the classes, if there are any.
    """

    X: object
    y: np.ndarray
    all_weights: np.ndarray
    all_repeats: np.ndarray | None = None

    @cached_property
    def counted(self):
        """Which rows have a positive weight."""
        return self.all_weights > 0

    @cached_property
    def weight(self):
        """The weights of the rows that count."""
        return self.all_weights[self.counted]

    @property
    def repeats(self):
        """How often each row that counts was given, as the user's weights say it."""
        repeats = self.all_weights if self.all_repeats is None else self.all_repeats
        return repeats[self.counted]

    @property
    def labels(self):
        """The labels of the rows that count."""
        return self.y[self.counted]

    @cached_property
    def used(self):
        """The rows that count; X itself if all do."""
        return self.X if self.counted.all() else self.X[self.counted]

    def only(self, members):
        """Return the same rows, of which only these members of those that count do so."""
        if isinstance(members, slice):
            return self
        weights = np.zeros_like(self.all_weights)
        weights[np.flatnonzero(self.counted)[members]] = self.weight[members]
        return Rows(self.X, self.y, weights, self.all_repeats)


def validated(estimator, encoder, X, y, **options):
    """Return X and y as arrays, or raise if they cannot be learned from."""
    options |= {"accept_sparse": "csr", "dtype": FLOATS}
    if encoder.y_options is None:
        X = validate_data(estimator, X, **options)
        y = np.zeros(X.shape[0])
    else:
        X, y = validate_data(estimator, X, y, **encoder.y_options, **options)
    return canonical_rows(X), encoder.checked(y)


def validated_rows(estimator, encoder, X, y, sample_weight, **options):
    """Return validated rows with their weights."""
    X, y = validated(estimator, encoder, X, y, **options)
    weight = checked_weights(X, sample_weight)
    return Rows(X, y, encoder.weighted(y, weight), weight)


def weights_of(encoder, X, y, sample_weight):
    """Return the weight of each row, including that of its class."""
    return encoder.weighted(y, checked_weights(X, sample_weight))


def checked_weights(X, sample_weight):
    """Return the weight of each row, or raise if the weights are no use."""
    weight = np.array(check_sample_weight(sample_weight, X, dtype=np.float64))
    with np.errstate(over="ignore"):
        total = weight.sum()
    if not np.isfinite(total):
        raise ValueError(
            "The sum of sample_weight overflows; expected a finite one. Divide the "
            "weights by the largest one."
        )
    if (weight < 0).any():
        raise ValueError(
            f"sample_weight must not be negative; got {weight.min():g}. Leave rows "
            "out by giving them weight 0."
        )
    if not weight.any():
        raise ValueError(
            "sample_weight must be positive somewhere; got zeros only. Pass None to "
            "count every row once."
        )
    return weight


def canonical_rows(X):
    """Return sparse rows without duplicate entries, or raise if indices are invalid."""
    if not sp.issparse(X):
        return X
    n_rows, n_features = X.shape
    indptr, indices = X.indptr, X.indices
    regular = (
        len(indptr) == n_rows + 1
        and indptr[0] == 0
        and (np.diff(indptr) >= 0).all()
        and indptr[-1] <= min(len(indices), len(X.data))
    )
    if not regular:
        raise ValueError(
            f"The row pointers of the sparse X must rise from 0 to at most {len(X.data)}, "
            "one more than there are rows; these do not. Have they overflowed? Build the "
            "matrix with 64 bit indices."
        )
    if len(indices) and (indices.min() < 0 or indices.max() >= n_features):
        raise ValueError(
            f"The column indices of the sparse X must lie in 0 .. {n_features - 1}; got "
            f"{indices.min()} .. {indices.max()}. Have they overflowed? Build the matrix "
            "with 64 bit indices."
        )
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X
