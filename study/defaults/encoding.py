"""From a table with words to rows of numbers and numbered classes."""

import numpy as np

# Five rows of a class in the training half give each of five folds one.
FEWEST_OF_A_CLASS = 10


def encoded(table, label, drop=()):
    """Return the rows and classes of a table.

    Rows with missing values and classes of fewer than ten rows are left out. A column of
    two words becomes one 0/1 column, a column of more words one for each of them. Numbers
    that stand for words stay numbers. Columns with a single value are left out.

    Parameters
    ----------
    table : pandas.DataFrame
        The raw table.

    label : str
        The column of the classes.

    drop : iterable of str, default=()
        Columns that are left out, such as those that give the class away.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        The rows.

    y : ndarray of shape (n_samples,)
        The number of the class, classes in alphabetical order.
    """
    table = table.drop(columns=list(drop)).dropna()
    labels = table[label].astype(str).to_numpy(dtype=str)
    names, counts = np.unique(labels, return_counts=True)
    kept = np.isin(labels, names[counts >= FEWEST_OF_A_CLASS])
    table, labels = table[kept].drop(columns=label), labels[kept]
    X = np.column_stack([encoded_column(table[name]) for name in table.columns])
    return X[:, X.min(axis=0) < X.max(axis=0)], np.unique(labels, return_inverse=True)[1]


def encoded_column(column):
    """Return a column as one or several columns of numbers."""
    from pandas.api.types import is_numeric_dtype

    if is_numeric_dtype(column):
        return column.to_numpy(dtype=float)
    words = column.astype(str).to_numpy(dtype=str)
    names = np.unique(words)
    indicators = (words[:, None] == names).astype(float)
    return indicators[:, 1] if len(names) == 2 else indicators
