"""Solves in several processes at once, for callers that wait: no event loop, no Qt.

Each process is `python -m solver.worker`. It ends when its pipe closes, so that none outlives a
caller that was killed; a process that dies costs its solve no schedule that it had reported.
"""

import itertools
import queue
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from solver.brackets import NOTHING_KNOWN, Known
from solver.events import Bound, Event, Finished, Incumbent
from solver.explain import finished
from solver.messages import Cancel, Solve, SolveEvent, WorkerEvent
from solver.outcome import Failed, NoAnswer, Outcome, SolverRecord, StopReason
from solver.packing import pack_known, unpack_event
from solver.problem import Problem, SolveOptions
from solver.simulate import Trace
from solver.solve_process import WORKER_COMMAND, SolveProcess

PATIENCE_S: Final = 2.0
"""What a process gets to end by itself before it is killed."""
_GRAPH: Final = "graph"


@dataclass(frozen=True, slots=True)
class SolveTask:
    """One problem with the strategy's own switches, and what is known of it beforehand."""

    problem: Problem
    options: SolveOptions
    known: Known = NOTHING_KNOWN


Listener = Callable[[SolveTask, Event], None]


@dataclass(slots=True)
class _Running:
    """A task in a process, with the best that was reported of it."""

    id: int
    task: SolveTask
    began: float = field(default_factory=time.perf_counter)
    trace: Trace | None = None
    bound_j: float = 0.0

    def note(self, event: Event) -> None:
        if isinstance(event, Incumbent):
            self.trace = event.trace
        if isinstance(event, Incumbent | Bound):
            self.bound_j = max(self.bound_j, event.bound_j)


class _Slot:
    """A place for one process, started when it is needed and again when it died."""

    def __init__(self) -> None:
        self.process: SolveProcess | None = None
        self.running: _Running | None = None
        self.knows: object = None  # the graph that the process has


class SolvePool:
    """Up to `jobs` solves at a time. Use it as a context: leaving it ends every process.

    `submit` while `idle`, then `wait` for answers. `listener` gets every event of every solve, in
    the caller's thread, during `wait`.
    """

    def __init__(
        self,
        jobs: int,
        listener: Listener | None = None,
        command: Sequence[str] = WORKER_COMMAND,
    ) -> None:
        self._slots = [_Slot() for _ in range(jobs)]
        self._listener = listener
        self._command = command
        self._ids = itertools.count(1)
        self._inbox: queue.SimpleQueue[tuple[SolveProcess, WorkerEvent | None]] = (
            queue.SimpleQueue()
        )

    def __enter__(self) -> "SolvePool":
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()

    @property
    def idle(self) -> bool:
        """True when another task can be submitted."""
        return any(slot.running is None for slot in self._slots)

    @property
    def busy(self) -> bool:
        """True while any task runs."""
        return any(slot.running is not None for slot in self._slots)

    @property
    def pids(self) -> tuple[int, ...]:
        """Process ids of the processes that were started and not replaced."""
        return tuple(slot.process.pid for slot in self._slots if slot.process is not None)

    def submit(self, task: SolveTask) -> None:
        """Start a task. Raises RuntimeError when no process is idle."""
        slot = next((slot for slot in self._slots if slot.running is None), None)
        if slot is None:
            raise RuntimeError("every solve process is busy")
        if slot.process is None:
            slot.process = SolveProcess(self._on_event, self._on_end, self._command)
            slot.knows = None
        graph = task.problem.costed.graph
        slot.running = _Running(next(self._ids), task)
        slot.process.send(
            Solve(
                slot.running.id,
                _GRAPH,
                task.problem.costed.device,
                task.problem.budgets,
                task.problem.switches,
                task.options,
                None if slot.knows is graph else graph,
                pack_known(task.known),
            )
        )
        slot.knows = graph

    def wait(self, timeout_s: float) -> tuple[SolveTask, Outcome] | None:
        """The next answer; None when `timeout_s` seconds passed without one."""
        deadline = time.monotonic() + timeout_s
        while (left := deadline - time.monotonic()) > 0:
            try:
                process, event = self._inbox.get(timeout=left)
            except queue.Empty:
                return None
            answer = self._take(process, event)
            if answer is not None:
                return answer
        return None

    def cancel(self) -> None:
        """Ask every running solve to stop and to hand over its best schedule."""
        for slot in self._slots:
            if slot.process is not None and slot.running is not None:
                slot.process.send(Cancel(slot.running.id))

    def drop(self) -> list[tuple[SolveTask, Outcome]]:
        """Kill what still runs; the answers are the best schedules that were reported."""
        answers = []
        for slot in self._slots:
            if slot.running is not None:
                answers.append((slot.running.task, self._dropped(slot.running)))
                slot.running = None
                self._end(slot, kill=True)
        return answers

    def close(self) -> None:
        """End every process; returns when they are gone."""
        for slot in self._slots:
            self._end(slot, kill=slot.running is not None)
            slot.running = None

    def _end(self, slot: _Slot, *, kill: bool) -> None:
        process, slot.process = slot.process, None
        if process is None:
            return
        if kill:
            process.kill()
        process.close(PATIENCE_S)

    def _take(
        self, process: SolveProcess, message: WorkerEvent | None
    ) -> tuple[SolveTask, Outcome] | None:
        slot = next((slot for slot in self._slots if slot.process is process), None)
        if slot is None:  # of a process that was dropped
            return None
        if message is None:
            return self._lost(slot, process)
        running = slot.running
        if not isinstance(message, SolveEvent) or running is None or message.id != running.id:
            return None
        event = unpack_event(message, running.task.problem)
        running.note(event)
        if self._listener is not None:
            self._listener(running.task, event)
        if not isinstance(event, Finished):
            return None
        slot.running = None
        return running.task, event.outcome

    def _lost(self, slot: _Slot, process: SolveProcess) -> tuple[SolveTask, Outcome] | None:
        """The process ended by itself or was killed; the next task gets a new one."""
        slot.process = None
        process.close(PATIENCE_S)
        running, slot.running = slot.running, None
        if running is None:
            return None
        why = f"the solve process ended with {process.returncode}"
        return running.task, self._salvaged(running, why, process.errors)

    def _dropped(self, running: _Running) -> Outcome:
        """As `_salvaged`; to have been stopped with nothing yet is no failure."""
        if running.trace is not None:
            return self._salvaged(running, "it was stopped")
        return NoAnswer(
            StopReason.CANCELLED, "stopped before it had a schedule", self._record(running)
        )

    def _salvaged(self, running: _Running, why: str, details: str = "") -> Outcome:
        """The best schedule that was reported before its process was lost."""
        record = self._record(running)
        if running.trace is None:
            return Failed(f"no schedule was found before {why}", record, details)
        baseline_j = running.task.problem.costed.baseline_energy_j
        bound_j = max(baseline_j, running.bound_j)
        return finished(running.trace, bound_j, StopReason.CANCELLED, record, why=why)

    def _record(self, running: _Running) -> SolverRecord:
        wall_s = time.perf_counter() - running.began
        return SolverRecord(running.task.options.strategy, "none", "", wall_s)

    def _on_event(self, process: SolveProcess, message: WorkerEvent) -> None:
        self._inbox.put((process, message))

    def _on_end(self, process: SolveProcess) -> None:
        self._inbox.put((process, None))
