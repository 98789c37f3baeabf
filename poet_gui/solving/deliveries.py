"""What the background hands to the window: a closed union of frozen values, checked before."""

from dataclasses import dataclass

from solver.costs import CostedGraph
from solver.errors import Issue
from solver.events import Event
from solver.graph_request import GraphRequest
from solver.outcome import Outcome
from solver.problem import Problem, SolveOptions, Switches
from solver.simulate import Trace


@dataclass(frozen=True, slots=True, eq=False)
class OpenModel:
    """A model ready to be explored: its graph priced on a device, and the plain schedule.

    `plain` runs every op once and frees each tensor after its last reader; its problem's budgets
    are what it needs. `source` says where the model came from, `graph_key` names the graph to the
    solve process. `reopens`: its source is there, the graph can be made with other settings.
    `fingerprints` under the switches that are asked for first: each walks over the whole graph.
    """

    request: GraphRequest
    source: str
    sha256: str | None
    graph_key: str
    costed: CostedGraph
    plain: Trace
    fingerprints: tuple[tuple[Switches, str], ...]
    reopens: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class OpenedResult:
    """A saved result: what was solved, how hard, and how it ended."""

    problem: Problem
    options: SolveOptions
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Opened:
    """Answer to an open: the model, and the stored result when the file was one.

    `carried`: the schedule that was on screen, executed on the device that the model moved to.
    """

    id: int
    model: OpenModel
    result: OpenedResult | None = None
    carried: Trace | None = None


@dataclass(frozen=True, slots=True)
class Known:
    """Another stored result of the problem that is open: an answer without a solve."""

    result: OpenedResult


@dataclass(frozen=True, slots=True)
class OpenFailed:
    """Why nothing was opened; `details` are for a bug report."""

    id: int
    issues: tuple[Issue, ...]
    details: str = ""


@dataclass(frozen=True, slots=True)
class Progressed:
    """A step of a solve of `problem` by `strategy`; a trace in it has passed the verifier here."""

    id: int
    event: Event
    problem: Problem
    strategy: str


@dataclass(frozen=True, slots=True)
class Rejected:
    """An answer that did not pass the verifier and is therefore not shown."""

    id: int
    faults: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ProcessEnded:
    """The solve process is gone; `wanted` when we ended it. returncode < 0 is minus a signal."""

    returncode: int
    wanted: bool
    details: str


@dataclass(frozen=True, slots=True)
class ProcessReady:
    """The solve process listens (warm: and its libraries are loaded)."""

    pid: int
    warm: bool


Delivery = Opened | Known | OpenFailed | Progressed | Rejected | ProcessEnded | ProcessReady
