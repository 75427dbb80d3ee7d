"""What killed writers leave behind is cleared away, and nothing else."""

import os
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager

import pytest

from largemargin.production import files
from largemargin.production.files import prefix_of, replaced
from study.datasets.download import placed

pytestmark = pytest.mark.skipif(files.fcntl is None, reason="without locks none is cleared")

WRITE_FILE = """
import sys
from pathlib import Path
from largemargin.production.files import replaced
with replaced(Path(sys.argv[1])) as stream:
    stream.write(b"half of it")
    stream.flush()
    print("begun", flush=True)
    sys.stdin.read()
"""
DOWNLOAD = """
import sys
from pathlib import Path
from study.datasets.download import placed
with placed(Path(sys.argv[1]), "http://127.0.0.1/file") as temporary:
    temporary.write_bytes(b"half of it")
    print("begun", flush=True)
    sys.stdin.read()
"""
WRITE_OFTEN = """
import sys
from pathlib import Path
from largemargin.production.files import replaced
for number in range(200):
    with replaced(Path(sys.argv[1])) as stream:
        stream.write(f"{number}\\n".encode() * 1000)
"""


def write_file(path):
    with replaced(path) as stream:
        stream.write(b"all of it")


def download_file(path):
    with placed(path, "http://127.0.0.1/file") as temporary:
        temporary.write_bytes(b"all of it")


WRITERS = pytest.mark.parametrize(
    ("script", "write", "written"),
    [
        (WRITE_FILE, write_file, ["target"]),
        (DOWNLOAD, download_file, ["target", "target.json"]),
    ],
    ids=["file", "download"],
)


def names_in(folder):
    return sorted(os.listdir(folder))


