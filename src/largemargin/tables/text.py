"""Tables of text: the names of the columns, their cells, and the line of each row.

The csv module reads them line by line and names the line that is wrong. Large files that
pyarrow is sure to read in the same way are left to it (``arrow_text``).
"""

import csv
import io
import re
import warnings
from collections import Counter
from functools import partial
from itertools import islice

import numpy as np

from largemargin.numerics.memory import check_room, max_bytes
from largemargin.tables.arrow_text import read_by_arrow
from largemargin.tables.columns import (
    CELL_BYTES,
    COLUMN_BYTES,
    LINE_EXPANSION,
    MISSING,
    TEXT,
    TextColumn,
    is_number,
)
from largemargin.tables.opening import PEEKED_BYTES, UnreadableFile
from largemargin.tables.rows import TableRows

SEPARATORS = b",;\t"
# Cells are packed in blocks of this many, which takes a third of the memory.
BLOCK_CELLS = 200_000
# Columns without a name that are warned of.
MAX_WARNINGS = 10
FEWER_CELLS = "Leave out rows or columns"


def read_text(stream, name, *, separator=None, header=None) -> TableRows:
    """Return the table in a stream of UTF-8 text that can be peeked into.

    ``name`` is the file, for messages. The default separator is the commonest of comma,
    semicolon and tab in the first line; by default, ``is_header`` decides whether there is
    a header. Columns without a name in the header are left out.
    """
    if separator is None:
        separator = separator_in(stream.peek(PEEKED_BYTES).lstrip().partition(b"\n")[0])
    found, stream = read_by_arrow(stream, separator)
    columns, lines = found or read_exactly(stream, name, separator)
    if not columns:
        raise UnreadableFile(f"{name} is empty; expected rows.")
    head = [column[:2].text.tolist() for column in columns]
    if header is None:
        header = is_header(*zip(*head, strict=True))
    if not header:
        return TableRows(name, {str(k): one for k, one in enumerate(columns)}, lines)
    if len(lines) == 1:
        raise UnreadableFile(f"{name} has a header and no rows below it.")
    names = unique_names([cells[0] for cells in head], name)
    columns = {given: columns[place][1:] for place, given in names.items()}
    return TableRows(name, columns, lines[1:], has_header=True)


def separator_in(line: bytes) -> str:
    """Return what separates the cells of a line.

    Examples
    --------
    >>> separator_in(b'size;"colour, if any, of it";kind')
    ';'
    """
    unquoted = re.sub(rb'"[^"]*"', b"", line)
    return chr(max(SEPARATORS, key=unquoted.count))


def read_exactly(stream, name, separator):
    """Return the columns and the first line of each row, read by the csv module."""
    text = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")
    numbered = records(text, name, separator)
    blocks, lines, n_rows = [], [], 1
    try:
        while block := list(islice(numbered, n_rows)):
            numbers, rows = zip(*block, strict=True)
            lines += numbers
            blocks.append([np.array(cells, TEXT) for cells in zip(*rows, strict=True)])
            n_rows = max(BLOCK_CELLS // len(rows[0]), 1)
    finally:
        text.detach()  # whoever opened the stream closes it
    columns = [TextColumn(np.concatenate(parts)) for parts in zip(*blocks, strict=True)]
    return columns, np.array(lines)


def records(text, name, separator):
    """Yield the first line of each record, and its cells without blanks around them."""
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


def is_header(first, second=()) -> bool:
    """Return whether the first of two rows has the names of the columns.

    It has if none of its cells is a number, if a word stands above a number, or if its
    numbers are 0, 1, 2 and so on, which pandas writes as names.

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
    for above, cell in zip(first, second, strict=False):
        is_word = any(map(str.isalpha, above)) and above.lower() not in MISSING
        if is_word and not is_number(above) and is_number(cell):
            return True
    named = first if first[0] else first[1:]  # the first column is an index
    counted = [cell == str(place) for place, cell in enumerate(named) if is_number(cell)]
    return len(counted) > 2 and all(counted)  # a row may begin with 0 and 1


def unique_names(header, name) -> dict[int, str]:
    """Return the names of a header by place; columns without a name are left out."""
    names = {place: given for place, given in enumerate(header) if given}
    nameless = [place for place in range(len(header)) if place not in names]
    for place in nameless[:MAX_WARNINGS]:
        warnings.warn(
            f"{name}: column {place} has no name, so it is left out; is it the number of "
            "the row?",
            UserWarning,
            stacklevel=2,
        )
    twice = [given for given, count in Counter(names.values()).items() if count > 1]
    if twice:
        raise UnreadableFile(
            f"{name} has more than one column {twice[0]!r}; give each a name of its own."
        )
    if not names:
        raise UnreadableFile(f"{name} has a header without any name.")
    return names
