"""Data files: reading, scaling, and a cache of what takes long to read."""

import csv
import os
import tempfile
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import MaxAbsScaler, minmax_scale, normalize

SEED = 0
# To be raised when the same file would be prepared in another way.
CACHE_VERSION = 1
# Rows of few features, and well filled ones, are dense.
MAX_DENSE_FEATURES, MIN_DENSITY = 100, 0.3


def is_dense(n_features, density):
    """Return whether rows of this kind are better kept dense."""
    return n_features <= MAX_DENSE_FEATURES or density > MIN_DENSITY


def read_index(directory):
    """Return the entries of ``index.tsv`` by name."""
    with open(directory / "index.tsv", newline="") as stream:
        return {entry["name"]: entry for entry in csv.DictReader(stream, delimiter="\t")}


def data_file(directory, name):
    """Return where the rows of a data set are kept."""
    return directory / f"{name}.libsvm.xz"


def read_rows(directory, name):
    """Return the sparse rows and the labels of a file, unchanged."""
    # Other versions of the library, which may have no such modules, read from the cache.
    from largemargin.tables import libsvm
    from largemargin.tables.opening import opened

    n_features = int(read_index(directory)[name]["features"])
    with opened(data_file(directory, name)) as stream:
        return libsvm.read_rows(stream, n_features)


def scaled(X, *, text):
    """Return numbers in [0, 1], text as rows of unit length.

    Narrow or well filled rows become dense, others stay sparse.
    """
    if sp.issparse(X) and is_dense(X.shape[1], X.nnz / np.prod(X.shape)):
        X = X.toarray()
    if text:
        return normalize(X)
    return MaxAbsScaler().fit_transform(X) if sp.issparse(X) else minmax_scale(X)


def prepared(X, y, *, text):
    """Return the rows scaled and shuffled, the labels as signs."""
    X, y = shuffled(X, y, text=text)
    return X, np.where(y > 0, 1.0, -1.0)


def shuffled(X, labels, *, text=False):
    """Return the rows scaled and shuffled with their labels."""
    order = np.random.default_rng(SEED).permutation(X.shape[0])
    return scaled(X, text=text)[order], labels[order]


def read_prepared(directory, name, *, text):
    """Return the prepared rows of a file, from the cache if it is there."""
    status = data_file(directory, name).stat()
    key = f"{name}-v{CACHE_VERSION}-{status.st_size}-{status.st_mtime_ns}.npz"
    cached = cache_directory() / key
    if cached.exists():
        return unpack(cached)
    X, y = prepared(*read_rows(directory, name), text=text)
    temporary = cached.with_name(f"{os.getpid()}-{key}")
    parts = ("data", "indices", "indptr") if sp.issparse(X) else ()
    arrays = {part: getattr(X, part) for part in parts} or {"dense": X}
    np.savez(temporary, y=y, shape=X.shape, **arrays)
    temporary.replace(cached)
    return X, y


def unpack(path):
    """Return the rows and signs of a file of the cache."""
    with np.load(path) as arrays:
        if "dense" in arrays:
            return arrays["dense"], arrays["y"]
        parts = arrays["data"], arrays["indices"], arrays["indptr"]
        return sp.csr_matrix(parts, shape=tuple(arrays["shape"])), arrays["y"]


def cache_directory():
    """Return this user's own directory for prepared rows."""
    path = Path(tempfile.gettempdir()) / f"largemargin-benchmarks-{os.getuid()}"
    path.mkdir(mode=0o700, exist_ok=True)
    if path.stat().st_uid != os.getuid():
        raise PermissionError(f"{path} belongs to another user; set TMPDIR to use another.")
    return path
