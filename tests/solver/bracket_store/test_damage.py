"""Claim: whatever lies in the place of the file or its folder costs at most one notice."""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from solver import bracket_store
from solver.bracket_store import BracketStore
from tests.helpers.stores import Place, assert_same, example
from tests.helpers.storing import PROBLEM, bound_j, budgets_of


def _garbage(path: Path) -> None:
    path.write_bytes(b"\x89PNG not a database at all" * 400)


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _cut(part: float) -> Callable[[Path], None]:
    def cut(path: Path) -> None:
        data = path.read_bytes()
        path.write_bytes(data[: int(len(data) * part)])

    return cut


def _overwritten(path: Path) -> None:
    """Every page but the first is noise."""
    data = path.read_bytes()
    path.write_bytes(data[:4096] + b"\xa5" * (len(data) - 4096))


def _foreign(path: Path) -> None:
    """A database of somebody else who happens to count its layout as we do."""
    path.unlink()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE schedules (a, b)")
        connection.execute(f"PRAGMA user_version = {bracket_store.FORMAT}")
        connection.commit()


@pytest.mark.parametrize(
    "damage",
    [_garbage, _cut(0.03), _cut(0.3), _cut(0.7), _overwritten, _foreign],
    ids=["garbage", "cut to 3 %", "cut to 30 %", "cut to 70 %", "overwritten", "foreign"],
)
def test_that_a_damaged_file_costs_one_notice_and_is_replaced(
    place: Place, damage: Callable[[Path], None]
) -> None:
    many = example()
    for number in range(300):  # some pages
        many.add_bound(budgets_of(600 + number), bound_j(number))
    place.store().save(PROBLEM, many)
    damage(place.path)

    store = place.store()
    store.load(PROBLEM)
    store.save(PROBLEM, example())

    assert len(place.told) == 1
    assert "damaged" in place.told[0]
    assert_same(store.load(PROBLEM), example())


def test_that_saving_into_a_damaged_file_does_not_lose_what_is_saved(place: Place) -> None:
    place.store().save(PROBLEM, example())
    _garbage(place.path)
    place.store().save(PROBLEM, example())
    assert len(place.told) == 1
    assert_same(place.load(), example())


def test_that_an_empty_file_is_a_new_one(place: Place) -> None:
    place.store().save(PROBLEM, example())
    _empty(place.path)
    assert place.load().schedules == ()
    assert place.told == []


def test_that_a_file_of_another_layout_is_emptied(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.store().save(PROBLEM, example())
    monkeypatch.setattr(bracket_store, "FORMAT", bracket_store.FORMAT + 1)
    assert place.load().schedules == ()
    place.store().save(PROBLEM, example())
    assert_same(place.load(), example())
    assert place.told == []


def test_that_without_a_folder_nothing_is_stored() -> None:
    store = BracketStore(None, pytest.fail)
    store.save(PROBLEM, example())
    assert store.load(PROBLEM).schedules == ()


def test_that_a_folder_that_cannot_be_made_costs_one_notice(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    place = Place(tmp_path / "file" / "cache")
    store = place.store()
    store.save(PROBLEM, example())
    store.save(PROBLEM, example())
    assert store.load(PROBLEM).schedules == ()
    assert len(place.told) == 1
    assert "not stored" in place.told[0]


def test_that_a_folder_in_the_place_of_the_file_costs_a_notice(place: Place) -> None:
    place.path.mkdir(parents=True)
    store = place.store()
    store.save(PROBLEM, example())
    assert store.load(PROBLEM).schedules == ()
    assert len(place.told) == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_that_a_read_only_folder_costs_a_notice(place: Place) -> None:
    place.store().save(PROBLEM, example())
    place.folder.chmod(0o500)
    place.path.chmod(0o400)
    try:
        store = place.store()
        store.save(PROBLEM, example())
        store.load(PROBLEM)
    finally:
        place.folder.chmod(0o700)
    assert len(place.told) == 1
