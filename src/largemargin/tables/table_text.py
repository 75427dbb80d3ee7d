"""Tables of text: their cells, what names the columns, and the line of each row."""

import csv
import io
import re
import warnings
from collections import Counter
from dataclasses import dataclass
from functools import partial

import numpy as np

from largemargin.numerics.memory import FLOAT_BYTES, check_room, max_bytes

# Not "-", "." and "none", which are words too; among numbers they are refused as such.
MISSING = {"", "?", "na", "nan", "n/a", "#n/a", "null"}
TEXT = np.dtypes.StringDType()
SEPARATORS = b",;\t"
# Cells are packed, at a third of their size, when so many rows or cells are read.
BLOCK_ROWS = 10_000
BLOCK_CELLS = 1_000_000
# A cell is kept as text, as a number, and as an entry of the matrix.
CELL_BYTES = TEXT.itemsize + 2 * FLOAT_BYTES
# A column is two arrays with a name, before they hold any cell.
COLUMN_BYTES = 500
# A line longer than this part of the limit would exceed it when it is split.
LINE_EXPANSION = 32
# A table without names gets no more warnings than this.
MAX_WARNINGS = 10
FEWER_CELLS = "Leave out rows or columns"
PEEKED_BYTES = 1 << 16


class UnreadableFile(ValueError):
    """A file does not hold what its name promises."""


@dataclass(frozen=True)
class TextTable:
    """The cells of a table.

    Parameters
    ----------
    names : list of str
        Names of the columns; without a header "0", "1" and so on.

    columns : list of ndarray of str
        The cells of each column, without blanks around them.

    lines : ndarray of int
        The line of the file that each row begins in.

    has_header : bool
        Whether the names are the file's own.
    """

    names: list
    columns: list
    lines: np.ndarray
    has_header: bool


def read_text_table(stream, name, *, separator=None, header=None):
    """Return the table in a stream of UTF-8 text.

    Parameters
    ----------
    stream : binary file
        One that can be peeked into.

    name : str
        The file, for messages.

    separator : str, default=None
        Between two cells; None means the commonest of comma, semicolon and tab in the
        first line.

    header : bool, default=None
        Whether the first line has the names of the columns; None means what
        ``is_header`` says.

    Returns
    -------
    table : TextTable
        At least one row; a column that the header has no name for is left out.

    Raises
    ------
    UnreadableFile
        If the text is not UTF-8, or lines differ in the number of cells, or two columns
        have one name, or there are no rows.
    """
    if separator is None:
        separator = separator_in(stream.peek(PEEKED_BYTES).lstrip().partition(b"\n")[0])
    text = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")
    try:
        columns, lines = packed(records(text, name, separator))
    finally:
        text.detach()  # whoever opened the stream closes it
    if not columns:
        raise UnreadableFile(f"{name} is empty; expected rows.")
    if header is None:
        header = is_header([column[0] for column in columns], second_row(columns))
    if not header:
        names = [str(place) for place in range(len(columns))]
        return TextTable(names, columns, lines, has_header=False)
    if len(lines) == 1:
        raise UnreadableFile(f"{name} has a header and no rows below it.")
    return without_nameless(columns, lines[1:], name)


def separator_in(line):
    """Return what separates the cells of a line of bytes.

    Examples
    --------
    >>> separator_in(b'size;"colour, if any, of it";kind')
    ';'
    """
    unquoted = re.sub(rb'"[^"]*"', b"", line)
    return chr(max(SEPARATORS, key=unquoted.count))


def records(text, name, separator):
    """Yield the line that each record begins in, and its cells without blanks around."""
    lines = lines_that_fit(text, separator)
    reader = csv.reader(lines, delimiter=separator, skipinitialspace=True, strict=True)
    width, first_line, before = None, 0, 0
    try:
        for record in reader:
            line, before = before + 1, reader.line_num
            if not record or (record == [""] and width != 1):
                continue
            if width is None:
                width, first_line = len(record), line
            if len(record) != width:
                raise UnreadableFile(
                    f"{name}, line {line}: expected {width} cells as in line {first_line}; "
                    f"got {len(record)}."
                )
            yield line, [cell.strip() for cell in record]
    except csv.Error as error:
        raise UnreadableFile(f"{name}, line {before + 1}: {error}.") from None
    except UnicodeDecodeError as error:
        raise UnreadableFile(
            f"{name} is not UTF-8 text, somewhere after line {before}; convert it."
        ) from error


