"""State -> views: what is drawn anew when a part of the state changes. Changes nothing itself."""

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, QTimer, Slot

from poet_gui.layout import Views
from poet_gui.solving.status import Phase
from poet_gui.state import ExplorerState
from poet_gui.viewmodels.headline import headline, model_title
from poet_gui.viewmodels.history_rows import history_rows
from poet_gui.viewmodels.solve_words import status_words
from solver.zoo.registry import accountings_of, builtin_names

if TYPE_CHECKING:
    from poet_gui.widgets.actions_table import ActionsTable
    from poet_gui.widgets.blocks_table import BlocksTable
    from poet_gui.widgets.tensors_table import TensorsTable
    from solver.costs import FloatArray

_WHY_MS: Final = 40
"""While a slider moves over one schedule, only some words of the reasons change: they follow."""


class Renderer(QObject):
    """Listens to an ExplorerState and keeps the views true to it."""

    def __init__(self, state: ExplorerState, views: Views, parent: QObject) -> None:
        super().__init__(parent)
        self._core = state.core
        self._views = views
        self._drawn: FloatArray | None = None
        self._late_tables: set[ActionsTable | TensorsTable | BlocksTable] = set()
        self._with_choice = frozenset(
            name for name in builtin_names() if len(accountings_of(name)) > 1
        )
        self._why = QTimer(self, singleShot=True, interval=_WHY_MS)
        self._why.timeout.connect(self._draw_why)
        state.model_changed.connect(self._on_model)
        state.device_changed.connect(self._on_device)
        state.problem_changed.connect(self._on_problem)
        state.solve_changed.connect(self._on_solve)
        state.shown_changed.connect(self._on_shown)
        state.selection_changed.connect(self._on_selection)
        state.playhead_changed.connect(self._on_playhead)
        state.axis_changed.connect(self._on_axis)
        state.history_changed.connect(self._on_history)
        state.opening_changed.connect(self._on_opening)
        state.known_changed.connect(self._on_known)
        views.bottom_tabs.currentChanged.connect(self._fill_tables)

    def draw_all(self) -> None:
        """Draw everything once."""
        self._on_device()
        self._on_model()
        self._on_problem()
        self._on_solve()
        self._on_shown()
        self._on_axis()
        self._on_history()

    @Slot()
    def _on_model(self) -> None:
        model = self._core.model
        self._drawn = None
        self._views.model.render_model(model, self._with_choice)
        if model is not None:
            self._views.header.show_model(model_title(model), model.source)
            self._views.centre.setCurrentWidget(self._views.schedule)

    @Slot()
    def _on_device(self) -> None:
        self._views.header.show_device(self._core.device)

    @Slot()
    def _on_problem(self) -> None:
        self._views.budgets.render_core(self._core)
        self._views.schedule.set_budget(self._core.budgets.ram_bytes)
        if not self._why.isActive():
            self._why.start()

    @Slot()
    def _draw_why(self) -> None:
        self._views.details.set_budgets(self._core.budgets)

    @Slot()
    def _on_solve(self) -> None:
        core, views = self._core, self._views
        views.status.show_words(status_words(core.status, core.problem))
        views.solver.render_core(core)
        busy = core.status.phase.is_busy
        views.header.show_busy(
            can_solve=core.model is not None,
            solving=busy and core.status.phase is not Phase.STOPPING,
        )
        views.budgets.show_expected(core)
        self._draw_headline()

    @Slot()
    def _on_shown(self) -> None:
        core, shown, views = self._core, self._core.shown, self._views
        self._draw_headline()
        # One schedule may be executed in two ways: transfers begin where there is RAM to spare.
        if shown is None or shown.trace.start_s is self._drawn:
            return
        self._drawn, trace = shown.trace.start_s, shown.trace
        views.schedule.set_budget(core.budgets.ram_bytes)
        views.header.set_trace(trace)
        views.schedule.set_trace(trace, keep_view=core.reloading)
        views.details.show_all(
            trace, tensor=core.looking.tensor, action=core.looking.playhead, budgets=core.budgets
        )
        views.resident.show_all(trace, tensor=core.looking.tensor, action=core.looking.playhead)
        self._late_tables = {views.actions, views.tensors, views.blocks}
        self._fill_tables()

    @Slot()
    def _on_selection(self) -> None:
        tensor, views = self._core.looking.tensor, self._views
        for view in (views.schedule, views.details, views.resident):
            view.set_selected(tensor)
        if views.tensors not in self._late_tables:
            views.tensors.set_selected(tensor)

    @Slot()
    def _on_playhead(self) -> None:
        action, views = self._core.looking.playhead, self._views
        # What the user did not move must not move the range that the user chose.
        reveal = self._core.looking.moved and not self._core.reloading
        views.schedule.set_playhead(action, reveal=reveal)
        for view in (views.details, views.resident):
            view.set_playhead(action)
        if views.actions not in self._late_tables:
            views.actions.set_playhead(action)

    @Slot()
    def _on_axis(self) -> None:
        self._views.schedule.set_axis(self._core.looking.axis)

    @Slot()
    def _on_history(self) -> None:
        self._views.history.set_rows(history_rows(self._core.history))
        self._views.budgets.render_core(self._core)  # a solved budget is a new dot

    @Slot()
    def _on_known(self) -> None:
        """What is promised for the present budgets may be tighter now, and a budget be solved."""
        self._views.budgets.render_core(self._core)

    @Slot()
    def _on_opening(self) -> None:
        self._views.header.show_opening(self._core.opening)

    @Slot()
    def _fill_tables(self) -> None:
        """Fill the tables that are in sight; the others wait, so that a drag does not."""
        shown = self._core.shown
        if shown is None:
            return
        for table in tuple(self._late_tables):
            if table.isVisible():
                self._late_tables.remove(table)
                table.set_trace(shown.trace)
        self._on_selection()
        self._on_playhead()

    def _draw_headline(self) -> None:
        core = self._core
        self._views.headline.setVisible(core.shown is not None)
        if core.shown is not None:
            words = status_words(core.status, core.problem)
            self._views.headline.set_headline(headline(core.shown, core.budgets, words))
