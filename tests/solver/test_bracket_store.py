"""Claim: what is stored comes back verified; what happens to the file costs at most a notice."""

import math
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from solver import bracket_rows, bracket_store
from solver.bracket_rows import StoreLimits
from solver.bracket_store import FILE_NAME, BracketStore
from solver.brackets import Brackets, StoredSchedule
from solver.problem import Budgets, Problem, Switches
from solver.schedule import Schedule
from solver.simulate import simulate
from solver.staged import stage
from solver.strategies.plain import keep_all, page_all
from tests.helpers.builders import chain, problem_of
from tests.helpers.storing import PROBLEM, bound_j, budgets_of

ROOT = Path(__file__).parents[2]


class Place:
    """A folder for stores, and what they have told."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / FILE_NAME
        self.told: list[str] = []

    def store(self, limits: StoreLimits | None = None) -> BracketStore:
        return BracketStore(self.folder, self.told.append, limits)

    def load(self, problem: Problem = PROBLEM) -> Brackets:
        return self.store().load(problem)

    def change(self, statement: str, *values: object) -> None:
        with closing(sqlite3.connect(self.path)) as connection:
            connection.execute(statement, values)
            connection.commit()


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path / "cache" / "ours")


def example(problem: Problem = PROBLEM) -> Brackets:
    """Two schedules, three bounds: with and without a runtime limit, one of them impossible."""
    brackets = Brackets(problem)
    for make in (keep_all, page_all):
        brackets.add_schedule(simulate(make(stage(problem)), problem))
    brackets.add_bound(Budgets(3500), 15.05)
    brackets.add_bound(Budgets(4000, 15.06), 15.02)
    brackets.add_bound(Budgets(3300, 15.04), math.inf)
    return brackets


def assert_same(one: Brackets, other: Brackets) -> None:
    assert one.schedules == other.schedules
    assert one.bounds == other.bounds


def test_that_what_is_stored_comes_back_in_another_store(place: Place) -> None:
    place.store().save(PROBLEM, example())
    loaded = place.load()
    assert len(loaded.schedules) == 2
    assert len(loaded.bounds) == 3
    assert_same(loaded, example())
    assert place.told == []


def test_that_an_empty_cache_knows_nothing_and_says_nothing(place: Place) -> None:
    assert place.load().schedules == ()
    assert place.told == []


def test_that_another_engine_version_or_fingerprint_scheme_reuses_nothing(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.store().save(PROBLEM, example())
    with monkeypatch.context() as patch:
        patch.setattr(bracket_store, "ENGINE_VERSION", "0.0.0")
        assert place.load().schedules == ()
    with monkeypatch.context() as patch:
        patch.setattr(bracket_store, "fingerprint", lambda problem: "another scheme")
        assert place.load().bounds == ()
    assert len(place.load().schedules) == 2


def test_that_problems_share_nothing_but_all_budgets_of_one_do(place: Place) -> None:
    place.store().save(PROBLEM, example())
    other_budget = replace(PROBLEM, budgets=Budgets(3100, 99.0))
    no_recompute = replace(PROBLEM, switches=Switches(recompute=False))
    assert len(place.load(other_budget).schedules) == 2
    assert place.load(no_recompute).schedules == ()


def test_that_saving_adds_to_what_others_have_stored(place: Place) -> None:
    one, other = place.store(), place.store()
    brackets = Brackets(PROBLEM)
    brackets.add_bound(Budgets(3500), 15.05)
    one.save(PROBLEM, brackets)
    brackets = Brackets(PROBLEM)
    brackets.add_schedule(simulate(page_all(stage(PROBLEM)), PROBLEM))
    other.save(PROBLEM, brackets)
    loaded = place.load()
    assert len(loaded.schedules) == len(loaded.bounds) == 1


def test_that_stored_rows_that_new_ones_dominate_are_removed(place: Place) -> None:
    weak, strong = Brackets(PROBLEM), Brackets(PROBLEM)
    weak.add_bound(Budgets(3500), 15.01)
    strong.add_bound(Budgets(3600), 15.02)
    place.store().save(PROBLEM, weak)
    place.store().save(PROBLEM, strong)
    place.store().save(PROBLEM, weak)  # no news any more
    with closing(sqlite3.connect(place.path)) as connection:
        rows = connection.execute("SELECT ram, bound FROM bounds").fetchall()
    assert rows == [(3600, 15.02)]


def test_that_a_stored_bound_that_a_schedule_refutes_is_removed(place: Place) -> None:
    false = Brackets(PROBLEM)
    false.add_bound(Budgets(4000), 16.0)  # page-all needs 15.08 J in 3000 B
    place.store().save(PROBLEM, false)
    loaded = place.load()
    loaded.add_schedule(simulate(page_all(stage(PROBLEM)), PROBLEM))
    place.store().save(PROBLEM, loaded)
    assert place.load().bounds == ()
    assert place.load().bound_j(Budgets(4000)) == PROBLEM.costed.baseline_energy_j


# What may lie in the place of the file


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


# What may be in its rows


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE bounds SET bound = bound + 0.001 WHERE ram = 3500",
        "UPDATE bounds SET ram = ram + 1 WHERE ram = 3500",
        "UPDATE bounds SET runtime = 'soon' WHERE ram = 3500",
        "UPDATE schedules SET body = x'00' WHERE peak = 3000",
        "UPDATE schedules SET energy = energy - 0.01 WHERE peak = 3000",
    ],
)
def test_that_a_changed_row_is_dropped_and_the_others_stay(place: Place, statement: str) -> None:
    place.store().save(PROBLEM, example())
    place.change(statement)
    loaded = place.load()
    assert len(loaded.schedules) + len(loaded.bounds) == 4  # of five
    assert place.told == ["1 stored results were not valid and are dropped"]
    place.told.clear()
    place.load()
    assert place.told == []  # it is gone


def test_that_a_schedule_that_the_verifier_refuses_never_comes_back(place: Place) -> None:
    """Sealed properly, as a faulty version of ours might have written it."""
    brackets, true = Brackets(PROBLEM), example().schedules[-1]
    cut = Schedule(true.schedule.actions[1:])
    brackets.add_stored(StoredSchedule(true.peak_bytes, true.runtime_s, true.energy_j, cut))
    place.store().save(PROBLEM, brackets)
    assert place.load().schedules == ()
    assert place.told == ["1 stored results were not valid and are dropped"]


def test_that_a_schedule_cheaper_than_it_really_is_never_comes_back(place: Place) -> None:
    brackets, true = Brackets(PROBLEM), example().schedules[-1]
    brackets.add_stored(replace(true, energy_j=true.energy_j - 0.01))
    place.store().save(PROBLEM, brackets)
    assert place.load().schedules == ()


# Where nothing can be stored


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


def test_that_a_file_locked_by_another_process_costs_a_notice_and_stays(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.store().save(PROBLEM, example())
    monkeypatch.setattr(bracket_store, "_BUSY_S", 0.05)
    with closing(sqlite3.connect(place.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        place.store().save(PROBLEM, example())
    assert len(place.told) == 1
    assert "locked" in place.told[0]
    assert_same(place.load(), example())


# How much is kept


def _told_apart(number: int) -> Problem:
    return problem_of(chain(5, size=1000 + number), 50_000)


def test_that_the_problems_used_longest_ago_make_room(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter(range(100))
    monkeypatch.setattr(bracket_rows.time, "time", lambda: float(next(clock)))
    store = place.store(StoreLimits(entries=7))  # each problem below has two entries
    for number in (0, 1, 2):
        store.save(_told_apart(number), _two(_told_apart(number)))
    store.load(_told_apart(0))  # used again
    store.save(_told_apart(3), _two(_told_apart(3)))
    left = [n for n in (0, 1, 2, 3) if place.load(_told_apart(n)).schedules]
    assert left == [0, 2, 3]


def _two(problem: Problem) -> Brackets:
    brackets = Brackets(problem)
    brackets.add_schedule(simulate(page_all(stage(problem)), problem))
    brackets.add_bound(Budgets(3500), brackets.baseline_j + 0.01)
    return brackets


def test_that_one_problem_keeps_its_newest_entries(place: Place) -> None:
    store, brackets = place.store(StoreLimits(entries_per_problem=20)), Brackets(PROBLEM)
    for number in range(30):
        brackets.add_bound(budgets_of(number), bound_j(number))
        store.save(PROBLEM, brackets)
    kept = sorted(bound.budgets.ram_bytes for bound in place.load().bounds)
    assert kept == [3000 + number for number in range(20, 30)]  # half the limit are bounds


@pytest.mark.slow
def test_that_the_bytes_of_the_file_are_bounded(place: Place) -> None:
    store = place.store(StoreLimits(size_bytes=4096))
    for number in range(200):
        store.save(_told_apart(number), _two(_told_apart(number)))
    assert place.path.stat().st_size < 200_000
    assert place.load(_told_apart(199)).schedules


# Several processes


def _storing(folder: Path, first: int, count: int) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "tests.helpers.storing", str(folder), str(first), str(count)]
    return subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def test_that_a_new_file_that_another_process_is_making_is_waited_for(place: Place) -> None:
    """SQLite itself gives up at once here: the journal's mode cannot be changed meanwhile."""
    place.path.parent.mkdir(parents=True)
    with closing(
        sqlite3.connect(place.path, isolation_level=None, check_same_thread=False)
    ) as other:
        other.execute("BEGIN IMMEDIATE")
        done = threading.Timer(0.2, other.execute, ["COMMIT"])
        done.start()
        place.store().save(PROBLEM, example())
        done.join()
    assert place.told == []
    assert_same(place.load(), example())


