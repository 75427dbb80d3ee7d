"""What the rows of a model look like: learned in training, and kept with the model."""

from dataclasses import asdict, dataclass, field
from typing import ClassVar

import numpy as np
import scipy.sparse as sp

from largemargin.numerics.memory import VECTORS_OF_KERNEL, check_dense, check_width
from largemargin.tables.opening import UnreadableFile
from largemargin.tables.rows import MatrixRows, TableRows, short, some

# What stands for a missing word: ONNX has strings only.
MISSING_WORD = ""
MAX_DENSE_FEATURES = 100
MIN_DENSITY = 0.3


@dataclass(frozen=True)
class RowsSchema:
    """What training rows looked like, so that others can be brought into their form.

    Both kinds have ``split(rows, label=None, unknown="refuse", lenient=False,
    values=False)``, which returns the features and the labels (None if there are none) of
    rows of this kind. ``label`` is the column of the labels of a table, by name or number;
    by default that of the training rows, if it is there. ``unknown`` is "refuse" or
    "ignore", for words that the training rows did not have. If ``lenient``, labels that
    cannot be read count as none; if ``values``, they are the floats of a regression. The
    features are finite except for values to be imputed.
    """

    kind: ClassVar[str]

    def record(self) -> dict:
        """Return the schema as a model file has it."""
        return {"kind": self.kind, **asdict(self)}

    def refused(self, values):
        """Return which values are infinite or, unless they are imputed, missing."""
        return np.isinf(values) if self.missing == "impute" else ~np.isfinite(values)


