"""Rows with named columns, and what a model knows of them."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from largemargin.cli.columns import (
    WAYS_OUT,
    holds_words,
    label_place,
    labels_in,
    numbers_in,
    some,
    values_of_words,
    words_in,
    wrong_width,
)
from largemargin.datasets.reading import UnreadableFile

# What stands for a missing word: ONNX has strings only.
MISSING_WORD = ""


@dataclass(frozen=True)
class TableRows:
    """Rows with named columns, the labels among them.

    Parameters
    ----------
    name : str
        The file, for messages.

    frame : DataFrame
        The table; without a header its columns are called "0", "1" and so on.

    has_header : bool
        Whether the names are the file's own.

    place : callable
        Tells where a row is, for messages.
    """

    name: str
    frame: Any
    has_header: bool
    place: Callable


@dataclass(frozen=True)
class TableSchema:
    """Rows with named columns.

    Parameters
    ----------
    features : list of str
        Names of the columns beside the labels, in order.

    label : str
        Name of the column of the labels.

    label_place : int
        Its place among all columns, for files without names.

    named : bool
        Whether the names are the file's own, so that columns are found by them.

    words : dict of str to list of str, default={}
        Values of the columns that hold words.

    missing : {"refuse", "impute"}, default="refuse"
        What becomes of missing values.
    """

    features: list
    label: str
    label_place: int
    named: bool
    words: dict = field(default_factory=dict)
    missing: str = "refuse"

    dense = True

    @classmethod
    def learn(cls, rows, label, missing, gram):
        """Return the schema of training rows."""
        names = list(rows.frame)
        number = label_place(rows, label)
        features = names[:number] + names[number + 1 :]
        if not features:
            raise UnreadableFile(f"{rows.name} has one column only, {names[0]!r}.")
        words = {
            name: values_of_words(rows, name)
            for name in features
            if holds_words(rows, name)
        }
        return cls(features, names[number], number, rows.has_header, words, missing)

    @property
    def n_features(self):
        """How many columns there are beside the labels."""
        return len(self.features)

    def record(self):
        """Return it as a model file has it."""
        return {"kind": "table", **asdict(self)}

    def split(self, rows, *, label=None, unknown="refuse"):
        """Return the features and the labels, or None, of rows that must be of this kind.

        Parameters
        ----------
        rows : MatrixRows or TableRows
            What a file holds.

        label : str, default=None
            The column of the labels; None means that of the training rows, if it is there.

        unknown : {"refuse", "ignore"}, default="refuse"
            What becomes of words not seen in training.

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
            if name in self.words
            else self._numbers(rows, column)
            for name, column in zip(self.features, found, strict=True)
        }
        y = None if label is None else labels_in(rows, label)
        if not self.words:
            return np.column_stack(list(columns.values())), y
        import pandas as pd

        return pd.DataFrame(columns), y

    def _columns(self, rows, label):
        """Return the names, in this file, of the features and of the label or None."""
        names = list(rows.frame)
        if label is not None:
            label = names[label_place(rows, label)]
        if self.named and rows.has_header:
            missing = [name for name in self.features if name not in names]
            if missing:
                raise UnreadableFile(
                    f"{rows.name} has no column {missing[0]!r}; the training rows had "
                    f"{some(self.features)}."
                )
            return (
                self.features,
                self.label if label is None and self.label in names else label,
            )
        if label is None and len(names) == self.n_features + 1:
            label = names[self.label_place]
        found = [name for name in names if name != label]
        if len(found) != self.n_features:
            raise wrong_width(rows.name, len(found), self.n_features)
        return found, label

    def _numbers(self, rows, column):
        values = numbers_in(rows, column)
        refused = np.isinf(values) if self.missing == "impute" else ~np.isfinite(values)
        if refused.any():
            row = int(refused.argmax())
            what = "no value" if np.isnan(values[row]) else f"the value {values[row]}"
            raise UnreadableFile(
                f"{rows.name}, {rows.place(row)}: column {column!r} has {what}. {WAYS_OUT}"
            )
        return values

    def _words(self, rows, column, name, unknown):
        values = words_in(rows, column)
        absent = values.isna().to_numpy()
        if absent.any() and self.missing != "impute":
            raise UnreadableFile(
                f"{rows.name}, {rows.place(int(absent.argmax()))}: column {column!r} has "
                f"no value. {WAYS_OUT}"
            )
        strange = ~values.isin(self.words[name]).to_numpy() & ~absent
        if strange.any() and unknown != "ignore":
            row = int(strange.argmax())
            raise UnreadableFile(
                f"{rows.name}, {rows.place(row)}: column {column!r} has "
                f"{values.iloc[row]!r}, which the training rows had not; they had "
                f"{some(self.words[name])}. --unknown ignore counts it as none of these."
            )
        return values.where(~absent, MISSING_WORD).to_numpy(dtype=object)
