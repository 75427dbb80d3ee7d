"""Files of any kind into rows: their name tells what they are, or how they begin."""

import re
import sys
from codecs import BOM_UTF8
from contextlib import contextmanager
from pathlib import Path

from largemargin.cli import terminal
from largemargin.tables.matrix_rows import read_libsvm
from largemargin.tables.npz import read_npz
from largemargin.tables.own_files import LIBSVM_ENDINGS, name_and_kind
from largemargin.tables.parquet import read_parquet
from largemargin.tables.reading import (
    OPENERS,
    UnreadableFile,
    buffered,
    expanding,
    explained,
)
from largemargin.tables.table_rows import read_text
from largemargin.tables.table_text import PEEKED_BYTES

MAGIC = {b"\x1f\x8b": ".gz", b"BZh": ".bz2", b"\xfd7zXZ": ".xz"}
# A file that ends in .txt may hold anything.
KINDS = {
    **dict.fromkeys(set(LIBSVM_ENDINGS) - {".txt"}, "libsvm"),
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".npz": "npz",
}
BEGINNINGS = {b"PAR1": "parquet", b"PK\x03\x04": "npz"}
LIBSVM_LINE = re.compile(rb"[-+]?[\d.]+([eE][-+]?\d+)?(\s+(qid|\d+):\S+)*\s*(#.*)?")
STANDARD_INPUT = "standard input"


def read(path, *, kind=None, header=None, quiet=False):
    """Return the rows of a file.

    Parameters
    ----------
    path : path-like
        The file; "-" is standard input. Packed ones are unpacked on the way.

    kind : {"libsvm", "csv", "tsv", "parquet", "npz"}, default=None
        What it holds; None means what its name or its beginning says.

    header : bool, default=None
        Whether the first line of a table has the names of the columns; None means what
        it looks like.

    quiet : bool, default=False
        Whether to show no bar.

    Returns
    -------
    rows : MatrixRows or TableRows
        The rows as they are: with missing values, if there are any.
    """
    name = STANDARD_INPUT if str(path) == "-" else str(path)
    with (
        terminal.bar(f"reading {name}", quiet=quiet) as move,
        opened(path, move) as stream,
        explained(name, "data"),
    ):
        beginning = stream.peek()
        if beginning.startswith(BOM_UTF8):
            stream.read(len(BOM_UTF8))
            beginning = stream.peek()
        if not beginning.strip():
            raise UnreadableFile(f"{name} is empty; expected rows.")
        if kind is None:
            kind = kind_of(path, beginning)
        return READERS[kind](stream, name, header)


@contextmanager
def opened(path, move):
    """Give a buffered stream of unpacked bytes; how far it was read moves a bar."""
    if str(path) == "-":
        if sys.stdin is None:
            raise UnreadableFile(f"{STANDARD_INPUT} is closed; expected rows.")
        yield unpacked(buffered(sys.stdin.buffer))
        return
    with Path(path).open("rb") as raw:
        n_bytes = Path(path).stat().st_size or None  # of a pipe nobody knows
        yield unpacked(buffered(raw, lambda n_read: move(n_read, n_bytes)))


def unpacked(raw):
    """Return a stream of the bytes in a stream that may be packed."""
    beginning = raw.peek()
    for magic, ending in MAGIC.items():
        if beginning.startswith(magic):
            return expanding(OPENERS[ending](raw, "rb"), lambda: raw.raw.n_read)
    return raw


def kind_of(path, beginning):
    """Return what a file holds by its name or else by how it begins.

    Examples
    --------
    >>> kind_of("cells.csv.gz", b"")
    'csv'
    >>> kind_of("-", b"+1 3:0.5 7:1")
    'libsvm'
    """
    by_name = KINDS.get(name_and_kind(Path(path))[1])
    if by_name is not None:
        return by_name
    for magic, kind in BEGINNINGS.items():
        if beginning.startswith(magic):
            return kind
    lines = (line.strip() for line in beginning.splitlines())
    first = next((line for line in lines if line and not line.startswith(b"#")), b"")
    if len(first) > PEEKED_BYTES // 2:  # it goes on, and was cut anywhere
        first = first.rpartition(b" ")[0]
    if LIBSVM_LINE.fullmatch(first):
        return "libsvm"
    return "tsv" if b"\t" in first else "csv"


def read_csv(stream, name, header):
    """Return the rows of a table whose separator is the commonest in its first line."""
    return read_text(stream, name, None, header)


def read_tsv(stream, name, header):
    """Return the rows of a table with tabs."""
    return read_text(stream, name, "\t", header)


READERS = {
    "libsvm": read_libsvm,
    "csv": read_csv,
    "tsv": read_tsv,
    "parquet": read_parquet,
    "npz": read_npz,
}
