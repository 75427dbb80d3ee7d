"""Files as streams of bytes, which are unpacked on the way."""

import bz2
import gzip
import io
import lzma
import sys
import zipfile
import zlib
from contextlib import contextmanager
from pathlib import Path

from largemargin.numerics.memory import BadLimit, TooLarge, check_expansion, check_room

OPENERS = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
MAGIC = {b"\x1f\x8b": ".gz", b"BZh": ".bz2", b"\xfd7zXZ": ".xz"}
PEEKED_BYTES, CHUNK_BYTES = 1 << 16, 1 << 24
STANDARD_INPUT = "standard input"
UNPACKING_ERRORS = lzma.LZMAError, zipfile.BadZipFile, zlib.error


class UnreadableFile(ValueError):
    """A file does not hold what its name promises."""


@contextmanager
def explained(name, kind):
    """Turn whatever a broken file raises into one error that names the file."""
    try:
        yield
    except (UnreadableFile, BadLimit):
        raise
    except TooLarge as error:
        raise TooLarge(f"{name}: {error}") from error
    except (EOFError, OverflowError, ValueError, OSError, *UNPACKING_ERRORS) as error:
        # A missing or forbidden file has an errno, the errors of the unpackers have none.
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise UnreadableFile(
            f"{name} cannot be read as {kind}: {str(error).rstrip('.')}. "
            "Correct the file or get it again."
        ) from error


def name_and_ending(path) -> tuple[str, str]:
    """Return the name of a file without its endings, and the ending that says its kind.

    Examples
    --------
    >>> name_and_ending("data/my.cells.CSV.gz")
    ('my.cells', '.csv')
    """
    path = Path(path)
    unpacked = path.with_suffix("") if path.suffix.lower() in OPENERS else path
    return unpacked.stem, unpacked.suffix.lower()


@contextmanager
def opened(path, move=lambda done, total: None):
    """Give a buffered stream of the unpacked bytes of a file; "-" is standard input.

    ``move`` is called with the bytes read so far and those in all, None if not known.
    """
    if str(path) == "-":
        if sys.stdin is None:
            raise UnreadableFile(f"{STANDARD_INPUT} is closed; expected rows.")
        yield unpacked(buffered(sys.stdin.buffer))
        return
    with Path(path).open("rb") as raw:
        n_bytes = Path(path).stat().st_size or None  # the length of a pipe is not known
        yield unpacked(buffered(raw, lambda n_read: move(n_read, n_bytes)))


def unpacked(raw):
    """Return a stream of the bytes in a stream that may be packed."""
    beginning = raw.peek()
    for magic, ending in MAGIC.items():
        if beginning.startswith(magic):
            return expanding(OPENERS[ending](raw, "rb"), lambda: raw.raw.n_read)
    return raw


def expanding(stream, count_packed):
    """Return a stream that raises if it is far longer than the packed bytes read so far."""
    return buffered(stream, lambda n_read: check_expansion(count_packed(), n_read))


def buffered(stream, on_read=lambda n_read: None):
    """Return a stream to peek into; ``on_read`` is called with the bytes read so far."""
    return io.BufferedReader(FullReads(stream, on_read), PEEKED_BYTES)


class FullReads(io.RawIOBase):
    """A stream whose reads return all bytes asked for, unlike those of pipes."""

    def __init__(self, stream, on_read):
        self.stream = stream
        self.on_read = on_read
        self.n_read = 0

    def readable(self):
        """Return whether it can be read."""
        return True

    def readinto(self, buffer):
        """Fill the buffer."""
        chunk = self.stream.read(len(buffer))
        buffer[: len(chunk)] = chunk
        self.n_read += len(chunk)
        self.on_read(self.n_read)
        return len(chunk)


def read_whole(stream) -> bytes:
    """Return all bytes of a stream, if they fit."""
    chunks, n_bytes = [], 0
    while chunk := stream.read(CHUNK_BYTES):
        n_bytes += len(chunk)
        # Twice when they are joined.
        check_room(2 * n_bytes, "The file", "Split it")
        chunks.append(chunk)
    return b"".join(chunks)
