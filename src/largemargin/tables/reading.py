"""Files into rows: LIBSVM text and comma-separated tables, packed or not."""

import bz2
import gzip
import io
import lzma
import zipfile
import zlib
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from largemargin.numerics.memory import (
    BadLimit,
    TooLarge,
    check_dense,
    check_expansion,
    check_room,
)
from largemargin.tables.libsvm_text import read_rows
from largemargin.tables.table_text import (
    PEEKED_BYTES,
    UnreadableFile,
    is_number,
    read_text_table,
)

OPENERS = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
PACKED = ("", ".xz", ".bz2", ".gz")
MAX_DENSE_FEATURES = 100
MIN_DENSITY = 0.3
CHUNK_BYTES = 1 << 24


@dataclass(frozen=True)
class Table:
    """A table of text as a source gives it.

    Parameters
    ----------
    names : list of str
        Names of the columns; the label is the last one.

    rows : list of list of str
        The cells, "" where a value is missing.
    """

    names: list
    rows: list

    @property
    def labels(self):
        """The label of each row."""
        return [row[-1] for row in self.rows]

    def column(self, number):
        """Return the cells of one column."""
        return [row[number] for row in self.rows]


@contextmanager
def explained(name, kind):
    """Turn what a broken file raises into one error that names the file."""
    try:
        yield
    except (UnreadableFile, BadLimit):
        raise
    except TooLarge as error:
        raise TooLarge(f"{name}: {error}") from error
    except (
        EOFError,
        OverflowError,
        ValueError,
        lzma.LZMAError,
        zipfile.BadZipFile,
        zlib.error,
        OSError,
    ) as error:
        # A missing or forbidden file has an errno, the packers' complaints have none.
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise UnreadableFile(
            f"{name} cannot be read as {kind}: {str(error).rstrip('.')}. "
            "Correct the file or get it again."
        ) from error


@contextmanager
def open_bytes(path, member=None):
    """Give a stream of the unpacked bytes of a file, or of a member of a zip archive."""
    path = Path(path)
    with path.open("rb") as raw:
        if member is not None:
            with zipfile.ZipFile(raw) as archive:
                # More than is declared here is never read.
                declared = member_of(archive, member, path.name).file_size
                check_expansion(path.stat().st_size, declared)
                with archive.open(member) as stream:
                    yield stream
        elif path.suffix.lower() in OPENERS:
            with OPENERS[path.suffix.lower()](raw, "rb") as stream:
                yield expanding(stream, raw.tell)
        else:
            yield raw


def member_of(archive, member, name):
    """Return what a zip archive of this name says about a member, which it must have."""
    if member not in archive.namelist():
        raise UnreadableFile(f"{name} has no member {member!r}, only {archive.namelist()}.")
    return archive.getinfo(member)


def expanding(stream, count_packed):
    """Return a stream of unpacked bytes that raises if they become far too many.

    Parameters
    ----------
    stream : binary file
        The unpacked bytes.

    count_packed : callable
        Returns how many packed bytes were read so far.
    """
    return buffered(stream, lambda n_read: check_expansion(count_packed(), n_read))


def buffered(stream, on_read=lambda n_read: None):
    """Return a stream to look into before it is read; it tells how far it was read."""
    return io.BufferedReader(FullReads(stream, on_read), PEEKED_BYTES)


def read_whole(stream):
    """Return all bytes of a stream, if there is room for them."""
    chunks, n_bytes = [], 0
    while chunk := stream.read(CHUNK_BYTES):
        n_bytes += len(chunk)
        # Twice when they are joined.
        check_room(2 * n_bytes, "The file", "Split it")
        chunks.append(chunk)
    return b"".join(chunks)


class FullReads(io.RawIOBase):
    """A stream that gives all that is asked for until its end, as pipes do not."""

    def __init__(self, stream, on_read):
        self.stream = stream
        self.on_read = on_read
        self.n_read = 0

    def readable(self):
        """Return True."""
        return True

    def readinto(self, buffer):
        """Fill the buffer."""
        chunk = self.stream.read(len(buffer))
        buffer[: len(chunk)] = chunk
        self.n_read += len(chunk)
        self.on_read(self.n_read)
        return len(chunk)


def read_libsvm(path, n_features=None, member=None):
    """Return the sparse rows and the labels of LIBSVM text as they are.

    Parameters
    ----------
    path : path-like
        A file, packed if its name ends in .gz, .bz2 or .xz.

    n_features : int, default=None
        The number of columns; by default the largest index that occurs.

    member : str, default=None
        The file inside a zip archive.

    Returns
    -------
    X : csr matrix of shape (n_samples, n_features)
        The rows.

    labels : ndarray of shape (n_samples,)
        The labels, whatever numbers they are.
    """
    with explained(Path(path).name, "LIBSVM rows"), open_bytes(path, member) as stream:
        return read_rows(stream, n_features)


def read_table(path):
    """Return a table of text with a header row."""
    with explained(Path(path).name, "a table"), open_bytes(path) as stream:
        text = read_text_table(stream, Path(path).name)
        if not text.has_header:
            found = next(column[0] for column in text.columns if is_number(column[0]))
            raise ValueError(
                f"its first row has the number {found}; a header row is needed that names "
                "the columns by words"
            )
        if len(text.names) < 2:
            raise ValueError("it has one column only; it needs two at least")
    return Table(text.names, [list(row) for row in zip(*text.columns, strict=True)])


def signs(labels, positive=None):
    """Return -1.0 or 1.0 for labels of two values.

    Parameters
    ----------
    labels : sequence
        The labels.

    positive : object, default=None
        The label that becomes +1; by default the larger one.
    """
    found = np.unique(labels)
    if found.dtype.kind == "f" and not np.isfinite(found).all():
        raise ValueError(f"Labels must be finite; found {found[~np.isfinite(found)][0]}.")
    if len(found) != 2:
        some = ", ".join(str(label) for label in found[:10])
        raise ValueError(
            f"Two different labels are needed; found {len(found)}: {some or 'no rows'}"
            f"{', ...' if len(found) > 10 else ''}."
        )
    return np.where(
        np.asarray(labels) == (found[1] if positive is None else positive), 1.0, -1.0
    )


def file_signs(labels, path):
    """Return the signs of labels; if they are not two, the error names the file."""
    try:
        return signs(labels)
    except ValueError as error:
        raise UnreadableFile(f"{path.name}: {error}") from error


def is_dense(n_features, density):
    """Return whether rows of this kind are better kept dense."""
    return n_features <= MAX_DENSE_FEATURES or density > MIN_DENSITY


def dense_rows(X):
    """Return sparse rows as a dense matrix, if there is room for it."""
    check_dense(*X.shape, "The rows")
    return X.toarray()


def suited(X):
    """Return narrow or well filled rows dense, others sparse with 32 bit indices."""
    if not sp.issparse(X):
        return X
    n_samples, n_features = X.shape
    if is_dense(n_features, X.nnz / max(n_samples * n_features, 1)):
        return dense_rows(X)
    if X.nnz > np.iinfo(np.int32).max:
        return X
    parts = X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return sp.csr_matrix(parts, shape=X.shape)
