"""What the data sets share: real rows or generated ones, scaled and shuffled."""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from benchmarks.datasets.files import (
    SEED,
    data_file,
    is_dense,
    prepared,
    read_prepared,
)

N_FACTORS = 5
# Spread of the noise on a generated score, in units of the spread of the score.
NOISE = 0.5


class Rows(NamedTuple):
    """Rows, their signs, and whether they are "real" or "generated"."""

    X: np.ndarray | sp.csr_matrix
    y: np.ndarray
    source: str

    def first(self, n_rows):
        """Return the first rows only; they were shuffled."""
        if n_rows is None or n_rows >= len(self.y):
            return self
        return self._replace(X=self.X[:n_rows].copy(), y=self.y[:n_rows].copy())


class Dataset:
    """A named data set; subclasses describe the rows to generate if there is no file."""

    name: str
    n_rows: int
    n_features: int
    density: float
    positives: float
    text = False

    def load(self, directory):
        """Return the rows from a directory, or generated ones if it has no such file."""
        if directory is not None and data_file(directory, self.name).exists():
            return Rows(*read_prepared(directory, self.name, text=self.text), "real")
        X, y = self.generate(np.random.default_rng(SEED))
        return Rows(*prepared(X, y, text=self.text), "generated")

    def generate(self, rng):
        """Return rows of similar shape; a noisy linear model gives the signs."""
        dense = is_dense(self.n_features, self.density)
        X = self._dense_rows(rng) if dense else self._sparse_rows(rng)
        scores = X @ rng.standard_normal(self.n_features)
        scores += NOISE * scores.std() * rng.standard_normal(self.n_rows)
        return X, np.where(scores > np.quantile(scores, 1.0 - self.positives), 1.0, -1.0)

    def _dense_rows(self, rng):
        """Return correlated numbers, as measurements are; some are zero."""
        factors = rng.standard_normal((self.n_rows, N_FACTORS))
        X = factors @ rng.standard_normal((N_FACTORS, self.n_features))
        X += rng.standard_normal(X.shape)
        X[rng.random(X.shape) > self.density] = 0.0
        return X

    def _sparse_rows(self, rng):
        """Return ones in columns of which a few are frequent and most are rare."""
        popularity = np.cumsum(1.0 / (10.0 + np.arange(self.n_features)))
        n_filled = max(1, round(self.density * self.n_features))
        draws = rng.random(self.n_rows * n_filled) * popularity[-1]
        columns = np.searchsorted(popularity, draws)
        starts = np.arange(0, len(columns) + 1, n_filled)
        X = sp.csr_matrix(
            (np.ones(len(columns)), columns, starts), shape=(self.n_rows, self.n_features)
        )
        X.sum_duplicates()
        X.data[:] = 1.0
        return X