@contextmanager
def writer(script, path):
    """Give a process that has begun to write, and goes on when its input ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", script, path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    with process:
        assert process.stdout.readline() == b"begun\n"
        yield process


def killed_writer(script, path):
    """Let a writer be killed; return the name of what it leaves behind."""
    before = set(names_in(path.parent))
    with writer(script, path) as process:
        process.send_signal(signal.SIGKILL)
    (left,) = set(names_in(path.parent)) - before
    return left


@pytest.fixture
def target(tmp_path):
    return tmp_path / "target"


@WRITERS
def test_the_next_writer_clears_what_a_killed_one_left(target, script, write, written):
    left = {killed_writer(script, target) for _ in range(2)}
    assert len(left) == 2
    write(target)
    assert target.read_bytes() == b"all of it"
    assert names_in(target.parent) == written


@WRITERS
def test_a_killed_writer_leaves_the_file_as_it_was(target, script, write, written):
    target.write_bytes(b"as before")
    killed_writer(script, target)
    assert target.read_bytes() == b"as before"


@WRITERS
def test_what_a_living_writer_writes_is_not_cleared(target, script, write, written):
    with writer(script, target) as process:
        write(target)
        assert target.read_bytes() == b"all of it"
        assert len(names_in(target.parent)) == len(written) + 1
        process.stdin.close()
        assert process.wait(30) == 0
    assert target.read_bytes() == b"half of it"
    assert names_in(target.parent) == written


def test_what_another_thread_writes_is_not_cleared(target):
    with replaced(target) as stream:
        stream.write(b"the first")
        thread = threading.Thread(target=write_file, args=[target])
        thread.start()
        thread.join()
        assert target.read_bytes() == b"all of it"
    assert target.read_bytes() == b"the first"
    assert names_in(target.parent) == ["target"]


@pytest.mark.parametrize("name", [".hidden", "n" * 255, "ä b\nc", "\udcff", "[a-z]*"])
def test_leftovers_are_found_whatever_the_name(tmp_path, name):
    target = tmp_path / name
    killed_writer(WRITE_FILE, target)
    write_file(target)
    assert names_in(tmp_path) == [name]


def test_leftovers_of_a_read_only_file_are_cleared(target):
    target.touch()
    target.chmod(0o444)
    killed_writer(WRITE_FILE, target)
    write_file(target)
    assert names_in(target.parent) == ["target"]


def test_leftovers_are_cleared_where_a_link_leads(tmp_path):
    (tmp_path / "inside").mkdir()
    target, link = tmp_path / "inside" / "target", tmp_path / "link"
    link.symlink_to(target)
    with writer(WRITE_FILE, link) as process:
        process.kill()
    assert len(names_in(target.parent)) == 1
    write_file(link)
    assert names_in(target.parent) == ["target"]


def test_leftovers_of_another_target_stay(target):
    left = killed_writer(WRITE_FILE, target.with_name("other"))
    write_file(target)
    assert names_in(target.parent) == sorted([left, "target"])


def test_names_made_by_others_stay(target):
    prefix = prefix_of(target)
    token = "0123456789abcdef"
    names = [
        f".{token}",
        ".part-abc",
        ".largemargin",
        prefix,
        f"{prefix}1",
        f"{prefix}1-{token}.txt",
        f"{prefix}1-{token.upper()}",
        f"{prefix}one-{token}",
        f"{prefix[1:]}1-{token}",
        f"x{prefix}1-{token}",
    ]
    for name in names:
        target.with_name(name).touch()
    write_file(target)
    assert names_in(target.parent) == sorted([*names, "target"])


def test_what_is_no_file_or_folder_stays_and_is_not_followed(tmp_path, target):
    stale = f"{prefix_of(target)}1-0123456789abcde"
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "file").touch()
    target.with_name(f"{stale}0").symlink_to(precious)
    target.with_name(f"{stale}1").symlink_to(precious / "file")
    os.mkfifo(target.with_name(f"{stale}2"))
    write_file(target)
    assert names_in(precious) == ["file"]
    assert len(names_in(tmp_path)) == 5


def test_a_stale_folder_is_cleared_but_not_what_it_links_to(tmp_path, target):
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "file").touch()
    stale = target.with_name(f"{prefix_of(target)}1-0123456789abcdef")
    stale.mkdir()
    (stale / "link").symlink_to(precious)
    write_file(target)
    assert names_in(tmp_path) == ["precious", "target"]
    assert names_in(precious) == ["file"]


def test_a_folder_that_cannot_be_listed_is_written_to(target, monkeypatch):
    def forbid(path):
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patched:
        patched.setattr(files.os, "listdir", forbid)
        write_file(target)
    assert target.read_bytes() == b"all of it"


def test_leftovers_that_cannot_be_removed_stay(target, monkeypatch):
    left = killed_writer(WRITE_FILE, target)
    remove = files.remove

    def forbid(path):
        if path.name == left:
            raise PermissionError(13, "Permission denied")
        remove(path)

    monkeypatch.setattr(files, "remove", forbid)
    write_file(target)
    assert names_in(target.parent) == sorted([left, "target"])


def test_without_locks_files_are_written_and_none_is_cleared(target, monkeypatch):
    left = killed_writer(WRITE_FILE, target)

    def fail(descriptor, operation):
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(files.fcntl, "flock", fail)
    write_file(target)
    assert target.read_bytes() == b"all of it"
    assert names_in(target.parent) == sorted([left, "target"])


@pytest.mark.parametrize(("module", "name"), [(files, "lock_of"), (files.fcntl, "flock")])
def test_what_is_cleared_before_it_is_locked_is_made_again(
    target, monkeypatch, module, name
):
    cleared = []
    do = getattr(module, name)

    def clear_first(*arguments):
        if not cleared:
            cleared.extend(target.parent.iterdir())
            cleared[0].unlink()
        return do(*arguments)

    monkeypatch.setattr(module, name, clear_first)
    write_file(target)
    assert len(cleared) == 1
    assert target.read_bytes() == b"all of it"
    assert names_in(target.parent) == ["target"]


def test_no_descriptor_is_left_open(target):
    before = len(os.listdir("/dev/fd"))
    for _ in range(5):
        killed_writer(WRITE_FILE, target)
        write_file(target)
    assert len(os.listdir("/dev/fd")) == before


def test_many_writers_at_once_all_end_well(target):
    command = [sys.executable, "-c", WRITE_OFTEN, target]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    processes = [subprocess.Popen(command, env=environment) for _ in range(4)]
    assert [process.wait(60) for process in processes] == [0] * 4
    assert target.read_bytes() == b"199\n" * 1000
    assert names_in(target.parent) == ["target"]
