"""Drives a sweep in a solve process of its own, so that the interactive solve goes on."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot

from poet_gui.solving.deliveries import (
    Delivery,
    OpenModel,
    ProcessEnded,
    Progressed,
    Rejected,
)
from poet_gui.solving.service import SolveService
from poet_gui.solving.sweep_status import SweepPhase, SweepPlan, SweepStatus
from poet_gui.state import ExplorerState
from solver.events import Event, Finished
from solver.outcome import Failed
from solver.problem import Budgets, Problem
from solver.solve_process import WORKER_COMMAND
from solver.strategies.registry import PROVING
from solver.sweep import Sweep

_LOG = logging.getLogger(__name__)

_GRACE_S: Final = 15.0
"""A solve that is that much over its own limit is lost; the process is replaced."""
_MOST_FAULTS: Final = 3


@dataclass(slots=True)
class _Task:
    """One strategy's sweep and the problem it is about."""

    strategy: str
    problem: Problem
    sweep: Sweep


@dataclass(frozen=True, slots=True)
class _Out:
    """The request that is being solved."""

    id: int
    problem: Problem


class Sweeper(QObject):
    """Asks the planner, lets the second process solve, and hands every answer to the state.

    Every answer has passed the window's own check before it gets here. What is known already is
    not solved again: a sweep that was cancelled goes on where it stood.

    Signals
    -------
    ended(object)
        The SweepStatus of a sweep that has come to an end.
    """

    ended = Signal(object)
    _delivered = Signal(object)

    def __init__(
        self,
        state: ExplorerState,
        parent: QObject | None = None,
        command: Sequence[str] = WORKER_COMMAND,
    ) -> None:
        super().__init__(parent)
        self._core = state.core
        # Queued, whatever thread emits: deliveries come from the reader thread.
        self._delivered.connect(self._on_delivery, Qt.ConnectionType.QueuedConnection)
        self._service = SolveService(self._delivered.emit, command)
        self._patience = QTimer(self, singleShot=True)
        self._patience.timeout.connect(self._on_lost)
        self._model: OpenModel | None = None
        self._tasks: list[_Task] = []
        self._out: _Out | None = None
        self._faults = 0
        self._closed = False
        state.model_changed.connect(self._on_model)

    @property
    def worker_pid(self) -> int | None:
        """Process id of the second solve process; None when there is none."""
        return self._service.pid

    # What can be wished

    def start(self, plan: SweepPlan) -> None:
        """Sweep the present problem; a running sweep is replaced."""
        core = self._core
        if core.model is None or self._closed or not plan.strategies:
            return
        self._let_go()
        self._model, self._faults = core.model, 0
        self._tasks = [self._task(strategy, plan) for strategy in plan.strategies]
        core.frontier.set_sweep(SweepStatus(SweepPhase.RUNNING, plan))
        self._next()

    @Slot()
    def cancel(self) -> None:
        """Stop at once and end the process; what was found stays."""
        if self._core.frontier.sweep.is_running:
            self._end(SweepPhase.CANCELLED, "what was found is kept")

    def close(self) -> None:
        """End the second process; returns when it is gone."""
        if not self._closed:
            self._closed = True
            self._tasks.clear()
            self._out = None
            self._patience.stop()
            self._service.stop()

    # Inside

    def _task(self, strategy: str, plan: SweepPlan) -> _Task:
        problem = self._core.frontier.problem_of(strategy)
        assert problem is not None, "a sweep needs a model"
        sweep = Sweep(
            problem,
            plan.axis,
            plan.points,
            brackets=self._core.frontier.brackets_of(strategy, problem),
            by_answers=strategy not in PROVING,
        )
        return _Task(strategy, problem, sweep)

    def _next(self) -> None:
        """Ask the planner for budgets, strategy by strategy, and have them solved."""
        while self._tasks:
            task = self._tasks[0]
            budgets = task.sweep.next_budgets()
            if budgets is not None:
                self._solve(task, budgets)
                return
            self._tasks.pop(0)
        self._end(SweepPhase.DONE, "")

    def _solve(self, task: _Task, budgets: Budgets) -> None:
        core, model = self._core, self._model
        assert model is not None, "a sweep needs a model"
        problem = replace(task.problem, budgets=budgets)
        status = replace(
            core.frontier.sweep,
            strategy=task.strategy,
            budgets=budgets,
            open_share=task.sweep.open_share,
        )
        self._out = _Out(self._service.new_id(), problem)
        limit_s = status.plan.limit_s
        options = replace(core.options, strategy=task.strategy, time_limit_s=limit_s)
        self._service.solve(
            self._out.id,
            problem,
            graph_key=model.graph_key,
            options=options,
        )
        self._patience.start(round(1000 * (limit_s + _GRACE_S)))
        core.frontier.set_sweep(status)

    @Slot(object)
    def _on_delivery(self, delivery: Delivery) -> None:
        out = self._out
        if self._closed or out is None or not self._tasks:
            return
        match delivery:
            case Progressed(id=request_id, event=event) if request_id == out.id:
                self._on_event(event, out)
            case Rejected(id=request_id, faults=faults) if request_id == out.id:
                _LOG.warning("an answer of the sweep did not pass the check: %s", faults[0])
                self._on_fault("an answer did not pass the check")
            case ProcessEnded(wanted=False):
                self._on_fault("its solve process ended unexpectedly")
            case _:
                pass

    def _on_event(self, event: Event, out: _Out) -> None:
        task = self._tasks[0]
        if isinstance(event, Finished) and isinstance(event.outcome, Failed):
            self._on_fault(event.outcome.message)
            return
        self._core.frontier.learn(task.strategy, out.problem, event)
        if isinstance(event, Finished):
            task.sweep.take(out.problem.budgets, event.outcome)
            status = self._core.frontier.sweep
            self._core.frontier.set_sweep(replace(status, done=status.done + 1))
            self._out = None
            self._next()

    def _on_fault(self, why: str) -> None:
        """Go on with another process; after the third fault in a sweep no longer."""
        self._faults += 1
        self._let_go(keep_tasks=True)
        if self._faults >= _MOST_FAULTS:
            self._end(SweepPhase.FAILED, why)
            return
        self._next()

    @Slot()
    def _on_lost(self) -> None:
        self._on_fault("a solve did not end within its limit")

    @Slot()
    def _on_model(self) -> None:
        """A sweep is of one model; budgets and switches may move while it runs."""
        core = self._core
        if core.frontier.sweep.is_running and core.model is not self._model:
            self._end(SweepPhase.CANCELLED, "another model was opened")

    def _let_go(self, *, keep_tasks: bool = False) -> None:
        """Nothing is wanted from the process any more: it is killed, and gone at once."""
        self._patience.stop()
        if self._out is not None and self._tasks:
            self._tasks[0].sweep.give_back(self._out.problem.budgets)
        self._out = None
        if not keep_tasks:
            self._tasks.clear()
        self._service.retire()

    def _end(self, phase: SweepPhase, why: str) -> None:
        self._let_go()
        status = replace(self._core.frontier.sweep, phase=phase, budgets=None, why=why)
        self._core.frontier.set_sweep(status)
        self.ended.emit(status)
