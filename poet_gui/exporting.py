"""Saving what is on screen: result as JSON, timeline as PNG, table as CSV, trace for Perfetto."""

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QFileDialog, QWidget

from poet_gui.notices import Level, Notice, notice_of_issues
from poet_gui.settings import Settings
from poet_gui.state import ExplorerState
from poet_gui.viewmodels.picture_title import picture_title
from poet_gui.widgets.schedule_view import ScheduleView
from solver.codec import encode_json, result_document
from solver.codec.result import Origin
from solver.errors import EngineError
from solver.exporters.base import write_companions
from solver.exporters.registry import get_exporter
from solver.files import write_whole
from solver.simulate import Trace


class Exporter(QObject):
    """Asks for a place and writes the file whole or not at all.

    Signals
    -------
    notice(object)
        A Notice: where it was saved, or why not.
    """

    notice = Signal(object)

    def __init__(
        self, state: ExplorerState, view: ScheduleView, settings: Settings, window: QWidget
    ) -> None:
        super().__init__(window)
        self._core = state.core
        self._view = view
        self._settings = settings
        self._window = window

    @Slot()
    def ask_json(self) -> None:
        """Save the result as poet.result."""
        self._ask("Save result", ".json", self.write_json)

    @Slot()
    def ask_png(self) -> None:
        """Save the timeline as a picture."""
        self._ask("Export picture", ".png", self.write_png)

    @Slot()
    def ask_svg(self) -> None:
        """Save the timeline as a drawing."""
        self._ask("Export picture", ".svg", self.write_svg)

    @Slot()
    def ask_csv(self) -> None:
        """Save one row per action."""
        self._ask("Export table", ".csv", self.write_csv)

    @Slot()
    def ask_trace(self) -> None:
        """Save a Chrome trace."""
        self._ask("Export Chrome trace", ".trace.json", self.write_trace)

    @Slot()
    def ask_plan(self) -> None:
        """Save a training plan."""
        self._ask("Export training plan", ".plan.json", self.write_plan)

    @Slot(str)
    def write_json(self, path: str) -> None:
        """Write the finished result of the present budgets."""
        core = self._core
        outcome, problem, model = core.status.outcome, core.problem, core.model
        if outcome is None or problem is None or model is None:
            text = "Press Solve and wait for the result; the table can be exported already."
            self._say(Level.WARNING, "There is no finished result for these budgets yet", text)
            return
        origin = Origin(model.source, model.sha256)
        document = result_document(problem, outcome, core.options, origin)
        self._write(path, encode_json(document))

    @Slot(str)
    def write_png(self, path: str) -> None:
        """Write the timeline as it stands on screen, at twice its size."""
        self._draw(path, self._view.picture.render_png)

    @Slot(str)
    def write_svg(self, path: str) -> None:
        """Write the timeline as it stands on screen, as lines and texts."""
        self._draw(path, self._view.picture.render_svg)

    @Slot(str)
    def write_csv(self, path: str) -> None:
        """Write one row per action of the schedule on screen."""
        self._export(path, "csv")

    @Slot(str)
    def write_trace(self, path: str) -> None:
        """Write the schedule on screen as a Chrome trace."""
        self._export(path, "chrome-trace")

    @Slot(str)
    def write_plan(self, path: str) -> None:
        """Write what trains the traced model in this order, and beside it the runner."""
        self._export(path, "plan")

    def _draw(self, path: str, render: Callable[..., None]) -> None:
        self._view.cards.hover.hide()
        try:
            render(Path(path), title=picture_title(self._core))
        except OSError as error:
            self._say_failed(path, error)
            return
        self._say_saved(path)

    def _export(self, path: str, name: str) -> None:
        trace = self._trace()
        if trace is None:
            return
        exporter = get_exporter(name)
        try:
            write_whole(Path(path), exporter.export(trace))
            said = write_companions(exporter, Path(path))
        except OSError as error:
            self._say_failed(path, error)
        except EngineError as error:
            title = f"{Path(path).name} was not saved"
            self.notice.emit(notice_of_issues(title, error.issues))
        else:
            self._say_saved(path, said)

    def _trace(self) -> Trace | None:
        return self._core.shown.trace if self._core.shown else None

    def _ask(self, title: str, suffix: str, chosen: Callable[[str], None]) -> None:
        model = self._core.model
        if model is None or self._trace() is None:
            self._say(Level.WARNING, "There is nothing to save yet", "Open a model first.")
            return
        name = f"{Path(model.costed.graph.name).stem}{suffix}"
        start = str(Path(self._settings.folder) / name)
        dialog = QFileDialog(self._window, title, start, f"*{suffix};;All files (*)")
        dialog.setObjectName("saveDialog")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(suffix.lstrip("."))
        dialog.fileSelected.connect(chosen)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _write(self, path: str, data: bytes) -> None:
        try:
            write_whole(Path(path), data)
        except OSError as error:
            self._say_failed(path, error)
            return
        self._say_saved(path)

    def _say_failed(self, path: str, error: OSError) -> None:
        text = f"{error.strerror or error}. Choose another place."
        self._say(Level.ERROR, f"{Path(path).name} was not saved", text)

    def _say_saved(self, path: str, said: Sequence[str] = ()) -> None:
        self._settings.folder = str(Path(path).parent)
        title, text = f"Saved {Path(path).name}", "\n".join((path, *said))
        self.notice.emit(Notice(Level.INFO, title, text, passes=True))

    def _say(self, level: Level, title: str, text: str) -> None:
        self.notice.emit(Notice(level, title, text))
