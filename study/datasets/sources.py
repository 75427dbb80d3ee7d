"""Sources of data sets: how to download each of them, and how to read the files."""

import csv
import zlib
from dataclasses import dataclass
from functools import partial
from http.client import HTTPException
from typing import ClassVar

import numpy as np
import scipy.sparse as sp

from largemargin.tables.load import signs
from largemargin.tables.opening import UnreadableFile, explained
from study.datasets.download import (
    MAX_BYTES,
    DownloadError,
    download,
    origin_of,
    placed,
    verify,
)
from study.datasets.encodings import encode, rows_of_two_classes
from study.datasets.reading import PACKED, RawTable, read_libsvm, read_table
from study.datasets.recipes import RECIPES

# The longest rows that were measured, those of isolet, take 6.4 kB as text.
SPARE_BYTES, BYTES_PER_ROW = 1 << 20, 16 << 10
LIBSVM_COLLECTION = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary"


def kept_file(directory, name):
    """Return the path of a file, packed or not, or None; a downloaded one is verified."""
    for ending in PACKED:
        path = directory / f"{name}{ending}"
        if path.is_file():
            verify(path)
            return path
    return None


def check_size(form, X, y, file):
    """Raise UnreadableFile unless rows are as many and as wide as they should be."""
    n_positive = int((y > 0).sum())
    found = (*X.shape, n_positive)
    expected = form.rows, form.features, form.positives
    if found[:2] != expected[:2] or form.positives not in (None, n_positive):
        raise UnreadableFile(
            f"{file} is not the data set {form.file}: its (rows, features, positives) are "
            f"{found}; expected {expected}. It may be cut off or another version; "
            "largemargin.tables.load_file reads it as it is."
        )


@dataclass(frozen=True)
class Packaged:
    """Rows that scikit-learn ships with itself.

    Parameters
    ----------
    loader : str
        The function of ``sklearn.datasets`` that returns them.

    positive : int
        The target that becomes +1.
    """

    loader: str
    positive: int
    online: ClassVar[bool] = False

    @property
    def address(self):
        """Where the rows come from."""
        return f"scikit-learn's {self.loader}"

    def read(self, entry, directory):
        """Return None: the package is no file of a data directory."""
        return None

    def file_of(self, entry):
        """Return the name of the file that a data directory may hold instead."""
        return f"{entry.name}.libsvm"

    def fetch(self, entry, cache, on_progress):
        """Return the rows, signs and origin."""
        import sklearn.datasets

        X, target = getattr(sklearn.datasets, self.loader)(return_X_y=True)
        y = signs(target, self.address, self.positive)
        check_size(entry.whole, X, y, self.address)
        return X, y, self.address


@dataclass(frozen=True)
class RemoteFile:
    """A LIBSVM file on the web.

    Parameters
    ----------
    url : str
        Its address.

    rows : int
        How many rows it holds.

    sha256 : str, default=None
        Its digest, where one is published.

    member : str, default=None
        The file inside a zip archive.
    """

    url: str
    rows: int
    sha256: str | None = None
    member: str | None = None

    @property
    def name(self):
        """The name it is kept under."""
        return self.url.rsplit("/", 1)[-1]

    @property
    def max_bytes(self):
        """How long it may be: longer than its rows can be expected to be, packed or not."""
        return min(SPARE_BYTES + self.rows * BYTES_PER_ROW, MAX_BYTES)


