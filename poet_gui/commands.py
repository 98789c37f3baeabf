"""What the menus and shortcuts do: looks, panes, sheets, and the solve."""

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtWidgets import QApplication, QWidget

from poet_gui.actions import SPECS
from poet_gui.appearance import Appearance
from poet_gui.compare_desk import CompareDesk
from poet_gui.device_desk import DeviceDesk
from poet_gui.dialogs.sheets import keys_sheet, text_sheet
from poet_gui.exporting import Exporter
from poet_gui.frontier_desk import FrontierDesk
from poet_gui.import_desk import ImportDesk
from poet_gui.layout import Views, reset_sizes
from poet_gui.opening import Opener
from poet_gui.run_desk import RunDesk
from poet_gui.settings import SCALES, Settings
from poet_gui.solving.controller import SolveController
from poet_gui.state import ExplorerState
from poet_gui.theme import ThemeChoice
from poet_gui.viewmodels.about import about_lines, key_groups
from poet_gui.widgets.schedule_keys import KEYS
from poet_gui.window_place import WindowPlace
from poet_gui.wishes import Wishes

Slots = dict[str, Callable[[], None]]


class Parts(Protocol):
    """What the commands act upon: the parts of one window."""

    appearance: Appearance
    settings: Settings
    state: ExplorerState
    views: Views
    place: WindowPlace
    controller: SolveController
    opener: Opener
    exporter: Exporter
    wishes: Wishes
    compare_desk: CompareDesk
    device_desk: DeviceDesk
    frontier_desk: FrontierDesk
    import_desk: ImportDesk
    run_desk: RunDesk


