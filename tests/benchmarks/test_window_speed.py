"""Figures of the window: start, demo, and how long its thread is held up while a solve runs."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Slot
from pytestqt.qtbot import QtBot

from poet_gui.collecting import RestCollector
from poet_gui.widgets.budget_slider import STEPS
from tests.poet_gui.fixtures import WAIT_MS, MakeWindow, make_window

pytestmark = pytest.mark.benchmark
__all__ = ["make_window"]

# Goals on two idle cores; the limits are three times as long.
START_S, DEMO_S, STALL_MS = 3.0, 1.0, 100.0
TURN_P99_MS, TURN_MAX_MS = 16.0, 50.0
FACTOR = 3.0

_START = """
import time
began = time.perf_counter()
from poet_gui import app
application = app.make_application()
window = app.make_window(application)
window.show()
application.processEvents()
print(time.perf_counter() - began)
window.close()
"""


class Stalls(QObject):
    """Ticks every 5 ms and remembers the longest time between two ticks, milliseconds."""

    def __init__(self) -> None:
        super().__init__()
        self.worst_ms = 0.0
        self._clock = QElapsedTimer()
        self._timer = QTimer(self, interval=5)
        self._timer.timeout.connect(self._on_tick)

    def start(self) -> None:
        self._clock.start()
        self._timer.start()

    def stop(self) -> None:
        self._timer.stop()

    @Slot()
    def _on_tick(self) -> None:
        self.worst_ms = max(self.worst_ms, self._clock.nsecsElapsed() / 1e6)
        self._clock.restart()


def test_that_the_window_is_up_soon(tmp_path: Path) -> None:
    environment = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path)}
    shown = subprocess.run(
        [sys.executable, "-c", _START], env=environment, capture_output=True, text=True, check=True
    ).stdout
    seconds = float(shown)
    print(f"window up after {seconds:.2f} s (goal {START_S} s)")  # noqa: T201 - a benchmark is read
    assert seconds < FACTOR * START_S


def test_that_the_demo_is_drawn_soon(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window("honest", start=False)
    began = time.perf_counter()
    with qtbot.waitSignal(window.controller.opened, timeout=WAIT_MS):
        window.opener.open_demo()
    window.grab()
    seconds = time.perf_counter() - began
    print(f"demo drawn after {seconds:.2f} s (goal {DEMO_S} s)")  # noqa: T201 - a benchmark is read
    assert seconds < FACTOR * DEMO_S


def test_that_nothing_stalls_while_a_solve_runs_and_sliders_move(
    qtbot: QtBot, make_window: MakeWindow, caplog: pytest.LogCaptureFixture
) -> None:
    del caplog  # a busy machine may let the solve process be replaced, which is logged
    window = make_window(None)
    with qtbot.waitSignal(window.controller.opened, timeout=WAIT_MS):
        window.opener.open_builtin("resnet18_cifar")
    core, slider = window.state.core, window.views.budgets.ram_slider
    window.controller.solve_now()
    qtbot.wait(1500)
    collector = RestCollector(window.state, window)  # as the program has it
    stalls = Stalls()
    ends: list[object] = []
    window.controller.finished.connect(ends.append)
    stalls.start()
    for move in range(200):
        slider.setValue(STEPS // 4 + (37 * move) % (STEPS // 2))
        qtbot.wait(20)
    slider.setValue(STEPS // 3)
    final = core.budgets.ram_bytes
    window.views.solver.limit.setValue(2.0)
    window.views.solver.limit.editingFinished.emit()
    qtbot.waitUntil(lambda: bool(ends), timeout=60_000)
    stalls.stop()
    collector.close()
    print(f"longest stall {stalls.worst_ms:.0f} ms (goal {STALL_MS} ms)")  # noqa: T201 - a benchmark is read
    assert len(ends) == 1
    assert core.history[-1].problem.budgets.ram_bytes == final
    assert stalls.worst_ms < FACTOR * STALL_MS


def test_that_no_turn_of_the_event_loop_takes_long_while_everything_goes_on_at_once() -> None:
    """CPU time of the window's thread: a solve, a sweep, and a slider that moves every 16 ms."""
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, "-m", "tests.helpers.drag_turns", "20"]
    told = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    found = json.loads(told.stdout)
    print(  # noqa: T201 - a benchmark is read
        f"{found['moves']} moves, {found['turns']} turns of p50 {found['p50']:.1f}, "
        f"p99 {found['p99']:.1f}, max {found['max']:.1f} ms "
        f"(goal {TURN_P99_MS:.0f} and {TURN_MAX_MS:.0f} ms)"
    )
    assert found["moves"] > 100
    assert found["p99"] < FACTOR * TURN_P99_MS
    assert found["max"] < FACTOR * TURN_MAX_MS