def lines_that_fit(text, separator):
    """Yield the lines of a text; raise TooLarge as soon as their cells take too much."""
    limit = max_bytes()
    longest = max(limit // LINE_EXPANSION, 1)
    in_place = TEXT.itemsize
    n_bytes = widest = 0
    for number, line in enumerate(iter(partial(text.readline, longest + 1), ""), 1):
        if len(line) > longest:
            check_room(LINE_EXPANSION * len(line), f"Line {number}", FEWER_CELLS)
        n_cells = line.count(separator) + 1
        n_bytes += n_cells * CELL_BYTES + max(len(line) - n_cells * in_place, 0)
        if n_cells > widest:
            n_bytes += (n_cells - widest) * COLUMN_BYTES
            widest = n_cells
        if n_bytes > limit:
            check_room(n_bytes, f"The table, up to line {number},", FEWER_CELLS)
        yield line


def packed(numbered):
    """Return the columns of numbered records, and their numbers."""
    blocks, lines, block = [], [], []
    for line, record in numbered:
        lines.append(line)
        block.append(record)
        if len(block) == BLOCK_ROWS or len(block) * len(record) >= BLOCK_CELLS:
            blocks.append([np.array(cells, TEXT) for cells in zip(*block, strict=True)])
            block = []
    if block:
        blocks.append([np.array(cells, TEXT) for cells in zip(*block, strict=True)])
    columns = [np.concatenate(parts) for parts in zip(*blocks, strict=True)]
    return columns, np.array(lines)


def second_row(columns):
    """Return the second row, or nothing if there is none."""
    return [column[1] for column in columns if len(column) > 1]


def is_header(first, second):
    """Return whether the first of two rows has the names of the columns.

    It has if none of its cells is a number, or a word stands above a number, or its
    numbers are 0, 1, 2 and so on, as pandas calls columns.

    Examples
    --------
    >>> is_header(["size", "2024"], ["1.5", "0.7"])
    True
    >>> is_header(["0", "1", "2", "kind"], ["1.5", "0.7", "3", "red"])
    True
    >>> is_header(["1.5", "red"], ["0.7", "blue"])
    False
    """
    if not any(map(is_number, first)):
        return True
    if any(is_name(first[k]) and is_number(cell) for k, cell in enumerate(second)):
        return True
    named = first if first[0] else first[1:]  # behind an index
    counted = [cell == str(place) for place, cell in enumerate(named) if is_number(cell)]
    return len(counted) > 2 and all(counted)  # two of them may well be a row


def without_nameless(columns, lines, name):
    """Return the table below a header, without the columns that have no name there."""
    names = [str(column[0]) for column in columns]
    named = [place for place, given in enumerate(names) if given]
    nameless = sorted(set(range(len(names))) - set(named))
    for place in nameless[:MAX_WARNINGS]:
        warnings.warn(
            f"{name}: column {place} has no name, so it is left out; is it the number of "
            "the row?",
            UserWarning,
            stacklevel=2,
        )
    names = [names[place] for place in named]
    twice = [given for given, count in Counter(names).items() if count > 1]
    if twice:
        raise UnreadableFile(
            f"{name} has more than one column {twice[0]!r}; give each a name of its own."
        )
    if not names:
        raise UnreadableFile(f"{name} has a header without any name.")
    return TextTable(names, [columns[place][1:] for place in named], lines, True)


def is_number(cell):
    """Return whether a cell holds a number."""
    try:
        float(cell)
    except ValueError:
        return False
    return cell.lower() not in MISSING


def is_name(cell):
    """Return whether a cell holds something with a letter that is not a number."""
    is_named = any(map(str.isalpha, cell)) and cell.lower() not in MISSING
    return is_named and not is_number(cell)


def is_missing(cells):
    """Return which cells of a column hold nothing.

    Parameters
    ----------
    cells : ndarray of str
        A column of a table of text.
    """
    short = np.flatnonzero(np.strings.str_len(cells) <= max(map(len, MISSING)))
    lower = np.strings.lower(cells[short])
    missing = np.zeros(len(cells), dtype=bool)
    missing[short] = np.logical_or.reduce([lower == word for word in sorted(MISSING)])
    return missing


def blanked(cells):
    """Return a column with "" wherever something says that nothing is there."""
    missing = is_missing(cells)
    return np.where(missing, "", cells) if missing.any() else cells


def as_numbers(cells):
    """Return a column as floats, NaN where nothing is, or None if a word is among them.

    Parameters
    ----------
    cells : ndarray of str
        A column of a table of text, "" where nothing is.
    """
    absent = cells == ""
    try:
        return (np.where(absent, "nan", cells) if absent.any() else cells).astype(float)
    except ValueError:
        return None


def odd_one(cells):
    """Return the place of a cell that is of the rarer kind, number or word, or None.

    Parameters
    ----------
    cells : ndarray of str
        A column of a table of text, "" where nothing is.
    """
    present = np.flatnonzero(cells != "")
    numeric = np.array([is_number(cell) for cell in cells[present]], dtype=bool)
    if numeric.all() or not numeric.any():
        return None
    rarer = 2 * numeric.sum() < len(numeric)
    return int(present[np.flatnonzero(numeric == rarer)[0]])
