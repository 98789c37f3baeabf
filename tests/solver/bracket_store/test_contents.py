"""Claim: what is stored comes back verified, and what is false, foreign or too much does not."""

import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest

from solver import bracket_rows, bracket_store
from solver.bracket_rows import StoreLimits
from solver.brackets import Brackets, StoredSchedule
from solver.problem import Budgets, Problem, Switches
from solver.schedule import Schedule
from solver.simulate import simulate
from solver.staged import stage
from solver.strategies.plain import page_all
from tests.helpers.builders import chain, problem_of
from tests.helpers.stores import Place, assert_same, example
from tests.helpers.storing import PROBLEM, bound_j, budgets_of


def test_that_what_is_stored_comes_back_in_another_store(place: Place) -> None:
    place.store().save(PROBLEM, example())
    loaded = place.load()
    assert len(loaded.schedules) == 2
    assert len(loaded.bounds) == 3
    assert_same(loaded, example())
    assert place.told == []


def test_that_who_reads_need_not_wait_for_who_writes(place: Place) -> None:
    place.store().save(PROBLEM, example())
    with closing(sqlite3.connect(place.path)) as connection:
        # SQLite's other modes lock readers out while a commit is written.
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


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
