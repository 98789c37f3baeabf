"""The solve process: `python -m solver.worker`, requests in on stdin, events out on stdout.

One thread reads, so that Cancel is heard in mid-solve; another works off the requests in order.
The process ends when its stdin closes: a window that died leaves no orphan behind. See
solver.messages for the protocol.
"""

import faulthandler
import logging
import os
import queue
import threading
import time
import traceback
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, BinaryIO, Final, assert_never

from solver import ENGINE_VERSION, api
from solver.child_python import take_pipes
from solver.costs import CostedGraph, price
from solver.errors import EngineError, Issue
from solver.events import Finished
from solver.graph import TrainingGraph
from solver.messages import (
    Cancel,
    FindLeast,
    LeastBracket,
    LeastFound,
    LoadFailed,
    LoadModel,
    Message,
    ModelLoaded,
    Ready,
    Shutdown,
    Solve,
    Warm,
    encode,
    request_reader,
)
from solver.outcome import Failed, LeastBudget, NoAnswer, SolverRecord, StopReason
from solver.packing import pack_event, pack_least, unpack_known
from solver.problem import Problem
from solver.reading import read_model
from solver.strategies.base import Cancel as CancelWish

if TYPE_CHECKING:
    from solver.simulate import Trace

_log = logging.getLogger(__name__)

_IDLE_S: Final = 0.2  # wait for a first request before importing the slow libraries
_KEPT_GRAPHS: Final = 8
_GRACE_S: Final = 1.0
_SLOW_LIBRARIES: Final = ("cvxpy", "highspy", "solver.strategies.joint")

Send = Callable[[Message], None]
Job = LoadModel | Solve | FindLeast


