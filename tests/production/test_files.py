"""Files are written whole or not at all, where and for whom they were."""

import errno
import os
import stat

import pytest

from largemargin.production import files
from largemargin.production.files import replaced


def write(path, contents=b"new"):
    with replaced(path) as stream:
        stream.write(contents)


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o444])
def test_a_file_keeps_its_mode(tmp_path, mode):
    path = tmp_path / "private"
    path.touch()
    path.chmod(mode)
    write(path)
    assert path.read_bytes() == b"new"
    assert mode_of(path) == mode


def test_a_private_file_is_private_while_it_is_written(tmp_path):
    path = tmp_path / "private"
    path.touch(0o600)
    with replaced(path):
        assert {mode_of(one) for one in tmp_path.iterdir()} == {0o600}


def test_a_new_file_has_the_mode_of_any_other(tmp_path):
    before = os.umask(0o027)
    try:
        write(tmp_path / "new")
    finally:
        os.umask(before)
    assert mode_of(tmp_path / "new") == 0o640


def test_a_file_that_its_owner_may_not_open_again_is_written(tmp_path, monkeypatch):
    def forbid(path):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    monkeypatch.setattr(files, "lock_of", forbid)
    before = os.umask(0o777)
    try:
        write(tmp_path / "closed")
    finally:
        os.umask(before)
    assert mode_of(tmp_path / "closed") == 0
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("exists", [True, False])
def test_a_link_leads_to_the_new_contents(tmp_path, exists):
    (tmp_path / "inside").mkdir()
    target, link = tmp_path / "inside" / "target", tmp_path / "link"
    link.symlink_to("inside/target")
    if exists:
        target.write_bytes(b"old")
    write(link)
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert sorted(tmp_path.rglob("*")) == [target.parent, target, link]


def test_the_longest_name_can_be_written(tmp_path):
    path = tmp_path / ("n" * 255)
    write(path)
    assert path.read_bytes() == b"new"


def test_what_fails_leaves_the_file_alone(tmp_path):
    path = tmp_path / "kept"
    path.write_bytes(b"old")
    with pytest.raises(TypeError):
        write(path, "text")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]
