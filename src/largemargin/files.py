"""Files that are written whole or not at all."""

import os
import secrets
import stat
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replaced(path):
    """Give a stream whose contents take the place of a file when the block ends well.

    A file keeps its permissions, and a link goes on to lead to it.
    """
    path = Path(os.path.realpath(path))
    temporary = path.with_name(f".{secrets.token_hex(8)}")
    try:
        with temporary.open("xb") as stream:
            if path.exists():
                temporary.chmod(stat.S_IMODE(path.stat().st_mode))
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
