"""The main window: puts state, background, views and actions together, and passes wishes on."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from PySide6.QtCore import QByteArray, QSize, Qt, QTimer, Slot
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDropEvent,
    QKeyEvent,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QMainWindow, QMenu, QWidget

from poet_gui.actions import build_actions
from poet_gui.appearance import Appearance
from poet_gui.commands import Commands
from poet_gui.compare_desk import CompareDesk
from poet_gui.device_desk import DeviceDesk
from poet_gui.exporting import Exporter
from poet_gui.folding import Folding
from poet_gui.frontier_desk import FrontierDesk
from poet_gui.import_desk import ImportDesk
from poet_gui.impossible_desk import ImpossibleDesk
from poet_gui.layout import BODY_MARGIN, build_views, reset_sizes, settle
from poet_gui.notices import Level, Notice, NoticeAction, notice_of_issues
from poet_gui.opening import Opener
from poet_gui.rendering import Renderer
from poet_gui.run_desk import RunDesk
from poet_gui.settings import Settings
from poet_gui.solving.controller import SolveController
from poet_gui.solving.deliveries import OpenModel
from poet_gui.solving.keeper import Keeper
from poet_gui.solving.sweeper import Sweeper
from poet_gui.state import ExplorerState
from poet_gui.theme import Theme
from poet_gui.viewmodels.floor_warning import floor_warning
from poet_gui.widgets.header_bar import OPEN_DEVICE, OPEN_MODEL
from solver.device import Device
from solver.device_files import find_devices
from solver.graph_request import GraphRequest
from solver.problem import SolveOptions, Switches
from solver.solve_process import WORKER_COMMAND
from solver.zoo.registry import builtin_names

LAYOUT_VERSION: Final = 1
_MINIMUM: Final = (900, 560)
_PREFERRED: Final = QSize(1600, 1000)
_REPORT: Final = NoticeAction("report", "Import report", "what was folded, ignored and assumed")


class MainWindow(QMainWindow):
    """One explorer in one window; everything it owns ends in `closeEvent`."""

    def __init__(
        self,
        appearance: Appearance,
        settings: Settings,
        device: Device,
        worker_command: Sequence[str] = WORKER_COMMAND,
        parent: QWidget | None = None,
        *,
        store_folder: Path | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("mainWindow")
        self.setWindowTitle("POET Explorer")
        self.setAcceptDrops(True)
        self.setMinimumSize(*_MINIMUM)
        self._unsized = False
        self._refit = QTimer(self, singleShot=True, interval=0)
        self._refit.timeout.connect(self.fit_columns)
        self.appearance, self.settings = appearance, settings
        self.state = ExplorerState(device, self)
        self.controller = SolveController(self.state, self, worker_command)
        self.sweeper = Sweeper(self.state, self, worker_command)
        self.keeper = Keeper(self.state, store_folder, self)
        with appearance.painted_last():
            self.views = build_views(self)
        self._folding = Folding(self.views)
        self.views.header.set_builtins(builtin_names())
        found = find_devices()
        self.views.header.set_devices(found.devices)
        self.opener = Opener(self.controller, settings, self)
        self.exporter = Exporter(self.state, self.views.schedule, settings, self)
        self.frontier_desk = FrontierDesk(
            self.state, self.views, self.controller, self.sweeper, self
        )
        self.compare_desk = CompareDesk(self.state, self.views, self)
        self.impossible_desk = ImpossibleDesk(
            self.state, self.views, self.controller, self, worker_command
        )
        self.import_desk = ImportDesk(self.state, self.opener, self.controller, settings, self)
        self.device_desk = DeviceDesk(self.state, self.views.header, self.opener, settings, self)
        self.run_desk = RunDesk(self.state, self)
        self.commands = Commands(self)
        built = build_actions(self, self.commands.slots())
        self.actions_by_name = built.actions
        self._add_file_menus(built.menus["&File"])
        self._connect()
        self.run_desk.refresh()
        self.renderer = Renderer(self.state, self.views, self)
        self._on_theme(appearance.theme)
        self._remember_units()
        if found.notices:
            notice = notice_of_issues("A device file was left out", found.notices)
            self.show_notice(replace(notice, level=Level.WARNING, stays=True))
        self.renderer.draw_all()
        settle(self)
        self._restore_layout()
        self.setFocus()  # no control looks chosen before the user chooses one

    # What the views wish

    @Slot(object)
    def set_ram(self, ram_bytes: int) -> None:
        """Choose a RAM budget in bytes; solving starts when it rests."""
        self.state.core.set_ram(ram_bytes)
        self.controller.solve_later()

    @Slot(object)
    def set_runtime(self, runtime_s: float | None) -> None:
        """Choose a runtime limit in seconds, None for none."""
        self.state.core.set_runtime(runtime_s)
        self.controller.solve_later()

    @Slot(object)
    def set_switches(self, switches: Switches) -> None:
        """Choose what a schedule may do."""
        self.state.core.set_switches(switches)
        self.controller.solve_later()

    @Slot(object)
    def set_options(self, options: SolveOptions) -> None:
        """Choose how hard to try; the next solve uses it."""
        self.state.core.set_options(options)
        self.views.solver.render_core(self.state.core)

    @Slot(str)
    def _on_model_chosen(self, name: str) -> None:
        if name == OPEN_MODEL:
            self.opener.ask()
        else:
            self.opener.open_builtin(name)

    @Slot(str)
    def _on_device_chosen(self, name: str) -> None:
        if name == OPEN_DEVICE:
            self.views.header.show_device(self.state.core.device)
            self.opener.ask_device()
        else:
            self.opener.open_device(name)

    @Slot(object)
    def _on_request(self, request: GraphRequest) -> None:
        self.opener.open_request(request)

    @Slot(int)
    def _on_row(self, from_newest: int) -> None:
        history = self.state.core.history
        if 0 <= from_newest < len(history):
            self.controller.drop()
            self.state.core.restore(history[-1 - from_newest])

    @Slot()
    def _on_builtin_example(self) -> None:
        self.opener.open_builtin("resnet18_cifar")

    # What the background says

    @Slot(str)
    def _on_store_trouble(self, sentence: str) -> None:
        title = "What is solved now may not be known in the next session"
        self.show_notice(Notice(Level.WARNING, title, sentence, stays=True))

    @Slot(object)
    def _on_opened(self, model: OpenModel) -> None:
        self.views.notices.clear()
        self.setWindowTitle(f"{model.costed.graph.name} – POET Explorer")
        warnings = (*model.costed.graph.warnings, *model.costed.priced)
        if warnings:
            more = f" and {len(warnings) - 1} more" if len(warnings) > 1 else ""
            text = f"{warnings[0]}{more}"
            details = "\n".join(warnings)
            notice = Notice(Level.INFO, "Something was assumed", text, details, action=_REPORT)
            self.show_notice(notice)
        warning = floor_warning(model.costed)
        if warning is not None:
            self.show_notice(Notice(Level.WARNING, warning.title, warning.text))

    @Slot(str, str)
    def _on_process_ended(self, sentence: str, details: str) -> None:
        self.show_notice(Notice(Level.WARNING, sentence, "", details))
        self.views.status.show_background("starting the solver …")

    @Slot(object)
    def _on_rejected(self, faults: tuple[str, ...]) -> None:
        text = "It is not shown. Solve again; if it happens again, please report the details."
        title = "An answer of the solver did not pass the check"
        self.show_notice(Notice(Level.ERROR, title, text, "\n".join(faults)))

    @Slot(bool)
    def _on_ready(self, warm: bool) -> None:  # noqa: FBT001 - a signal's argument
        self.views.status.show_background("solver ready" if warm else "loading the solver …")

    @Slot(str, str)
    def on_crash(self, line: str, details: str) -> None:
        """Say that something of ours broke; the work goes on."""
        text = f"{line}. Your work is kept; please report the details."
        self.show_notice(Notice(Level.ERROR, "The program met a fault of its own", text, details))

    @Slot(str)
    def _on_notice_action(self, name: str) -> None:
        self.actions_by_name[name].trigger()

    @Slot(object)
    def show_notice(self, notice: Notice) -> None:
        """Show a notice above the work."""
        self.views.notices.show_notice(notice)

    # Looks

    @Slot(object)
    def _on_theme(self, theme: Theme) -> None:
        self.views.set_theme(theme)
        self._refit.start()  # larger text needs more room; the layout knows how much a turn later
        choice = self.appearance.choice
        self.actions_by_name[f"theme_{choice.value}"].setChecked(True)

    # Set up and end

    def _add_file_menus(self, menu: QMenu) -> None:
        before = self.actions_by_name["demo"]
        self.recent_menu = QMenu("Op&en recent", self)
        builtin = QMenu("&Built-in network", self)
        for sub in (self.recent_menu, builtin):
            menu.insertMenu(before, sub)
        self.recent_menu.setToolTipsVisible(True)
        self.opener.fill_menus(self.recent_menu, builtin)

    def _connect(self) -> None:
        views, controller, core = self.views, self.controller, self.state.core
        views.header.open_requested.connect(self.opener.ask)
        views.header.demo_requested.connect(self.opener.open_demo)
        views.header.solve_requested.connect(controller.solve_now)
        views.header.stop_requested.connect(controller.stop)
        views.header.cancel_open_requested.connect(controller.cancel_open)
        views.header.model_chosen.connect(self._on_model_chosen)
        views.header.device_chosen.connect(self._on_device_chosen)
        views.empty.open_requested.connect(self.opener.ask)
        views.empty.demo_requested.connect(self.opener.open_demo)
        views.empty.builtin_requested.connect(self._on_builtin_example)
        views.header.search.hit_chosen.connect(self._on_hit)
        views.budgets.ram_chosen.connect(self.set_ram)
        views.budgets.runtime_chosen.connect(self.set_runtime)
        views.budgets.switches_chosen.connect(self.set_switches)
        views.model.request_changed.connect(self._on_request)
        views.model.report_requested.connect(self.import_desk.show_report)
        views.model.sizes_requested.connect(self.import_desk.ask_again)
        views.notices.action_requested.connect(self._on_notice_action)
        views.history.row_chosen.connect(self._on_row)
        views.solver.stop_requested.connect(controller.stop)
        views.solver.extend_requested.connect(self.commands.extend)
        views.solver.options_chosen.connect(self.set_options)
        views.schedule.axis_changed.connect(core.set_axis)
        views.schedule.budget_dragged.connect(self.set_ram)
        for view in (
            views.schedule, views.resident, views.actions, views.tensors, views.blocks,
            views.compare,
        ):  # fmt: skip
            view.tensor_selected.connect(self.select_tensor)
        views.schedule.playhead_moved.connect(self.move_playhead)
        views.resident.peak_requested.connect(views.schedule.moves.jump_to_peak)
        for table in (views.actions, views.tensors, views.blocks):
            table.action_selected.connect(self.move_playhead)
        controller.opened.connect(self._on_opened)
        controller.opened.connect(self.import_desk.on_opened)  # after the old notices are gone
        controller.process_ended.connect(self._on_process_ended)
        controller.answer_rejected.connect(self._on_rejected)
        controller.ready.connect(self._on_ready)
        self.keeper.fetched.connect(controller.reconsider)
        self.frontier_desk.problem_looked_at.connect(self.keeper.fetch)
        self.keeper.trouble.connect(self._on_store_trouble)
        self.opener.notice.connect(self.show_notice)
        self.import_desk.notice.connect(self.show_notice)
        self.exporter.notice.connect(self.show_notice)
        self.run_desk.notice.connect(self.show_notice)
        self.run_desk.can_run_changed.connect(self._on_can_run)
        self.run_desk.action_chosen.connect(self._on_differing)
        views.headline.run_requested.connect(self.run_desk.run)
        self.appearance.theme_changed.connect(self._on_theme)
        self.state.device_changed.connect(self._on_device)
        self._on_device()

    @Slot()
    def _on_device(self) -> None:
        has_costs = self.state.core.device.profile is not None
        self.actions_by_name["drop_costs"].setEnabled(has_costs)

    @Slot(bool, str)
    def _on_can_run(self, can: bool, why_not: str) -> None:  # noqa: FBT001 - a signal's arguments
        self.views.headline.run_button.setVisible(can)
        for name in ("run_schedule", "export_plan"):
            action = self.actions_by_name[name]
            action.setEnabled(can)
            action.setStatusTip(why_not)

    @Slot(int)
    def _on_differing(self, action: int) -> None:
        """Go to the first action of a run that was not as promised."""
        self.move_playhead(action)
        self.views.schedule.reveal_action(action)

    @Slot(object)
    def select_tensor(self, tensor: int | None) -> None:
        """Select a tensor everywhere, or none."""
        self.state.core.set_tensor(tensor)

    @Slot(int)
    def move_playhead(self, action: int) -> None:
        """Move the playhead everywhere."""
        self.state.core.set_playhead(action)

    @Slot(object, int)
    def _on_hit(self, tensor: int | None, action: int) -> None:
        """Go to what was found: the tensor selected, its lane and the action in sight."""
        self.move_playhead(action)
        self.select_tensor(tensor)
        self.views.schedule.reveal_action(action)

    def _remember_units(self) -> None:
        """Go on in the units chosen last; they are set before any value is shown."""
        budgets = self.views.budgets
        budgets.ram_box.set_unit(self.settings.unit("ram"))
        budgets.runtime_box.set_unit(self.settings.unit("runtime"))
        budgets.ram_box.unit_chosen.connect(self._on_ram_unit)
        budgets.runtime_box.unit_chosen.connect(self._on_runtime_unit)

    @Slot(str)
    def _on_ram_unit(self, unit: str) -> None:
        self.settings.set_unit("ram", unit)

    @Slot(str)
    def _on_runtime_unit(self, unit: str) -> None:
        self.settings.set_unit("runtime", unit)

    def _restore_layout(self) -> None:
        geometry = self.settings.layout("geometry")
        if geometry is None or not self.restoreGeometry(geometry):
            frame = QSize(0, 2 * self.fontMetrics().height())  # a title bar, drawn by others
            room = self.screen().availableGeometry().size() - frame
            self.resize(_PREFERRED.boundedTo(room))
        state = self.settings.layout("window")
        if state is not None:
            self.restoreState(state, LAYOUT_VERSION)
        for splitter in (self.views.columns, self.views.rows):
            saved = self.settings.layout(splitter.objectName())
            self._unsized = self._unsized or saved is None
            if saved is not None:
                splitter.restoreState(saved)

    def _save_layout(self) -> None:
        self.settings.set_layout("geometry", QByteArray(self.saveGeometry()))
        self.settings.set_layout("window", QByteArray(self.saveState(LAYOUT_VERSION)))
        for splitter in (self.views.columns, self.views.rows):
            self.settings.set_layout(splitter.objectName(), QByteArray(splitter.saveState()))
        self.settings.save()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Qt: remember the layout and end the background before the window is gone."""
        self._save_layout()
        self._refit.stop()
        self.sweeper.close()
        self.impossible_desk.close()
        self.import_desk.close()
        self.run_desk.close()
        self.device_desk.close()
        self.controller.close()
        self.keeper.close()
        super().closeEvent(event)

    @Slot()
    def fit_columns(self) -> None:
        """Fold columns that no longer fit beside the schedule, unfold those that fit again."""
        if self._folding.fit(self.width() - BODY_MARGIN):
            reset_sizes(self.views)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt: Escape, when nobody wants it, closes a notice or the large frontier, else stops."""
        if event.key() != Qt.Key.Key_Escape:
            super().keyPressEvent(event)
        elif not (self.views.notices.close_latest() or self.frontier_desk.shrink()):
            self.controller.stop()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt: columns that no longer fit become tabs."""
        super().resizeEvent(event)
        self.fit_columns()

    def showEvent(self, event: QShowEvent) -> None:
        """Qt: from now on sizes are real."""
        super().showEvent(event)
        self.fit_columns()
        if self._unsized:
            self._unsized = False
            reset_sizes(self.views)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Qt: files are welcome anywhere."""
        if event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Qt: open what was dropped."""
        paths = [url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()]
        event.acceptProposedAction()
        self.opener.open_dropped(paths)
