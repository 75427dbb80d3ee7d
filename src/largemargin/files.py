"""Files that are written whole or not at all."""

import os
import secrets
from contextlib import contextmanager


@contextmanager
def replaced(path):
    """Give a stream whose contents take the place of a file when the block ends well."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with temporary.open("xb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
