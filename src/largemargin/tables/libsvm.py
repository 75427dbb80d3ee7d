"""LIBSVM text into sparse rows: a stream in, blocks of rows out.

A line is ``label index:value index:value ...``, indices rising, with an optional
``qid:number`` after the label and an optional comment behind ``#``. Bytes are read in
blocks, so a packed file never lies unpacked in memory, and parsed by a compiled loop;
decimal numbers come out as ``float`` would give them, to the last bit.
"""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from largemargin.numerics.jit import JIT, njit
from largemargin.numerics.memory import check_room
from largemargin.tables.opening import UnreadableFile
from largemargin.tables.rows import MatrixRows

BLOCK_BYTES = 1 << 23
# Powers of ten up to this one are exact in float64, and so are integers below 2^53: one
# multiplication or division of such numbers rounds as it should.
EXACT_POWER = 22
POWERS = 10.0 ** np.arange(EXACT_POWER + 1)
EXACT_INTEGER = 1 << 53
MAX_DIGITS = 18
MAX_INDEX = (1 << 31) - 2
# A line and the arrays made of it take at most this many times its length.
LINE_EXPANSION = 20
FEWER_ROWS = "Split the file, or leave out rows"

# What is wrong with a line, by the code that the loop returns.
FINE, BAD_LABEL, BAD_INDEX, BAD_VALUE, NOT_RISING, TOO_LARGE, INFINITE = range(7)
COMPLAINTS = (
    "",
    "its label is not a number",
    "an index is not a whole number followed by a colon",
    "a value is not a number",
    "its indices do not rise",
    f"an index is above {MAX_INDEX}",
    "a number is too large",
)


class LibsvmError(ValueError):
    """A line is not LIBSVM text."""


class Block(NamedTuple):
    """Some rows: their labels, numbers of entries, indices as in the file, and values."""

    labels: np.ndarray
    lengths: np.ndarray
    indices: np.ndarray
    data: np.ndarray


def read_libsvm(stream, name) -> MatrixRows:
    """Return the rows of LIBSVM text, column k for the index k."""
    try:
        X, y = read_rows(stream, zero_based=True)
    except LibsvmError as error:
        where, _, what = str(error).partition(": ")
        raise UnreadableFile(f"{name}, {where.lower()}: {what}") from error
    if X.shape[0] == 0:
        raise UnreadableFile(f"{name} is empty; expected lines 'label index:value ...'.")
    return MatrixRows(name, X, y, indexed=True)


def read_rows(stream, n_features=None, *, zero_based=None):
    """Return the sparse rows, with 32 bit indices where these suffice, and the labels.

    Without ``n_features`` there are as many columns as the largest index needs. The first
    column has the index 0 if ``zero_based``; by default if the index 0 occurs, as in
    scikit-learn.
    """
    blocks, n_bytes = [], 0
    for block in blocks_of(stream):
        # The second time when they are joined.
        n_bytes += 2 * sum(part.nbytes for part in block)
        check_room(n_bytes, "The LIBSVM text", FEWER_ROWS)
        blocks.append(block)
    labels, lengths, indices, data = map(np.concatenate, zip(*blocks, strict=True))
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    if zero_based is None:
        zero_based = len(indices) > 0 and indices.min() == 0
    if not zero_based:
        if len(indices) and indices.min() == 0:
            raise LibsvmError("The index 0 occurs, but indices were said to start at 1.")
        indices -= 1
    needed = int(indices.max()) + 1 if len(indices) else 0
    if n_features is None:
        n_features = needed
    if needed > n_features:
        raise LibsvmError(f"The text has {needed} columns; expected {n_features} at most.")
    if indptr[-1] <= np.iinfo(np.int32).max:
        indptr = indptr.astype(np.int32)
    return sp.csr_matrix((data, indices, indptr), (len(labels), n_features)), labels


def blocks_of(stream, block_bytes=BLOCK_BYTES):
    """Yield the rows of LIBSVM text block by block; the last one may be empty.

    ``block_bytes`` are read at a time, and more where a line is longer. A line that cannot
    be read raises a ``LibsvmError`` with its number.
    """
    begun, n_lines = [], 0
    while chunk := stream.read(block_bytes):
        # The last line goes on in the next chunk.
        cut = chunk.rfind(b"\n") + 1
        if cut:
            whole = b"".join([*begun, chunk[:cut]])
            yield parse(whole, n_lines)
            n_lines += whole.count(b"\n")
            begun = []
        begun.append(chunk[cut:])
        check_room(LINE_EXPANSION * sum(map(len, begun)), f"Line {n_lines + 1}", FEWER_ROWS)
    yield parse(b"".join(begun), n_lines)


