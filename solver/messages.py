"""The protocol of the solve process: requests in, events out, each a length-prefixed JSON message.

| request | answered by |
|---|---|
| LoadModel | ModelLoaded or LoadFailed |
| Solve | SolveStarted; any SolveStep, SolveIncumbent, SolveBound; exactly one SolveFinished |
| FindLeast | any LeastBracket, each narrower; exactly one LeastFound |
| Cancel | nothing of its own: the request ends soon, with the best that it has |
| Shutdown | the process ends |

Every event carries the id of its request; a reader drops ids that it no longer waits for. Besides,
Ready comes once at the start and Warm once the solver's libraries are imported. Graphs travel whole
and un-priced; each side prices them.
"""

import os
from dataclasses import replace
from typing import BinaryIO

import msgspec

from solver.device import Device
from solver.errors import Issue
from solver.framing import MessageReader, framed
from solver.graph import TrainingGraph
from solver.graph_request import GraphRequest
from solver.outcome import Limit, Reason, SolverRecord, StopReason
from solver.problem import Budgets, SolveOptions, Switches
from solver.text import printable


class PackedSchedule(msgspec.Struct, frozen=True):
    """A schedule as two arrays: positions in ActionKind, positions of the ops or tensors."""

    kinds: list[int]
    targets: list[int]


class PackedOutcome(msgspec.Struct, frozen=True):
    """An outcome flattened; `status` says which fields are set, as in solver.outcome."""

    status: str
    message: str
    record: SolverRecord
    schedule: PackedSchedule | None = None
    bound_j: float | None = None
    stop_reason: StopReason | None = None
    reason: Reason | None = None
    details: str = ""


class PackedKnown(msgspec.Struct, frozen=True):
    """What a solve is told beforehand (solver.brackets.Known).

    `bound_j` is None where nothing is proven and, with `impossible`, where nothing fits: JSON has
    no infinity.
    """

    schedules: tuple[PackedSchedule, ...] = ()
    bound_j: float | None = None
    impossible: bool = False


class PackedLeast(msgspec.Struct, frozen=True):
    """What is known of a least budget (solver.outcome.LeastBudget).

    `schedule` needs `upper`; it is left out where the reader has it from an earlier message.
    """

    limit: Limit
    lower: float
    upper: float | None = None
    exact: bool = False
    hopeless: bool = False
    schedule: PackedSchedule | None = None


class LoadModel(msgspec.Struct, frozen=True, tag="load_model"):
    """Make the training graph of a file or built-in network; made by `load_model`.

    `path` is the model's name as the system has it where JSON cannot carry it, else empty.
    """

    id: int
    request: GraphRequest
    path: bytes = b""

    def wish(self) -> GraphRequest:
        """The request with the name of its model."""
        return replace(self.request, model=os.fsdecode(self.path)) if self.path else self.request


class Solve(msgspec.Struct, frozen=True, tag="solve"):
    """Schedule a graph on a device.

    `graph_key` is any name chosen by the sender, or the key that ModelLoaded brought. `graph` may
    be left out once this process knows the key; sending it again replaces what the key stood for.
    The switches are used as they are, but for those that the strategy forces. `known` is of the
    problem with the strategy's switches.
    """

    id: int
    graph_key: str
    device: Device
    budgets: Budgets
    switches: Switches = Switches()
    options: SolveOptions = SolveOptions()
    graph: TrainingGraph | None = None
    known: PackedKnown = PackedKnown()


class FindLeast(msgspec.Struct, frozen=True, tag="find_least"):
    """Find the least RAM or runtime that works for a graph whose budgets are proven impossible.

    The fields are those of Solve; of the two budgets, the one that `limit` names is looked for.
    """

    id: int
    graph_key: str
    device: Device
    budgets: Budgets
    limit: Limit
    switches: Switches = Switches()
    options: SolveOptions = SolveOptions()
    graph: TrainingGraph | None = None


class Cancel(msgspec.Struct, frozen=True, tag="cancel"):
    """Stop the request of that id, waiting or running, and keep its best schedule."""

    id: int


class Shutdown(msgspec.Struct, frozen=True, tag="shutdown"):
    """Stop everything and end the process."""


class Ready(msgspec.Struct, frozen=True, tag="ready"):
    """The process listens."""

    pid: int
    engine_version: str


class Warm(msgspec.Struct, frozen=True, tag="warm"):
    """The solver's libraries are imported, which took `seconds`; a solve now starts at once."""

    seconds: float


class ModelLoaded(msgspec.Struct, frozen=True, tag="model_loaded"):
    """The graph of a LoadModel; Solve may name `graph_key` instead of sending the graph back."""

    id: int
    graph_key: str
    graph: TrainingGraph
    source: str
    sha256: str | None


class LoadFailed(msgspec.Struct, frozen=True, tag="load_failed"):
    """Why there is no graph: every mistake found.

    `details` is empty unless the program itself is at fault.
    """

    id: int
    issues: list[Issue]
    details: str = ""


class SolveStarted(msgspec.Struct, frozen=True, tag="solve_started"):
    """The solve has begun with `step`."""

    id: int
    t_s: float
    step: str


class SolveStep(msgspec.Struct, frozen=True, tag="solve_step"):
    """The solve goes on with `step`."""

    id: int
    t_s: float
    step: str


class SolveIncumbent(msgspec.Struct, frozen=True, tag="solve_incumbent"):
    """A better, verified schedule, its energy and the best bound known then, joules.

    `bound_j` is None before there is a bound.
    """

    id: int
    t_s: float
    step: str
    schedule: PackedSchedule
    energy_j: float
    bound_j: float | None


class SolveBound(msgspec.Struct, frozen=True, tag="solve_bound"):
    """A higher proven lower bound, joules."""

    id: int
    t_s: float
    step: str
    bound_j: float


class SolveFinished(msgspec.Struct, frozen=True, tag="solve_finished"):
    """The only terminal event of a solve."""

    id: int
    t_s: float
    outcome: PackedOutcome


class LeastBracket(msgspec.Struct, frozen=True, tag="least_bracket"):
    """A narrower bracket around a least budget; a schedule that is new comes with it."""

    id: int
    least: PackedLeast


class LeastFound(msgspec.Struct, frozen=True, tag="least_found"):
    """The only terminal event of FindLeast: the bracket in the end.

    `least` is None when the search broke; `message` and `details` say why.
    """

    id: int
    least: PackedLeast | None
    message: str = ""
    details: str = ""


Request = LoadModel | Solve | FindLeast | Cancel | Shutdown
SolveEvent = SolveStarted | SolveStep | SolveIncumbent | SolveBound | SolveFinished
LeastEvent = LeastBracket | LeastFound
WorkerEvent = Ready | Warm | ModelLoaded | LoadFailed | SolveEvent | LeastEvent
Message = Request | WorkerEvent


def load_model(request_id: int, request: GraphRequest) -> LoadModel:
    """The message that asks for a model, whatever bytes its name is made of."""
    name = request.model
    if printable(name) == name:
        return LoadModel(request_id, request)
    return LoadModel(request_id, replace(request, model=""), os.fsencode(name))


def encode(message: Message) -> bytes:
    """The message as it travels."""
    return framed(message)


def request_reader(stream: BinaryIO) -> MessageReader[Request]:
    """Reads what the window asks; used by the solve process on its standard input."""
    return MessageReader(stream, msgspec.json.Decoder(Request))


def event_reader(stream: BinaryIO) -> MessageReader[WorkerEvent]:
    """Reads what the solve process reports; used by the window on the process's standard output."""
    return MessageReader(stream, msgspec.json.Decoder(WorkerEvent))
