"""The comparison between state and views: strip above the schedule, panel below."""

from PySide6.QtCore import QObject, Slot

from poet_gui.compared import Side
from poet_gui.layout import Views
from poet_gui.state import ExplorerState
from poet_gui.viewmodels.compare import changes, deltas, overlay, refusal, strip
from poet_gui.viewmodels.trace_index import Axis
from solver.outcome import Feasible, Optimal


class CompareDesk(QObject):
    """Keeps strip and panel true to the state, and does what they wish."""

    def __init__(self, state: ExplorerState, views: Views, parent: QObject) -> None:
        super().__init__(parent)
        self._core, self._views = state.core, views
        for signal in (
            state.compare_changed,
            state.shown_changed,
            state.problem_changed,
            state.axis_changed,
        ):
            signal.connect(self._draw)
        views.bottom_tabs.currentChanged.connect(self._draw_panel)
        views.history.compare_chosen.connect(self._on_row)
        views.strip.swap_requested.connect(self.swap)
        views.strip.end_requested.connect(self.end)
        views.strip.details_requested.connect(self.show_panel)

    # What can be wished

    @Slot()
    def keep_shown(self) -> None:
        """Keep what is on screen as A."""
        self._core.compare.keep_shown()

    @Slot()
    def swap(self) -> None:
        """Let A be B and B be A."""
        self._core.compare.swap()

    @Slot()
    def end(self) -> None:
        """Compare no longer."""
        self._core.compare.end()

    @Slot()
    def show_panel(self) -> None:
        """Bring the whole comparison into sight."""
        self._views.bottom_tabs.setCurrentWidget(self._views.compare)

    # Inside

    @Slot(int)
    def _on_row(self, from_newest: int) -> None:
        history = self._core.history
        if not 0 <= from_newest < len(history):
            return
        row = history[-1 - from_newest]
        outcome = row.outcome
        if isinstance(outcome, Optimal | Feasible):
            self._core.compare.keep(Side(outcome.trace, row.problem.budgets, outcome.bound_j))

    @Slot()
    def _draw(self) -> None:
        pair = self._core.compare.pair
        self._views.strip.set_strip(None if pair is None else strip(pair))
        self._draw_panel()

    @Slot()
    def _draw_panel(self) -> None:
        panel = self._views.compare
        if not panel.isVisible():
            return
        pair = self._core.compare.pair
        why = "" if pair is None else refusal(pair)
        if pair is None:
            panel.show_words()
        elif why:
            panel.show_words(why)
        else:
            axis = Axis(self._core.looking.axis)
            panel.show_comparison(deltas(pair), changes(pair), overlay(pair), axis)
