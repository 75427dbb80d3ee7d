"""Files that are written whole or not at all, and what killed writers leave behind.

A writer locks its temporary file, and the system unlocks it when the process ends in
whatever way. So a locked file belongs to a running writer; others may be removed.
"""

import hashlib
import os
import platform
import re
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import BinaryIO

try:
    import fcntl
except ImportError:  # Windows has no such locks; nothing is removed there.
    fcntl = None  # type: ignore[assignment]


@contextmanager
def replaced(path: str | os.PathLike) -> Iterator[BinaryIO]:
    """Give a stream whose contents replace a file when the block ends without an error.

    An existing file keeps its permissions, and a link keeps pointing to it.
    """
    path = Path(os.path.realpath(path))
    with temporary_beside(path, lambda name: name.open("xb")) as (temporary, stream):
        with stream:
            if path.exists():
                temporary.chmod(stat.S_IMODE(path.stat().st_mode))
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, path)


@contextmanager
def temporary_beside(path, make):
    """Give something temporary beside a path, by its name and as a context.

    ``make`` creates it under a new name and returns the context, such as a stream. What
    killed writers left beside the path is removed first.
    """
    clear_stale(path)
    temporary, made, lock = made_and_locked(path, make)
    try:
        with made:
            yield temporary, made
    finally:
        with lock:
            remove(temporary)


def made_and_locked(path, make):
    """Return the name of something temporary beside a path, its context and its lock."""
    while True:
        temporary = path.with_name(f"{prefix_of(path)}{os.getpid()}-{secrets.token_hex(8)}")
        made = make(temporary)
        try:
            return temporary, made, lock_of(temporary)
        except FileNotFoundError:  # another writer removed it before it was locked
            with made:
                pass
        except OSError:  # where locks do not work, nobody removes it
            return temporary, made, nullcontext()
        except BaseException:
            with made:
                remove(temporary)
            raise


def prefix_of(path):
    """Return the prefix of temporary names for a path, different on every host.

    Hosts that share a folder need not see each other's locks.
    """
    writer = f"{platform.node()}\0".encode() + os.fsencode(path.name)
    return f".largemargin-{hashlib.sha256(writer).hexdigest()[:16]}-"


def lock_of(path, *, wait=True):
    """Lock a file or folder, and return a context that unlocks it at its end.

    Raises FileNotFoundError if it is gone and, without ``wait``, BlockingIOError if another
    holds the lock.
    """
    if fcntl is None:
        return nullcontext()
    with ExitStack() as lock:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        lock.callback(os.close, descriptor)
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        if not os.path.samestat(os.fstat(descriptor), os.lstat(path)):
            raise FileNotFoundError(path)
        return lock.pop_all()


def clear_stale(path):
    """Remove what killed writers left beside a path; what is locked or protected stays."""
    if fcntl is None:
        return
    ours = re.compile(re.escape(prefix_of(path)) + r"\d+-[0-9a-f]{16}")
    with suppress(OSError):
        for name in filter(ours.fullmatch, os.listdir(path.parent)):
            with suppress(OSError):
                stale = path.with_name(name)
                if stat.S_IFMT(os.lstat(stale).st_mode) in (stat.S_IFREG, stat.S_IFDIR):
                    with lock_of(stale, wait=False):
                        remove(stale)


def remove(path):
    """Remove a file, or a folder with its contents, if it exists."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
