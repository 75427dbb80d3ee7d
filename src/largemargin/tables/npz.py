"""Arrays in NPZ files, whose headers are read before the arrays are."""

import io
import math
import zipfile

import numpy as np
import scipy.sparse as sp
from numpy.lib import format as npy

from largemargin.numerics.memory import FLOAT_BYTES, check_expansion, check_room
from largemargin.tables.opening import UnreadableFile, read_whole
from largemargin.tables.rows import MatrixRows


def read_npz(stream, name) -> MatrixRows:
    """Return the rows of arrays ``X`` and ``y``, or of a sparse matrix and ``y``."""
    content = io.BytesIO(read_whole(stream))
    if not zipfile.is_zipfile(content):
        raise UnreadableFile(
            f"{name} is not an NPZ archive; expected X and y as numpy.savez writes them."
        )
    check_arrays(content, name)
    content.seek(0)
    with np.load(content, allow_pickle=False) as arrays:
        y = arrays.get("y")
        if "X" in arrays:
            X = arrays["X"]
        elif {"data", "shape", "format"} <= set(arrays.files):
            check_sparse_shape(arrays["shape"], y, name)
            X = sp.csr_matrix(sp.load_npz(io.BytesIO(content.getvalue())))
        else:
            raise UnreadableFile(
                f"{name} holds the arrays {', '.join(arrays.files)}; expected X, or those "
                "of scipy.sparse.save_npz, and y."
            )
    if X.ndim != 2 or X.dtype.kind not in "biuf":
        raise UnreadableFile(
            f"{name}: X must be a matrix of numbers; got shape {X.shape}, {X.dtype}."
        )
    if y is not None and y.dtype.kind == "S":
        y = np.strings.decode(y, "utf-8")
    if y is not None and y.dtype.kind not in "biufU":
        raise UnreadableFile(f"{name}: y must hold numbers or strings; it holds {y.dtype}.")
    if y is not None:
        check_labels(y, X.shape[0], name)
    if X.shape[0] == 0:
        raise UnreadableFile(f"{name} is empty; expected rows in X.")
    return MatrixRows(name, X, y, indexed=False)


def check_labels(y, n_rows, name):
    """Raise UnreadableFile unless each row has a label."""
    if y.shape != (n_rows,):
        raise UnreadableFile(
            f"{name}: y must have a label for each of the {n_rows} rows of X; got "
            f"shape {y.shape}."
        )


def check_arrays(content, name):
    """Raise if the arrays of an archive take too much memory."""
    n_packed = content.getbuffer().nbytes
    with zipfile.ZipFile(content) as archive:
        members = archive.infolist()
        n_unpacked = sum(member.file_size for member in members)
        check_expansion(n_packed, n_unpacked)
        check_room(n_packed + n_unpacked, "The file with its arrays", "Split it")
        for member in members:
            with archive.open(member) as stream:
                check_header(stream, member, name)


def check_header(stream, member, name):
    """Raise UnreadableFile if an array is declared larger than the file that holds it."""
    if not stream.peek(len(npy.MAGIC_PREFIX)).startswith(npy.MAGIC_PREFIX):
        return  # no array
    # Later versions differ from the second only in how they spell names.
    is_first = npy.read_magic(stream) == (1, 0)
    read = npy.read_array_header_1_0 if is_first else npy.read_array_header_2_0
    shape, _, dtype = read(stream)
    n_declared = math.prod(shape) * dtype.itemsize
    n_held = member.file_size - stream.tell()
    if n_declared > n_held and not dtype.hasobject:
        raise UnreadableFile(
            f"{name}: the header of {member.filename} declares shape {shape}, {dtype}, "
            f"which takes {n_declared} bytes; {n_held} follow. Write the file again."
        )


def check_sparse_shape(shape, y, name):
    """Raise if a sparse matrix is declared to have more rows than fit."""
    if shape.shape != (2,) or shape.dtype.kind not in "iu" or (shape < 0).any():
        raise UnreadableFile(
            f"{name}: shape must hold two whole numbers; it holds {shape!r}."
        )
    n_rows = int(shape[0])
    if y is not None:
        check_labels(y, n_rows, name)
    check_room(
        FLOAT_BYTES * n_rows, f"A sparse matrix of {n_rows:,} rows", "Use fewer rows"
    )
