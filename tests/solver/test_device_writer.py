"""Claim: a device written as TOML reads as the same device, and no other device is overwritten."""

from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest

from solver.device_files import find_devices, load_device, read_device_file, user_device_folder
from solver.device_writer import (
    device_toml,
    free_id,
    save_user_device,
    user_device_file,
    why_taken,
    write_device,
)
from solver.errors import DeviceError


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's folder, which is not there yet."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return user_device_folder()


def test_that_every_built_in_device_reads_the_same_after_writing(tmp_path: Path) -> None:
    for device in find_devices().devices:
        path = tmp_path / "board.toml"
        write_device(device, path)
        assert read_device_file(path) == device  # rates such as 6369910.145264308 to the last digit


def test_that_quotes_backslashes_and_line_ends_in_words_are_written_as_they_are(
    tmp_path: Path,
) -> None:
    words = 'measured: "bench" \\ 3 runs\nµ ✓ \x7f'
    device = replace(load_device("m4"), name='My "board"', source=MappingProxyType({"io": words}))
    write_device(device, tmp_path / "board.toml")
    assert read_device_file(tmp_path / "board.toml") == device


def test_that_a_device_out_of_range_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(DeviceError, match="flop_per_s: is 0"):
        write_device(replace(load_device("m4"), flop_per_s=0.0), tmp_path / "board.toml")
    assert not (tmp_path / "board.toml").exists()


@pytest.mark.parametrize("name", ["no/such/folder.toml", "", "a\0b"])
def test_that_a_place_that_cannot_be_written_is_said(tmp_path: Path, name: str) -> None:
    with pytest.raises(DeviceError, match="cannot be written"):
        write_device(load_device("m4"), tmp_path / name)


def test_that_a_saved_device_is_found_by_its_id(own_folder: Path) -> None:
    mine = replace(load_device("m4"), id="bench-board", name="Board on the bench")
    assert save_user_device(mine) == own_folder / "bench-board.toml"
    assert load_device("bench-board") == mine
    assert find_devices().devices[-1] == mine


def test_that_a_new_version_takes_the_place_of_the_old_file_whatever_its_name(
    own_folder: Path,
) -> None:
    own_folder.mkdir(parents=True)
    mine = replace(load_device("m4"), id="mine")
    (own_folder / "from-a-friend.toml").write_bytes(device_toml(mine))
    faster = replace(mine, flop_per_s=2e7)
    assert save_user_device(faster, replaces="mine") == own_folder / "from-a-friend.toml"
    assert load_device("mine").flop_per_s == 2e7
    assert len(list(own_folder.iterdir())) == 1


@pytest.mark.parametrize("name", ["rpi4", "m4"])
def test_that_no_device_takes_the_id_or_alias_of_a_built_in_one(
    own_folder: Path, name: str
) -> None:
    with pytest.raises(DeviceError) as caught:
        save_user_device(replace(load_device("m4"), id=name), replaces=name)
    assert caught.value.issues[0].where == "id"
    assert caught.value.issues[0].suggestion == f"{name}-2 is free"
    assert not own_folder.exists()


def test_that_another_device_of_the_user_is_not_overwritten(own_folder: Path) -> None:
    first = replace(load_device("m4"), id="mine")
    save_user_device(first)
    other = replace(load_device("rpi4"), id="mine")
    with pytest.raises(DeviceError, match="another device of yours"):
        save_user_device(other, replaces="something-else")
    assert load_device("mine") == first
    assert free_id("mine") == "mine-2"


def test_that_a_file_that_is_no_device_is_not_overwritten(own_folder: Path) -> None:
    own_folder.mkdir(parents=True)
    (own_folder / "mine.toml").write_text("notes = 1")
    assert "holds something else" in why_taken("mine")
    with pytest.raises(DeviceError):
        save_user_device(replace(load_device("m4"), id="mine"))
    assert (own_folder / "mine.toml").read_text() == "notes = 1"


def test_that_a_built_in_device_has_no_file_of_the_user() -> None:
    assert user_device_file("rpi4") is None
    assert free_id("rpi4") == "rpi4-2"
