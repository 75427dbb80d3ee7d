"""Where commands write: files, checked before the work, and standard output."""

import errno
import os
import stat
import sys
from contextlib import contextmanager, nullcontext, redirect_stdout
from pathlib import Path

import click

from largemargin.production.files import replaced


def check_writable(path, *, inputs=(), may_be_shown=False):
    """Raise, before any work is done, if a file cannot be written or is an input.

    With ``may_be_shown``, it may also be "-", a device or a pipe.
    """
    if is_shown(path):
        if not may_be_shown:
            raise click.UsageError(
                "Expected the name of a file; '-', standard output, is not possible here."
            )
        standard_output()
        return
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "Is a directory", str(path))
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "Its directory does not exist", str(path))
    if is_special(path) and not may_be_shown:
        raise OSError(errno.EINVAL, "Expected a file, not a device or a pipe", str(path))
    for read in inputs:
        if path.exists() and os.path.exists(read) and path.samefile(read):
            raise click.UsageError(f"{path} is an input file; name another for the output.")
    if not os.access(path.parent, os.W_OK):
        raise PermissionError(errno.EACCES, "Its directory cannot be written to", str(path))


def is_shown(path):
    """Return whether a path means standard output."""
    return str(path) == "-"


def standard_output():
    """Return standard output as a binary stream; raise OSError if it is closed."""
    if sys.stdout is None:
        raise OSError("Standard output is closed; open it, or name a file.")
    return sys.stdout.buffer


def beside(path):
    """Return a context that prints to standard error if standard output has the result."""
    return redirect_stdout(sys.stderr) if is_shown(path) else nullcontext()


def is_special(path):
    """Return whether a path is a device or a pipe, which must not be replaced."""
    return path.exists() and not stat.S_ISREG(path.stat().st_mode)


@contextmanager
def naming(path):
    """Make every OSError in the block name this file, not the temporary one beside it."""
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
    """Give a binary stream to a file, which is replaced only if the block succeeds."""
    if is_shown(path):
        stream = standard_output()
        yield stream
        stream.flush()
        return
    path = Path(path)
    with naming(path), path.open("wb") if is_special(path) else replaced(path) as stream:
        yield stream
