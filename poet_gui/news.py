"""What the background says, in words: notices above the work, and the state of the solver."""

from typing import Final

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QMainWindow

from poet_gui.layout import Views
from poet_gui.notices import Level, Notice, NoticeAction
from poet_gui.solving.controller import SolveController
from poet_gui.solving.deliveries import OpenModel
from poet_gui.solving.keeper import Keeper
from poet_gui.viewmodels.floor_warning import floor_warning
from poet_gui.viewmodels.import_report import KEEP_IN_MIND

_REPORT: Final = NoticeAction("report", "Import report", "what was folded, ignored and assumed")


class News(QObject):
    """Tells the user what happened outside the window's own thread, and what went wrong in it."""

    def __init__(
        self, views: Views, controller: SolveController, keeper: Keeper, window: QMainWindow
    ) -> None:
        super().__init__(window)
        self._views, self._window = views, window
        controller.opened.connect(self._on_opened)
        controller.process_ended.connect(self._on_process_ended)
        controller.answer_rejected.connect(self._on_rejected)
        controller.ready.connect(self._on_ready)
        keeper.trouble.connect(self._on_store_trouble)

    @Slot(str, str)
    def on_crash(self, line: str, details: str) -> None:
        """Say that something of ours broke; the work goes on."""
        text = f"{line}. Your work is kept; please report the details."
        self._show(Notice(Level.ERROR, "The program met a fault of its own", text, details))

    @Slot(object)
    def _on_opened(self, model: OpenModel) -> None:
        self._views.notices.clear()
        self._window.setWindowTitle(f"{model.costed.graph.name} – POET Explorer")
        warnings = (*model.costed.graph.warnings, *model.costed.priced)
        if warnings:
            more = f" and {len(warnings) - 1} more" if len(warnings) > 1 else ""
            text, details = f"{warnings[0]}{more}", "\n".join(warnings)
            title = KEEP_IN_MIND
            self._show(Notice(Level.INFO, title, text, details, action=_REPORT))
        warning = floor_warning(model.costed)
        if warning is not None:
            self._show(Notice(Level.WARNING, warning.title, warning.text))

    @Slot(str, str)
    def _on_process_ended(self, sentence: str, details: str) -> None:
        self._show(Notice(Level.WARNING, sentence, "", details))
        self._views.status.show_background("starting the solver …")

    @Slot(object)
    def _on_rejected(self, faults: tuple[str, ...]) -> None:
        text = "It is not shown. Solve again; if it happens again, please report the details."
        title = "An answer of the solver did not pass the check"
        self._show(Notice(Level.ERROR, title, text, "\n".join(faults)))

    @Slot(bool)
    def _on_ready(self, warm: bool) -> None:  # noqa: FBT001 - a signal's argument
        self._views.status.show_background("solver ready" if warm else "loading the solver …")

    @Slot(str)
    def _on_store_trouble(self, sentence: str) -> None:
        title = "What is solved now may not be known in the next session"
        self._show(Notice(Level.WARNING, title, sentence, stays=True))

    def _show(self, notice: Notice) -> None:
        self._views.notices.show_notice(notice)
