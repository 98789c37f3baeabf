"""The background of the window: owns the solve process, replaces it, and checks what it says.

Knows no Qt: `deliver` is called from background threads, the controller brings it to the window.
"""

import itertools
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from poet_gui.solving.background import report_fault
from poet_gui.solving.check import unpack_checked
from poet_gui.solving.deliveries import (
    Delivery,
    Known,
    Opened,
    OpenFailed,
    OpenModel,
    ProcessEnded,
    ProcessReady,
    Progressed,
    Rejected,
)
from poet_gui.solving.gate import Gate
from poet_gui.solving.prepare import carried, prepare, reprice
from poet_gui.solving.results import opened_result
from solver import brackets, messages
from solver.device import Device
from solver.errors import EngineError, Issue, ModelError
from solver.graph_request import GraphRequest
from solver.packing import pack_known
from solver.problem import Problem, SolveOptions
from solver.reading import ReadingFaultError, read_result
from solver.saved_result import load_result, may_be_result
from solver.simulate import Trace
from solver.solve_process import WORKER_COMMAND, SolveProcess

_CLOSE_PATIENCE_S: Final = 0.2
"""Nothing of the solve process is worth waiting for: what it found is here already."""
_FIRST_LOOK_S: Final = 0.2
"""While the window draws a result, reading the next ones would take half of its time."""
_KEPT_GRAPHS: Final = 4
"""Fewer than the solve process keeps: a graph too many is sent again, a missing one is an error."""


@dataclass(frozen=True, slots=True)
class _Load:
    request: GraphRequest
    device: Device


class _Task(NamedTuple):
    """A solve under way."""

    problem: Problem
    strategy: str


