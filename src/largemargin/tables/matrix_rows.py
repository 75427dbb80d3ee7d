"""Rows that are numbers: LIBSVM text and arrays, and what a model knows of them."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from largemargin.numerics.memory import (
    VECTORS_OF_KERNEL,
    check_dense,
    check_width,
)
from largemargin.tables.columns import (
    are_places,
    first_index,
    label_place,
    labels_in,
    numbers_in,
    readable,
    tidy_labels,
    way_out,
    wrong_width,
)
from largemargin.tables.libsvm_text import LibsvmError, read_rows
from largemargin.tables.reading import (
    UnreadableFile,
    dense_rows,
    is_dense,
    suited,
)
from largemargin.tables.table_rows import TableRows


@dataclass(frozen=True)
class MatrixRows:
    """Rows that are numbers: those of LIBSVM text, or arrays.

    Parameters
    ----------
    name : str
        The file, for messages.

    X : {ndarray, csr matrix} of shape (n_samples, n_columns)
        The rows. Of LIBSVM text, column k has the index k, so column 0 is mostly empty.

    y : ndarray of shape (n_samples,) or None
        The labels as they are.

    indexed : bool
        Whether the columns are indices of LIBSVM text.
    """

    name: str
    X: Any
    y: np.ndarray | None
    indexed: bool

    way_to_labels = "Make them whole numbers, or two different ones."

    def place(self, row):
        """Return where a row is, for messages."""
        return f"row {row + 1}"


def read_libsvm(stream, name, header):
    """Return the rows of LIBSVM text."""
    try:
        X, y = read_rows(stream, zero_based=True)
    except LibsvmError as error:
        where, _, what = str(error).partition(": ")
        raise UnreadableFile(f"{name}, {where.lower()}: {what}") from error
    if X.shape[0] == 0:
        raise UnreadableFile(f"{name} is empty; expected lines 'label index:value ...'.")
    return MatrixRows(name, X, y, indexed=True)


def serials_of(X):
    """Return the numbers of rows of a Gram matrix, in index 0, or None without them."""
    serials = X[:, [0]].toarray().ravel()
    if not np.isin(serials, np.arange(1, X.shape[1])).all():
        return None
    return serials.astype(int).tolist()


@dataclass(frozen=True)
class MatrixSchema:
    """Rows that are numbers.

    Parameters
    ----------
    n_features : int
        How many.

    skipped : int, default=None
        Columns of LIBSVM text in front of the features: index 0 where indices start at 1.
        None means what the text itself suggests.

    dense : bool, default=None
        Whether the rows are kept dense; None means whatever suits them.

    missing : {"refuse", "impute"}, default="refuse"
        What becomes of missing values.

    gram : bool, default=False
        Whether the rows are those of a Gram matrix, their number in index 0.

    serials : list of int, default=None
        Numbers of the training rows, whose columns are taken from a Gram matrix; None
        means all columns.
    """

    n_features: int
    skipped: int | None = None
    dense: bool | None = None
    missing: str = "refuse"
    gram: bool = False
    serials: list | None = None

    @classmethod
    def learn(cls, rows, *, label, missing, gram, drop):
        """Return the schema of training rows, which are a Gram matrix or not."""
        if label is not None or drop:
            raise UnreadableFile(
                f"{rows.name} has no columns with names, its labels are told apart "
                f"already; leave {'--drop' if label is None else '--label'} out."
            )
        skipped = int(gram or first_index(rows.X) > 0) if rows.indexed else None
        n_rows, n_columns = rows.X.shape
        n_features = n_columns - (skipped or 0)
        if n_features < 1:
            raise UnreadableFile(f"{rows.name} has labels and no features.")
        check_width(n_features, rows.name, VECTORS_OF_KERNEL)
        if gram:
            check_dense(n_rows, n_columns, f"{rows.name}: the Gram matrix")
        dense = gram or not sp.issparse(rows.X)
        dense = dense or is_dense(n_columns, rows.X.nnz / (n_rows * n_columns))
        serials = serials_of(rows.X) if gram and rows.indexed else None
        n_features = n_features if serials is None else len(serials)
        return cls(n_features, skipped, dense, missing, gram, serials)

    def record(self):
        """Return it as a model file has it."""
        return {"kind": "matrix", **asdict(self)}

    def is_sound(self):
        """Return whether all parts, which may come from a file, are what they should be."""
        return (
            type(self.n_features) is int
            and self.n_features > 0
            and self.skipped in (None, 0, 1)
            and self.dense in (None, False, True)
            and self.missing in ("refuse", "impute")
            and self.gram in (False, True)
            and (self.serials is None or are_places(self.serials))
        )

    def split(self, rows, *, label=None, unknown="refuse", lenient=False):
        """Return the features and the labels, or None, of rows that must be of this kind.

        Parameters
        ----------
        rows : MatrixRows or TableRows
            What a file holds.

        label : str, default=None
            The column of the labels of a table; None means the one beyond the features.

        unknown : {"refuse", "ignore"}, default="refuse"
            What becomes of words not seen in training, which there are none of here.

        lenient : bool, default=False
            Whether labels that cannot be read count as none.

        Returns
        -------
        X : {ndarray, csr matrix} of shape (n_samples, n_features)
            The features, finite but for values to be imputed.

        y : ndarray of shape (n_samples,) or None
            The labels.
        """
        if isinstance(rows, TableRows):
            X, y = self._split_table(rows, label, lenient)
        else:
            X, y = self._indexed(rows) if rows.indexed else rows.X, None
            if rows.y is not None:
                y = readable(lambda: tidy_labels(rows.y, rows, "y"), lenient)
        if X.shape[1] != self.n_features:
            raise wrong_width(rows.name, X.shape[1], self.n_features)
        self._check_values(X, rows)
        if not sp.issparse(X):
            return X, y
        dense = self.dense
        return (suited(X) if dense is None else dense_rows(X) if dense else X), y

    def _split_table(self, rows, label, lenient):
        names = list(rows.columns)
        number = None
        if label is not None or len(names) > self.n_features:
            number = label_place(rows, label)
        kept = [name for k, name in enumerate(names) if k != number]
        if len(kept) != self.n_features:
            raise wrong_width(rows.name, len(kept), self.n_features)
        X = np.column_stack([numbers_in(rows, name) for name in kept])
        return X, None if number is None else labels_in(rows, names[number], lenient)

    def _indexed(self, rows):
        skipped = self.skipped
        if skipped is None:
            skipped = int(first_index(rows.X) > 0)
        elif skipped and not self.gram and first_index(rows.X) == 0:
            raise UnreadableFile(
                f"{rows.name} has the index 0; indices of the training rows started at 1."
            )
        width = skipped + self.n_features if self.serials is None else max(self.serials) + 1
        X = rows.X
        if self.serials is not None:
            check_dense(X.shape[0], X.shape[1], f"{rows.name}: the Gram matrix")
        if X.shape[1] < width:  # the last ones are zero in all of these rows
            X.resize(X.shape[0], width)
        return X[:, skipped:] if self.serials is None else X[:, self.serials]

    def _check_values(self, X, rows):
        values = X.data if sp.issparse(X) else X
        bad = np.isinf(values) if self.missing == "impute" else ~np.isfinite(values)
        if not bad.any():
            return
        if sp.issparse(X):
            place = bad.argmax()
            row, column = X.indptr.searchsorted(place, side="right") - 1, X.indices[place]
        else:
            row, column = np.argwhere(bad)[0]
        raise UnreadableFile(
            f"{rows.name}, {rows.place(row)}: column {column} holds {X[row, column]}. "
            f"{way_out(X[row, column])}"
        )
