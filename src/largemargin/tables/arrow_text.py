"""Large tables of text by pyarrow, which is several times as fast as the csv module.

Pyarrow reads only what it is sure to read as the csv module does. Left to the csv module
are quotes inside cells, line ends inside quotes, text that is not UTF-8, and all errors, so
that there is one set of messages.
"""

import csv
from codecs import BOM_UTF8
from collections import deque
from functools import cached_property
from importlib.util import find_spec
from itertools import product

import numpy as np

from largemargin.numerics.memory import max_bytes
from largemargin.tables.columns import (
    CELL_BYTES,
    COLUMN_BYTES,
    LINE_EXPANSION,
    MISSING,
    TEXT,
    TextColumn,
)
from largemargin.tables.opening import buffered

# The csv module reads smaller files in less time than the import of pyarrow takes.
MIN_BYTES = 1 << 21
# With fewer, the time that pyarrow takes for each column exceeds what it saves.
MIN_ROWS = 150
# What TextIOWrapper reads at a time, so that the csv module gets the same pieces.
PIECE_BYTES = 1 << 13
BLOCK_BYTES, MAX_LINE_BYTES = 1 << 20, 1 << 24
# What str.strip removes.
BLANKS = "".join(filter(str.isspace, map(chr, range(0x3001))))
# The words for a missing value in upper, lower and mixed case.
MISSING_SPELLINGS = [
    "".join(letters)
    for word in MISSING
    for letters in product(*zip(word, word.upper(), strict=True))
]
NEWLINE, RETURN, QUOTE = b'\n\r"'


def read_by_arrow(stream, separator):
    """Return the columns and lines, or None if in doubt, and a stream of the same bytes."""
    if find_spec("pyarrow") is None:
        return None, stream
    pieces, n_bytes, failure = deque(), 0, None
    limit = max_bytes() // 3  # the pieces, the joined text, and its cells must fit
    try:
        while n_bytes <= limit and (piece := stream.read1(PIECE_BYTES)):
            pieces.append(piece)
            n_bytes += len(piece)
    except Exception as error:  # an error in the bytes before it is reported first
        failure = error
    found = None
    if MIN_BYTES <= n_bytes <= limit and failure is None:
        # With a line end on both sides, the first and last lines are no special cases.
        found = parsed(b"".join([b"\n", *pieces, b"\n"]), separator)
    return found, buffered(Replayed(pieces, failure, stream))


class Replayed:
    """The pieces that were read, then the error that reading raised, or the other bytes."""

    def __init__(self, pieces, failure, stream):
        self.pieces = pieces
        self.failure = failure
        self.stream = stream

    def read(self, size):
        """Return at most ``size`` bytes."""
        if self.pieces:
            piece = self.pieces.popleft()
            if len(piece) > size:
                self.pieces.appendleft(piece[size:])
            return piece[:size]
        if self.failure is not None:
            raise self.failure
        return self.stream.read(size)


