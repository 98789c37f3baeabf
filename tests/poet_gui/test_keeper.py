"""Between sessions: what one window proved, the next one knows; nothing of it blocks or breaks."""

import os
import signal
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from poet_gui.explorer import Origin
from poet_gui.main_window import MainWindow
from poet_gui.solving.status import Phase
from poet_gui.viewmodels.history_rows import history_rows
from solver.bracket_store import FILE_NAME, BracketStore
from solver.brackets import Brackets, StoredSchedule
from solver.outcome import Feasible, Optimal
from solver.problem import Budgets, Problem
from solver.schedule import Schedule
from solver.simulate import simulate
from solver.staged import stage
from solver.strategies.plain import page_all
from tests.poet_gui.fixtures import WAIT_MS, MakeWindow, notice_saying, open_model, solve

# The scripted model: chain(6) on nrf52840, floor 3000 B, see test_solve_controller.
TIGHT = 4000


class Sessions:
    """Windows over one store, one after the other."""

    def __init__(self, make: MakeWindow, folder: Path, qtbot: QtBot) -> None:
        self._make = make
        self.folder = folder
        self._qtbot = qtbot

    def begin(self, scenario: str | None = "honest") -> MainWindow:
        window = self._make(scenario, store_folder=self.folder)
        open_model(self._qtbot, window)
        return window

    def stored(self, problem: Problem) -> Brackets:
        return BracketStore(self.folder, pytest.fail).load(problem)

    def plant(self, window: MainWindow, *, bound_j: float | None = None) -> Problem:
        """Store page-all of the open problem (and a bound for it) as another process would."""
        problem = window.state.core.problem
        assert problem is not None
        brackets = Brackets(problem)
        trace = simulate(page_all(stage(problem)), problem)
        brackets.add_schedule(trace)
        energy_j = trace.total_energy_j if bound_j is None else bound_j
        brackets.add_bound(Budgets(5000), energy_j)
        BracketStore(self.folder, pytest.fail).save(problem, brackets)
        return problem


@pytest.fixture
def sessions(make_window: MakeWindow, tmp_path: Path, qtbot: QtBot) -> Iterator[Sessions]:
    return Sessions(make_window, tmp_path / "cache", qtbot)


def fetched(qtbot: QtBot, window: MainWindow, *, bounds: bool = False) -> None:
    """Wait for what is stored; it may come in parts, and a bound after the schedule."""
    core = window.state.core
    problem = core.problem
    assert problem is not None
    known = core.knowledge.brackets(problem)
    qtbot.waitUntil(
        lambda: bool(known.schedules) and (bool(known.bounds) or not bounds), timeout=WAIT_MS
    )


@pytest.mark.slow
def test_that_a_session_knows_what_an_earlier_one_solved(qtbot: QtBot, sessions: Sessions) -> None:
    first = sessions.begin()
    first.state.core.set_ram(TIGHT)
    solve(qtbot, first)
    energy_j = first.state.core.status.energy_j
    first.close()

    second = sessions.begin("mute")  # no solve process answers here
    fetched(qtbot, second)
    core = second.state.core
    core.set_ram(TIGHT)

    assert core.bracket is not None
    assert core.bracket.high_j == energy_j
    assert core.shown is not None
    assert core.shown.origin is Origin.NEAREST
    assert second.views.budgets.expected.text.text().startswith("Expected ")


def test_that_what_a_killed_solve_process_had_shown_is_stored(
    qtbot: QtBot, sessions: Sessions
) -> None:
    window = sessions.begin("obedient")
    core = window.state.core
    core.set_ram(TIGHT)
    window.controller.solve_now()
    qtbot.waitUntil(lambda: core.status.phase is Phase.IMPROVING, timeout=WAIT_MS)
    shown_j, problem = core.status.energy_j, core.problem
    pid = window.controller.worker_pid
    assert pid is not None
    assert problem is not None
    with qtbot.waitSignal(window.controller.process_ended, timeout=WAIT_MS):
        os.kill(pid, signal.SIGKILL)
    window.close()
    assert sessions.stored(problem).bracket(Budgets(TIGHT)).high_j == shown_j


@pytest.mark.slow
def test_that_what_is_proven_is_written_while_the_window_is_open(
    qtbot: QtBot, sessions: Sessions
) -> None:
    window = sessions.begin()
    window.state.core.set_ram(TIGHT)
    solve(qtbot, window)
    problem = window.state.core.problem
    assert problem is not None
    file = sessions.folder / FILE_NAME
    qtbot.waitUntil(file.exists, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: bool(sessions.stored(problem).schedules), timeout=WAIT_MS)


