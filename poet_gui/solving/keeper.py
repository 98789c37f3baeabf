"""Between the session's knowledge and the store on disk: reads and writes in its own thread."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot

from poet_gui.solving.background import report_fault
from poet_gui.state import ExplorerState
from solver.bracket_store import BracketStore
from solver.brackets import Brackets, StoredBound, StoredSchedule
from solver.problem import Problem

SAVE_MS: Final = 1000
"""What is proven is written together, this long after the first of it; a solve proves a lot."""
_CHUNK_S: Final = 0.1
"""Verified schedules are handed over this often: a large store takes seconds to be read."""


@dataclass(frozen=True, slots=True, eq=False)
class Fetched:
    """Entries of the store, verified; `last`: there are no more of this problem."""

    problem: Problem
    entries: tuple[StoredSchedule | StoredBound, ...]
    last: bool


class Keeper(QObject):
    """Fetches what earlier sessions stored of the problem on screen, stores what this one proves.

    Signals
    -------
    fetched()
        Something came from the store.
    trouble(str)
        A sentence about the store, each once.
    """

    fetched = Signal()
    trouble = Signal(str)
    _read = Signal(object)
    _told = Signal(str)

    def __init__(
        self, state: ExplorerState, folder: Path | None, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._core = state.core
        # Queued, whatever thread emits: both come from the thread of the store.
        self._read.connect(self._on_read, Qt.ConnectionType.QueuedConnection)
        self._told.connect(self._on_told, Qt.ConnectionType.QueuedConnection)
        self._wanted = folder is not None
        self._store = BracketStore(folder, self._told.emit)
        self._jobs = ThreadPoolExecutor(1, thread_name_prefix="window store")
        self._closed = threading.Event()
        self._later = QTimer(self, singleShot=True, interval=SAVE_MS)
        self._later.timeout.connect(self.save)
        state.model_changed.connect(self._fetch)
        state.problem_changed.connect(self._fetch)
        state.known_changed.connect(self._save_later)

    @Slot()
    def save(self) -> None:
        """Write everything that is not stored yet, in the background."""
        self._later.stop()
        for shelf in self._core.knowledge.unsaved:
            shelf.unsaved = False
            self._submit_save(shelf.problem, shelf.earned.copy())

    def close(self) -> None:
        """Write what is left and end the thread; returns when that is done."""
        if not self._closed.is_set():
            if self._wanted:
                self.save()
            self._closed.set()
            self._jobs.shutdown(wait=True)

    # Inside

    @Slot()
    def _fetch(self) -> None:
        problem = self._core.problem
        if problem is not None:
            self.fetch(problem)

    @Slot(object)
    def fetch(self, problem: Problem) -> None:
        """Read what is stored of a problem, once in a session."""
        if not self._wanted or self._closed.is_set():
            return
        shelf = self._core.knowledge.shelf(problem)
        if not shelf.fetched:
            shelf.fetched = True
            self._jobs.submit(self._read_all, problem).add_done_callback(report_fault)

    @Slot()
    def _save_later(self) -> None:
        if self._wanted and not self._closed.is_set() and not self._later.isActive():
            self._later.start()

    def _submit_save(self, problem: Problem, brackets: Brackets) -> None:
        self._jobs.submit(self._store.save, problem, brackets).add_done_callback(report_fault)

    def _read_all(self, problem: Problem) -> None:
        """In the thread of the store: verifying a schedule takes some milliseconds."""
        entries: list[StoredSchedule | StoredBound] = []
        last_s = time.monotonic()
        for entry in self._store.read(problem):
            if self._closed.is_set():
                return
            entries.append(entry)
            if time.monotonic() - last_s > _CHUNK_S:
                self._read.emit(Fetched(problem, tuple(entries), last=False))
                entries.clear()
                last_s = time.monotonic()
        self._read.emit(Fetched(problem, tuple(entries), last=True))

    @Slot(object)
    def _on_read(self, found: Fetched) -> None:
        if found.entries and not self._closed.is_set():
            self._core.learn_stored(found.problem, found.entries)
            self.fetched.emit()

    @Slot(str)
    def _on_told(self, sentence: str) -> None:
        if not self._closed.is_set():
            self.trouble.emit(sentence)
