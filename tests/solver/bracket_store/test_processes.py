"""Claim: processes that store at once, or die while they store, lose nothing of one another."""

import signal
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

from solver import bracket_store
from solver.problem import Budgets
from tests.helpers.stores import Place, assert_same, example
from tests.helpers.storing import PROBLEM

ROOT = Path(__file__).parents[3]


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
        _, errors = process.communicate(timeout=240)
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
