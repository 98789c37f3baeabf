"""What the menus and shortcuts do: looks, panes, sheets, and the solve."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtWidgets import QApplication, QWidget

from poet_gui.actions import SPECS
from poet_gui.dialogs.sheets import keys_sheet, text_sheet
from poet_gui.layout import reset_sizes
from poet_gui.settings import SCALES
from poet_gui.theme import ThemeChoice
from poet_gui.viewmodels.about import about_lines, key_groups
from poet_gui.widgets.schedule_keys import KEYS

if TYPE_CHECKING:
    from poet_gui.main_window import MainWindow


class Commands(QObject):
    """The slots behind the actions of one window."""

    def __init__(self, window: "MainWindow") -> None:
        super().__init__(window)
        self._window = window

    def slots(self) -> dict[str, Callable[[], None]]:
        """A slot for every action of `actions.SPECS`."""
        window = self._window
        budgets, schedule = window.views.budgets, window.views.schedule
        moves = schedule.moves
        return {
            "open": window.opener.ask,
            "demo": window.opener.open_demo,
            "reload": window.import_desk.reload,
            "open_straight": window.opener.open_straight,
            "edit_device": window.device_desk.edit,
            "use_costs": window.opener.ask_costs,
            "drop_costs": window.controller.drop_costs,
            "export_json": window.exporter.ask_json,
            "export_png": window.exporter.ask_png,
            "export_svg": window.exporter.ask_svg,
            "export_csv": window.exporter.ask_csv,
            "export_trace": window.exporter.ask_trace,
            "export_plan": window.exporter.ask_plan,
            "quit": self.quit,
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
            "find": window.views.header.search.edit,
            "focus_memory": budgets.focus_memory,
            "focus_runtime": budgets.focus_runtime,
            "show_frontier": window.frontier_desk.show_frontier,
            "enlarge_frontier": window.frontier_desk.toggle_enlarged,
            "sweep": window.frontier_desk.toggle_sweep,
            "keep_as_a": window.compare_desk.keep_shown,
            "swap_sides": window.compare_desk.swap,
            "show_compare": window.compare_desk.show_panel,
            "end_compare": window.compare_desk.end,
            "next_pane": self.next_pane,
            "previous_pane": self.previous_pane,
            "reset_layout": self.reset_layout,
            "solve": window.controller.solve_now,
            "stop": window.controller.stop,
            "extend": self.extend,
            "solve_blocks": window.controller.solve_in_blocks,
            "run_schedule": window.run_desk.run,
            "toggle_paging": budgets.toggle_paging,
            "toggle_recompute": budgets.toggle_recompute,
            "keys": self.show_keys,
            "report": window.import_desk.show_report,
            "about": self.show_about,
        }

    @Slot()
    def quit(self) -> None:
        """Close the window."""
        self._window.close()

    @Slot()
    def extend(self) -> None:
        """Solve the present problem again with twice the time."""
        options = self._window.state.core.options
        longer = replace(options, time_limit_s=2 * max(1.0, options.time_limit_s))
        self._window.wishes.set_options(longer)
        self._window.controller.solve_now()

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
        dark = self._window.appearance.theme.is_dark
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
        appearance = self._window.appearance
        self._window.settings.theme = choice
        appearance.apply(choice, appearance.text_percent)

    def _set_text(self, percent: int) -> None:
        appearance = self._window.appearance
        self._window.settings.text_percent = percent
        appearance.apply(appearance.choice, percent)
        self._window.place.fit_columns()
        reset_sizes(self._window.views)

    def _step_text(self, by: int) -> None:
        at = SCALES.index(self._window.appearance.text_percent)
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
        self._window.settings.clear_layout()
        reset_sizes(self._window.views)

    def _move_pane(self, by: int) -> None:
        """Move the focus to the first control of the next pane that has one."""
        views = self._window.views
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