@pytest.mark.slow
def test_that_processes_that_store_at_once_lose_nothing_of_one_another(place: Place) -> None:
    processes = [_storing(place.folder, first, 25) for first in (0, 100, 200)]
    for process in processes:
        _, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
    loaded = place.load()
    numbers = sorted(bound.budgets.ram_bytes - 3000 for bound in loaded.bounds)
    assert numbers == [first + k for first in (0, 100, 200) for k in range(25)]
    assert len(loaded.schedules) == 1
    assert place.told == []


@pytest.mark.slow
def test_that_a_process_killed_while_it_stores_leaves_everything_it_had_stored(
    place: Place,
) -> None:
    """Killed after 1 .. 8 stored bounds, at whatever it does then."""
    stored: set[int] = set()
    for lines in range(1, 9):
        first = 100 * lines
        with _storing(place.folder, first, 90) as process:
            assert process.stdout is not None
            done = [int(process.stdout.readline()) for _ in range(lines)]
            process.send_signal(signal.SIGKILL)
            done += [int(line) for line in process.stdout.read().split()]
        stored |= set(done)
        there = {bound.budgets.ram_bytes - 3000 for bound in place.load().bounds}
        assert stored <= there
    assert place.told == []


def test_that_a_write_cut_off_in_its_middle_leaves_the_old_state(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.store().save(PROBLEM, example())
    more = example()
    more.add_bound(Budgets(3600), 15.06)

    class Killed(BaseException):
        pass

    def die(*_: object) -> None:
        raise Killed

    monkeypatch.setattr(bracket_store, "trim", die)  # after the rows, before the commit
    with pytest.raises(Killed):
        place.store().save(PROBLEM, more)
    assert_same(place.load(), example())