def parse(text, n_lines_before=0):
    """Return the rows in some whole lines."""
    buffer = np.frombuffer(text, dtype=np.uint8)
    n_lines = text.count(b"\n") + 1
    n_entries = text.count(b":")
    labels = np.empty(n_lines)
    indptr = np.zeros(n_lines + 1, dtype=np.int64)
    indices = np.empty(n_entries, dtype=np.int32)
    data = np.empty(n_entries)
    # Numbers left to ``float``: their beginning and end in the text, and their place.
    hard = np.empty((n_entries + n_lines, 3), dtype=np.int64)
    n_rows, n_hard, line, complaint = parse_lines(
        buffer, labels, indptr, indices, data, hard, POWERS
    )
    for start, stop, place in hard[:n_hard]:
        target, place = (data, place) if place >= 0 else (labels, -1 - place)
        target[place] = float(text[start:stop])
        if np.isinf(target[place]):
            line, complaint = text.count(b"\n", 0, start) + 1, INFINITE
    if complaint != FINE:
        raise LibsvmError(f"Line {n_lines_before + line}: {COMPLAINTS[complaint]}.")
    n_stored = indptr[n_rows]
    lengths = np.diff(indptr[: n_rows + 1])
    return Block(labels[:n_rows], lengths, indices[:n_stored], data[:n_stored])


@njit(**JIT)
def is_space(byte):
    """Return whether a byte separates tokens within a line."""
    return byte == 32 or byte == 9 or byte == 13


@njit(**JIT)
def ends_token(byte):
    """Return whether a byte ends a token."""
    return is_space(byte) or byte == 10 or byte == 35


@njit(**JIT)
def parse_lines(buffer, labels, indptr, indices, data, hard, powers):
    """Fill the arrays; return the rows, hard numbers, lines seen, and what is wrong."""
    n_bytes = buffer.shape[0]
    at = 0
    n_rows = n_stored = n_hard = 0
    line = 1
    while at < n_bytes:
        at = skip_spaces(buffer, at)
        if at < n_bytes and buffer[at] != 10 and buffer[at] != 35:
            at, labels[n_rows], status = parse_number(buffer, at, powers)
            if status < 0:
                return n_rows, n_hard, line, BAD_LABEL
            if status > 0:
                hard[n_hard] = at - status, at, -1 - n_rows
                n_hard += 1
            last = -1
            while True:
                at = skip_spaces(buffer, at)
                if at >= n_bytes or buffer[at] == 10 or buffer[at] == 35:
                    break
                if (
                    at + 4 <= n_bytes
                    and buffer[at] == 113
                    and buffer[at + 1] == 105
                    and buffer[at + 2] == 100
                    and buffer[at + 3] == 58
                ):  # qid:
                    while at < n_bytes and not ends_token(buffer[at]):
                        at += 1
                    continue
                index = 0
                begin = at
                while at < n_bytes and 48 <= buffer[at] <= 57 and at - begin < MAX_DIGITS:
                    index = 10 * index + (buffer[at] - 48)
                    at += 1
                if at == begin or at >= n_bytes or buffer[at] != 58:
                    return n_rows, n_hard, line, BAD_INDEX
                if index > MAX_INDEX:
                    return n_rows, n_hard, line, TOO_LARGE
                if index <= last:
                    return n_rows, n_hard, line, NOT_RISING
                last = index
                at, value, status = parse_number(buffer, at + 1, powers)
                if status < 0:
                    return n_rows, n_hard, line, BAD_VALUE
                if status > 0:
                    hard[n_hard] = at - status, at, n_stored
                    n_hard += 1
                indices[n_stored] = index
                data[n_stored] = value
                n_stored += 1
            n_rows += 1
            indptr[n_rows] = n_stored
        while at < n_bytes and buffer[at] != 10:
            at += 1
        at += 1
        line += 1
    return n_rows, n_hard, line, FINE


@njit(**JIT)
def skip_spaces(buffer, at):
    """Return the place of the next byte that is no space."""
    while at < buffer.shape[0] and is_space(buffer[at]):
        at += 1
    return at


@njit(**JIT)
def parse_number(buffer, at, powers):
    """Return the place behind a number, the number, and a status, 0 if all is well.

    The status is negative if there is no number, and the length of the token if only
    ``float`` rounds it correctly.
    """
    n_bytes = buffer.shape[0]
    begin = at
    negative = False
    if at < n_bytes and (buffer[at] == 45 or buffer[at] == 43):
        negative = buffer[at] == 45
        at += 1
    mantissa = 0
    n_digits = 0
    exponent = 0
    point = False
    while at < n_bytes:
        byte = buffer[at]
        if 48 <= byte <= 57:
            n_digits += 1
            if n_digits <= MAX_DIGITS:
                mantissa = 10 * mantissa + (byte - 48)
            exponent -= point
        elif byte == 46 and not point:
            point = True
        else:
            break
        at += 1
    if n_digits == 0:
        return at, 0.0, -1
    if at < n_bytes and (buffer[at] == 101 or buffer[at] == 69):
        at += 1
        sign = 1
        if at < n_bytes and (buffer[at] == 45 or buffer[at] == 43):
            sign = -1 if buffer[at] == 45 else 1
            at += 1
        power = 0
        n_power = 0
        while at < n_bytes and 48 <= buffer[at] <= 57:
            power = min(10 * power + (buffer[at] - 48), 100_000)
            n_power += 1
            at += 1
        if n_power == 0:
            return at, 0.0, -1
        exponent += sign * power
    if at < n_bytes and not ends_token(buffer[at]):
        return at, 0.0, -1
    if n_digits > MAX_DIGITS or mantissa >= EXACT_INTEGER or abs(exponent) > EXACT_POWER:
        return at, 0.0, at - begin
    value = float(mantissa)
    value = value * powers[exponent] if exponent >= 0 else value / powers[-exponent]
    return at, -value if negative else value, 0
