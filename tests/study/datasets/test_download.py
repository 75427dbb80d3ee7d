"""Downloads from a local server that fails in every way it can."""

import bz2
import errno
import hashlib
import json
import threading

import pytest

from largemargin.tables.opening import explained
from study.datasets import DownloadError, UnreadableFile
from study.datasets import download as module
from study.datasets.download import download, record_of, verify

CONTENT = bytes(range(256)) * 4000


def read_whole(path):
    return path.read_bytes()


def unpack(path):
    with explained(path.name, "an archive"), bz2.open(path) as stream:
        return stream.read()


@pytest.fixture
def target(tmp_path):
    return tmp_path / "kept" / "file.bz2"


def left_behind(target):
    """Return what stands in the directory of the file."""
    return sorted(path.name for path in target.parent.iterdir())


def assert_a_retry_works(server, target):
    packed = bz2.compress(CONTENT)
    url = server.serve("file.bz2", packed)
    assert download(url, target, check=unpack) == CONTENT
    assert target.read_bytes() == packed
    assert left_behind(target) == ["file.bz2", "file.bz2.json"]


def test_the_file_and_its_record_are_kept(server, target):
    url = server.serve("file.bz2", CONTENT)
    assert download(url, target, check=read_whole) == CONTENT
    record = json.loads(record_of(target).read_text())
    assert target.read_bytes() == CONTENT
    assert record["url"] == url
    assert record["bytes"] == len(CONTENT)
    assert record["sha256"] == hashlib.sha256(CONTENT).hexdigest()


def test_the_file_is_made_beside_its_place_where_a_move_is_atomic(server, target):
    url = server.serve("file.bz2", CONTENT)
    assert target.parent in download(url, target, check=lambda path: path.parents)


def test_progress_ends_with_all_bytes(server, target):
    seen = []
    url = server.serve("file.bz2", CONTENT)
    download(url, target, check=read_whole, on_progress=lambda *step: seen.append(step))
    assert len(seen) > 1
    assert seen == sorted(seen)
    assert seen[-1] == (len(CONTENT), len(CONTENT))


def test_a_right_checksum_is_accepted(server, target):
    url = server.serve("file.bz2", CONTENT)
    digest = hashlib.sha256(CONTENT).hexdigest()
    assert download(url, target, check=read_whole, sha256=digest) == CONTENT


def test_a_wrong_checksum_leaves_nothing_and_a_retry_works(server, target):
    url = server.serve("file.bz2", CONTENT)
    with pytest.raises(DownloadError, match=r"sha256 is .* expected 0000"):
        download(url, target, check=read_whole, sha256="0000")
    assert left_behind(target) == []
    assert_a_retry_works(server, target)


def test_a_broken_connection_leaves_nothing_and_a_retry_works(server, target):
    url = server.serve("file.bz2", CONTENT[:5000], claimed_length=len(CONTENT))
    with pytest.raises(DownloadError, match=r"file\.bz2 failed: .*5000"):
        download(url, target, check=read_whole)
    assert left_behind(target) == []
    assert_a_retry_works(server, target)


def test_an_archive_cut_off_leaves_nothing_and_a_retry_works(server, target):
    url = server.serve("file.bz2", bz2.compress(CONTENT)[:-20], claimed_length="not told")

    with pytest.raises(DownloadError, match="ended before the end-of-stream"):
        download(url, target, check=unpack)
    assert left_behind(target) == []
    assert_a_retry_works(server, target)


class FullDisk:
    """A file on a disk with no space left."""

    def __init__(self, stream):
        self.stream = stream

    def __enter__(self):
        return self

    def __exit__(self, *details):
        self.stream.close()

    def write(self, chunk):
        self.stream.write(chunk[:100])
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_leaves_nothing_and_a_retry_works(server, target, monkeypatch):
    url = server.serve("file.bz2", CONTENT)
    with monkeypatch.context() as patched:
        full = lambda path, mode: FullDisk(open(path, mode))  # noqa: E731, SIM115
        patched.setattr(module, "open", full, raising=False)
        with pytest.raises(DownloadError, match="No space left on device"):
            download(url, target, check=read_whole)
    assert left_behind(target) == []
    assert_a_retry_works(server, target)


def test_an_interrupt_leaves_nothing_and_a_retry_works(server, target):
    def interrupt(done, total):
        raise KeyboardInterrupt

    url = server.serve("file.bz2", CONTENT)
    with pytest.raises(KeyboardInterrupt):
        download(url, target, check=read_whole, on_progress=interrupt)
    assert left_behind(target) == []
    assert_a_retry_works(server, target)


def test_a_missing_page_says_which(server, target):
    with pytest.raises(DownloadError, match=r"/nothing failed: .*404"):
        download(f"{server.address}/nothing", target, check=read_whole)
    assert left_behind(target) == []


def test_a_server_that_is_gone_says_which(target):
    with pytest.raises(DownloadError, match=r"127\.0\.0\.1:9/file failed"):
        download("http://127.0.0.1:9/file", target, check=read_whole)


def test_only_web_addresses_are_downloaded(tmp_path, target):
    secret = tmp_path / "secret"
    secret.write_text("x")
    with pytest.raises(ValueError, match="Only http and https"):
        download(secret.as_uri(), target, check=read_whole)


def test_two_downloads_at_once_both_end_well(server, target):
    url = server.serve("file.bz2", CONTENT)
    together = threading.Barrier(2, timeout=10)
    results = []

    def wait_for_the_other(done, total):
        if done == total:
            together.wait()

    def work():
        results.append(
            download(url, target, check=read_whole, on_progress=wait_for_the_other)
        )

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [CONTENT, CONTENT]
    assert left_behind(target) == ["file.bz2", "file.bz2.json"]
    verify(target)


def test_an_altered_file_is_noticed_with_the_way_out(server, target):
    download(server.serve("file.bz2", CONTENT), target, check=read_whole)
    target.write_bytes(CONTENT[:-1])
    with pytest.raises(UnreadableFile, match=r"altered.*Delete it"):
        verify(target)


def test_a_broken_record_is_noticed_with_the_way_out(server, target):
    download(server.serve("file.bz2", CONTENT), target, check=read_whole)
    record_of(target).write_text("{")
    with pytest.raises(UnreadableFile, match=r"not the record.*Delete it"):
        verify(target)
