"""Drags a slider while a solve and a sweep run, and says how long each turn of the event loop took.

Run as a program: the time of every turn is taken in the application object, which a session of
tests has already made. Prints one line of JSON: moves, turns, and CPU milliseconds p50, p99, max.
"""

import json
import math
import sys
import tempfile
import time
from pathlib import Path

from PySide6.QtCore import QEvent, QEventLoop, QObject, QTimer, Slot
from PySide6.QtWidgets import QApplication

from poet_gui import app
from poet_gui.collecting import RestCollector
from poet_gui.main_window import MainWindow
from poet_gui.settings import Settings
from poet_gui.solving.sweep_status import SweepPlan
from poet_gui.theme import ThemeChoice
from poet_gui.widgets.budget_slider import STEPS
from solver.graph import Accounting
from solver.graph_request import GraphRequest
from solver.problem import SolveOptions

_MOVE_MS, _REST_MS, _MOVES_PER_REST = 16, 400, 120
_WARM_MS = 1500


class TurnClock(QApplication):
    """Takes the CPU time of this thread around every event that is not part of another."""

    def __init__(self) -> None:
        super().__init__(["poet-explorer"])
        self.turns_ms: list[float] = []
        self.counting = False
        self._inside = False

    def notify(self, receiver: QObject, event: QEvent) -> bool:
        """Qt: hand an event to its receiver."""
        if self._inside or not self.counting:
            return super().notify(receiver, event)
        self._inside = True
        began = time.thread_time()
        try:
            return super().notify(receiver, event)
        finally:
            self.turns_ms.append(1e3 * (time.thread_time() - began))
            self._inside = False


class Drag(QObject):
    """Moves the memory slider to and fro between 30 and 90 % of its groove, now and then resting.

    The moves are made by a timer, so that each of them is a turn of the event loop.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self.moves = 0
        self._slider = window.views.budgets.ram_slider
        self._timer = QTimer(self, interval=_MOVE_MS)
        self._timer.timeout.connect(self._on_move)

    def run(self, seconds: float) -> None:
        self._timer.start()
        pause(seconds)
        self._timer.stop()

    @Slot()
    def _on_move(self) -> None:
        rests = self.moves % _MOVES_PER_REST == _MOVES_PER_REST - 1
        self._timer.setInterval(_REST_MS if rests else _MOVE_MS)
        self._slider.setValue(round(STEPS * (0.6 + 0.3 * math.sin(self.moves / 47))))
        self.moves += 1


def pause(seconds: float) -> None:
    """Let the event loop run that long."""
    loop = QEventLoop()
    QTimer.singleShot(round(1000 * seconds), loop.quit)
    loop.exec()


def open_and_warm(window: MainWindow) -> None:
    """Open a network of 133 ops, and let the solve process load its libraries."""
    loop = QEventLoop()
    window.controller.opened.connect(loop.quit)
    window.controller.start()
    window.controller.open(GraphRequest("resnet18_cifar", Accounting.POET), "resnet18_cifar")
    loop.exec()
    window.state.core.set_options(SolveOptions(gap=0.01, time_limit_s=5.0))
    pause(_WARM_MS / 1000)


def main(seconds: float) -> None:
    """Drag that long and print the figures."""
    clock = TurnClock()
    settings = Settings(Path(tempfile.mkdtemp()) / "window.ini")
    settings.theme = ThemeChoice.LIGHT
    window = app.make_window(app.make_application(), settings)
    collector = RestCollector(window.state, window)
    window.resize(1600, 900)
    window.show()
    open_and_warm(window)
    window.views.side_tabs.setCurrentWidget(window.views.frontier)
    window.sweeper.start(SweepPlan(limit_s=5.0))
    drag = Drag(window)
    clock.counting = True
    drag.run(seconds)
    clock.counting = False
    collector.close()
    window.close()
    turns = sorted(clock.turns_ms)
    figures = {"p50": turns[len(turns) // 2], "p99": turns[len(turns) * 99 // 100]}
    print(json.dumps({"moves": drag.moves, "turns": len(turns), **figures, "max": turns[-1]}))  # noqa: T201 - a program


if __name__ == "__main__":
    main(float(sys.argv[1]))
