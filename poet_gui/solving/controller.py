"""The one bridge between the window and its background: debounce, request ids, cancel, restart."""

import logging
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, assert_never

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot

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
from poet_gui.solving.opening_request import OpeningRequest
from poet_gui.solving.patience import Patience
from poet_gui.solving.progress import ended_early, started, with_event
from poet_gui.solving.service import SolveService
from poet_gui.solving.status import Phase, SolveStatus
from poet_gui.state import ExplorerState
from poet_gui.viewmodels.solve_words import death_words
from solver.cost_table import CostTable
from solver.device import Device
from solver.errors import Issue
from solver.events import Finished
from solver.graph_request import GraphRequest
from solver.problem import SolveOptions
from solver.solve_process import WORKER_COMMAND

_LOG = logging.getLogger(__name__)

DEBOUNCE_MS: Final = 250
_MAX_DEATHS: Final = 3


class SolveController(QObject):
    """Turns wishes into requests and answers into changes of the state.

    The state is changed in the window's thread only. Answers to requests that are no longer wanted
    are dropped by their id; a solve process that does not stop within a second is replaced.

    Signals
    -------
    opened(object)
        An OpenModel is on screen.
    open_failed(object, str)
        tuple[Issue, ...] and details: why the last file was not opened.
    finished(object)
        The Outcome of the present problem.
    process_ended(str, str)
        The solve process died without being asked to: a sentence, and details.
    answer_rejected(object)
        tuple[str, ...]: the faults of an answer that is not shown.
    ready(bool)
        The solve process listens; True once its libraries are loaded.
    """

    opened = Signal(object)
    open_failed = Signal(object, str)
    finished = Signal(object)
    process_ended = Signal(str, str)
    answer_rejected = Signal(object)
    ready = Signal(bool)
    _delivered = Signal(object)

    def __init__(
        self,
        state: ExplorerState,
        parent: QObject | None = None,
        command: Sequence[str] = WORKER_COMMAND,
    ) -> None:
        super().__init__(parent)
        self._state = state
        self._core = state.core
        # Queued, whatever thread emits: deliveries come from the reader thread.
        self._delivered.connect(self._on_delivery, Qt.ConnectionType.QueuedConnection)
        self._service = SolveService(self._delivered.emit, command)
        self._debounce = QTimer(self, singleShot=True, interval=DEBOUNCE_MS)
        self._debounce.timeout.connect(self._on_rest)
        self.patience = Patience(self)
        self.patience.exhausted.connect(self._on_disobeyed)
        self._solving: int | None = None
        self._opening = OpeningRequest(self._core, self._service, self._give_up)
        self._deaths = 0
        self._closed = False

    @property
    def worker_pid(self) -> int | None:
        """Process id of the solve process."""
        return self._service.pid

    def start(self) -> None:
        """Start the solve process, so that it is warm when it is needed."""
        self._service.start()

    # Opening

    def open(self, request: GraphRequest, name: str, *, keep_place: bool = False) -> None:
        """Open a file, a built-in network or a saved result; what is on screen stays until then.

        `keep_place`: it is the open model again, whose budgets and selection stay.
        """
        self._drop_solve()
        self._opening.load(request, name, keep_place=keep_place)

    def open_own_results(self, paths: Sequence[Path], name: str) -> None:
        """Open results that came with the program; the first is shown, all of them are known."""
        self._drop_solve()
        self._opening.load_own_results(paths, name)

    @Slot()
    def cancel_open(self) -> None:
        """Give up the file that is being opened."""
        if self._opening.cancel():
            self._go_on()

    def choose_device(self, device: Device) -> None:
        """Move to another device; an open model is priced again in the background."""
        model = self._core.model
        if model is None:
            self._core.set_device(device)
            return
        self._drop_solve()
        self._opening.reprice(model, device)

    def use_costs(self, table: CostTable) -> None:
        """Price by measured costs, on the device that is in use."""
        self.choose_device(replace(self._core.device, profile=table))

    @Slot()
    def drop_costs(self) -> None:
        """Let costs follow from FLOP again; a device's own file keeps its table."""
        self.choose_device(replace(self._core.device, profile=None))

    # Solving

    def drop(self) -> None:
        """Forget the running or waiting solve: something else is wanted on screen."""
        self._drop_solve()

    def solve_later(self) -> None:
        """Solve 250 ms after the last call, unless what is stored answers already."""
        if self._solving is not None:
            self._drop_solve()
        if self._core.needs_solve:
            self._core.set_status(SolveStatus(Phase.QUEUED))
        self._debounce.start()

    @Slot()
    def _on_rest(self) -> None:
        """The budgets rest: what is stored is the answer, or a solve is."""
        if self._core.needs_solve:
            self.solve_now()
        else:
            self._core.settle()

    @Slot()
    def solve_now(self) -> None:
        """Solve the present problem, however well it is known already."""
        self._solve(self._core.options)

    @Slot()
    def solve_in_blocks(self) -> None:
        """Solve the present problem once by whole blocks of layers; the next solve is as before."""
        self._solve(replace(self._core.options, strategy="blocks"))

    def _solve(self, options: SolveOptions) -> None:
        self._debounce.stop()
        problem, model = self._core.problem, self._core.model
        if problem is None or model is None or self._closed:
            return
        self._drop_solve()
        self._solving = self._service.new_id()
        self._core.set_status(started(time.monotonic()))
        self._service.solve(
            self._solving,
            problem,
            graph_key=model.graph_key,
            options=options,
            known=self._core.known,
        )

    @Slot()
    def reconsider(self) -> None:
        """Something came from the store: end a solve that it answers already."""
        busy = self._core.status.phase.is_busy and self._core.status.phase is not Phase.STOPPING
        if self._closed or not busy or self._core.needs_solve:
            return
        self._drop_solve()
        self._core.take_stored()
        outcome = self._core.status.outcome
        if outcome is not None:
            self.finished.emit(outcome)

    @Slot()
    def stop(self) -> None:
        """Stop the solve and keep its best schedule; the window is free at once."""
        if self._core.status.phase is Phase.QUEUED:
            self._debounce.stop()
            self._core.set_status(SolveStatus())
        elif self._solving is not None and self._core.status.phase is not Phase.STOPPING:
            self._core.set_status(replace(self._core.status, phase=Phase.STOPPING))
            self._give_up(self._solving)

    def close(self) -> None:
        """End the background; returns when no process and no thread is left."""
        if not self._closed:
            self._closed = True
            self._debounce.stop()
            self.patience.forget()
            self._solving = self._opening.id = None
            self._service.stop()

    # Inside

    def _drop_solve(self) -> None:
        """Another solve or another model is wanted: this one's answers no longer count."""
        self._debounce.stop()
        if self._solving is not None:
            self._give_up(self._solving)
            self._solving = None

    def _go_on(self) -> None:
        """Nothing was opened: take the solve up again that made way for it."""
        if self._core.status.phase.is_busy and self._solving is None:
            self.solve_now()

    def _give_up(self, request_id: int) -> None:
        self._service.cancel(request_id)
        self.patience.wait_for(request_id)

    @Slot()
    def _on_disobeyed(self) -> None:
        """A request that was cancelled goes on: the solve process is replaced."""
        if self._closed or not self.patience.waits:
            return
        _LOG.warning("the solve process did not stop in time and is replaced")
        stopping = self._core.status.phase is Phase.STOPPING
        self.patience.forget()
        self.patience.lengthen()
        self._service.restart(wanted=self._opening.id)
        if self._solving is None:
            return
        if stopping:
            self._end(ended_early(self._core, "stopped by request"))
        else:
            # It waited behind the one that would not stop. Its id is gone with the process: to
            # cancel it there would only wait for an answer that never comes, and restart again.
            self._solving = None
            self.solve_now()

    @Slot(object)
    def _on_delivery(self, delivery: Delivery) -> None:
        if self._closed:
            return
        match delivery:
            case Opened(id=request_id, model=model):
                self._on_opened(request_id, model, delivery)
            case Known(result=result):
                self._core.add_known(result)
            case OpenFailed(id=request_id, issues=issues, details=details):
                self._on_open_failed(request_id, issues, details)
            case Progressed(id=request_id):
                self._on_progress(request_id, delivery)
            case Rejected(id=request_id, faults=faults):
                self._on_rejected(request_id, faults)
            case ProcessEnded(wanted=wanted):
                if not wanted:
                    self._on_death(delivery)
            case ProcessReady(warm=warm):
                self._on_ready(warm=warm)
            case _:
                assert_never(delivery)

    def _on_ready(self, *, warm: bool) -> None:
        self._deaths = 0
        if warm:
            self.patience.is_warm()
        self.ready.emit(warm)

    def _on_opened(self, request_id: int, model: OpenModel, delivery: Opened) -> None:
        self.patience.ended(request_id)
        if request_id != self._opening.id:
            return
        taken = self._opening.show(model, delivery)
        if taken.again:
            self._go_on()
        if taken.was_solved and (self._solving is None or not taken.again):
            self.solve_later()
        self.opened.emit(model)

    def _on_open_failed(self, request_id: int, issues: tuple[Issue, ...], details: str) -> None:
        self.patience.ended(request_id)
        if request_id != self._opening.id:
            return
        self._opening.forget()
        self.open_failed.emit(issues, details)
        self._go_on()

    def _on_progress(self, request_id: int, delivery: Progressed) -> None:
        event = delivery.event
        if isinstance(event, Finished):
            self.patience.ended(request_id)
        self._core.learn(delivery.problem, event, delivery.strategy)
        if request_id != self._solving:
            return
        if isinstance(event, Finished):
            self._solving = None
            self._core.finish(event.outcome, with_event(self._core.status, event))
            self.finished.emit(event.outcome)
            return
        self._core.set_status(with_event(self._core.status, event))

    def _on_rejected(self, request_id: int, faults: tuple[str, ...]) -> None:
        """Never shown. What was verified before stays; the request counts as ended."""
        self.patience.ended(request_id)
        if request_id != self._solving:
            return
        self._give_up(request_id)
        self.answer_rejected.emit(faults)
        self._end(ended_early(self._core, "an answer did not pass the check", "\n".join(faults)))

    def _on_death(self, ended: ProcessEnded) -> None:
        self._deaths += 1
        self.patience.forget()
        again = self._deaths <= _MAX_DEATHS
        was_opening = self._opening.forget()
        if self._solving is not None:
            self._end(
                ended_early(self._core, "the solve process ended unexpectedly", ended.details)
            )
        if again:
            self._service.start()
            self._go_on()
        self.process_ended.emit(*death_words(ended, was_reading=was_opening, restarted=again))

    def _end(self, finish: Finished) -> None:
        self._solving = None
        self._core.finish(finish.outcome, with_event(self._core.status, finish))
        self.finished.emit(finish.outcome)
