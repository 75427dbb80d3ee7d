"""Files that are written whole or not at all."""

import errno
import os
import stat
import sys
from contextlib import contextmanager
from pathlib import Path

from largemargin.files import replaced


def check_writable(path):
    """Raise OSError, before any work is done, if a file could not be written.

    Parameters
    ----------
    path : path-like
        Where a file shall be written to.
    """
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "Is a directory", str(path))
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "Its directory does not exist", str(path))
    if is_special(path):
        raise OSError(errno.EINVAL, "Expected a file, not a device or a pipe", str(path))
    if not os.access(path.parent, os.W_OK):
        raise PermissionError(errno.EACCES, "Its directory cannot be written to", str(path))


def is_special(path):
    """Return whether a path is a device or a pipe, which nothing may replace."""
    return path.exists() and not stat.S_ISREG(path.stat().st_mode)


@contextmanager
def naming(path):
    """Let every complaint about a file name it, not its temporary stand-in."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.errno is None:
            raise
        raise type(error)(error.errno, error.strerror, str(path)) from error


@contextmanager
def written(path):
    """Give a binary stream to a file that is there only if the block ends well.

    Parameters
    ----------
    path : path-like
        The file; "-" is standard output.
    """
    if str(path) == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    path = Path(path)
    with naming(path), path.open("wb") if is_special(path) else replaced(path) as stream:
        yield stream