@dataclass(frozen=True)
class MatrixSchema(RowsSchema):
    """Rows that are numbers."""

    n_features: int
    # Columns of LIBSVM text in front of the features: index 0 where indices start at 1.
    # None: 1 if the index 0 does not occur.
    skipped: int | None = None
    dense: bool | None = None  # whether rows are kept dense; None: as suits them
    missing: str = "refuse"  # or "impute"
    gram: bool = False  # whether they form a Gram matrix, index 0 the row number
    # Numbers of the training rows, whose columns are taken from a Gram matrix; None: all.
    serials: list | None = None

    kind = "matrix"

    @classmethod
    def learn(cls, rows, *, label, missing, gram, drop):
        """Return the schema of training rows, which are a Gram matrix or not."""
        if label is not None or drop:
            raise UnreadableFile(
                f"{rows.name} has no columns with names, and its labels are already apart; "
                f"leave {'--drop' if label is None else '--label'} out."
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
        dense = dense or is_dense(n_features, rows.X.nnz / (n_rows * n_features))
        serials = serials_of(rows.X) if gram and rows.indexed else None
        n_features = n_features if serials is None else len(serials)
        return cls(n_features, skipped, dense, missing, gram, serials)

    def is_sound(self) -> bool:
        """Return whether all parts, which may be from a file, are what they should be."""
        return (
            type(self.n_features) is int
            and self.n_features > 0
            and self.skipped in (None, 0, 1)
            and self.dense in (None, False, True)
            and self.missing in ("refuse", "impute")
            and self.gram in (False, True)
            and (self.serials is None or are_places(self.serials))
        )

    def split(self, rows, *, label=None, unknown="refuse", lenient=False, values=False):
        """Return the features and the labels; see ``RowsSchema``."""
        if isinstance(rows, TableRows):
            names = list(rows.columns)
            if label is not None or len(names) > self.n_features:
                label = names[rows.place_of(label)]
            kept = [name for name in names if name != label]
            check_features(rows, len(kept), self.n_features)
            X = np.column_stack([rows.numbers(name) for name in kept])
        else:
            X = self._indexed(rows) if rows.indexed else rows.X
        y = labels_of(rows, label, lenient, values)
        check_features(rows, X.shape[1], self.n_features)
        self._check_values(X, rows)
        return suited(X, self.dense), y

    def _indexed(self, rows):
        """Return the columns of LIBSVM text that are features."""
        skipped, X = self.skipped, rows.X
        if skipped is None:
            skipped = int(first_index(X) > 0)
        elif skipped and not self.gram and first_index(X) == 0:
            raise UnreadableFile(
                f"{rows.name} has the index 0; indices of the training rows started at 1."
            )
        width = skipped + self.n_features if self.serials is None else max(self.serials) + 1
        if self.serials is not None:
            check_dense(*X.shape, f"{rows.name}: the Gram matrix")
        if X.shape[1] < width:  # the last ones are zero in all of these rows
            X.resize(X.shape[0], width)
        return X[:, skipped:] if self.serials is None else X[:, self.serials]

    def _check_values(self, X, rows):
        bad = self.refused(X.data if sp.issparse(X) else X)
        if not bad.any():
            return
        if sp.issparse(X):
            place = bad.argmax()
            row, column = X.indptr.searchsorted(place, side="right") - 1, X.indices[place]
        else:
            row, column = np.argwhere(bad)[0]
        raise UnreadableFile(
            f"{rows.where(row)}: column {column} holds {X[row, column]}. "
            f"{way_out(X[row, column])}"
        )


@dataclass(frozen=True)
class TableSchema(RowsSchema):
    """Rows with named columns."""

    features: list  # names of the columns that are features, in order
    label: str | None = None  # the column of the labels, if the model knows it
    label_place: int = 0  # its place among all columns, for files without names
    named: bool = False  # whether columns are found by name: the names are the file's own
    # The words in each column of words; None if the model does not know which they are.
    words: dict | None = field(default_factory=dict)
    missing: str = "refuse"  # or "impute"
    dropped: list = field(default_factory=list)  # places of columns that are left out

    kind = "table"
    dense = True

    @classmethod
    def learn(cls, rows, *, label, missing, drop, labelled=True):
        """Return the schema of training rows, some columns left out."""
        names = list(rows.columns)
        place = rows.place_of(label) if labelled or label is not None else None
        dropped = sorted({rows.place_of(given, "to drop") for given in drop})
        if place in dropped:
            raise UnreadableFile(
                f"{rows.name}: {short(names[place])} is the column of the labels and "
                "cannot be dropped; name another by --label."
            )
        left_out = {place, *dropped}
        features = [given for k, given in enumerate(names) if k not in left_out]
        label = None if place is None else names[place]
        if not features:
            beside = "" if label is None else f" beside the labels in {short(label)}"
            raise UnreadableFile(f"{rows.name} has no column{beside}.")
        words = {name: rows.words(name) for name in features if rows.holds_words(name)}
        return cls(features, label, place or 0, rows.has_header, words, missing, dropped)

    @property
    def n_features(self) -> int:
        """Number of columns that are features."""
        return len(self.features)

    def is_sound(self) -> bool:
        """Return whether all parts, which may be from a file, are what they should be."""
        words = self.words or {}
        names = [*self.features, self.label or "", *words]
        return (
            isinstance(self.features, list)
            and len(self.features) > 0
            and all(isinstance(name, str) for name in names)
            and are_places([self.label_place, *self.dropped])
            and self.label_place <= len(self.features) + len(self.dropped)
            and self.named in (False, True)
            and words.keys() <= set(self.features)
            and all(isinstance(known, list) for known in words.values())
            and self.missing in ("refuse", "impute")
        )

    def split(self, rows, *, label=None, unknown="refuse", lenient=False, values=False):
        """Return the features and the labels; see ``RowsSchema``."""
        columns, y = self.split_columns(rows, label, unknown, lenient, values)
        if self.words == {}:
            return np.column_stack(list(columns.values())), y
        try:
            from pandas import DataFrame
        except ImportError:
            message = "Columns of words need pandas: pip install 'largemargin[cli]'."
            raise ImportError(message) from None
        return DataFrame(columns), y

    def split_columns(
        self, rows, label=None, unknown="refuse", lenient=False, values=False
    ):
        """Return the features as columns by name, and the labels or None."""
        if not isinstance(rows, TableRows):
            raise UnreadableFile(
                f"{rows.name} has no named columns; the training rows were a table of "
                f"{some(self.features)}."
            )
        found, label = self._find(rows, label)
        columns = {}
        for name, column in zip(self.features, found, strict=True):
            if rows.holds_words(column) if self.words is None else name in self.words:
                columns[name] = self._words(rows, column, name, unknown)
            else:
                columns[name] = self._numbers(rows, column)
        return columns, labels_of(rows, label, lenient, values)

    def _find(self, rows, label):
        """Return the names, in this file, of the features and of the label or None."""
        names = list(rows.columns)
        if label is not None:
            label = names[rows.place_of(label)]
        if self.named and rows.has_header:
            missing = [name for name in self.features if name not in names]
            if missing:
                raise UnreadableFile(
                    f"{rows.name} has no column {short(missing[0])}; the training rows had "
                    f"{some(self.features)}."
                )
            if label is None and self.label in names:
                label = self.label
            return self.features, label
        n_others = len(self.dropped)
        if label is None and len(names) == self.n_features + n_others + 1:
            label = names[self.label_place]
        found = [name for name in names if name != label]
        if len(found) == self.n_features + n_others:
            dropped = {place - (place > self.label_place) for place in self.dropped}
            found = [name for k, name in enumerate(found) if k not in dropped]
        check_features(rows, len(found), self.n_features)
        return found, label

    def _numbers(self, rows, column):
        values = rows.numbers(column)
        refused = self.refused(values)
        if refused.any():
            row = int(refused.argmax())
            what = "no value" if np.isnan(values[row]) else f"the value {values[row]}"
            raise UnreadableFile(
                f"{rows.where(row)}: column {short(column)} has {what}. "
                f"{way_out(values[row])}"
            )
        return values

    def _words(self, rows, column, name, unknown):
        """Return a column of words, ``MISSING_WORD`` where there is no value."""
        found = rows.column(column)
        cells, absent = found.cells, found.cells == ""
        if absent.any() and self.missing != "impute":
            raise UnreadableFile(
                f"{rows.where(int(absent.argmax()))}: column {short(column)} has no value. "
                f"{way_out(np.nan)}"
            )
        known = found.words if self.words is None else self.words[name]
        strange = {*found.words} - {*known}
        if strange and unknown != "ignore":
            row = next(row for row, cell in enumerate(cells.tolist()) if cell in strange)
            raise UnreadableFile(
                f"{rows.where(row)}: column {short(column)} has {short(cells[row])}, which "
                f"the training rows did not have; they had {some(known)}. --unknown ignore "
                "counts it as none of these."
            )
        return cells.astype(object)


Schema = MatrixSchema | TableSchema


def learn_schema(
    rows, *, label=None, missing="refuse", gram=False, drop=(), labelled=True
) -> Schema:
    """Return the schema of training rows.

    ``label`` is the column of the labels of a table, by default the last one or, if the
    rows are not ``labelled``, none. ``drop`` lists columns to leave out, by name or number.
    ``missing`` is "refuse" or "impute"; ``gram`` says whether the rows form a Gram matrix.
    """
    options = {"label": label, "missing": missing, "drop": drop}
    if isinstance(rows, MatrixRows):
        return MatrixSchema.learn(rows, gram=gram, **options)
    return TableSchema.learn(rows, labelled=labelled, **options)


def schema_of_record(record) -> Schema:
    """Return the schema that a model file has."""
    fields = {name: value for name, value in record.items() if name != "kind"}
    kinds: dict[str, type[Schema]] = {"matrix": MatrixSchema, "table": TableSchema}
    return kinds[record["kind"]](**fields)


def labels_of(rows, column, lenient, values):
    """Return the labels or values of rows, None if lenient and they cannot be read."""
    try:
        return rows.values(column) if values else rows.labels(column)
    except UnreadableFile:
        if lenient:
            return None
        raise


def way_out(value) -> str:
    """Return what to do about a value that is missing or infinite."""
    if np.isnan(value):
        return "Fill it in, leave the row out, or train with --missing impute."
    return "Correct it, or leave the row out."


def check_features(rows, found, expected):
    """Raise UnreadableFile for rows with too many or too few features."""
    if found != expected:
        raise UnreadableFile(
            f"{rows.name} has {found} features; the model was trained on {expected}."
        )


def are_places(numbers) -> bool:
    """Return whether numbers can be places of columns."""
    return all(type(number) is int and number >= 0 for number in numbers)


def first_index(X) -> int:
    """Return the smallest index in sparse rows, 1 if there is none."""
    return int(X.indices.min()) if X.nnz else 1


def serials_of(X):
    """Return the numbers of rows of a Gram matrix, in index 0, or None without them."""
    serials = X[:, [0]].toarray().ravel()
    if not np.isin(serials, np.arange(1, X.shape[1])).all():
        return None
    return serials.astype(int).tolist()


def is_dense(n_features, density) -> bool:
    """Return whether rows of this kind are better kept dense."""
    return n_features <= MAX_DENSE_FEATURES or density > MIN_DENSITY


def suited(X, dense=None):
    """Return rows, dense or sparse as asked for; by default as suits them."""
    if not sp.issparse(X):
        return X
    n_samples, n_features = X.shape
    if dense is None:
        dense = is_dense(n_features, X.nnz / max(n_samples * n_features, 1))
    if dense:
        check_dense(n_samples, n_features, "The rows")
        return X.toarray()
    if max(X.nnz, n_features) > np.iinfo(np.int32).max:
        return X
    parts = X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return sp.csr_matrix(parts, shape=X.shape)