@pytest.mark.slow
def test_that_a_stored_optimum_is_shown_as_proven_without_a_solve(
    qtbot: QtBot, sessions: Sessions
) -> None:
    sessions.plant(sessions.begin())
    window = sessions.begin("mute")
    fetched(qtbot, window, bounds=True)
    window.wishes.set_ram(TIGHT)
    core = window.state.core
    assert isinstance(core.status.outcome, Optimal)
    assert core.shown is not None
    assert core.shown.origin is Origin.RESULT
    assert window.views.status.words.text() == "Optimal (proven), stored"
    # The budget rests: a row of the history, once, and still no solve.
    qtbot.waitUntil(lambda: len(core.history) == 1, timeout=WAIT_MS)
    window.wishes.set_ram(TIGHT + 1)
    window.wishes.set_ram(TIGHT)
    qtbot.wait(400)
    assert len(core.history) == 1
    assert core.status.phase is Phase.DONE
    assert history_rows(core.history)[0].cells[3] == "Optimal (proven), stored"


@pytest.mark.slow
def test_that_a_dragged_slider_leaves_no_rows_on_its_way(qtbot: QtBot, sessions: Sessions) -> None:
    sessions.plant(sessions.begin())
    window = sessions.begin("mute")
    fetched(qtbot, window, bounds=True)
    for ram_bytes in range(3000, 3200, 10):
        window.wishes.set_ram(ram_bytes)
    qtbot.waitUntil(lambda: len(window.state.core.history) == 1, timeout=WAIT_MS)
    assert window.state.core.history[0].problem.budgets.ram_bytes == 3190


@pytest.mark.slow
def test_that_a_solve_under_way_ends_when_the_store_has_the_answer(
    qtbot: QtBot, sessions: Sessions, monkeypatch: pytest.MonkeyPatch, caplog: object
) -> None:
    sessions.plant(sessions.begin())
    read, go = BracketStore.read, threading.Event()

    def late(store: BracketStore, problem: Problem) -> Iterator[object]:
        assert go.wait(WAIT_MS / 1000)
        return read(store, problem)

    monkeypatch.setattr(BracketStore, "read", late)
    window = sessions.begin("obedient")
    core = window.state.core
    core.set_ram(TIGHT)
    window.controller.solve_now()
    qtbot.waitUntil(lambda: core.status.phase is Phase.IMPROVING, timeout=WAIT_MS)
    with qtbot.waitSignal(window.controller.finished, timeout=WAIT_MS):
        go.set()
    assert isinstance(core.status.outcome, Optimal)


@pytest.mark.slow
def test_that_a_stored_schedule_that_is_not_valid_is_never_shown(
    qtbot: QtBot, sessions: Sessions
) -> None:
    window = sessions.begin()
    problem = window.state.core.problem
    assert problem is not None
    trace = simulate(page_all(stage(problem)), problem)
    false = StoredSchedule(3000, 1e-9, trace.total_energy_j / 2, Schedule(()))
    brackets = Brackets(problem)
    brackets.add_stored(false)
    BracketStore(sessions.folder, pytest.fail).save(problem, brackets)

    window = sessions.begin("mute")
    notice_saying(qtbot, window, "1 stored results were not valid")
    assert window.state.core.best_trace is None


@pytest.mark.slow
def test_that_a_damaged_store_is_a_notice_and_the_work_goes_on(
    qtbot: QtBot, sessions: Sessions
) -> None:
    sessions.folder.mkdir(parents=True)
    (sessions.folder / FILE_NAME).write_bytes(b"no database" * 1000)
    window = sessions.begin()
    notice_saying(qtbot, window, "damaged")
    window.state.core.set_ram(TIGHT)
    solve(qtbot, window)
    assert isinstance(window.state.core.status.outcome, Feasible)
    problem = window.state.core.problem
    window.close()
    assert problem is not None
    assert sessions.stored(problem).schedules


@pytest.mark.slow
def test_that_a_store_that_is_locked_does_not_hold_up_the_window(
    qtbot: QtBot, sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("solver.bracket_store._BUSY_S", 0.2)
    sessions.plant(sessions.begin())
    with closing(sqlite3.connect(sessions.folder / FILE_NAME, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        window = sessions.begin()
        window.state.core.set_ram(TIGHT)
        solve(qtbot, window)
        assert isinstance(window.state.core.status.outcome, Feasible)
        notice_saying(qtbot, window, "locked")


@pytest.mark.slow
def test_that_without_a_folder_nothing_is_stored(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window("honest")
    open_model(qtbot, window)
    window.state.core.set_ram(TIGHT)
    solve(qtbot, window)
    window.close()
    assert window.views.notices.notices == ()
