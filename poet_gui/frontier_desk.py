"""The frontier between state and view: draws it when something changed, does what it wishes."""

from dataclasses import replace
from typing import Final

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from poet_gui.compared import Side
from poet_gui.layout import Views
from poet_gui.solving.controller import SolveController
from poet_gui.solving.sweep_status import MAIN, SweepPlan
from poet_gui.solving.sweeper import Sweeper
from poet_gui.state import ExplorerState
from poet_gui.viewmodels.frontier import FrontierScene, frontier_scene
from poet_gui.viewmodels.frontier_map import map_scene
from poet_gui.viewmodels.frontier_sources import sources_of
from poet_gui.viewmodels.frontier_words import shown_point
from solver.problem import Budgets, Problem
from solver.simulate import simulate
from solver.sweep import Axis

_SETTLE_MS: Final = 40
"""News of a sweep come in bursts: they are drawn together."""
_TITLE: Final = "Frontier"


class FrontierDesk(QObject):
    """Keeps the frontier view true to the state, and turns its wishes into changes of the state.

    A move of the budget that the axis shows only moves a line; everything else makes a new scene.

    Signals
    -------
    problem_looked_at(object)
        What is known of this Problem is drawn: what is stored of it elsewhere is wanted.
    """

    problem_looked_at = Signal(object)

    def __init__(
        self,
        state: ExplorerState,
        views: Views,
        controller: SolveController,
        sweeper: Sweeper,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._core, self._views = state.core, views
        self._controller, self._sweeper = controller, sweeper
        self._panel = views.frontier
        self._axis: Axis = "ram"
        self._scene: FrontierScene | None = None
        self._of: object = None
        self._stale = True
        self._soon = QTimer(self, singleShot=True, interval=_SETTLE_MS)
        self._soon.timeout.connect(self._draw)
        for signal in (state.known_changed, state.history_changed):
            signal.connect(self._on_news)
        state.model_changed.connect(self._on_model)
        state.problem_changed.connect(self._on_problem)
        state.sweep_changed.connect(self._on_sweep)
        views.side_tabs.currentChanged.connect(self._on_tab)
        panel = self._panel
        panel.load_requested.connect(self.load)
        panel.compare_requested.connect(self.compare)
        panel.budget_dragged.connect(self._on_budget)
        panel.budgets_chosen.connect(self._on_budgets)
        panel.axis_chosen.connect(self._on_axis)
        panel.enlarge_requested.connect(self.toggle_enlarged)
        panel.sweep.sweep_requested.connect(self._on_sweep_wished)
        panel.sweep.cancel_requested.connect(sweeper.cancel)
        self._on_sweep()

    # What can be wished

    @Slot(int)
    def load(self, point: int) -> None:
        """Bring a point on screen: its budget, its switches, and at once its stored schedule."""
        scene = self._scene
        if scene is None or not 0 <= point < len(scene.points):
            return
        source = scene.series[int(scene.points.series[point])].source
        self._core.load(scene.budgets_of(point, self._core.budgets), source.load)
        self._controller.solve_later()

    @Slot(int)
    def compare(self, point: int) -> None:
        """Keep a point as A; what is on screen is B."""
        scene, model = self._scene, self._core.model
        if scene is None or model is None or not 0 <= point < len(scene.points):
            return
        series = scene.series[int(scene.points.series[point])]
        budgets = scene.budgets_of(point, self._core.budgets)
        problem = Problem(model.costed, budgets, series.source.own)
        trace = simulate(scene.points.schedules[point].schedule, problem)
        made_by = "" if series.source.strategy == MAIN else series.style.label
        bound_j = float(scene.points.lower_j[point])
        self._core.compare.keep(Side(trace, budgets, bound_j, made_by))

    @Slot()
    def toggle_sweep(self) -> None:
        """Start a sweep as the view is set up, or cancel the running one."""
        self._panel.sweep.toggle()

    @Slot()
    def show_frontier(self) -> None:
        """Bring the view into sight and give it the keyboard."""
        if not self.is_enlarged:
            self._views.side_tabs.setCurrentWidget(self._panel)
        self._panel.stack.currentWidget().setFocus()

    @property
    def is_enlarged(self) -> bool:
        """True while the view has the place of the schedule."""
        return self._views.centre.indexOf(self._panel) >= 0

    @Slot()
    def toggle_enlarged(self) -> None:
        """Give the view the place of the schedule, or its tab again."""
        if not self.shrink():
            views = self._views
            views.centre.addWidget(self._panel)
            views.centre.setCurrentWidget(self._panel)
            self._panel.show_enlarged(enlarged=True)
            views.left.verticalScrollBar().setValue(0)  # the budgets belong beside it
            self._panel.stack.currentWidget().setFocus()
        self._draw()

    def shrink(self) -> bool:
        """Put the view back into its tab; False when it is there."""
        if not self.is_enlarged:
            self._panel.show_enlarged(enlarged=False)
            return False
        views = self._views
        views.centre.removeWidget(self._panel)
        views.side_tabs.addTab(self._panel, _TITLE)
        views.side_tabs.setCurrentWidget(self._panel)
        views.centre.setCurrentWidget(views.schedule if self._core.model else views.empty)
        self._panel.show_enlarged(enlarged=False)
        return True

    # What the view wishes

    @Slot(float)
    def _on_budget(self, value: float) -> None:
        if self._axis == "ram":
            self._core.set_ram(max(1, round(value)))
        else:
            self._core.set_runtime(value)
        self._controller.solve_later()

    @Slot(object)
    def _on_budgets(self, budgets: Budgets) -> None:
        self._core.load(budgets, self._core.switches)
        self._controller.solve_later()

    @Slot(str)
    def _on_axis(self, axis: Axis) -> None:
        self._axis, self._stale = axis, True
        self._draw()

    @Slot(object)
    def _on_sweep_wished(self, plan: SweepPlan) -> None:
        self._sweeper.start(plan)

    # What the state says

    @Slot()
    def _on_news(self) -> None:
        self._stale = True
        if not self._soon.isActive():
            self._soon.start()

    @Slot()
    def _on_model(self) -> None:
        self.shrink()
        self._stale = True
        self._on_sweep()
        self._draw()

    @Slot()
    def _on_problem(self) -> None:
        """Move the budget's line at once; a scene of another problem is made when there is time."""
        if self._of != self._subject() or self._axis == "map":
            self._on_news()
        elif self._scene is not None and self._panel.isVisible():
            budgets = self._core.budgets
            present = budgets.ram_bytes if self._axis == "ram" else budgets.runtime_s
            budget = None if present is None else float(present)
            self._scene = replace(self._scene, budget=budget)
            self._panel.show_scene(self._scene, shown_point(self._scene, budgets))

    @Slot()
    def _on_sweep(self) -> None:
        core = self._core
        self._panel.sweep.show_status(core.frontier.sweep, can_start=core.model is not None)

    @Slot()
    def _on_tab(self) -> None:
        if self._panel.isVisible():
            self._draw()
            self._views.left.ensureWidgetVisible(self._panel)

    def _subject(self) -> object:
        """What a scene depends on besides what is known: all but the budget along its axis."""
        core = self._core
        other = core.budgets.runtime_s if self._axis == "ram" else core.budgets.ram_bytes
        return core.model, core.switches, self._axis, other

    @Slot()
    def _draw(self) -> None:
        """Make the scene anew if it is stale and looked at."""
        core, panel = self._core, self._panel
        if not panel.isVisible() or not (self._stale or self._of != self._subject()):
            return
        sources = sources_of(core)
        for source in sources:
            problem = core.frontier.problem_of(source.strategy)
            self.problem_looked_at.emit(problem)
        self._stale, self._of = False, self._subject()
        if core.model is None or not sources:
            self._scene = None
            panel.show_nothing()
        elif self._axis == "map":
            self._scene = None
            panel.show_map(map_scene(sources[0].brackets, core.model.costed, core.budgets))
        else:
            self._scene = frontier_scene(sources, core.model.costed, core.budgets, self._axis)
            panel.show_scene(self._scene, shown_point(self._scene, core.budgets))
