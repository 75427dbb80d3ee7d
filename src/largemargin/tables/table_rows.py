"""Rows with named columns, and what a model knows of them."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from numbers import Number

import numpy as np

from largemargin.numerics.memory import check_room
from largemargin.tables.columns import (
    are_places,
    column_place,
    holds_words,
    label_place,
    labels_in,
    numbers_in,
    short,
    some,
    values_of_words,
    way_out,
    words_in,
    wrong_width,
)
from largemargin.tables.table_text import (
    TEXT,
    UnreadableFile,
    as_numbers,
    blanked,
    read_text_table,
)

# What stands for a missing word: ONNX has strings only.
MISSING_WORD = ""
# What a cell of a data frame may be.
CELLS = str, bool, Number


@dataclass(frozen=True)
class TableRows:
    """Rows with named columns, the labels among them.

    Parameters
    ----------
    name : str
        The file, for messages.

    columns : dict of str to ndarray
        Columns by name: floats, or text that may spell numbers, or what is of no use.
        Without a header their names are "0", "1" and so on.

    has_header : bool
        Whether the names are the file's own.

    place : callable
        Tells where a row is, for messages.
    """

    name: str
    columns: dict
    has_header: bool
    place: Callable
    _numbers: dict = field(default_factory=dict, repr=False)

    way_to_labels = "Name the column of the labels by --label."

    def numbers(self, column):
        """Return a column of text as floats, or None if a word is among them."""
        if column not in self._numbers:
            self._numbers[column] = as_numbers(self.columns[column])
        return self._numbers[column]


def read_text(stream, name, separator, header):
    """Return the rows of a table of text."""
    table = read_text_table(stream, name, separator=separator, header=header)
    columns = dict(zip(table.names, map(blanked, table.columns), strict=True))
    return TableRows(
        name, columns, table.has_header, lambda row: f"line {table.lines[row]}"
    )


def rows_of_frame(frame, name):
    """Return the rows of a data frame."""
    names = [str(given) for given in frame.columns]
    if len(set(names)) < len(names):
        raise UnreadableFile(f"{name} has two columns of one name; rename one of them.")
    columns = {given: column_of(frame.iloc[:, k]) for k, given in enumerate(names)}
    return TableRows(name, columns, True, lambda row: f"row {row + 1}")


def column_of(series):
    """Return a series as floats or text; one that is neither stays as it is."""
    series = without_categories(series)
    kind = series.dtype.kind
    if kind in "iuf":
        return series.to_numpy(dtype=np.float64, na_value=np.nan)
    present = series.dropna()
    if kind not in "bOUT" or not present.map(lambda cell: isinstance(cell, CELLS)).all():
        return series.to_numpy()
    cells = [
        "" if absent else str(value)
        for value, absent in zip(series, series.isna(), strict=True)
    ]
    n_bytes = len(cells) * TEXT.itemsize + sum(map(len, cells))
    check_room(n_bytes, f"Column {short(series.name)}", "Leave it out")
    return blanked(np.strings.strip(np.array(cells, TEXT)))


def without_categories(series):
    """Return a series of objects in which equal words of a categorical one are one object.

    Pandas would make a word of its own for each cell.
    """
    if not hasattr(series, "cat"):
        return series
    words = np.append(series.cat.categories.to_numpy(dtype=object), None)
    return type(series)(words[series.cat.codes], name=series.name, dtype=object)


@dataclass(frozen=True)
class TableSchema:
    """Rows with named columns.

    Parameters
    ----------
    features : list of str
        Names of the columns that are features, in order.

    label : str, default=None
        Name of the column of the labels; None if the model does not know it.

    label_place : int, default=0
        Its place among all columns, for files without names.

    named : bool, default=False
        Whether the names are the file's own, so that columns are found by them.

    words : dict of str to list of str or None, default={}
        Values of the columns that hold words; None if the model does not know which.

    missing : {"refuse", "impute"}, default="refuse"
        What becomes of missing values.

    dropped : list of int, default=[]
        Places of columns that are left out, for files without names.
    """

    features: list
    label: str | None = None
    label_place: int = 0
    named: bool = False
    words: dict | None = field(default_factory=dict)
    missing: str = "refuse"
    dropped: list = field(default_factory=list)

    dense = True

    @classmethod
    def learn(cls, rows, *, label, missing, drop):
        """Return the schema of training rows, some columns left out."""
        names = list(rows.columns)
        place = label_place(rows, label)
        dropped = sorted({column_place(rows, given, "to drop") for given in drop})
        if place in dropped:
            raise UnreadableFile(
                f"{rows.name}: {short(names[place])} is the column of the labels and "
                "cannot be dropped; name another by --label."
            )
        features = [
            given for k, given in enumerate(names) if k != place and k not in dropped
        ]
        if not features:
            raise UnreadableFile(
                f"{rows.name} has no column beside the labels in {short(names[place])}."
            )
        words = {
            name: values_of_words(rows, name)
            for name in features
            if holds_words(rows, name)
        }
        return cls(features, names[place], place, rows.has_header, words, missing, dropped)

    @property
    def n_features(self):
        """How many columns are features."""
        return len(self.features)

    def record(self):
        """Return it as a model file has it."""
        return {"kind": "table", **asdict(self)}

    def is_sound(self):
        """Return whether all parts, which may come from a file, are what they should be."""
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

    def split(self, rows, *, label=None, unknown="refuse", lenient=False):
        """Return the features and the labels, or None, of rows that must be of this kind.

        Parameters
        ----------
        rows : MatrixRows or TableRows
            What a file holds.

        label : str, default=None
            The column of the labels; None means that of the training rows, if it is there.

        unknown : {"refuse", "ignore"}, default="refuse"
            What becomes of words not seen in training.

        lenient : bool, default=False
            Whether labels that cannot be read count as none.

        Returns
        -------
        X : {ndarray, DataFrame} of shape (n_samples, n_features)
            The features, a frame if there are words.

        y : ndarray of shape (n_samples,) or None
            The labels.
        """
        if not isinstance(rows, TableRows):
            raise UnreadableFile(
                f"{rows.name} has no named columns; the training rows were a table of "
                f"{some(self.features)}."
            )
        found, label = self._columns(rows, label)
        columns = {
            name: self._words(rows, column, name, unknown)
            if self._holds_words(rows, column, name)
            else self._numbers(rows, column)
            for name, column in zip(self.features, found, strict=True)
        }
        y = None if label is None else labels_in(rows, label, lenient)
        if self.words == {}:
            return np.column_stack(list(columns.values())), y
        return frame_of(columns), y

    def _columns(self, rows, label):
        """Return the names, in this file, of the features and of the label or None."""
        names = list(rows.columns)
        if label is not None:
            label = names[label_place(rows, label)]
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
        if len(found) != self.n_features:
            raise wrong_width(rows.name, len(found), self.n_features)
        return found, label

    def _holds_words(self, rows, column, name):
        return holds_words(rows, column) if self.words is None else name in self.words

    def _numbers(self, rows, column):
        values = numbers_in(rows, column)
        refused = np.isinf(values) if self.missing == "impute" else ~np.isfinite(values)
        if refused.any():
            row = int(refused.argmax())
            what = "no value" if np.isnan(values[row]) else f"the value {values[row]}"
            raise UnreadableFile(
                f"{rows.name}, {rows.place(row)}: column {short(column)} has {what}. "
                f"{way_out(values[row])}"
            )
        return values

    def _words(self, rows, column, name, unknown):
        cells = words_in(rows, column)
        absent = cells == ""
        if absent.any() and self.missing != "impute":
            raise UnreadableFile(
                f"{rows.name}, {rows.place(int(absent.argmax()))}: column {short(column)} "
                f"has no value. {way_out(np.nan)}"
            )
        known = {""}.union(cells.tolist() if self.words is None else self.words[name])
        strange = [row for row, cell in enumerate(cells.tolist()) if cell not in known]
        if strange and unknown != "ignore":
            row = strange[0]
            raise UnreadableFile(
                f"{rows.name}, {rows.place(row)}: column {short(column)} has "
                f"{short(cells[row])}, which the training rows had not; they had "
                f"{some(self.words[name])}. --unknown ignore counts it as none of these."
            )
        return np.where(absent, MISSING_WORD, cells).astype(object)


def frame_of(columns):
    """Return columns as a data frame."""
    try:
        import pandas as pd
    except ImportError:
        raise ImportError(
            "Columns of words need pandas: pip install 'largemargin[cli]'."
        ) from None
    return pd.DataFrame(columns)
