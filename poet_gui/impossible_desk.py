"""Impossible budgets between state and view: finds what would work, tells it, and sets it."""

import math
from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QObject, QTimer, Slot

from poet_gui.knowledge import speaks_for
from poet_gui.layout import Views
from poet_gui.solving.controller import SolveController
from poet_gui.solving.least_finder import LeastFinder
from poet_gui.state import ExplorerState
from poet_gui.viewmodels.impossible import Remedy, impossible_now, impossible_words
from solver.brackets import StoredBound, StoredSchedule
from solver.least_words import limits_to_ask
from solver.outcome import LeastBudget, Limit
from solver.problem import Problem
from solver.solve_process import WORKER_COMMAND

_SETTLE_MS: Final = 30
"""News of a search come in bursts: they are drawn together."""
_Key = tuple[str, Limit, float | None]


class ImpossibleDesk(QObject):
    """Keeps the banner true to the state, and looks for the least budgets while it stands.

    What a search finds is told to the state, too: a schedule that fits is drawn at once where its
    budgets are chosen, and what is proven impossible is known to be.
    """

    def __init__(
        self,
        state: ExplorerState,
        views: Views,
        controller: SolveController,
        parent: QObject,
        command: Sequence[str] = WORKER_COMMAND,
    ) -> None:
        super().__init__(parent)
        self._core, self._views, self._controller = state.core, views, controller
        self.finder = LeastFinder(self, command)
        self._found: dict[_Key, LeastBudget] = {}
        self._done: set[_Key] = set()
        self._soon = QTimer(self, singleShot=True, interval=_SETTLE_MS)
        self._soon.timeout.connect(self._draw)
        state.problem_changed.connect(self._on_changed)
        state.solve_changed.connect(self._on_changed)
        self.finder.narrowed.connect(self._on_narrowed)
        self.finder.ended.connect(self._on_ended)
        views.impossible.remedy_chosen.connect(self._on_remedy)

    def close(self) -> None:
        """End the search and its process; returns when it is gone."""
        self._soon.stop()
        self.finder.close()

    def found(self, problem: Problem) -> dict[Limit, LeastBudget]:
        """What is known of the least budgets around those of `problem`."""
        known = ((limit, self._found.get(self._key(problem, limit))) for limit in Limit)
        return {limit: least for limit, least in known if least is not None}

    @Slot()
    def _on_changed(self) -> None:
        self._search()
        self._draw()

    def _search(self) -> None:
        """Look for the first least budget that is asked for and not known, or for none."""
        core, problem = self._core, self._core.problem
        outcome = core.status.outcome
        if problem is None or outcome is None:
            self.finder.stop()
            return
        for limit in limits_to_ask(problem, outcome, core.options.strategy):
            if self._key(problem, limit) in self._done:
                continue
            task = self.finder.task
            if task is None or self._key(*task) != self._key(problem, limit):
                self.finder.find(problem, limit, core.options)
            return
        self.finder.stop()

    def _draw(self) -> None:
        core, problem = self._core, self._core.problem
        banner = self._views.impossible
        outcome = None if problem is None else impossible_now(problem, core.status.outcome)
        if problem is None or outcome is None:
            banner.set_words(None)
            return
        task = self.finder.task
        searching = None if task is None else task[1]
        found = self.found(problem)
        banner.set_words(impossible_words(problem, outcome, core.options, found, searching))

    @Slot(object, object)
    def _on_narrowed(self, problem: Problem, least: LeastBudget) -> None:
        self._found[self._key(problem, least.limit)] = least
        if speaks_for(self._core.options.strategy, problem.switches):
            self._learn(problem, least)
        if not self._soon.isActive():
            self._soon.start()

    def _learn(self, problem: Problem, least: LeastBudget) -> None:
        """Tell the state what works, and what is proven not to."""
        news: list[StoredSchedule | StoredBound] = []
        refused, trace = least.ruled_out(problem.budgets), least.trace
        if refused is not None:
            news.append(StoredBound(refused, math.inf))
        if trace is not None:
            figures = (trace.peak_bytes, trace.runtime_s, trace.total_energy_j)
            news.append(StoredSchedule(*figures, trace.schedule))
        self._core.learn_stored(problem, news)

    @Slot(object, object)
    def _on_ended(self, problem: Problem, limit: Limit) -> None:
        self._done.add(self._key(problem, limit))
        self._search()
        self._draw()

    @Slot(object)
    def _on_remedy(self, remedy: Remedy) -> None:
        self._core.load(remedy.budgets, remedy.switches)
        self._controller.solve_later()

    def _key(self, problem: Problem, limit: Limit) -> _Key:
        """What the least value depends on: everything but the budget that is looked for."""
        budgets = problem.budgets
        other = budgets.runtime_s if limit is Limit.RAM else float(budgets.ram_bytes)
        return self._core.knowledge.fingerprint(problem), limit, other
