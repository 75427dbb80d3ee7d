"""Data sets by name: where they are looked for, and in which order."""

import os
from pathlib import Path

from largemargin.tables import Data
from largemargin.tables.load import signs
from largemargin.tables.schemas import suited
from study.datasets.download import DownloadError, ignore, origin_of
from study.datasets.reading import read_libsvm
from study.datasets.registry import info
from study.datasets.sources import check_size, kept_file


class MissingDataset(FileNotFoundError):
    """A data set was found nowhere."""


def load(name, *, data_home=None, download=True, on_progress=ignore):
    """Return a data set of the paper.

    It is searched in the data directory, in the per-user cache, in scikit-learn, and
    then, if allowed, at its public homes; what is downloaded stays in the cache. A file
    whose home publishes no digest is checked by its size and its labels only.

    Parameters
    ----------
    name : str
        One of :func:`names`.

    data_home : path-like, default=None
        The data directory; by default the one in the environment variable
        ``LARGEMARGIN_DATA``, if it is set.

    download : bool, default=True
        Whether the data set may be downloaded.

    on_progress : callable, default=ignore
        Called with the bytes so far and the bytes in all (None if not known) while a
        file is downloaded.

    Returns
    -------
    data : Data
        The rows, the labels and their origin.

    Raises
    ------
    UnknownDataset
        If no data set has this name.

    MissingDataset
        If it was found nowhere.

    UnreadableFile
        If a file with its name is broken or holds something else.

    Examples
    --------
    >>> from study import datasets
    >>> data = datasets.load("wdbc", download=False)
    >>> data.X.shape
    (569, 30)
    """
    entry = info(name)
    directories = search_path(data_home)
    for directory in directories:
        found = whole_set(entry, directory)
        if found is not None:
            return data_of(entry, *found)
    for directory in directories:
        found = stand_in(entry, directory)
        if found is not None:
            return data_of(entry, *found)
    return data_of(entry, *fetched(entry, directories, download, on_progress))


def data_of(entry, X, y, source):
    """Return the rows of an entry in the layout that suits them."""
    return Data(suited(X), y, entry.name, source, entry)


def cache_directory():
    """Return the per-user cache, a part of scikit-learn's; it need not exist yet."""
    # Not sklearn.datasets.get_data_home: it makes the directory, looking must not.
    parent = os.environ.get("SCIKIT_LEARN_DATA", "~/scikit_learn_data")
    return Path(parent).expanduser() / "largemargin"


def search_path(data_home):
    """Return the directories in which data sets are looked for."""
    given, setting = data_home, "data_home"
    if given is None:
        given, setting = os.environ.get("LARGEMARGIN_DATA"), "LARGEMARGIN_DATA"
    if not given:
        return (cache_directory(),)
    directory = Path(given).expanduser()
    if not directory.is_dir():
        raise NotADirectoryError(
            f"{setting} is {os.fspath(given)!r}, which is not a directory. Give the one "
            "that holds the data sets, or none to use the cache and downloads."
        )
    return directory, cache_directory()


def whole_set(entry, directory):
    """Return the rows, signs and origin of a whole set in a directory, or None."""
    found = read_form(entry, entry.whole, directory)
    if found is not None:
        return found
    kept = (source.read(entry, directory) for source in entry.sources)
    return next((found for found in kept if found is not None), None)


def stand_in(entry, directory):
    """Return the rows, signs and origin of a stand-in in a directory, or None."""
    forms = (read_form(entry, form, directory) for form in entry.stand_ins)
    return next((found for found in forms if found is not None), None)


def read_form(entry, form, directory):
    """Return the rows, signs and origin of a form in a directory, or None.

    A file may hold the whole set or a part of it; the number of rows decides.
    """
    path = kept_file(directory, f"{form.file}.libsvm")
    if path is None:
        return None
    X, labels = read_libsvm(path, form.features)
    forms = [other for other in (entry.whole, *entry.stand_ins) if other.file == form.file]
    if X.shape[0] != form.rows and X.shape[0] in [other.rows for other in forms]:
        return None
    y = signs(labels, path.name)
    check_size(form, X, y, path.name)
    told = f", a stand-in for {entry.name}: {form.difference}" if form.difference else ""
    return X, y, origin_of(path) + told


def fetched(entry, directories, download, on_progress):
    """Return the rows, signs and origin from the first source that gives them."""
    failures = []
    for source in entry.sources:
        if source.online and not download:
            continue
        try:
            return source.fetch(entry, cache_directory(), on_progress)
        except DownloadError as error:
            failures.append(error)
    reason = "\n".join(str(failure) for failure in failures) or "download=False was given."
    homes = " or ".join(f"{s.file_of(entry)} from {s.address}" for s in entry.sources)
    raise MissingDataset(
        f"The data set {entry.name} is in none of the directories "
        f"{', '.join(str(directory) for directory in directories)}, and not downloaded: "
        f"{reason}\nLoad it again with download=True and a connection, or put {homes} or "
        f"{entry.name}.libsvm into one of these directories."
    ) from (failures[0] if failures else None)
