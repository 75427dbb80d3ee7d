"""The limit of memory per file or fit, checked before anything is allocated."""

import os
import sys
from pathlib import Path

SETTING = "LARGEMARGIN_MAX_BYTES"
# The limit without the setting, as a fraction of the memory of the computer.
PART = 0.5
# A packed file may expand to the first, in bytes, or to the second times its length.
MAX_ROOM, MAX_EXPANSION = 1 << 30, 100
# Vectors with one float per feature that exist at once: in a linear solver, and in a kernel
# on sparse rows.
VECTORS_OF_SOLVER, VECTORS_OF_KERNEL = 15, 2
FLOAT_BYTES = 8
# Every computer has room for this; to ask for its memory would take longer.
SMALL = 1 << 20
CONTAINER_LIMITS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)


class TooLarge(ValueError, MemoryError):
    """Raised where input would take more memory than is allowed."""


class BadLimit(ValueError):
    """Raised where the limit is not set to a number of bytes."""


def physical_memory() -> int:
    """Return how many bytes of memory this process can use; the largest int if unknown."""
    try:
        n_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        n_bytes = sys.maxsize
    return min(n_bytes, container_memory())


def container_memory() -> int:
    """Return how many bytes of memory a Linux container allows."""
    for path in CONTAINER_LIMITS:
        try:
            return int(path.read_text())
        except (OSError, ValueError):  # there is no file, or it says "max"
            continue
    return sys.maxsize


def max_bytes() -> int:
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


def size(n_bytes: int) -> str:
    """Return a number of bytes for people to read.

    Examples
    --------
    >>> size(8_700_000_000), size(65_536), size(10)
    ('8.7 GB', '65.5 kB', '10 bytes')
    """
    for unit, name in (10**9, "GB"), (10**6, "MB"), (10**3, "kB"):
        if n_bytes >= unit:
            return f"{n_bytes / unit:,.1f}".removesuffix(".0") + f" {name}"
    return f"{n_bytes} bytes"


def check_room(n_bytes: int, what: str, way_out: str) -> None:
    """Raise TooLarge if ``n_bytes`` is above the limit.

    The message begins with ``what``, which needs the memory; ``way_out``, without a full
    stop, says what to do about it.
    """
    if n_bytes <= SMALL and SETTING not in os.environ:
        return
    limit = max_bytes()
    if n_bytes > limit:
        raise TooLarge(
            f"{what} takes at least {size(n_bytes)} of memory; expected at most "
            f"{size(limit)}. {way_out}, or set {SETTING} to a larger number of bytes."
        )


def check_width(n_features: int, what="X", n_vectors=VECTORS_OF_SOLVER) -> None:
    """Raise TooLarge if vectors with one number per feature do not fit into memory."""
    check_room(
        FLOAT_BYTES * n_vectors * n_features,
        f"{what} has {n_features:,} features, and a fit with this many",
        "Number the features without gaps, or leave out those that are rare",
    )


def fits_dense(n_rows: int, n_columns: int) -> bool:
    """Return whether there is room for a dense matrix of this shape."""
    return FLOAT_BYTES * n_rows * n_columns <= max_bytes()


def check_dense(n_rows: int, n_columns: int, what: str) -> None:
    """Raise TooLarge if ``what`` does not fit into memory as a dense matrix."""
    check_room(
        FLOAT_BYTES * n_rows * n_columns,
        f"{what} as a dense matrix of shape ({n_rows}, {n_columns})",
        "Use fewer rows or columns",
    )


def check_expansion(n_packed: int, n_unpacked: int) -> None:
    """Raise TooLarge if packed bytes expand to far more than their number suggests."""
    limit = max(min(MAX_ROOM, max_bytes()), MAX_EXPANSION * n_packed)
    if n_unpacked > limit:
        raise TooLarge(
            f"{size(n_packed)} of packed data expand to {size(n_unpacked)} or more; "
            f"expected at most {size(limit)}. Unpack the file first if you "
            "trust it."
        )