def parsed(content, separator):
    """Return the columns and lines of a text between two line ends; None if in doubt."""
    import pyarrow as pa
    from pyarrow import compute
    from pyarrow import csv as arrow_csv

    n_ends, n_quotes = content.count(b"\n"), content.count(b'"')
    room = max_bytes() - 3 * len(content)
    # Room for the arrays of their places.
    if n_ends < MIN_ROWS or CELL_BYTES * (n_ends + n_quotes) > room:
        return None
    data = np.frombuffer(content, np.uint8)
    starts = range(0, len(data), BLOCK_BYTES)
    blocks = (np.flatnonzero(data[k : k + BLOCK_BYTES] == NEWLINE) + k for k in starts)
    ends = np.concatenate(list(blocks))
    lengths = np.diff(ends) - 1 - (data[ends[1:] - 1] == RETURN)
    longest = lengths.max()
    if (
        longest == 0
        or longest > min(max_bytes() // LINE_EXPANSION, MAX_LINE_BYTES)
        or content.startswith(BOM_UTF8, 1)
        or b"\0" in content
        or (b"\r" in content and (data[1:][data[:-1] == RETURN] != NEWLINE).any())
        or (n_quotes and not has_plain_quotes(data, ord(separator)))
    ):
        return None
    lines = np.flatnonzero(lengths) + 1
    first = slice(ends[lines[0] - 1] + 1, ends[lines[0]])
    try:
        width = len(next(csv.reader([content[first].decode()], delimiter=separator)))
        # An empty line may be a row of one cell.
        if width == 1 or width * (CELL_BYTES * n_ends + COLUMN_BYTES) > room:
            return None
        names = [str(place) for place in range(width)]
        block_size = int(max(BLOCK_BYTES, 2 * longest))
        columns = arrow_csv.read_csv(
            pa.BufferReader(content),
            arrow_csv.ReadOptions(block_size=block_size, column_names=names),
            arrow_csv.ParseOptions(delimiter=separator),
            arrow_csv.ConvertOptions(column_types=dict.fromkeys(names, pa.large_string())),
        ).columns
    except (ValueError, pa.ArrowException):
        return None
    limit = csv.field_size_limit()
    lengths = (compute.max(compute.binary_length(column)).as_py() for column in columns)
    too_long = longest >= limit and max(lengths) >= limit
    # Cells with line ends in them make fewer rows than lines.
    if too_long or len(columns[0]) != len(lines):
        return None
    return [ArrowColumn(column) for column in columns], lines


def has_plain_quotes(data, separator):
    """Return whether quotes stand around whole cells only."""
    quotes = np.flatnonzero(data == QUOTE)
    opening, closing = quotes[::2], quotes[1::2]
    return (
        len(opening) == len(closing)
        and np.isin(data[opening - 1], [separator, NEWLINE]).all()
        and np.isin(data[closing + 1], [separator, NEWLINE, RETURN]).all()
    )


class ArrowColumn(TextColumn):
    """A column of text as an array of pyarrow; its cells may have blanks around them."""

    @cached_property
    def trimmed(self):
        """The cells without blanks around them."""
        from pyarrow import compute

        return compute.utf8_trim(self.raw, characters=BLANKS)

    @cached_property
    def _different(self):
        """The different cells as a column of text, and which of them each cell is."""
        encoded = self.trimmed.combine_chunks().dictionary_encode()
        different = np.array(encoded.dictionary.to_pylist(), TEXT)
        return TextColumn(different), encoded.indices.to_numpy()

    def _made(self, form):
        """Return what ``TextColumn`` makes of the cells, each different one made once."""
        different, places = self._different
        made = getattr(different, form)
        return None if made is None else made[places]

    text = cached_property(lambda self: self._made("text"))
    cells = cached_property(lambda self: self._made("cells"))
    words = cached_property(lambda self: self._different[0].words)

    @cached_property
    def numbers(self):
        """The cells as floats, NaN where there is no value; None if one is a word."""
        values = finite_numbers(self.raw)
        for form in "raw", "trimmed":
            if values is None:
                values = finite_numbers(with_nulls(getattr(self, form)))
        # Not all numbers of Python are numbers to pyarrow, and conversely: 1_000, nan(1).
        return self._made("numbers") if values is None else values


def with_nulls(cells):
    """Return cells of pyarrow, with null in place of the words for a missing value."""
    import pyarrow as pa
    from pyarrow import compute

    missing = compute.is_in(cells, value_set=pa.array(MISSING_SPELLINGS, cells.type))
    return compute.if_else(missing, pa.scalar(None, cells.type), cells)


def finite_numbers(cells):
    """Return cells of pyarrow as floats, NaN for null, or None if others are not finite."""
    import pyarrow as pa

    try:
        values = cells.cast(pa.float64())
    except pa.ArrowException:
        return None
    n_missing = values.null_count
    values = values.to_numpy()
    return values if len(values) - np.isfinite(values).sum() == n_missing else None
