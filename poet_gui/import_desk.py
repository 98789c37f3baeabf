"""What follows a file that is opened: sizes it leaves open, its report, reading it again."""

from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal, Slot

from poet_gui.dialogs.report_sheet import ReportSheet
from poet_gui.dialogs.size_dialog import SizeDialog
from poet_gui.notices import Level, Notice, NoticeAction
from poet_gui.solving.controller import SolveController
from poet_gui.solving.deliveries import OpenModel
from poet_gui.state import ExplorerState
from poet_gui.viewmodels.import_report import report_sections
from poet_gui.viewmodels.reloading import reload_words
from poet_gui.viewmodels.size_questions import Sizes, questions
from solver.errors import Issue
from solver.import_report import OpenSize

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from poet_gui.opening import Opener
    from poet_gui.settings import Settings
    from solver.costs import CostedGraph
    from solver.graph_request import GraphRequest

_REST_MS: Final = 300
"""A file is written in many steps: it is looked at when nothing has happened for this long."""
RELOAD: Final = NoticeAction("reload", "Reload", "read the file again; budgets and view stay")


class ImportDesk(QObject):
    """Asks for open sizes, shows the import report, reads the open file again in place.

    Signals
    -------
    notice(object)
        A Notice for the user.
    """

    notice = Signal(object)

    def __init__(
        self,
        state: ExplorerState,
        opener: "Opener",
        controller: SolveController,
        settings: "Settings",
        window: "QWidget",
    ) -> None:
        super().__init__(window)
        self._core = state.core
        self._opener = opener
        self._settings = settings
        self._window = window
        self._dialog: SizeDialog | None = None
        self._request: GraphRequest | None = None
        self._sheet: ReportSheet | None = None
        self._reloaded: CostedGraph | None = None
        self._written: tuple[int, int] | None = None
        self._watcher = QFileSystemWatcher(self)
        self._rest = QTimer(self, singleShot=True, interval=_REST_MS)
        self._rest.timeout.connect(self._on_rest)
        self._watcher.fileChanged.connect(self._on_written)
        opener.sizes_wanted.connect(self.ask)
        controller.open_failed.connect(self._on_failed)
        state.model_changed.connect(self._on_model)

    # Sizes

    @Slot(object, object)
    def ask(self, request: "GraphRequest", asked: tuple[OpenSize, ...]) -> None:
        """Ask for the sizes that the file of `request` leaves open, and open it with them."""
        self._close_dialog()
        self._request = request
        path = Path(request.model)
        chosen = self._settings.sizes(str(path.absolute())) or Sizes(request.batch, request.dims)
        rows = questions(asked, chosen, self._settings.sizes_by_name)
        self._dialog = SizeDialog(path.name, rows, self._window)
        self._dialog.answered.connect(self._on_answered)
        self._dialog.destroyed.connect(self._on_dialog_gone)
        self._dialog.show()

    @Slot()
    def ask_again(self) -> None:
        """Let the user change the sizes of the open model."""
        model = self._core.model
        report = None if model is None else model.costed.graph.report
        if model is not None and report is not None and report.open_sizes:
            self.ask(model.request, report.open_sizes)

    @Slot(object)
    def _on_answered(self, sizes: Sizes) -> None:
        if self._request is not None:
            self._opener.open_with_sizes(self._request, sizes)

    @Slot()
    def _on_dialog_gone(self) -> None:
        self._dialog = None

    def _close_dialog(self) -> None:
        dialog, self._dialog = self._dialog, None
        if dialog is not None:
            dialog.destroyed.disconnect(self._on_dialog_gone)
            dialog.close()

    # The report

    @Slot()
    def show_report(self) -> None:
        """What was folded, ignored and assumed about the open model."""
        if self._sheet is None:
            self._sheet = ReportSheet(report_sections(self._core.model), self._window)
            self._sheet.destroyed.connect(self._on_sheet_gone)
        self._sheet.show()
        self._sheet.activateWindow()

    @Slot()
    def _on_sheet_gone(self) -> None:
        self._sheet = None

    @Slot()
    def _on_model(self) -> None:
        if self._sheet is not None:
            self._sheet.show_sections(report_sections(self._core.model))

    # Reading it again

    @Slot()
    def reload(self) -> None:
        """Read the open model again; budgets, zoom and what is selected stay."""
        model = self._core.model
        if model is not None:
            self._rest.stop()
            self._written = _state_of(model.source)  # what is read now is not news any more
            self._reloaded = model.costed
            self._opener.reopen(model)

    @Slot(object)
    def on_opened(self, model: OpenModel) -> None:
        """A model is on screen: nothing is left to ask about it, its file is watched."""
        self._close_dialog()
        before, self._reloaded = self._reloaded, None
        self._watch(model.source)
        now = self._core.model
        if before is not None and now is not None:
            words = reload_words(before, now.costed)
            self.notice.emit(Notice(Level.INFO, words.title, words.text, passes=not words.text))

    @Slot(object, str)
    def _on_failed(self, issues: tuple[Issue, ...], details: str) -> None:  # noqa: ARG002 - for the notice
        self._reloaded = None
        if self._dialog is not None and not any(issue.asks for issue in issues):
            self._dialog.show_problem(str(issues[0]) if issues else "it was not opened")

    def _watch(self, source: str) -> None:
        """Notice when the file that the open model came from is written again."""
        watched = self._watcher.files()
        if watched:
            self._watcher.removePaths(watched)
        self._written = _state_of(source)
        if self._written is not None:
            self._watcher.addPath(source)

    @Slot(str)
    def _on_written(self, path: str) -> None:  # noqa: ARG002 - one file is watched
        self._rest.start()

    @Slot()
    def _on_rest(self) -> None:
        model = self._core.model
        if model is None:
            return
        written = _state_of(model.source)
        if written is None or written == self._written:
            return
        self._written = written
        if model.source not in self._watcher.files():  # editors put another file in its place
            self._watcher.addPath(model.source)
        title = f"{Path(model.source).name} was written again"
        text = "What is shown is the file as it was when it was opened."
        self.notice.emit(Notice(Level.INFO, title, text, action=RELOAD))

    def close(self) -> None:
        """Stop watching; the window is about to go."""
        self._rest.stop()
        watched = self._watcher.files()
        if watched:
            self._watcher.removePaths(watched)
        self._close_dialog()


def _state_of(source: str) -> tuple[int, int] | None:
    """Time and size of a file; None where there is none (a built-in network, say)."""
    try:
        found = Path(source).stat()
    except (OSError, ValueError):
        return None
    return (found.st_mtime_ns, found.st_size) if Path(source).is_file() else None
