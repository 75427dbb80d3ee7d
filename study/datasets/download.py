"""Downloads into the cache: complete and with the right digest, or not at all."""

import hashlib
import json
import os
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from http.client import HTTPException

from largemargin.production.files import temporary_beside
from largemargin.tables import UnreadableFile
from study.datasets.connection import PATIENCE_SECONDS, WEB, transfer

# The limit of any file, and of one about which nothing is known.
MAX_BYTES = 8 << 30


class DownloadError(OSError):
    """A source of a data set could not be reached or gave something else."""


def ignore(done, total):
    """Do nothing about progress."""


def download(
    url,
    path,
    *,
    check,
    sha256=None,
    max_bytes=MAX_BYTES,
    patience=PATIENCE_SECONDS,
    on_progress=ignore,
):
    """Download a file, check it, and only then put it in its place.

    Whatever happens before, an interrupt included, leaves nothing behind.

    Parameters
    ----------
    url : str
        The address; http and https only.

    path : Path
        The place of the file.

    check : callable
        Reads the file at the path it is given; raises ValueError if it is not as expected.

    sha256 : str, default=None
        The digest that the file must have.

    max_bytes : int, default=2**33
        A longer file is refused.

    patience : float, default=60
        Seconds that it may take beyond those that its bytes need at a speed of 16 KiB
        per second.

    on_progress : callable, default=ignore
        Called with the bytes so far and the bytes in all (None if not known).

    Returns
    -------
    checked : object
        What ``check`` returns.
    """
    if not url.startswith(WEB):
        raise ValueError(f"Only http and https addresses are downloaded; got {url!r}.")
    try:
        with placed(path, url) as temporary:
            with open(temporary, "wb") as stream:
                transfer(
                    url,
                    stream,
                    max_bytes=max_bytes,
                    patience=patience,
                    on_progress=on_progress,
                )
            digest = sha256_of(temporary)
            if sha256 not in (None, digest):
                raise UnreadableFile(f"its sha256 is {digest}; expected {sha256}")
            return check(temporary)
    except (OSError, HTTPException, ValueError) as error:
        raise DownloadError(f"{url} failed: {error}") from error


@contextmanager
def placed(path, origin):
    """Yield a temporary path; move the file written there, with a record, to its place.

    Each process has a temporary folder of its own, so that several can download the same
    file. Folders of processes that were killed are removed.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with temporary_beside(path, make_folder) as (folder, _):
        temporary = folder / path.name
        yield temporary
        written = {
            "url": origin,
            "sha256": sha256_of(temporary),
            "bytes": temporary.stat().st_size,
            "date": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        record_of(temporary).write_text(json.dumps(written, indent=1))
        for finished in record_of(temporary), temporary:
            sync(finished)
        os.replace(record_of(temporary), record_of(path))
        os.replace(temporary, path)


def make_folder(path):
    """Make a folder that only its owner may enter."""
    path.mkdir(mode=0o700)
    return nullcontext()


def sync(path):
    """Wait until a file is on the disk."""
    with open(path, "rb+") as stream:
        os.fsync(stream.fileno())


def record_of(path):
    """Return where the record of a downloaded file is kept."""
    return path.with_name(f"{path.name}.json")


def sha256_of(path):
    """Return the digest of a file."""
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def read_record(path):
    """Return the digest and the address of a downloaded file, None and None of others."""
    record = record_of(path)
    if not record.exists():
        return None, None
    try:
        written = json.loads(record.read_text())
        return written["sha256"], written["url"]
    except (ValueError, KeyError, TypeError) as error:
        raise UnreadableFile(
            f"{record} is not the record of a download. Delete it and {path.name} to "
            "download the file again."
        ) from error


def verify(path):
    """Raise UnreadableFile if a downloaded file is no longer what it was."""
    expected, _ = read_record(path)
    if expected is not None and sha256_of(path) != expected:
        raise UnreadableFile(
            f"{path} was altered after it was downloaded: its sha256 is not the "
            f"{expected} of its record. Delete it to download it again."
        )


def origin_of(path):
    """Return words for a file and for the address that it was downloaded from."""
    _, url = read_record(path)
    return f"file {path.name}" + (f" from {url}" if url else "")
