"""Rows of a file as they are: an array of numbers, or columns with names."""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from largemargin.tables.columns import TextColumn, is_number, odd_one
from largemargin.tables.opening import UnreadableFile

MAX_NAMED = 10
MAX_NAME_LENGTH = 60
# A column with more different words than the first is refused, and so is one with more
# than the second that are more than half of its cells.
MAX_WORDS, FEW_WORDS = 1000, 20
# Numbers that are codes, such as 007.
CODE = re.compile(r"[-+]?0\d")


@dataclass(frozen=True)
class MatrixRows:
    """Rows that are numbers: those of LIBSVM text, or arrays."""

    name: str  # the file, for messages
    X: Any  # an array or a csr matrix; of LIBSVM text, column k has the index k
    y: np.ndarray | None  # the labels as they are
    indexed: bool  # whether the columns are indices of LIBSVM text

    def where(self, row) -> str:
        """Return the file and the place of a row, for messages."""
        return f"{self.name}, row {row + 1}"

    def labels(self, column=None):
        """Return the labels, None if there are none."""
        way_out = "Make them whole numbers, or two different ones"
        return None if self.y is None else tidy_labels(self.y, self, "y", way_out)

    def values(self, column=None):
        """Return what stands in the place of the labels as floats, None if it is absent."""
        if self.y is None:
            return None
        if self.y.dtype.kind not in "biuf":
            raise no_values(self.name, "y", self.y[0])
        return finite_values(self.y.astype(float), self, "y")

    def numeric_labels(self, column=None):
        """Return the labels as floats, None if they are words or absent."""
        is_number = self.y is not None and self.y.dtype.kind in "iuf"
        return self.y.astype(float) if is_number else None


@dataclass(frozen=True)
class TableRows:
    """Rows with named columns, the labels among them."""

    name: str  # the file, for messages
    columns: dict  # TextColumns by name, or arrays of what is neither number nor word
    lines: np.ndarray | None = None  # the first line of each row of text
    has_header: bool = False  # else the names are "0", "1" and so on

    def where(self, row) -> str:
        """Return the file and the place of a row, for messages."""
        place = f"row {row + 1}" if self.lines is None else f"line {self.lines[row]}"
        return f"{self.name}, {place}"

    def column(self, name) -> TextColumn:
        """Return a column; raise if it holds neither numbers nor words."""
        found = self.columns[name]
        if isinstance(found, np.ndarray):
            raise UnreadableFile(
                f"{self.name}: column {short(name)} holds {found.dtype}; expected numbers "
                "or words. Leave it out by --drop."
            )
        return found

    def holds_words(self, name) -> bool:
        """Return whether a column holds words; raise if numbers are among them."""
        column = self.column(name)
        if column.numbers is not None:
            return False
        odd = odd_one(column)
        if odd is None:
            return True
        raise UnreadableFile(
            f"{self.where(odd)}: column {short(name)} mixes numbers and words; here it "
            f"has {short(column.cells[odd])}. Make all its cells one kind, or leave it out "
            "by --drop."
        )

    def words(self, name) -> list[str]:
        """Return the different words in a column; raise if there are too many."""
        words, n_rows = self.column(name).words, len(self.column(name))
        if len(words) > MAX_WORDS or len(words) > max(FEW_WORDS, n_rows / 2):
            raise UnreadableFile(
                f"{self.name}: column {short(name)} has {len(words)} different words in "
                f"{n_rows} rows, such as {short(words[0])}, each of which would become a "
                "feature. If they are numbers or dates, write them as 1234.5; else leave "
                "the column out by --drop."
            )
        return words

    def numbers(self, name) -> np.ndarray:
        """Return a column as floats, NaN where there is no value; raise for a word."""
        column = self.column(name)
        if column.numbers is not None:
            return column.numbers
        cells = enumerate(column.cells.tolist())
        odd, cell = next((k, cell) for k, cell in cells if cell and not is_number(cell))
        raise UnreadableFile(
            f"{self.where(odd)}: column {short(name)} has {short(cell)}; expected a number."
        )

    def labels(self, name):
        """Return a column as labels, None without a column."""
        if name is None:
            return None
        column = self.column(name)
        absent = column.cells == ""
        if absent.any():
            raise UnreadableFile(
                f"{self.where(int(absent.argmax()))}: no label in column {short(name)}. "
                "Fill it in or leave the row out."
            )
        if column.numbers is not None and not any(map(CODE.match, column.words)):
            way_out = "Name the column of the labels by --label"
            what = f"column {short(name)}"
            labels = tidy_labels(column.numbers, self, what, way_out)
            if labels.dtype.kind == "i":
                return labels
        return np.array(column.cells.tolist())

    def values(self, name):
        """Return a column of values to predict as floats, None without a column."""
        if name is None:
            return None
        column = self.column(name)
        what = f"column {short(name)}"
        if column.numbers is None:
            word = next(word for word in column.words if not is_number(word))
            raise no_values(self.name, what, word)
        return finite_values(column.numbers, self, what)

    def numeric_labels(self, name):
        """Return the labels as floats, without words if most are none; None for others."""
        column = self.column(name)
        if any(map(CODE.match, column.words)):
            return None
        if column.numbers is not None:
            return column.numbers
        numbers = [float(cell) for cell in column.cells.tolist() if is_number(cell)]
        return np.array(numbers) if 2 * len(numbers) > len(column) else None

    def place_of(self, given, what="for the labels") -> int:
        """Return the place of a column, given by name or number; None is the last."""
        names = list(self.columns)
        if given is None:
            return len(names) - 1
        if given in names:
            return names.index(given)
        # A command has numbers as text.
        if re.fullmatch(r"-?\d+", str(given)) and -len(names) <= int(given) < len(names):
            return int(given) % len(names)
        raise UnreadableFile(
            f"{self.name} has no column {given!r} {what}; its columns are {some(names)}, "
            "counted from 0."
        )


