"""Claim: a file is written whole or stays as it was, and what cannot be written is said before."""

import os
import stat
from pathlib import Path

import pytest

from solver.files import is_same_file, why_not_readable, why_not_writable, write_whole


def test_that_the_new_content_replaces_the_old_and_nothing_else_appears(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b"old")

    write_whole(path, b"new")

    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


def test_that_a_failed_write_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b"old")

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_whole(path, b"new")

    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_that_permissions_are_those_of_the_old_file_or_of_any_new_one(tmp_path: Path) -> None:
    old, new, plain = tmp_path / "old", tmp_path / "new", tmp_path / "plain"
    old.write_bytes(b"")
    old.chmod(0o640)
    plain.write_bytes(b"")

    write_whole(old, b"x")
    write_whole(new, b"x")

    assert stat.S_IMODE(old.stat().st_mode) == 0o640
    assert new.stat().st_mode == plain.stat().st_mode


def test_that_a_link_stays_a_link(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"old")
    link.symlink_to(target)

    write_whole(link, b"new")

    assert link.is_symlink()
    assert target.read_bytes() == b"new"


def test_that_a_device_is_written_to_and_not_replaced() -> None:
    write_whole(Path(os.devnull), b"gone")

    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)


@pytest.mark.parametrize(
    ("name", "words"),
    [("x" * 300, "file name too long"), ("a\0b", "null byte"), ("loop", "loop")],
)
def test_that_a_path_that_no_file_can_have_is_judged_too(
    tmp_path: Path, name: str, words: str
) -> None:
    (tmp_path / "loop").symlink_to("loop")

    assert words in why_not_writable(tmp_path / name)
    assert "cannot be read" in why_not_readable(tmp_path / name)


def test_that_only_ordinary_files_can_be_read(tmp_path: Path) -> None:
    pipe, file, link = tmp_path / "pipe", tmp_path / "file", tmp_path / "link"
    os.mkfifo(pipe)
    file.write_bytes(b"x")
    link.symlink_to(file)

    assert why_not_readable(pipe) == "is not an ordinary file"
    assert why_not_readable(Path("/dev/zero")) == "is not an ordinary file"
    assert why_not_readable(tmp_path) == "is a folder"
    assert why_not_readable(file / "x") == "cannot be read: Not a directory"
    assert why_not_readable(tmp_path / "y") == "does not exist"
    assert why_not_readable(file) == why_not_readable(link) == ""


def test_that_two_paths_to_one_file_are_seen_through(tmp_path: Path) -> None:
    file, link, copy = tmp_path / "file", tmp_path / "link", tmp_path / "copy"
    file.write_bytes(b"x")
    copy.write_bytes(b"x")
    link.symlink_to(file)

    assert is_same_file(link, file)
    assert not is_same_file(copy, file)
    assert not is_same_file(tmp_path / "new", Path("a\0b"))


def test_that_a_path_is_judged_before_it_is_written(tmp_path: Path) -> None:
    assert why_not_writable(tmp_path / "new.json") == ""
    assert why_not_writable(Path(os.devnull)) == ""
    assert why_not_writable(tmp_path) == "it is a folder"
    assert "does not exist" in why_not_writable(tmp_path / "missing" / "x.json")
    assert list(tmp_path.iterdir()) == []