class SolveService:
    """Requests in, checked deliveries out.

    Every request gets an id from `new_id`; every answer carries it. At most one solve process
    lives at a time; `restart` kills it and starts another, which knows nothing of older requests.
    `deliver` is never called when `stop` has returned.
    """

    def __init__(
        self, deliver: Callable[[Delivery], None], command: Sequence[str] = WORKER_COMMAND
    ) -> None:
        self._gate, self._to_window = Gate(), deliver
        self._command = tuple(command)
        self._lock = threading.Lock()
        self._ids = itertools.count(1)
        self._process: SolveProcess | None = None
        self._retired: list[SolveProcess] = []
        self._loads: dict[int, _Load] = {}
        self._tasks: dict[int, _Task] = {}
        self._unwanted: set[int] = set()
        self._known_graphs: list[str] = []
        self._jobs = ThreadPoolExecutor(1, thread_name_prefix="window background")
        self._stopped = threading.Event()

    @property
    def pid(self) -> int | None:
        """Process id of the solve process; None when there is none."""
        with self._lock:
            return self._process.pid if self._process else None

    def new_id(self) -> int:
        """An id that no other request of this session has."""
        return next(self._ids)

    def start(self) -> None:
        """Start the solve process if there is none."""
        with self._lock:
            self._ensure()

    def load(self, request_id: int, request: GraphRequest, device: Device) -> None:
        """Open a file or a built-in network; answered by Opened or OpenFailed."""
        self._submit(lambda: self._load(request_id, _Load(request, device)))

    def load_own_results(self, request_id: int, paths: Sequence[Path]) -> None:
        """Open results of one problem that came with the program; answered by Opened or OpenFailed.

        The first is shown before the others are read and checked.
        """
        self._submit(lambda: self._load_own_results(request_id, paths))

    def reprice(
        self, request_id: int, model: OpenModel, device: Device, shown: Trace | None = None
    ) -> None:
        """Price an open model on another device, and a schedule of it; answered by Opened."""
        self._submit(lambda: self._reprice(request_id, model, device, shown))

    def solve(
        self,
        request_id: int,
        problem: Problem,
        *,
        graph_key: str,
        options: SolveOptions,
        known: brackets.Known = brackets.NOTHING_KNOWN,
    ) -> None:
        """Schedule `problem` from what is known on; answered by Progressed, at last Finished."""
        with self._lock:
            process = self._ensure()
            self._tasks[request_id] = _Task(problem, options.strategy)
            graph = None if graph_key in self._known_graphs else problem.costed.graph
            self._know(graph_key)
            process.send(
                messages.Solve(
                    request_id,
                    graph_key,
                    problem.costed.device,
                    problem.budgets,
                    problem.switches,
                    options,
                    graph,
                    pack_known(known),
                )
            )

    def cancel(self, request_id: int) -> None:
        """Ask whoever works on that request to stop with it."""
        with self._lock:
            self._unwanted.add(request_id)
            if self._process:
                self._process.send(messages.Cancel(request_id))

    def restart(self, *, wanted: int | None = None) -> None:
        """Kill the solve process and start another; requests under way get no answer.

        But for the model that is being opened with the id `wanted`: it is asked for again.
        """
        with self._lock:
            load = None if wanted is None else self._loads.get(wanted)
            self._retire()
            process = self._ensure()
            if wanted is not None and load is not None:
                self._loads[wanted] = load
                process.send(messages.load_model(wanted, load.request))

    def retire(self) -> None:
        """Kill the solve process; requests under way get no answer, the next one starts another."""
        with self._lock:
            self._retire()

    def stop(self) -> None:
        """End everything and wait for it: no process and no thread is left."""
        with self._lock:
            self._stopped.set()
            process, self._process = self._process, None
            retired, self._retired = self._retired, []
        self._jobs.shutdown(wait=True, cancel_futures=True)
        for old in retired:
            old.close(_CLOSE_PATIENCE_S)
        if process:
            process.close(_CLOSE_PATIENCE_S)
        self._gate.close()

    def _deliver(self, delivery: Delivery) -> None:
        self._gate.pass_on(self._to_window, delivery)

    def _submit(self, job: Callable[[], None]) -> None:
        self._jobs.submit(job).add_done_callback(report_fault)

    def _ensure(self) -> SolveProcess:
        if self._process is None:
            self._known_graphs.clear()
            self._process = SolveProcess(self._on_event, self._on_end, self._command)
        return self._process

    def _know(self, graph_key: str) -> None:
        """Note that the solve process holds this graph; it forgets the ones used longest ago."""
        if graph_key in self._known_graphs:
            self._known_graphs.remove(graph_key)
        self._known_graphs = [*self._known_graphs, graph_key][-_KEPT_GRAPHS:]

    def _retire(self) -> None:
        if self._process is None:
            return
        self._process.kill()
        self._retired.append(self._process)
        self._process = None
        self._tasks.clear()
        self._loads.clear()

    def _reprice(
        self, request_id: int, model: OpenModel, device: Device, shown: Trace | None
    ) -> None:
        moved = reprice(model, device)
        trace = None if shown is None else carried(shown, moved.costed)
        self._deliver(Opened(request_id, moved, carried=trace))

    def _load_own_results(self, request_id: int, paths: Sequence[Path]) -> None:
        """In the background, without a process of their own: these files are trusted."""
        shown = False
        try:
            for path in paths:
                saved = load_result(path)
                if saved is not None:
                    model, result = opened_result(saved, path)
                    self._deliver(Known(result) if shown else Opened(request_id, model, result))
                    if not shown and self._stopped.wait(_FIRST_LOOK_S):
                        return
                    shown = True
            if not shown:
                raise ModelError(Issue("holds no saved result", "the demo", "install again"))
        except EngineError as error:
            self._deliver(OpenFailed(request_id, error.issues))

    def _load(self, request_id: int, load: _Load) -> None:
        """In the background: what is no saved result is read by order of the solve process."""
        path = Path(load.request.model)
        if may_be_result(path):
            try:
                saved = read_result(path, cancelled=lambda: self._is_unwanted(request_id))
            except EngineError as error:
                details = error.details if isinstance(error, ReadingFaultError) else ""
                self._deliver(OpenFailed(request_id, error.issues, details))
                return
            if saved is not None:
                self._deliver(Opened(request_id, *opened_result(saved, path)))
                return
        if self._is_unwanted(request_id):  # before anybody was asked
            self._deliver(OpenFailed(request_id, ()))
            return
        with self._lock:
            if self._stopped.is_set():
                return
            self._loads[request_id] = load
            self._ensure().send(messages.load_model(request_id, load.request))

    def _is_unwanted(self, request_id: int) -> bool:
        with self._lock:
            return self._stopped.is_set() or request_id in self._unwanted

    def _on_event(self, process: SolveProcess, message: messages.WorkerEvent) -> None:
        """In the reader thread; messages of a process that was given up are dropped."""
        with self._lock:
            if process is not self._process:
                return
        match message:
            case messages.Ready(pid=pid):
                self._deliver(ProcessReady(pid, warm=False))
            case messages.Warm():
                self._deliver(ProcessReady(process.pid, warm=True))
            case messages.ModelLoaded():
                self._on_loaded(message)
            case messages.LoadFailed(id=request_id, issues=issues, details=details):
                self._deliver(OpenFailed(request_id, tuple(issues), details))
            case messages.LeastBracket() | messages.LeastFound():
                pass  # asked for by nobody here: LeastFinder has a process of its own
            case _:
                self._on_solve_event(message)

    def _on_loaded(self, message: messages.ModelLoaded) -> None:
        with self._lock:
            load = self._loads.pop(message.id, None)
            self._know(message.graph_key)
        if load is None:
            return
        model = prepare(
            message.graph,
            load.device,
            request=load.request,
            source=message.source,
            sha256=message.sha256,
            graph_key=message.graph_key,
        )
        self._deliver(Opened(message.id, model))

    def _on_solve_event(self, message: messages.SolveEvent) -> None:
        with self._lock:
            task = self._tasks.get(message.id)
            if isinstance(message, messages.SolveFinished):
                self._tasks.pop(message.id, None)
        if task is None:
            return
        event, faults = unpack_checked(message, task.problem)
        if event is None:
            self._deliver(Rejected(message.id, faults))
        else:
            self._deliver(Progressed(message.id, event, *task))

    def _on_end(self, process: SolveProcess) -> None:
        """In the reader thread: tell how it ended; the controller decides what happens next."""
        with self._lock:
            wanted = self._stopped.is_set() or process is not self._process
            if not wanted:
                self._process = None
                self._tasks.clear()
                self._loads.clear()
                self._retired.append(process)
        code = process.returncode
        self._deliver(ProcessEnded(code if code is not None else 0, wanted, process.errors))