class Worker:
    """Works off requests in order; `add`, `cancel`, `stop` may be called from other threads."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._jobs: queue.SimpleQueue[tuple[Job, CancelWish] | None] = queue.SimpleQueue()
        self._wishes: dict[int, CancelWish] = {}
        self._graphs: OrderedDict[str, TrainingGraph] = OrderedDict()
        self._costed: tuple[str, CostedGraph] | None = None
        self._warm = False

    def add(self, job: Job) -> None:
        """Queue a request."""
        wish = CancelWish()
        self._wishes[job.id] = wish
        self._jobs.put((job, wish))  # with its wish: a second request may carry the same id

    def cancel(self, request_id: int) -> None:
        """Stop a request, queued or running; ids that are not known or done are ignored."""
        wish = self._wishes.get(request_id)
        if wish is not None:
            wish.request()

    def stop(self) -> None:
        """Cancel everything and let `run` return."""
        for wish in tuple(self._wishes.values()):
            wish.request()
        self._jobs.put(None)

    def run(self) -> None:
        """Answer requests until `stop`."""
        while True:
            try:
                found = self._jobs.get(timeout=None if self._warm else _IDLE_S)
            except queue.Empty:
                self._warm_up()
                continue
            if found is None:
                return
            job, wish = found
            self._answer(job, wish)
            if self._wishes.get(job.id) is wish:
                del self._wishes[job.id]

    def _warm_up(self) -> None:
        self._warm = True
        began = time.perf_counter()
        try:
            for name in _SLOW_LIBRARIES:
                import_module(name)
        except ImportError:
            _log.warning("cannot import %s; the solve will say so", name, exc_info=True)
            return
        self._send(Warm(time.perf_counter() - began))

    def _answer(self, job: Job, wish: CancelWish) -> None:
        began = time.perf_counter()
        try:
            match job:
                case LoadModel():
                    self._load(job, wish)
                case Solve():
                    self._solve(job, wish)
                case FindLeast():
                    self._find_least(job, wish)
                case _:
                    assert_never(job)
        except EngineError as error:
            self._fail(job, list(error.issues), error.details, time.perf_counter() - began)
        except Exception:  # noqa: BLE001 - the top loop: a fault of ours ends one request, not all
            issue = Issue("the solve process met a fault of its own", "", "see the details")
            self._fail(job, [issue], traceback.format_exc(), time.perf_counter() - began)

    def _load(self, job: LoadModel, wish: CancelWish) -> None:
        if wish.requested:
            self._send(LoadFailed(job.id, [Issue("loading was cancelled")]))
            return
        model = read_model(job.wish(), cancelled=lambda: wish.requested)
        key = f"loaded-{job.id}"
        self._keep(key, model.graph)
        self._send(ModelLoaded(job.id, key, model.graph, model.source, model.sha256))

    def _solve(self, job: Solve, wish: CancelWish) -> None:
        if job.graph is not None:
            self._keep(job.graph_key, job.graph)
        if wish.requested:
            record = SolverRecord(job.options.strategy, "none", "", 0.0)
            outcome = NoAnswer(StopReason.CANCELLED, "Cancelled before it began.", record)
            self._send(pack_event(job.id, Finished(0.0, outcome)))
            return
        problem = Problem(self._price(job), job.budgets, job.switches)
        api.solve(
            problem,
            job.options,
            lambda event: self._send(pack_event(job.id, event)),
            wish,
            unpack_known(job.known),
        )

    def _find_least(self, job: FindLeast, wish: CancelWish) -> None:
        from solver.least import least_budget  # noqa: PLC0415 - its probes import the slow libraries

        if job.graph is not None:
            self._keep(job.graph_key, job.graph)
        sent: Trace | None = None

        def tell(least: LeastBudget) -> None:
            nonlocal sent
            self._send(LeastBracket(job.id, pack_least(least, known=sent)))
            sent = least.trace

        problem = Problem(self._price(job), job.budgets, job.switches)
        found = least_budget(problem, job.limit, job.options, tell, wish, impossible=True)
        self._send(LeastFound(job.id, pack_least(found)))

    def _keep(self, key: str, graph: TrainingGraph) -> None:
        self._graphs[key] = graph
        self._graphs.move_to_end(key)
        while len(self._graphs) > _KEPT_GRAPHS:
            self._graphs.popitem(last=False)

    def _price(self, job: Solve | FindLeast) -> CostedGraph:
        """Priced graph of the request; the last one again when graph and device are the same."""
        graph = self._graphs.get(job.graph_key)
        if graph is None:
            message = f"the solve process does not know the graph {job.graph_key!r}"
            raise EngineError(Issue(message, "", "open the model again"))
        self._graphs.move_to_end(job.graph_key)
        if self._costed is not None:
            key, costed = self._costed
            if key == job.graph_key and costed.graph is graph and costed.device == job.device:
                return costed
        costed = price(graph, job.device)
        self._costed = (job.graph_key, costed)
        return costed

    def _fail(self, job: Job, issues: list[Issue], details: str, seconds: float) -> None:
        if isinstance(job, LoadModel):
            self._send(LoadFailed(job.id, issues, details))
            return
        message = "; ".join(str(issue) for issue in issues)
        if isinstance(job, FindLeast):
            self._send(LeastFound(job.id, None, message, details))
            return
        record = SolverRecord(job.options.strategy, "none", "", seconds)
        self._send(pack_event(job.id, Finished(seconds, Failed(message, record, details))))


def serve(requests: BinaryIO, events: BinaryIO) -> None:
    """Answer requests until the stream ends or Shutdown comes.

    Raises ProtocolError when something arrives that is no request.
    """
    lock = threading.Lock()

    def send(message: Message) -> None:
        data = encode(message)
        with lock:
            events.write(data)
            events.flush()

    worker = Worker(send)
    thread = threading.Thread(target=_run_or_die, args=(worker,), name="solve", daemon=True)
    thread.start()
    send(Ready(os.getpid(), ENGINE_VERSION))
    try:
        reader = request_reader(requests)
        while (request := reader.read()) is not None:
            if isinstance(request, Shutdown):
                break
            if isinstance(request, Cancel):
                worker.cancel(request.id)
            else:
                worker.add(request)
    finally:
        worker.stop()
        thread.join(_GRACE_S)


def _run_or_die(worker: Worker) -> None:
    """Run the worker; a process without its solving thread would look alive and never answer."""
    ended = False
    try:
        worker.run()
        ended = True
    except BrokenPipeError:
        os._exit(0)  # the window is gone; there is nobody to tell
    finally:
        if not ended:
            traceback.print_exc()
            os._exit(1)


def main() -> None:
    """Entry point of the process; ends it hard after a second if native code does not stop."""
    faulthandler.enable()
    requests, events = take_pipes()
    with suppress(BrokenPipeError):  # the window is gone; there is nobody to tell
        serve(requests, events)
    os._exit(0)  # not sys.exit: a thread in native code would keep the process alive


if __name__ == "__main__":
    main()
