"""The main window: puts state, background, views and actions together, and passes wishes on."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from PySide6.QtCore import Qt, Slot
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
from poet_gui.frontier_desk import FrontierDesk
from poet_gui.import_desk import ImportDesk
from poet_gui.impossible_desk import ImpossibleDesk
from poet_gui.layout import build_views, settle
from poet_gui.news import News
from poet_gui.notices import Level, notice_of_issues
from poet_gui.opening import Opener
from poet_gui.rendering import Renderer
from poet_gui.run_desk import RunDesk
from poet_gui.settings import Settings
from poet_gui.solving.controller import SolveController
from poet_gui.solving.keeper import Keeper
from poet_gui.solving.sweeper import Sweeper
from poet_gui.state import ExplorerState
from poet_gui.theme import Theme
from poet_gui.window_place import WindowPlace
from poet_gui.wishes import Wishes
from solver.device import Device
from solver.device_files import find_devices
from solver.solve_process import WORKER_COMMAND
from solver.zoo.registry import builtin_names

_MINIMUM: Final = (900, 560)


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
        self.appearance, self.settings = appearance, settings
        self.state = ExplorerState(device, self)
        self.controller = SolveController(self.state, self, worker_command)
        self.sweeper = Sweeper(self.state, self, worker_command)
        self.keeper = Keeper(self.state, store_folder, self)
        with appearance.painted_last():
            self.views = build_views(self)
        self.place = WindowPlace(self, self.views, settings)
        self._make_desks(worker_command)
        self.commands = Commands(self, self)
        built = build_actions(self, self.commands.slots())
        self.actions_by_name = built.actions
        self._add_file_menus(built.menus["&File"])
        self._connect()
        self.run_desk.refresh()
        self.renderer = Renderer(self.state, self.views, self)
        self._on_theme(appearance.theme)
        self._remember_units()
        self._offer_devices()
        self.renderer.draw_all()
        settle(self)
        self.place.restore()
        self.setFocus()  # no control looks chosen before the user chooses one

    def _make_desks(self, worker_command: Sequence[str]) -> None:
        """What stands between the views and the state, each with one part of the work."""
        settings = self.settings
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
        self.wishes = Wishes(self.state, self.views, self.controller, self.opener, self)
        self.news = News(self.views, self.controller, self.keeper, self)

    def _offer_devices(self) -> None:
        """Fill the lists of the header; a device file that is broken is named."""
        self.views.header.set_builtins(builtin_names())
        found = find_devices()
        self.views.header.set_devices(found.devices)
        if found.notices:
            notice = notice_of_issues("A device file was left out", found.notices)
            self.views.notices.show_notice(replace(notice, level=Level.WARNING, stays=True))

    @Slot(str)
    def _on_notice_action(self, name: str) -> None:
        self.actions_by_name[name].trigger()

    # Looks

    @Slot(object)
    def _on_theme(self, theme: Theme) -> None:
        self.views.set_theme(theme)
        self.place.fit_soon()  # larger text needs more room
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
        views, notices = self.views, self.views.notices
        self.controller.opened.connect(self.import_desk.on_opened)  # the old notices are gone now
        self.keeper.fetched.connect(self.controller.reconsider)
        self.frontier_desk.problem_looked_at.connect(self.keeper.fetch)
        for source in (self.opener, self.import_desk, self.exporter, self.run_desk):
            source.notice.connect(notices.show_notice)
        notices.action_requested.connect(self._on_notice_action)
        self.run_desk.can_run_changed.connect(self._on_can_run)
        self.run_desk.action_chosen.connect(self.wishes.go_to)
        views.model.report_requested.connect(self.import_desk.show_report)
        views.model.sizes_requested.connect(self.import_desk.ask_again)
        views.solver.extend_requested.connect(self.commands.extend)
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

    def closeEvent(self, event: QCloseEvent) -> None:
        """Qt: remember the layout and end the background before the window is gone."""
        if not self.device_desk.lets_close():
            event.ignore()
            return
        self.place.save()
        self.sweeper.close()
        self.impossible_desk.close()
        self.import_desk.close()
        self.run_desk.close()
        self.device_desk.close()
        self.controller.close()
        self.keeper.close()
        super().closeEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt: Escape, when nobody wants it, closes a notice or the large frontier, else stops."""
        if event.key() != Qt.Key.Key_Escape:
            super().keyPressEvent(event)
        elif not (self.views.notices.close_latest() or self.frontier_desk.shrink()):
            self.controller.stop()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt: columns that no longer fit become tabs."""
        super().resizeEvent(event)
        self.place.fit_columns()

    def showEvent(self, event: QShowEvent) -> None:
        """Qt: from now on sizes are real."""
        super().showEvent(event)
        self.place.on_shown()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Qt: files are welcome anywhere."""
        if event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Qt: open what was dropped."""
        paths = [url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()]
        event.acceptProposedAction()
        self.opener.open_dropped(paths)
