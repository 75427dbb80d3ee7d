"""Files with two classes as arrays, read by the rules of the command line."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from largemargin.numerics.memory import check_dense
from largemargin.numerics.records import Record
from largemargin.tables.columns import is_number
from largemargin.tables.opening import UnreadableFile, name_and_ending
from largemargin.tables.reading import KINDS, read
from largemargin.tables.schemas import TableSchema, learn_schema

# Parts of messages for the command line, and what programs get instead.
IN_PYTHON = {
    ", leave the row out, or train with --missing impute.": " or leave the row out.",
    ", or train with --task regression": "",
    "--drop": "the argument drop",
    "--label": "the argument label",
}


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
        The entry of a known data set in a registry; None for a file of the user.
    """

    X: Any
    y: np.ndarray
    name: str
    source: str
    entry: Any = None

    def _summary(self):
        n_samples, n_features = self.X.shape
        return {
            "name": self.name,
            "n_samples": n_samples,
            "n_features": n_features,
            "n_positive": int((self.y > 0).sum()),
            "source": self.source,
        }


def load_file(
    path, *, label: str | int | None = None, drop: Sequence = (), name: str | None = None
) -> Data:
    """Return the rows and the two classes of a file.

    Parameters
    ----------
    path : path-like
        A table (.csv, .tsv, .tab, .parquet or .pq), LIBSVM text (.libsvm, .svm, .svmlight
        or .txt) or arrays X and y (.npz), packed or not. Columns of words in a table become
        one 0/1 column per word, or a single one if there are two words.

    label : str or int, default=None
        The column of a table that is the label, by name or, counted from 0, by number; by
        default the last.

    drop : sequence of str or int, default=()
        Columns of a table to leave out, by name or number.

    name : str, default=None
        A name for the data; by default the name of the file without its endings.

    Returns
    -------
    data : Data
        The rows and labels; of the two labels, the larger or the later in the alphabet
        is +1.

    Raises
    ------
    UnreadableFile
        If the file is broken, has missing values, mixes numbers and words in a column,
        or does not have exactly two labels.
    """
    path = Path(path)
    stem, ending = name_and_ending(path)
    if ending not in KINDS:
        raise ValueError(
            f"The kind of {path.name} is not known by its ending. Expected one of "
            f"{', '.join(KINDS)}, with a further .gz, .bz2 or .xz if it is packed."
        )
    try:
        rows = read(path)
        schema = learn_schema(rows, label=label, drop=drop)
        is_table = isinstance(schema, TableSchema)
        X, labels = one_hot(schema, rows) if is_table else schema.split(rows)
        if labels is None:
            raise UnreadableFile(f"{rows.name} has no labels; expected an array y.")
        classes = np.unique(labels).tolist()
        if all(is_number(str(label)) for label in classes):
            classes.sort(key=float)
        y = signs(labels, rows.name, classes[-1])
    except UnreadableFile as error:
        message = str(error)
        for shell, python in IN_PYTHON.items():
            message = message.replace(shell, python)
        raise UnreadableFile(message) from error
    source = f"file {path.name}; {classes[1]} is +1, {classes[0]} is -1"
    return Data(X, y, name or stem, source)


def one_hot(schema, rows):
    """Return the rows of a table with a column for each word, and the labels."""
    columns, labels = schema.split_columns(rows)
    n_words = sum(map(len, schema.words.values()))
    what = f"{rows.name}: The table with a column for each word"
    check_dense(len(labels), schema.n_features + n_words, what)
    for name, words in schema.words.items():
        hot = columns[name][:, None] == np.array(words, dtype=object)
        columns[name] = hot[:, 1:] if len(words) == 2 else hot
    return np.column_stack(list(columns.values())).astype(float, copy=False), labels


def signs(labels, file, positive=None) -> np.ndarray:
    """Return -1.0 or 1.0 for the two labels in a file; the larger is +1 by default."""
    found = np.unique(labels)
    if len(found) != 2:
        some = ", ".join(map(str, found[:10])) + (", ..." if len(found) > 10 else "")
        raise UnreadableFile(
            f"{file}: Two different labels are needed; found {len(found)}: "
            f"{some or 'no rows'}."
        )
    positive = found[1] if positive is None else positive
    return np.where(np.asarray(labels) == positive, 1.0, -1.0)
