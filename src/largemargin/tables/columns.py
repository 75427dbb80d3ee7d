"""Columns of a table: their cells as text and as numbers, each made when first used."""

from functools import cached_property

import numpy as np

from largemargin.numerics.memory import FLOAT_BYTES

# Not "-", "." and "none", which are words too; among numbers they are refused as such.
MISSING = {"", "?", "na", "nan", "n/a", "#n/a", "null"}
TEXT = np.dtypes.StringDType()
# A cell is kept as text, as a number, and as an entry of the matrix.
CELL_BYTES = TEXT.itemsize + 2 * FLOAT_BYTES
# A column without cells is two arrays and a name.
COLUMN_BYTES = 500
# A line longer than this part of the limit would exceed it when it is split.
LINE_EXPANSION = 32


class TextColumn:
    """A column of text, ``raw``, whose cells have no blanks around them."""

    def __init__(self, raw):
        self.raw = raw

    def __len__(self):
        return len(self.raw)

    def __getitem__(self, rows):
        return type(self)(self.raw[rows])

    @property
    def text(self):
        """The cells as they are."""
        return self.raw

    @cached_property
    def cells(self):
        """The cells, "" in place of a word for a missing value."""
        short = np.flatnonzero(np.strings.str_len(self.text) <= max(map(len, MISSING)))
        lower = np.strings.lower(self.text[short])
        cells = self.text.copy()
        cells[short[np.logical_or.reduce([lower == word for word in MISSING])]] = ""
        return cells

    @cached_property
    def words(self) -> list[str]:
        """The different cells that have a value."""
        return sorted(set(self.cells.tolist()) - {""})

    @cached_property
    def numbers(self):
        """The cells as floats, NaN where there is no value; None if one is a word."""
        absent = self.cells == ""
        filled = np.where(absent, "nan", self.cells) if absent.any() else self.cells
        try:
            return filled.astype(float)
        except ValueError:
            return None


class NumberColumn(TextColumn):
    """A column of floats, ``raw``, NaN where there is no value."""

    @property
    def numbers(self):
        """The numbers."""
        return self.raw

    @cached_property
    def cells(self):
        """The numbers as text, "" where there is no value."""
        spelled = ["" if np.isnan(value) else f"{value:.17g}" for value in self.raw]
        return np.array(spelled, TEXT)


def is_number(cell) -> bool:
    """Return whether a cell holds a number."""
    try:
        float(cell)
    except ValueError:
        return False
    return cell.lower() not in MISSING


def odd_one(column) -> int | None:
    """Return the place of the first cell of the rarer kind, number or word, or None."""
    kinds = {word: is_number(word) for word in column.words}
    if len(set(kinds.values())) < 2:
        return None
    present = np.flatnonzero(column.cells != "")
    numeric = np.array([kinds[cell] for cell in column.cells[present].tolist()])
    rarer = 2 * numeric.sum() < len(numeric)
    return int(present[np.flatnonzero(numeric == rarer)[0]])
