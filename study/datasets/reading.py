"""Files of known data sets: LIBSVM text and raw tables, packed as their names say."""

import zipfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from largemargin.numerics.memory import check_expansion
from largemargin.tables.columns import is_number
from largemargin.tables.libsvm import read_rows
from largemargin.tables.opening import (
    OPENERS,
    UnreadableFile,
    expanding,
    explained,
)
from largemargin.tables.text import read_text

PACKED = ("", ".xz", ".bz2", ".gz")


@dataclass(frozen=True)
class RawTable:
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
        rows = read_text(stream, Path(path).name)
        columns = [column.text.tolist() for column in rows.columns.values()]
        if not rows.has_header:
            found = next(cells[0] for cells in columns if is_number(cells[0]))
            raise ValueError(
                f"its first row has the number {found}; a header row is needed that names "
                "the columns by words"
            )
        if len(columns) < 2:
            raise ValueError("it has one column only; it needs two at least")
    return RawTable(list(rows.columns), [list(row) for row in zip(*columns, strict=True)])
