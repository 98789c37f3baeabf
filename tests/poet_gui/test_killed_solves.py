"""Claim: a solve process killed at any step takes nothing with it that had been shown."""

import os
import signal
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, Slot
from pytestqt.qtbot import QtBot

from poet_gui.explorer import Explorer
from poet_gui.main_window import MainWindow
from solver.bracket_store import BracketStore
from solver.graph import Accounting
from solver.graph_request import GraphRequest
from solver.outcome import Feasible
from solver.problem import SolveOptions
from tests.poet_gui.fixtures import MakeWindow

pytestmark = pytest.mark.slow
WAIT_MS = 180_000
STEPS = ["checking", "plain", "greedy", "local search", "period model", "gap model"]


class Killer(QObject):
    """Kills the solve process the moment a step is reported; remembers what was shown by then."""

    def __init__(self, window: MainWindow, step: str) -> None:
        super().__init__(window)
        self._window = window
        self._step = step
        self.done = False
        self.energy_j: float | None = None
        self.bound_j: float | None = None
        window.state.solve_changed.connect(self._on_solve)

    @Slot()
    def _on_solve(self) -> None:
        status, pid = self._window.state.core.status, self._window.controller.worker_pid
        if self.done:
            return
        self.energy_j, self.bound_j = status.energy_j, status.bound_j
        if status.steps and status.steps[-1].name == self._step and pid is not None:
            self.done = True
            os.kill(pid, signal.SIGKILL)


def open_hard(qtbot: QtBot, window: MainWindow) -> Explorer:
    """ResNet-18 for CIFAR at 20 % of its peak, to the last millionth: open for minutes."""
    request = GraphRequest("resnet18_cifar", Accounting.POET)
    with qtbot.waitSignal(window.controller.opened, timeout=WAIT_MS):
        window.controller.open(request, request.model)
    core = window.state.core
    assert core.model is not None
    core.set_options(SolveOptions(gap=0.0, time_limit_s=600.0))
    core.set_ram(core.model.costed.plain_peak_bytes * 20 // 100)
    return core


@pytest.mark.parametrize("step", STEPS)
def test_that_a_solve_process_killed_at_a_step_loses_nothing_shown(
    qtbot: QtBot, make_window: MakeWindow, tmp_path: Path, step: str
) -> None:
    window = make_window(None, store_folder=tmp_path)
    core = open_hard(qtbot, window)
    killer = Killer(window, step)
    with qtbot.waitSignal(window.controller.process_ended, timeout=WAIT_MS):
        window.controller.solve_now()

    assert killer.done
    problem, bracket = core.problem, core.bracket
    assert problem is not None
    assert bracket is not None
    if killer.energy_j is not None:  # what was shown is known, and still on screen
        assert bracket.high_j is not None
        assert bracket.high_j <= killer.energy_j
        assert isinstance(core.status.outcome, Feasible)
        assert core.shown is not None
        assert core.shown.trace.total_energy_j == bracket.high_j
    if killer.bound_j is not None:
        assert bracket.low_j >= killer.bound_j
    window.close()

    stored = BracketStore(tmp_path, pytest.fail).load(problem)
    assert stored.bracket(problem.budgets).high_j == bracket.high_j
    assert stored.bracket(problem.budgets).low_j == bracket.low_j


def test_that_the_next_solve_starts_where_the_killed_one_was(
    qtbot: QtBot, make_window: MakeWindow, tmp_path: Path
) -> None:
    window = make_window(None, store_folder=tmp_path)
    core = open_hard(qtbot, window)
    killer = Killer(window, "local search")
    with qtbot.waitSignal(window.controller.process_ended, timeout=WAIT_MS):
        window.controller.solve_now()
    assert killer.energy_j is not None

    window.controller.solve_now()
    qtbot.waitUntil(lambda: core.status.energy_j is not None, timeout=WAIT_MS)

    assert core.status.incumbents[0].joules <= killer.energy_j
    assert "stored" in [step.name for step in core.status.steps]
    window.controller.stop()
    qtbot.waitUntil(lambda: not core.status.phase.is_busy, timeout=WAIT_MS)
