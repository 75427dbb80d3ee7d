"""Files of the user: LIBSVM rows and comma-separated tables of two classes."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from largemargin.numerics.memory import check_dense
from largemargin.numerics.records import Record
from largemargin.tables.encodings import Recipe, encode
from largemargin.tables.reading import (
    OPENERS,
    Table,
    explained,
    file_signs,
    read_libsvm,
    read_table,
    suited,
)
from largemargin.tables.table_text import MISSING, TEXT, is_number, odd_one

TABLE_ENDINGS = (".csv", ".tsv")
LIBSVM_ENDINGS = (".libsvm", ".svm", ".svmlight", ".txt")
MAX_WORDS = 1000


@dataclass(frozen=True, eq=False, repr=False)
class Data(Record):
    """Rows and labels, as they come from their source: nothing is scaled.

    Parameters
    ----------
    X : ndarray or csr matrix of shape (n_samples, n_features)
        The rows: dense if narrow or well filled, otherwise sparse.

    y : ndarray of shape (n_samples,)
        -1.0 or 1.0.

    name : str
        The name of the data set.

    source : str
        Where these rows came from, and how they differ from the whole set.

    entry : object or None
        What is known of a data set that others have described; None for a user's file.
    """

    X: Any
    y: np.ndarray
    name: str
    source: str
    entry: Any = None

    def _summary(self):
        n_samples, n_features = self.X.shape
        n_positive = int((self.y > 0).sum())
        return {
            "name": self.name,
            "n_samples": n_samples,
            "n_features": n_features,
            "n_positive": n_positive,
            "source": self.source,
        }


def load_file(path, *, label=None, name=None):
    """Return a user's own LIBSVM or comma-separated file.

    Parameters
    ----------
    path : path-like
        A LIBSVM file (.libsvm, .svm, .svmlight or .txt) or a table with a header row
        (.csv or .tsv), packed if a further .gz, .bz2 or .xz ends its name. Columns of words
        in a table become one 0/1 column a value, or a single one if there are two values.

    label : str or int, default=None
        The column of a table that is the label, by name or, counted from 0, by number; by
        default the last.

    name : str, default=None
        A name for the data; by default that of the file.

    Returns
    -------
    data : Data
        The rows and labels; of the two labels, the larger or the later in the alphabet
        is +1.

    Raises
    ------
    UnreadableFile
        If the file is broken, has missing values, mixes numbers and words in a column,
        or has not two labels.
    """
    path = Path(path)
    stem, kind = name_and_kind(path)
    if kind in TABLE_ENDINGS:
        X, y, labels = read_own_table(path, label)
    elif kind in LIBSVM_ENDINGS:
        X, y, labels = read_own_libsvm(path, label)
    else:
        raise ValueError(
            f"The kind of {path.name} is not known by its ending. Expected one of "
            f"{', '.join(TABLE_ENDINGS + LIBSVM_ENDINGS)}, with a further .gz, .bz2 or .xz "
            "if it is packed."
        )
    source = f"file {path.name}; {labels[1]} is +1, {labels[0]} is -1"
    return Data(suited(X), y, name or stem, source)


def name_and_kind(path):
    """Return the name of a file without its endings, and the ending that tells its kind.

    Examples
    --------
    >>> name_and_kind(Path("data/my.cells.CSV.gz"))
    ('my.cells', '.csv')
    """
    unpacked = path.with_suffix("") if path.suffix.lower() in OPENERS else path
    return unpacked.stem, unpacked.suffix.lower()


def read_own_libsvm(path, label):
    """Return the rows, signs and sorted labels of a user's LIBSVM file."""
    if label is not None:
        raise ValueError(
            f"label={label!r} names a column of a table; {path.name} is a LIBSVM "
            "file, whose labels come first in each row. Leave label out."
        )
    X, values = read_libsvm(path)
    return X, file_signs(values, path), [f"{value:g}" for value in np.unique(values)]


def read_own_table(path, label):
    """Return the rows, signs and sorted labels of a user's table."""
    table = read_table(path)
    table = with_label_last(table, label_number(table.names, label))
    with explained(path.name, "a table of two classes"):
        refuse_missing(table)
        recipe = recipe_of(table, file_labels(table, path))
        X, y = encode(table, recipe)
        if not np.isfinite(X).all():
            raise ValueError("it holds values that are not finite")
    return X, y, (recipe.negative, recipe.positive)


def with_label_last(table, number):
    """Return a table whose last column is the label, numbers there in one spelling."""
    rows = [[*row[:number], *row[number + 1 :], row[number]] for row in table.rows]
    names = [*table.names[:number], *table.names[number + 1 :], table.names[number]]
    if all(is_number(row[-1]) for row in rows):
        rows = [[*row[:-1], f"{float(row[-1]):.17g}"] for row in rows]
    return Table(names, rows)


def label_number(names, label):
    """Return the number of the column that is the label."""
    if label is None:
        return len(names) - 1
    if names.count(label) == 1:
        return names.index(label)
    # A command has numbers as text.
    if re.fullmatch(r"-?\d+", str(label)) and -len(names) <= int(label) < len(names):
        return int(label) % len(names)
    raise ValueError(
        f"label={label!r} is not the name of one column nor a number below {len(names)}; "
        f"the columns are {names}."
    )


def refuse_missing(table):
    """Raise ValueError at the first missing value."""
    for number, row in enumerate(table.rows, 1):
        for name, cell in zip(table.names, row, strict=True):
            if cell.lower() in MISSING:
                raise ValueError(
                    f"row {number} has no value in column {name!r} (found {cell!r}); fill "
                    "in missing values or leave out their rows"
                )


def file_labels(table, path):
    """Return the two labels of a table, that of -1 first."""
    numeric = all(is_number(label) for label in table.labels)
    file_signs([float(label) for label in table.labels] if numeric else table.labels, path)
    return sorted({*table.labels}, key=float if numeric else None)


def holds_words(cells, name):
    """Return whether a column holds words; raise ValueError if it holds numbers too."""
    odd = odd_one(np.array(cells, TEXT))
    if odd is None:
        return not is_number(cells[0])
    raise ValueError(
        f"column {name!r} mixes numbers and words: row {odd + 1} has {cells[odd]!r}; make "
        "all its cells one kind, and leave out rows with missing values"
    )


def recipe_of(table, labels):
    """Return the recipe that makes columns of words one-hot."""
    n_features = len(table.names) - 1
    words = {
        number: sorted({*table.column(number)})
        for number in range(n_features)
        if holds_words(table.column(number), table.names[number])
    }
    for number, found in words.items():
        if len(found) > MAX_WORDS:
            raise ValueError(
                f"column {table.names[number]!r} has {len(found)} different words, which "
                f"would make as many columns; leave it out or keep at most {MAX_WORDS}"
            )
    n_columns = n_features + sum(map(len, words.values()))
    check_dense(len(table.rows), n_columns, "The table with a column for each word")
    negative, positive = labels
    return Recipe(n_features, positive, negative, orders=words, one_hot=True)
