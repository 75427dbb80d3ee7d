"""Files into rows; the name or the first bytes of a file say what it holds."""

import re
from codecs import BOM_UTF8
from collections.abc import Callable
from contextlib import nullcontext

from largemargin.tables.libsvm import read_libsvm
from largemargin.tables.npz import read_npz
from largemargin.tables.opening import (
    PEEKED_BYTES,
    STANDARD_INPUT,
    UnreadableFile,
    explained,
    name_and_ending,
    opened,
)
from largemargin.tables.parquet import read_parquet
from largemargin.tables.rows import MatrixRows, TableRows
from largemargin.tables.text import read_text

READERS: dict[str, Callable] = {
    "libsvm": read_libsvm,
    "parquet": read_parquet,
    "npz": read_npz,
}
# None: the commonest separator in the first line.
SEPARATORS_OF = {"csv": None, "tsv": "\t"}
KINDS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".libsvm": "libsvm",
    ".svm": "libsvm",
    ".svmlight": "libsvm",
    ".txt": None,  # it may hold anything
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".npz": "npz",
}
BEGINNINGS = {b"PAR1": "parquet", b"PK\x03\x04": "npz"}
LIBSVM_LINE = re.compile(rb"[-+]?[\d.]+([eE][-+]?\d+)?(\s+(qid|\d+):\S+)*\s*(#.*)?")


def silent(title):
    """Return a context of progress that shows nothing."""
    return nullcontext(lambda done, total: None)


def read(path, *, kind=None, header=None, progress=silent) -> MatrixRows | TableRows:
    """Return the rows of a file as they are, with missing values if there are any.

    Parameters
    ----------
    path : path-like
        The file; "-" is standard input. Packed files are unpacked on the way.

    kind : {"libsvm", "csv", "tsv", "parquet", "npz"}, default=None
        What the file holds; by default what its name or else its first bytes say.

    header : bool, default=None
        Whether the first line of a table has the names of the columns; by default what
        it looks like.

    progress : callable, default=silent
        Takes a title; returns a context that gives a callable, which is called with the
        bytes read so far and the bytes in all (None if not known).
    """
    name = STANDARD_INPUT if str(path) == "-" else str(path)
    with (
        progress(f"reading {name}") as move,
        opened(path, move) as stream,
        explained(name, "data"),
    ):
        beginning = stream.peek()
        if beginning.startswith(BOM_UTF8):
            stream.read(len(BOM_UTF8))
            beginning = stream.peek()
        if not beginning.strip() and len(beginning) < PEEKED_BYTES - len(BOM_UTF8):
            raise UnreadableFile(f"{name} is empty; expected rows.")
        kind = kind or kind_of(path, beginning)
        if kind in SEPARATORS_OF:
            return read_text(stream, name, separator=SEPARATORS_OF[kind], header=header)
        return READERS[kind](stream, name)


def kind_of(path, beginning) -> str:
    """Return what a file holds, by its name or else by its first bytes.

    Examples
    --------
    >>> kind_of("cells.csv.gz", b"")
    'csv'
    >>> kind_of("-", b"+1 3:0.5 7:1")
    'libsvm'
    """
    by_name = KINDS.get(name_and_ending(path)[1])
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
