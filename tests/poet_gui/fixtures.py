"""Fixtures of the window's tests: a window over a scripted or a real solve process, and waiting."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from poet_gui.appearance import Appearance
from poet_gui.main_window import MainWindow
from poet_gui.notices import Notice
from poet_gui.settings import Settings
from poet_gui.solving.prepare import prepare
from poet_gui.theme import ThemeChoice
from solver.device_files import load_device
from solver.graph_request import GraphRequest
from solver.solve_process import WORKER_COMMAND
from tests.helpers.builders import chain

SCRIPT = Path(__file__).parents[1] / "helpers" / "scripted_worker.py"
WAIT_MS = 60_000
"""A process starts, reads and answers within a second; on a machine that is busy, not."""
_OBEDIENT = (None, "honest", "obedient", "late", "liar", "boaster")
_MOST_ROUNDS, _QUIET_ROUNDS = 1000, 5
MakeWindow = Callable[..., MainWindow]


def scripted(scenario: str) -> tuple[str, ...]:
    """Command of a scripted solve process (tests/helpers/scripted_worker.py)."""
    return (sys.executable, str(SCRIPT), scenario)


@pytest.fixture
def make_window(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> Iterator[MakeWindow]:
    """Make a shown window; `scenario` None means the real solve process, `command` another.

    `size` None leaves the size that the window chooses: the offscreen platform's screen is small.
    """
    made: list[MainWindow] = []
    appearance = Appearance(qapp)

    def make(
        scenario: str | None = "honest",
        *,
        start: bool = True,
        store_folder: Path | None = None,
        size: tuple[int, int] | None = (1600, 1000),
        command: tuple[str, ...] | None = None,
    ) -> MainWindow:
        settings = Settings(tmp_path / "window.ini")
        settings.theme = ThemeChoice.LIGHT
        appearance.apply(ThemeChoice.LIGHT, 100)
        command = command or (WORKER_COMMAND if scenario is None else scripted(scenario))
        device = load_device("nrf52840")
        window = MainWindow(appearance, settings, device, command, store_folder=store_folder)
        made.append(window)
        if size is not None:
            window.resize(*size)
        if scenario in _OBEDIENT:  # it is not to be replaced for being slow on a busy machine
            window.controller.patience.wait_ms(WAIT_MS)
        with qtbot.waitExposed(window, timeout=WAIT_MS):
            window.show()
        if start:
            window.controller.start()
        return window

    yield make
    appearance.apply(ThemeChoice.LIGHT, 100)
    while made:  # the list is emptied: pytest keeps `make`, and with it the list, for a while
        window = made.pop()
        window.close()
        window.deleteLater()
        del window
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)  # not to be polished again
    qapp.setStyleSheet("")  # with one, the fonts of later tests' widgets would be the sheet's


def open_model(qtbot: QtBot, window: MainWindow, name: str = "chain") -> None:
    """Open a model and wait until it is on screen."""
    with qtbot.waitSignal(window.controller.opened, timeout=WAIT_MS):
        window.controller.open(GraphRequest(name), name)


def show_chain(window: MainWindow, length: int = 6) -> None:
    """Put the chain of the scripted process on screen without a process; a solve would start one.

    Starting and asking one costs half a second, which tests of what the window knows need not pay.
    """
    request = GraphRequest("chain")
    graph, device = chain(length), window.state.core.device
    window.state.core.open_model(
        prepare(graph, device, request=request, source="chain", sha256=None, graph_key="chain-0")
    )


def solve(qtbot: QtBot, window: MainWindow) -> None:
    """Solve and wait for the end."""
    with qtbot.waitSignal(window.controller.finished, timeout=WAIT_MS):
        window.controller.solve_now()


def is_running(pid: int) -> bool:
    """Say whether there is such a process that has not ended."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


class _LayoutRequests(QObject):
    """Counts how often a layout was asked to look again."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        del watched
        self.count += event.type() == QEvent.Type.LayoutRequest
        return False


def settle(app: QApplication) -> None:
    """Go on until every layout has settled, however many rounds of the event loop that takes.

    A layout tells the one around it a round later, and columns that fold begin anew.
    """
    requests, quiet = _LayoutRequests(), 0
    app.installEventFilter(requests)
    try:
        for _ in range(_MOST_ROUNDS):
            before = requests.count
            app.processEvents()
            quiet = quiet + 1 if requests.count == before else 0
            if quiet == _QUIET_ROUNDS:
                return
        pytest.fail("the layouts never settled")
    finally:
        app.removeEventFilter(requests)


def notice_saying(qtbot: QtBot, window: MainWindow, words: str) -> Notice:
    """Wait for the notice that says so; another may have come on top of it."""

    def found() -> list[Notice]:
        return [notice for notice in window.views.notices.notices if words in notice.whole]

    qtbot.waitUntil(lambda: bool(found()), timeout=WAIT_MS)
    return found()[0]