class Commands(QObject):
    """The slots behind the actions of one window."""

    def __init__(self, parts: Parts, window: QWidget) -> None:
        super().__init__(window)
        self._parts, self._window = parts, window

    def slots(self) -> Slots:
        """A slot for every action of `actions.SPECS`."""
        return self._file_slots() | self._view_slots() | self._solve_slots()

    def _file_slots(self) -> Slots:
        parts = self._parts
        return {
            "open": parts.opener.ask,
            "demo": parts.opener.open_demo,
            "reload": parts.import_desk.reload,
            "open_straight": parts.opener.open_straight,
            "edit_device": parts.device_desk.edit,
            "use_costs": parts.opener.ask_costs,
            "drop_costs": parts.controller.drop_costs,
            "export_json": parts.exporter.ask_json,
            "export_png": parts.exporter.ask_png,
            "export_svg": parts.exporter.ask_svg,
            "export_csv": parts.exporter.ask_csv,
            "export_trace": parts.exporter.ask_trace,
            "export_plan": parts.exporter.ask_plan,
            "quit": self.quit,
        }

    def _view_slots(self) -> Slots:
        parts = self._parts
        budgets, schedule = parts.views.budgets, parts.views.schedule
        moves = schedule.moves
        return {
            "theme_system": self.theme_system,
            "theme_light": self.theme_light,
            "theme_dark": self.theme_dark,
            "toggle_theme": self.toggle_theme,
            "text_larger": self.text_larger,
            "text_smaller": self.text_smaller,
            "text_reset": self.text_reset,
            "toggle_axis": moves.toggle_axis,
            "toggle_blocks": schedule.toggle_blocks,
            "zoom_in": moves.zoom_in,
            "zoom_out": moves.zoom_out,
            "fit": moves.fit,
            "back": moves.back,
            "peak": moves.jump_to_peak,
            "find": parts.views.header.search.edit,
            "focus_memory": budgets.focus_memory,
            "focus_runtime": budgets.focus_runtime,
            "show_frontier": parts.frontier_desk.show_frontier,
            "enlarge_frontier": parts.frontier_desk.toggle_enlarged,
            "keep_as_a": parts.compare_desk.keep_shown,
            "swap_sides": parts.compare_desk.swap,
            "show_compare": parts.compare_desk.show_panel,
            "end_compare": parts.compare_desk.end,
            "next_pane": self.next_pane,
            "previous_pane": self.previous_pane,
            "reset_layout": self.reset_layout,
            "keys": self.show_keys,
            "report": parts.import_desk.show_report,
            "about": self.show_about,
        }

    def _solve_slots(self) -> Slots:
        parts, budgets = self._parts, self._parts.views.budgets
        return {
            "sweep": parts.frontier_desk.toggle_sweep,
            "solve": parts.controller.solve_now,
            "stop": parts.controller.stop,
            "extend": self.extend,
            "solve_blocks": parts.controller.solve_in_blocks,
            "run_schedule": parts.run_desk.run,
            "toggle_paging": budgets.toggle_paging,
            "toggle_recompute": budgets.toggle_recompute,
        }

    @Slot()
    def quit(self) -> None:
        """Close the window."""
        self._window.close()

    @Slot()
    def extend(self) -> None:
        """Solve the present problem again with twice the time."""
        options = self._parts.state.core.options
        longer = replace(options, time_limit_s=2 * max(1.0, options.time_limit_s))
        self._parts.wishes.set_options(longer)
        self._parts.controller.solve_now()

    # Looks

    @Slot()
    def theme_system(self) -> None:
        """Follow the system."""
        self._set_theme(ThemeChoice.SYSTEM)

    @Slot()
    def theme_light(self) -> None:
        """Dark text on light."""
        self._set_theme(ThemeChoice.LIGHT)

    @Slot()
    def theme_dark(self) -> None:
        """Light text on dark."""
        self._set_theme(ThemeChoice.DARK)

    @Slot()
    def toggle_theme(self) -> None:
        """The other one of light and dark."""
        dark = self._parts.appearance.theme.is_dark
        self._set_theme(ThemeChoice.LIGHT if dark else ThemeChoice.DARK)

    @Slot()
    def text_larger(self) -> None:
        """The next larger text."""
        self._step_text(1)

    @Slot()
    def text_smaller(self) -> None:
        """The next smaller text."""
        self._step_text(-1)

    @Slot()
    def text_reset(self) -> None:
        """Text of the system's size."""
        self._set_text(100)

    def _set_theme(self, choice: ThemeChoice) -> None:
        appearance = self._parts.appearance
        self._parts.settings.theme = choice
        appearance.apply(choice, appearance.text_percent)

    def _set_text(self, percent: int) -> None:
        appearance = self._parts.appearance
        self._parts.settings.text_percent = percent
        appearance.apply(appearance.choice, percent)
        self._parts.place.fit_columns()
        reset_sizes(self._parts.views)

    def _step_text(self, by: int) -> None:
        at = SCALES.index(self._parts.appearance.text_percent)
        self._set_text(SCALES[max(0, min(len(SCALES) - 1, at + by))])

    # Panes

    @Slot()
    def next_pane(self) -> None:
        """Move the focus to the next pane."""
        self._move_pane(1)

    @Slot()
    def previous_pane(self) -> None:
        """Move the focus to the pane before."""
        self._move_pane(-1)

    @Slot()
    def reset_layout(self) -> None:
        """Give every pane its first size."""
        self._parts.settings.clear_layout()
        reset_sizes(self._parts.views)

    def _move_pane(self, by: int) -> None:
        """Move the focus to the first control of the next pane that has one."""
        views = self._parts.views
        panes: tuple[QWidget, ...] = (
            views.header, views.budgets, views.side_tabs, views.centre, views.details,
            views.resident, views.bottom_tabs,
        )  # fmt: skip
        focus = QApplication.focusWidget()
        here = next((i for i, pane in enumerate(panes) if _holds(pane, focus)), -1)
        for step in range(1, len(panes) + 1):
            target = _first_control(panes[(here + by * step) % len(panes)])
            if target is not None:
                target.setFocus(Qt.FocusReason.ShortcutFocusReason)
                return

    # Sheets

    @Slot()
    def show_keys(self) -> None:
        """Every shortcut on one sheet."""
        keys_sheet(key_groups(SPECS, KEYS), self._window).show()

    @Slot()
    def show_about(self) -> None:
        """Version and licence."""
        text_sheet("About POET Explorer", "aboutSheet", about_lines(), self._window).show()


def _holds(pane: QWidget, focus: QWidget | None) -> bool:
    return focus is not None and (focus is pane or pane.isAncestorOf(focus))


def _first_control(pane: QWidget) -> QWidget | None:
    """The first control of a pane that takes the keyboard now."""
    for widget in (pane, *pane.findChildren(QWidget)):
        by_tab = widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        if by_tab and widget.isVisible() and widget.isEnabled():
            return widget
    return None