def tidy_labels(values, rows, what, way_out) -> np.ndarray:
    """Return labels, whole numbers as integers, others as text.

    Numbers that are not whole are measurements, unless there are just two of them.
    """
    if values.dtype.kind != "f":
        return values
    if not np.isfinite(values).all():
        row = int((~np.isfinite(values)).argmax())
        raise UnreadableFile(f"{rows.where(row)}: its label is {values[row]}.")
    if (values == np.round(values)).all() and np.abs(values).max() < 2**53:
        return values.astype(np.int64)
    found = len(np.unique(values))
    if found > 2:
        raise UnreadableFile(
            f"{rows.name}: {what} holds {found} different numbers that are not whole; "
            f"expected classes. {way_out}, or train with --task regression."
        )
    return values.astype(str)


def finite_values(values, rows, what) -> np.ndarray:
    """Return values to predict; raise UnreadableFile for one that is not finite."""
    bad = ~np.isfinite(values)
    if bad.any():
        row = int(bad.argmax())
        if np.isnan(values[row]):
            raise UnreadableFile(
                f"{rows.where(row)}: no value to predict in {what}. Fill it in or leave "
                "the row out."
            )
        raise UnreadableFile(
            f"{rows.where(row)}: {what} holds {values[row]}. Correct it, or leave the row "
            "out."
        )
    return values


def no_values(name, what, word) -> UnreadableFile:
    """Return the error for words in the place of values to predict."""
    return UnreadableFile(
        f"{name}: {what} holds words such as {short(str(word))}; a regression predicts "
        "numbers. Name the column of the numbers by --label, or train with --task "
        "classification."
    )


def some(names) -> str:
    """Return names for a sentence, the first of them if there are many."""
    listed = ", ".join(map(short, names[:MAX_NAMED]))
    n_more = len(names) - MAX_NAMED
    return f"{listed} and {n_more} more" if n_more > 0 else listed


def short(name) -> str:
    """Return a name in quotes, cut if it is long.

    Examples
    --------
    >>> short("size"), short(3)
    ("'size'", '3')
    """
    quoted = repr(str(name)) if isinstance(name, str) else repr(name)
    if len(quoted) <= MAX_NAME_LENGTH:
        return quoted
    return f"{quoted[: MAX_NAME_LENGTH - 4]}...{quoted[0]}"
