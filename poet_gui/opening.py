"""Ways to open: dialog, drop, argument, recent, built-in, demo. All end in one request."""

from collections.abc import Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Final

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from poet_gui.notices import Level, Notice, NoticeAction, notice_of_issues
from poet_gui.settings import Settings
from poet_gui.solving.controller import SolveController
from poet_gui.solving.deliveries import OpenModel
from poet_gui.viewmodels.size_questions import Sizes, sizes_in_use
from solver.cost_files import read_cost_table
from solver.device_files import load_device
from solver.errors import EngineError, Issue, Offer
from solver.graph import Quantized
from solver.graph_request import GraphRequest
from solver.zoo.registry import accountings_of, builtin_names

_FILTER: Final = "Models and results (*.onnx *.json *.pt2 *.onnxtxt *.textproto);;All files (*)"
_COSTS_FILTER: Final = "Cost tables (*.csv *.json);;All files (*)"
_DEVICE_FILTER: Final = "Device profiles (*.toml);;All files (*)"
_STRAIGHT: Final = NoticeAction(
    "open_straight",
    "Open in floats",
    "simulate the quantised operators, with gradients straight through the rounding",
)


class Opener(QObject):
    """Turns every way to open into a request to the controller.

    Signals
    -------
    notice(object)
        A Notice for the user.
    sizes_wanted(object, object)
        GraphRequest and tuple[OpenSize, ...]: the file leaves these sizes open.
    """

    notice = Signal(object)
    sizes_wanted = Signal(object, object)

    def __init__(self, controller: SolveController, settings: Settings, window: QWidget) -> None:
        super().__init__(window)
        self._controller = controller
        self._settings = settings
        self._window = window
        self._name = ""
        self._request: GraphRequest | None = None
        self._without_sizes: GraphRequest | None = None
        self._quantised: GraphRequest | None = None
        self.asks = True
        """Whether somebody is there to be asked; else sizes left open are an error, a batch 1."""
        self._recent_menu: QMenu | None = None
        controller.opened.connect(self._on_opened)
        controller.open_failed.connect(self._on_failed)

    def fill_menus(self, recent: QMenu, builtin: QMenu) -> None:
        """Put the recent files and the built-in networks into these menus."""
        self._recent_menu = recent
        recent.aboutToShow.connect(self._fill_recent)
        recent.triggered.connect(self._on_recent)
        for name in builtin_names():
            builtin.addAction(name).setData(name)
        builtin.triggered.connect(self._on_builtin)

    @Slot()
    def ask(self) -> None:
        """Let the user choose a file; the window stays alive meanwhile."""
        self._dialog("Open a model or a saved result", _FILTER, self.open_path)

    @Slot()
    def ask_device(self) -> None:
        """Let the user choose a device profile."""
        self._dialog("Open a device profile", _DEVICE_FILTER, self.open_device)

    @Slot()
    def ask_costs(self) -> None:
        """Let the user choose a table of measured costs."""
        self._dialog("Price with measured costs", _COSTS_FILTER, self.open_costs)

    def open_subject(self, subject: str) -> None:
        """Open what stands on the command line: a built-in name or a path."""
        if subject in builtin_names():
            self.open_builtin(subject)
        else:
            self.open_path(subject)

    @Slot(str)
    def open_path(self, path: str) -> None:
        """Open a model, a saved result, a device profile or a table of measured costs."""
        if path.lower().endswith(".toml"):
            self.open_device(path)
            return
        if path.lower().endswith(".csv"):
            self.open_costs(path)
            return
        plain = GraphRequest(path, ask_batch=self.asks)
        chosen = self._settings.sizes(str(Path(path).absolute())) if self.asks else None
        if chosen is None:
            self.open_request(plain)
            return
        self.open_request(replace(plain, batch=chosen.batch, dims=chosen.dims))
        self._without_sizes = plain

    @Slot(str)
    def open_builtin(self, name: str) -> None:
        """Open a built-in network, differentiated where it can be."""
        self.open_request(GraphRequest(name, accountings_of(name)[0]))

    def open_request(self, request: GraphRequest) -> None:
        """Open a model with settings of its own."""
        self._open(request, keep_place=False)

    def open_with_sizes(self, request: GraphRequest, sizes: Sizes) -> None:
        """Open a model with the sizes that the user chose for it."""
        self.open_request(replace(request, batch=sizes.batch, dims=sizes.dims))

    @Slot()
    def open_straight(self) -> None:
        """Open the quantised file that was refused last, simulated in floats."""
        if self._quantised is None:
            text = "A quantised ONNX file is refused first; its notice offers the same."
            self.notice.emit(Notice(Level.INFO, "No quantised file was refused", text, passes=True))
            return
        self.open_request(replace(self._quantised, quantized=Quantized.STRAIGHT_THROUGH))

    def reopen(self, model: OpenModel) -> None:
        """Read the open model again; budgets, zoom and what is selected stay."""
        request, report = model.request, model.costed.graph.report
        self._open(request, keep_place=True)
        if request.ask_batch and report is not None and report.open_sizes:
            self._without_sizes = replace(request, batch=None, dims={})

    def _open(self, request: GraphRequest, *, keep_place: bool) -> None:
        self._name = Path(request.model).name or request.model
        self._request, self._without_sizes = request, None
        self._controller.open(request, self._name, keep_place=keep_place)

    @Slot()
    def open_demo(self) -> None:
        """Show the stored example."""
        self._name = "the demo"
        folder = Path(str(files("resources") / "demo"))
        self._controller.open_own_results(sorted(folder.glob("*.json")), self._name)

    @Slot(str)
    def open_device(self, id_or_path: str) -> None:
        """Move to a device by id, or to one from a TOML file."""
        try:
            device = load_device(id_or_path)
        except EngineError as error:
            title = f"{Path(id_or_path).name} was not opened"
            self.notice.emit(notice_of_issues(title, error.issues))
            return
        self._settings.device = id_or_path
        self._controller.choose_device(device)

    def open_costs(self, path: str) -> None:
        """Price the model by a table of measured costs, on the device that is in use."""
        try:
            table = read_cost_table(Path(path))
        except EngineError as error:
            self.notice.emit(notice_of_issues(f"{Path(path).name} was not opened", error.issues))
            return
        self._controller.use_costs(table)

    def open_dropped(self, paths: Sequence[str]) -> None:
        """Open the first of the files that were dropped, and say so when there were more."""
        if len(paths) > 1:
            text = f"The window shows one at a time: {Path(paths[0]).name}."
            title = f"{len(paths)} files were dropped"
            self.notice.emit(Notice(Level.INFO, title, text, passes=True))
        if paths:
            self.open_path(paths[0])

    def _dialog(self, title: str, name_filter: str, chosen: object) -> None:
        dialog = QFileDialog(self._window, title, self._settings.folder, name_filter)
        dialog.setObjectName("openDialog")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(self._remember_folder)
        dialog.fileSelected.connect(chosen)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    @Slot(str)
    def _remember_folder(self, path: str) -> None:
        self._settings.folder = str(Path(path).parent)

    @Slot()
    def _fill_recent(self) -> None:
        menu = self._recent_menu
        if menu is None:
            return
        menu.clear()
        for path in self._settings.recent:
            action = menu.addAction(Path(path).name)
            action.setToolTip(path)
            action.setData(path)
            action.setEnabled(Path(path).exists())
        menu.addSeparator()
        clear = menu.addAction("Clear this list")
        clear.setEnabled(bool(self._settings.recent))

    @Slot(QAction)
    def _on_recent(self, action: QAction) -> None:
        path = action.data()
        if path:
            self.open_path(str(path))
        else:
            self._settings.recent = ()

    @Slot(QAction)
    def _on_builtin(self, action: QAction) -> None:
        self.open_builtin(str(action.data()))

    @Slot(object)
    def _on_opened(self, model: OpenModel) -> None:
        for path in (model.request.model, model.source):
            if Path(path).is_file() and "resources" not in Path(path).parts:
                self._settings.add_recent(str(Path(path).absolute()))
                break
        report = model.costed.graph.report
        if report is not None and report.open_sizes and model.request.ask_batch:
            place = str(Path(model.request.model).absolute())
            self._settings.remember_sizes(place, sizes_in_use(report.open_sizes))

    @Slot(object, str)
    def _on_failed(self, issues: tuple[Issue, ...], details: str) -> None:
        asked = tuple(size for issue in issues for size in issue.asks)
        if asked and self._request is not None and self.asks:
            self.sizes_wanted.emit(self._request, asked)
            return
        title = f"{self._name} was not opened; what was open stays"
        if any(issue.offer is Offer.STRAIGHT_THROUGH for issue in issues):
            self._quantised = self._request
            refusal = notice_of_issues(title, issues, details)
            self.notice.emit(replace(refusal, action=_STRAIGHT))
            return
        again = self._without_sizes
        if again is not None:  # the sizes of last time may belong to another version of the file
            self.open_request(again)
            return
        self.notice.emit(notice_of_issues(title, issues, details))