@dataclass(frozen=True)
class LibsvmFiles:
    """LIBSVM files on the web that together are one data set.

    Parameters
    ----------
    files : tuple of RemoteFile
        The files.

    positive : float, default=None
        The label that becomes +1; by default the larger one.
    """

    files: tuple
    positive: float | None = None
    online: ClassVar[bool] = True

    @property
    def address(self):
        """Where the rows come from."""
        return " and ".join(file.url for file in self.files)

    def file_of(self, entry):
        """Return the names of the files in a data directory."""
        return " and ".join(file.name for file in self.files)

    def read(self, entry, directory):
        """Return the rows, signs and origin if a directory holds all the files."""
        if not all((directory / file.name).is_file() for file in self.files):
            return None
        parts = [self.kept(entry, directory, file) for file in self.files]
        return self.joined(entry, parts, directory)

    def kept(self, entry, directory, file):
        """Return the rows and labels of a file in a directory."""
        verify(directory / file.name)
        return self.parsed(entry, file, directory / file.name)

    def parsed(self, entry, file, path):
        """Return the rows and labels of a copy of a file; raise if it is another one."""
        X, labels = read_libsvm(path, entry.features, file.member)
        if X.shape[0] != file.rows:
            raise UnreadableFile(
                f"{path.name} has {X.shape[0]} rows; expected {file.rows}."
            )
        signs(labels, path.name)
        return X, labels

    def fetch(self, entry, cache, on_progress):
        """Download what the cache lacks; return the rows, signs and origin."""
        parts = [self.part(entry, cache, file, on_progress) for file in self.files]
        return self.joined(entry, parts, cache)

    def part(self, entry, cache, file, on_progress):
        """Return the rows and labels of one file, downloaded if necessary."""
        if (cache / file.name).is_file():
            return self.kept(entry, cache, file)
        return download(
            file.url,
            cache / file.name,
            check=partial(self.parsed, entry, file),
            sha256=file.sha256,
            max_bytes=file.max_bytes,
            on_progress=on_progress,
        )

    def joined(self, entry, parts, directory):
        """Return the rows of all files, their signs, and their origin."""
        rows, labels = zip(*parts, strict=True)
        X = rows[0] if len(rows) == 1 else sp.vstack(rows, format="csr")
        y = signs(np.concatenate(labels), self.file_of(entry), self.positive)
        check_size(entry.whole, X, y, self.file_of(entry))
        return X, y, " and ".join(origin_of(directory / file.name) for file in self.files)


def libsvm_collection(rows_of_files, positive=None):
    """Return files of the LIBSVM collection, given their names and numbers of rows."""
    files = (
        RemoteFile(f"{LIBSVM_COLLECTION}/{name}", rows)
        for name, rows in rows_of_files.items()
    )
    return LibsvmFiles(tuple(files), positive)


@dataclass(frozen=True)
class OpenML:
    """A table of OpenML, whose md5 scikit-learn verifies.

    Parameters
    ----------
    data_id : int
        Its number there.

    table : str, default=None
        The name of the file it is kept as; by default that of the data set.

    target : str, default="default-target"
        The column that is the label.

    labels : tuple of (str, str), default=()
        Pairs of a label on OpenML and the label of the recipe.
    """

    data_id: int
    table: str | None = None
    target: str = "default-target"
    labels: tuple = ()
    online: ClassVar[bool] = True

    @property
    def address(self):
        """Where the rows come from."""
        return f"https://www.openml.org/d/{self.data_id}"

    def file_of(self, entry):
        """Return the name of the table in a data directory."""
        return f"{self.table or entry.name}.csv"

    def read(self, entry, directory):
        """Return the rows, signs and origin if a directory holds the table."""
        path = kept_file(directory, self.file_of(entry))
        if path is None:
            return None
        return *self.encoded(entry, read_table(path), path.name), origin_of(path)

    def encoded(self, entry, table, file):
        """Return the rows of a raw table and their signs."""
        with explained(file, f"the table of {entry.name}"):
            X, y = encode(table, RECIPES[entry.name])
        check_size(entry.whole, X, y, file)
        return X, y

    def fetch(self, entry, cache, on_progress):
        """Keep OpenML's table in the cache; return the rows, signs and origin."""
        path = cache / self.file_of(entry)
        try:
            table = self.download(RECIPES[entry.name])
            X, y = self.encoded(entry, table, path.name)
            with placed(path, self.address) as temporary:
                write_table(temporary, table)
        except (
            OSError,
            HTTPException,
            EOFError,
            zlib.error,
            ValueError,
            ImportError,
        ) as error:
            raise DownloadError(f"{self.address} failed: {error}") from error
        return X, y, origin_of(path)

    def download(self, recipe):
        """Return the table with the columns and labels of the recipe."""
        from sklearn.datasets import fetch_openml

        fetched = fetch_openml(
            data_id=self.data_id,
            target_column=self.target,
            as_frame=True,
            cache=False,
            parser="liac-arff",
        )
        # Names and numbers of the rows, where there are any, lead the columns.
        features = fetched.data.iloc[:, -recipe.columns :]
        renamed = dict(self.labels)
        labels = [renamed.get(label, label) for label in map(cell_text, fetched.target)]
        rows = [
            [*map(cell_text, row), label]
            for row, label in zip(features.itertuples(index=False), labels, strict=True)
        ]
        names = [*map(str, features.columns), "class"]
        return RawTable(names, rows_of_two_classes(RawTable(names, rows), recipe))


def cell_text(value):
    """Return a value of a data frame as the text that it had in the source."""
    if value is None or value != value:
        return ""
    return f"{value:.17g}" if isinstance(value, float) else str(value).strip(" '\"")


def write_table(path, table):
    """Write a table as comma-separated text."""
    with open(path, "w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([table.names, *table.rows])
