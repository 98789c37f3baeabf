"""`--screenshot`: wait until the result is shown, save the window as a picture, end."""

from pathlib import Path
from typing import Final

from PySide6.QtCore import QCoreApplication, QObject, QTimer, Signal, Slot
from PySide6.QtGui import QGuiApplication

from poet_gui.main_window import MainWindow
from poet_gui.notices import Level, Notice
from poet_gui.solving.deliveries import OpenModel
from poet_gui.window_place import PREFERRED
from solver.outcome import Outcome

_SETTLE_MS: Final = 300
"""Fonts and plots need a while after the result is there."""
_ROUNDS: Final = 30
"""A layout tells the one around it a round of the event loop later; none is nested deeper."""


class Screenshot(QObject):
    """Saves one picture of the window.

    A model is solved first; a saved result or the demo is shown as it is. When something cannot be
    opened, nothing is saved and `why` says why.

    Signals
    -------
    ended(int)
        Nothing more will come; carries the exit code of the program.
    """

    ended = Signal(int)

    def __init__(self, window: MainWindow, path: Path, *, solves: bool) -> None:
        super().__init__(window)
        self._window = window
        window.opener.asks = False  # nobody is there to answer
        if QGuiApplication.platformName() == "offscreen":
            window.resize(PREFERRED)  # that platform's screen is 800 x 800, and nobody sees it
        self._path = path
        self._solves = solves
        self.saved = False
        self.why = "the window was closed"
        self._timer = QTimer(self, singleShot=True, interval=_SETTLE_MS)
        self._timer.timeout.connect(self._save)
        window.controller.opened.connect(self._on_opened)
        window.controller.finished.connect(self._on_finished)
        window.opener.notice.connect(self._on_notice)
        window.state.history_changed.connect(self._on_more)

    def arm(self, *, nothing_to_open: bool) -> None:
        """Without anything to open, the empty window is the result."""
        if nothing_to_open:
            self._timer.start()

    @Slot(object)
    def _on_opened(self, model: OpenModel) -> None:  # noqa: ARG002 - the state has it
        if self._solves and self._window.state.core.status.outcome is None:
            self._window.controller.solve_now()
        else:
            self._timer.start()

    @Slot(object)
    def _on_finished(self, outcome: Outcome) -> None:  # noqa: ARG002 - whatever it is, it is shown
        self._timer.start()

    @Slot()
    def _on_more(self) -> None:
        """The demo comes in parts: each that comes in time is in the picture."""
        if self._timer.isActive():
            self._timer.start()

    @Slot(object)
    def _on_notice(self, notice: Notice) -> None:
        if notice.level is Level.ERROR:
            self.why = notice.whole
            self.ended.emit(1)

    @Slot()
    def _save(self) -> None:
        for _ in range(_ROUNDS):
            QCoreApplication.processEvents()
        self.saved = self._window.grab().save(str(self._path), "PNG")
        self.why = "" if self.saved else f"{self._path} cannot be written"
        self.ended.emit(0 if self.saved else 1)
