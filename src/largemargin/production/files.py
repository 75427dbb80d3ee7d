"""Files that are written whole or not at all, and what killed writers leave behind."""

import errno
import hashlib
import os
import platform
import re
import secrets
import shutil
import stat
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows has no such locks; there, nothing is cleared away.
    fcntl = None


@contextmanager
def replaced(path):
    """Give a stream whose contents take the place of a file when the block ends well.

    A file keeps its permissions, and a link goes on to lead to it.
    """
    path = Path(os.path.realpath(path))
    with temporary_beside(path, make_file) as (temporary, stream):
        with stream:
            if path.exists():
                temporary.chmod(stat.S_IMODE(path.stat().st_mode))
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, path)


@contextmanager
def temporary_folder(path):
    """Give a folder beside a path that is gone when the block has ended."""
    with temporary_beside(path, make_folder) as (temporary, _):
        yield temporary


@contextmanager
def temporary_beside(path, make):
    """Give something temporary beside a path; clear away what others left there.

    The system unlocks what a process has locked when it ends, however it ends. So what
    is locked belongs to a living writer, and what is not has lost its own.

    Parameters
    ----------
    path : Path
        What shall be written in the end.

    make : callable
        Makes an empty file or folder of a name that does not exist; returns a context,
        such as an open stream.
    """
    clear_stale(path)
    temporary, made, lock = made_and_locked(path, make)
    try:
        with made:
            yield temporary, made
    finally:
        try:
            remove(temporary)
        finally:
            unlock(lock)


def make_file(path):
    """Return a stream to an empty file with the permissions of any other."""
    return path.open("xb")


def make_folder(path):
    """Make an empty folder that is nobody else's."""
    path.mkdir(mode=0o700)
    return nullcontext()


def made_and_locked(path, make):
    """Return something temporary beside a path, what made it, and its lock."""
    while True:
        temporary = path.with_name(f"{prefix_of(path)}{os.getpid()}-{secrets.token_hex(8)}")
        made = make(temporary)
        try:
            return temporary, made, lock_of(temporary)
        except FileNotFoundError:  # another writer cleared it away before it was locked
            with made:
                pass
        except OSError:  # without a lock nobody clears it away, as far as locks work
            return temporary, made, None
        except BaseException:
            with made:
                remove(temporary)
            raise


def prefix_of(path):
    """Return how names of temporary files for a path begin, for this machine only.

    Locks of other machines, which may share the folder, need not be seen here.
    """
    writer = f"{platform.node()}\0".encode() + os.fsencode(path.name)
    return f".largemargin-{hashlib.sha256(writer).hexdigest()[:16]}-"


def lock_of(path, *, wait=True):
    """Return a descriptor that locks a file or folder, None where there are no locks.

    Raises FileNotFoundError if it is gone, and BlockingIOError if it is locked already,
    unless that shall be waited for.
    """
    if fcntl is None:
        return None
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        if not os.path.samestat(os.fstat(descriptor), os.lstat(path)):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def unlock(lock):
    """Unlock what ``lock_of`` has locked."""
    if lock is not None:
        os.close(lock)


def clear_stale(path):
    """Remove what writers that no longer live have left beside a path.

    What cannot be looked at or removed stays.
    """
    if fcntl is None:
        return
    ours = re.compile(re.escape(prefix_of(path)) + r"\d+-[0-9a-f]{16}")
    with suppress(OSError):
        for name in os.listdir(path.parent):
            if ours.fullmatch(name):
                with suppress(OSError):
                    remove_unless_locked(path.with_name(name))


def remove_unless_locked(temporary):
    """Remove a file or folder; raise BlockingIOError if its writer lives."""
    if stat.S_IFMT(os.lstat(temporary).st_mode) not in (stat.S_IFREG, stat.S_IFDIR):
        return
    lock = lock_of(temporary, wait=False)
    try:
        remove(temporary)
    finally:
        unlock(lock)


def remove(path):
    """Remove a file, or a folder with what is in it, if it is there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
