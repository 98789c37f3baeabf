"""Looks for the least budgets that work, in a solve process of its own, and checks what it says."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Final

from PySide6.QtCore import QObject, Qt, Signal, Slot

from poet_gui.solving.gate import Gate
from solver.messages import FindLeast, LeastBracket, LeastFound, WorkerEvent
from solver.outcome import LeastBudget, Limit
from solver.packing import unpack_least
from solver.problem import Problem, SolveOptions
from solver.simulate import Trace
from solver.solve_process import WORKER_COMMAND, SolveProcess
from solver.verify import verify_figures

_LOG = logging.getLogger(__name__)

SEARCH_S: Final = 20.0
"""How long each limit is looked for while nobody changes anything."""
_PATIENCE_S: Final = 0.2


@dataclass(slots=True, eq=False)
class _Task:
    """One search; `trace` is the schedule received last, touched by the reader thread only."""

    id: int
    problem: Problem
    limit: Limit
    trace: Trace | None = None


class LeastFinder(QObject):
    """One search at a time; asking for another or for none ends it at once, with its process.

    Signals
    -------
    narrowed(object, object)
        Problem and LeastBudget: a narrower bracket, its schedule verified.
    ended(object, object)
        Problem and Limit: that search is over; nothing more comes of it.
    """

    narrowed = Signal(object, object)
    ended = Signal(object, object)
    _checked = Signal(object, object)
    _over = Signal(object)

    def __init__(
        self, parent: QObject | None = None, command: Sequence[str] = WORKER_COMMAND
    ) -> None:
        super().__init__(parent)
        self._command = tuple(command)
        self._ids = count(1)
        self._process: SolveProcess | None = None
        self._retired: list[SolveProcess] = []
        self._task: _Task | None = None
        self._gate = Gate()
        # Queued: both are emitted by the reader thread of a process, which may be gone by then.
        self._checked.connect(self._on_checked, Qt.ConnectionType.QueuedConnection)
        self._over.connect(self._on_over, Qt.ConnectionType.QueuedConnection)

    @property
    def task(self) -> tuple[Problem, Limit] | None:
        """What is being looked for."""
        return None if self._task is None else (self._task.problem, self._task.limit)

    @property
    def worker_pid(self) -> int | None:
        """Process id of the searching process; None when there is none."""
        return None if self._process is None else self._process.pid

    def find(self, problem: Problem, limit: Limit, options: SolveOptions) -> None:
        """Look for the least budget; a search that runs is given up."""
        if self._task is not None:
            self.stop()  # nothing is as quick as another process
        if self._process is None:
            self._process = SolveProcess(self._read, self._read_end, self._command)
        self._task = _Task(next(self._ids), problem, limit)
        self._process.send(
            FindLeast(
                self._task.id,
                "least",
                problem.costed.device,
                problem.budgets,
                limit,
                problem.switches,
                replace(options, time_limit_s=SEARCH_S, work_limit=None),
                problem.costed.graph,
            )
        )

    def stop(self) -> None:
        """End the search and its process."""
        self._task = None
        if self._process is not None:
            self._process.kill()
            self._retired.append(self._process)
            self._process = None
        for old in [old for old in self._retired if old.returncode is not None]:
            self._retired.remove(old)
            old.close(_PATIENCE_S)

    def close(self) -> None:
        """End everything and wait for it."""
        self.stop()
        while self._retired:
            self._retired.pop().close(_PATIENCE_S)
        self._gate.close()

    # In the reader thread of a process

    def _read(self, process: SolveProcess, message: WorkerEvent) -> None:
        """Simulate and verify here, so that the window does not stall."""
        task = self._task
        if process is not self._process or task is None:
            return
        if not isinstance(message, LeastBracket | LeastFound) or message.id != task.id:
            return
        if message.least is not None:
            least = unpack_least(message.least, task.problem, task.trace)
            if _is_true(least):
                task.trace = least.trace
                self._gate.pass_on(self._checked.emit, task, least)
            else:
                _LOG.warning("a schedule for the least %s did not pass the check", task.limit)
        elif isinstance(message, LeastFound):
            _LOG.warning("no least %s: %s\n%s", task.limit, message.message, message.details)
        if isinstance(message, LeastFound):
            self._gate.pass_on(self._over.emit, task)

    def _read_end(self, process: SolveProcess) -> None:
        task = self._task
        if process is self._process and task is not None:
            _LOG.warning("the search for the least %s broke off: %s", task.limit, process.errors)
            self._gate.pass_on(self._over.emit, task)

    # In the window's thread

    @Slot(object, object)
    def _on_checked(self, task: _Task, least: LeastBudget) -> None:
        if task is self._task:
            self.narrowed.emit(task.problem, least)

    @Slot(object)
    def _on_over(self, task: _Task) -> None:
        if task is self._task:
            self._task = None
            self.ended.emit(task.problem, task.limit)


def _is_true(least: LeastBudget) -> bool:
    """Whether the schedule, if there is one, is legal and needs just what is said."""
    trace = least.trace
    if trace is None:
        return least.upper is None
    needs = trace.peak_bytes if least.limit is Limit.RAM else trace.runtime_s
    report = verify_figures(
        trace.schedule,
        trace.problem,
        peak_bytes=trace.peak_bytes,
        energy_j=trace.total_energy_j,
        runtime_s=trace.runtime_s,
    )
    return report.ok and needs == least.upper
