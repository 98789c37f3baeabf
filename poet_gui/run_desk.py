"""Running the schedule on screen on real tensors: the process, its sheet, its report."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, assert_never

from PySide6.QtCore import QObject, Qt, Signal, Slot

from poet_gui.dialogs.run_sheet import RunSheet
from poet_gui.notices import Level, Notice
from poet_gui.state import ExplorerState
from poet_gui.viewmodels.run_words import (
    cancelled_sections,
    refusal_sections,
    run_sections,
    why_not_run,
)
from solver.errors import EngineError, Issue
from solver.pytorch.need import require_torch
from solver.run_messages import RunDone, RunEvent, RunRefused, RunRequest, RunStep
from solver.run_process import RUN_COMMAND, RunProcess
from solver.simulate import Trace

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from solver.replay_report import ReplayReport


class RunDesk(QObject):
    """One run at a time, in a process of its own; what the user's module does ends with it.

    Signals
    -------
    notice(object)
        A Notice: why nothing can be run.
    can_run_changed(bool, str)
        Whether the schedule on screen can be run, and why not.
    ended()
        A run is over: finished, refused or broken, but not cancelled.
    action_chosen(int)
        Go to this action.
    """

    notice = Signal(object)
    can_run_changed = Signal(bool, str)
    ended = Signal()
    action_chosen = Signal(int)
    _told = Signal(object, object)
    _over = Signal(object)

    def __init__(
        self, state: ExplorerState, window: "QWidget", command: Sequence[str] = RUN_COMMAND
    ) -> None:
        super().__init__(window)
        self._core, self._window = state.core, window
        self.command = tuple(command)
        self.sheet: RunSheet | None = None
        self._process: RunProcess | None = None
        self._trace: Trace | None = None
        self._report: ReplayReport | None = None
        state.model_changed.connect(self.refresh)
        state.shown_changed.connect(self.refresh)
        # Queued: both are emitted by the reader thread of a process, which may be gone by then.
        self._told.connect(self._on_told, Qt.ConnectionType.QueuedConnection)
        self._over.connect(self._on_over, Qt.ConnectionType.QueuedConnection)

    @property
    def pid(self) -> int | None:
        """Process id of the run; None when there is none."""
        return None if self._process is None else self._process.pid

    @Slot()
    def run(self) -> None:
        """Run the schedule on screen; while one runs, show how far it is."""
        model, shown = self._core.model, self._core.shown
        refusal = why_not_run(None if model is None else model.costed)
        if not refusal and self._process is None:
            refusal = _without_torch()
        if refusal or model is None or shown is None:
            title = "This schedule cannot be run"
            self.notice.emit(Notice(Level.WARNING, title, refusal))
            return
        sheet = self._sheet()
        if self._process is None:
            self._start(shown.trace, model.source, sheet)
        if sheet.isVisible():
            sheet.raise_()
        sheet.show()
        sheet.activateWindow()

    @Slot()
    def cancel(self) -> None:
        """End the run at once; nothing is left of it."""
        process, self._process = self._process, None
        if process is not None:
            process.close()
            if self.sheet is not None:
                self.sheet.show_end(cancelled_sections())

    def close(self) -> None:
        """End everything; the window is about to go."""
        sheet = self.sheet
        self.cancel()
        if sheet is not None:
            sheet.close()

    def _start(self, trace: Trace, source: str, sheet: RunSheet) -> None:
        self._trace, self._report = trace, None
        sheet.show_start(len(trace.schedule.actions))
        self._process = RunProcess(
            RunRequest.of(trace),
            self._told.emit,
            self._over.emit,
            folder=_folder(trace, source),
            command=self.command,
        )

    def _sheet(self) -> RunSheet:
        if self.sheet is None:
            self.sheet = RunSheet(self._window)
            self.sheet.cancel_requested.connect(self.cancel)
            self.sheet.action_requested.connect(self._on_action)
            self.sheet.destroyed.connect(self._on_sheet_gone)
        return self.sheet

    # In the window's thread

    @Slot(object, object)
    def _on_told(self, process: RunProcess, event: RunEvent) -> None:
        if process is not self._process or self.sheet is None or self._trace is None:
            return
        match event:
            case RunStep(done=done, total=total):
                self.sheet.show_progress(done, total)
            case RunDone(report=report):
                self._finish()
                self._report = report
                sections = run_sections(report, self._trace.problem.costed.device.name)
                self.sheet.show_end(sections, has_action=report.fault_action is not None)
                self.refresh()
                self.ended.emit()
            case RunRefused(issues=issues, details=details):
                self._finish()
                self.sheet.show_end(refusal_sections(tuple(issues), details))
                self.ended.emit()
            case _:
                assert_never(event)

    @Slot(object)
    def _on_over(self, process: RunProcess) -> None:
        """The process is gone; where it had not answered, it broke."""
        if process is not self._process:
            return
        self._finish()
        if self.sheet is not None:
            issue = Issue("the process that ran it has ended without an answer")
            self.sheet.show_end(refusal_sections((issue,), process.errors))
        self.ended.emit()

    def _finish(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.close()

    @Slot()
    def refresh(self) -> None:
        """Tell whether what is on screen can be run."""
        model, shown = self._core.model, self._core.shown
        refusal = why_not_run(None if model is None else model.costed)
        self.can_run_changed.emit(not refusal and shown is not None, refusal)
        if self.sheet is not None:
            seen = None if shown is None else shown.trace.schedule
            ran = None if self._trace is None else self._trace.schedule
            self.sheet.set_action_reachable(reachable=seen is not None and seen == ran)

    @Slot()
    def _on_action(self) -> None:
        if self._report is not None and self._report.fault_action is not None:
            self.action_chosen.emit(self._report.fault_action)

    @Slot()
    def _on_sheet_gone(self) -> None:
        self.sheet = None


def _without_torch() -> str:
    """One sentence where PyTorch is missing; empty where it is there."""
    try:
        require_torch()
    except EngineError as error:
        return str(error)
    return ""


def _folder(trace: Trace, source: str) -> Path | None:
    """Where the run takes place: here, or beside the model, if its module is found from there."""
    program = trace.problem.costed.graph.program
    if program is None or Path(program.source.file).exists():
        return None
    beside = Path(source).parent
    return beside if (beside / program.source.file).exists() else None
