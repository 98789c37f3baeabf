"""Collects cyclic garbage while nobody waits: a whole collection holds everything up for 50 ms."""

import gc
from typing import Final

from PySide6.QtCore import QObject, Qt, QTimer, Slot
from PySide6.QtGui import QGuiApplication

from poet_gui.state import ExplorerState

REST_MS: Final = 1500
"""So long after the last change of the state the user looks, or does something else."""
_RARELY: Final = 2000
"""Collections of the middle generation per whole one: only a drag of many minutes gets there."""


class RestCollector(QObject):
    """Takes whole collections out of drags, and what the start made out of every collection.

    Young garbage is collected as ever. There is one for the whole program, which `close` ends.
    """

    def __init__(self, state: ExplorerState, parent: QObject) -> None:
        super().__init__(parent)
        self._before = gc.get_threshold()
        gc.collect()
        gc.freeze()
        gc.set_threshold(*self._before[:2], _RARELY)
        self._rest = QTimer(self, singleShot=True, interval=REST_MS)
        self._rest.timeout.connect(self._on_rest)
        for changed in (
            state.model_changed, state.problem_changed, state.solve_changed, state.shown_changed,
            state.playhead_changed, state.known_changed, state.sweep_changed,
        ):  # fmt: skip
            changed.connect(self._wait)

    def close(self) -> None:
        """Let Python collect as it did before."""
        self._rest.stop()
        gc.set_threshold(*self._before)

    @Slot()
    def _wait(self) -> None:
        self._rest.start()

    @Slot()
    def _on_rest(self) -> None:
        if QGuiApplication.mouseButtons() is Qt.MouseButton.NoButton:
            gc.collect()
        else:  # in the middle of a drag
            self._rest.start()
