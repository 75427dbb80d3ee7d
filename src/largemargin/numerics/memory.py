"""How much memory may be asked for: one limit, checked before anything is allocated."""

import os
import sys
from pathlib import Path

SETTING = "LARGEMARGIN_MAX_BYTES"
# Without the setting, this part of the memory of the machine.
PART = 0.5
# A packed file expands to at most the first, or to the second times its length.
MAX_ROOM, MAX_EXPANSION = 1 << 30, 100
# Long vectors of floats that a linear solver holds at once, and a kernel on sparse rows.
VECTORS_OF_SOLVER, VECTORS_OF_KERNEL = 15, 2
FLOAT_BYTES = 8
CONTAINER_LIMITS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)


class TooLarge(ValueError, MemoryError):
    """What was given would take more memory than is allowed."""


class BadLimit(ValueError):
    """The setting of the limit is not a number of bytes."""


def physical_memory():
    """Return how many bytes of memory this process may use, as far as it is known."""
    return min(machine_memory(), container_memory())


def machine_memory():
    """Return how many bytes of memory this machine has, as far as it says."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return sys.maxsize


def container_memory():
    """Return how many bytes of memory a container of Linux has, as far as it says."""
    for path in CONTAINER_LIMITS:
        try:
            return int(path.read_text())
        except (OSError, ValueError):  # there is none, or it is "max"
            continue
    return sys.maxsize


def max_bytes():
    """Return how many bytes one file or one fit may ask for."""
    given = os.environ.get(SETTING)
    if not given:
        return int(PART * physical_memory())
    if not (given.isascii() and given.isdecimal() and int(given) > 0):
        raise BadLimit(
            f"{SETTING} must be a whole number of bytes above 0, such as 8000000000; got "
            f"{given!r}."
        )
    return int(given)


def check_room(n_bytes, what, way_out):
    """Raise TooLarge if more bytes are asked for than are allowed.

    Parameters
    ----------
    n_bytes : int
        How many are needed, at least.

    what : str
        What needs them; begins the sentence.

    way_out : str
        What to do about it, without a full stop.
    """
    limit = max_bytes()
    if n_bytes > limit:
        raise TooLarge(
            f"{what} takes at least {size(n_bytes)} of memory; expected at most "
            f"{size(limit)}. {way_out}, or set {SETTING} to a larger number of bytes."
        )


def size(n_bytes):
    """Return a number of bytes for people.

    Examples
    --------
    >>> size(8_700_000_000), size(65_536), size(10)
    ('8.7 GB', '65.5 kB', '10 bytes')
    """
    for unit, name in (10**9, "GB"), (10**6, "MB"), (10**3, "kB"):
        if n_bytes >= unit:
            return f"{n_bytes / unit:,.1f}".removesuffix(".0") + f" {name}"
    return f"{n_bytes} bytes"


def check_width(n_features, what="X", n_vectors=VECTORS_OF_SOLVER):
    """Raise TooLarge if vectors with one number per feature do not fit.

    Parameters
    ----------
    n_features : int
        The length of a vector.

    what : str, default="X"
        What has so many features; begins the sentence.

    n_vectors : int, default=15
        How many of them there are at once.
    """
    check_room(
        FLOAT_BYTES * n_vectors * n_features,
        f"{what} has {n_features:,} features, and a fit with this many",
        "Number the features without gaps, or leave out those that are rare",
    )


def fits_dense(n_rows, n_columns):
    """Return whether there is room for a dense matrix of this shape."""
    return FLOAT_BYTES * n_rows * n_columns <= max_bytes()


def check_dense(n_rows, n_columns, what):
    """Raise TooLarge if a dense matrix of this shape does not fit.

    Parameters
    ----------
    n_rows, n_columns : int
        The shape.

    what : str
        What is made dense; begins the sentence.
    """
    check_room(
        FLOAT_BYTES * n_rows * n_columns,
        f"{what} as a dense matrix of shape ({n_rows}, {n_columns})",
        "Use fewer rows or columns",
    )


def check_expansion(n_packed, n_unpacked):
    """Raise TooLarge if packed bytes expand to far more than their number suggests.

    Parameters
    ----------
    n_packed, n_unpacked : int
        How many bytes there are before and after they are unpacked.
    """
    limit = max(min(MAX_ROOM, max_bytes()), MAX_EXPANSION * n_packed)
    if n_unpacked > limit:
        raise TooLarge(
            f"{size(n_packed)} of packed data expand to {size(n_unpacked)} or more; "
            f"expected at most {size(limit)}. Unpack the file first if it is "
            "what it should be."
        )
