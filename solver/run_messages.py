"""The protocol of the process that runs a schedule: one request in, progress and one answer out.

Each is a message as in solver.messages. The process ends when its stdin closes: a window that died
leaves no orphan behind.
"""

from typing import BinaryIO

import msgspec

from solver.costs import price
from solver.device import Device
from solver.errors import Issue
from solver.framing import MessageReader
from solver.graph import TrainingGraph
from solver.messages import PackedSchedule
from solver.packing import pack_schedule, unpack_schedule
from solver.problem import Budgets, Problem, Switches
from solver.replay_report import ReplayReport
from solver.simulate import Trace, simulate


class RunRequest(msgspec.Struct, frozen=True, tag="run"):
    """A schedule, and what it is for; the graph was traced."""

    graph: TrainingGraph
    device: Device
    budgets: Budgets
    switches: Switches
    schedule: PackedSchedule

    @classmethod
    def of(cls, trace: Trace) -> "RunRequest":
        """The request to run the schedule of `trace`."""
        problem = trace.problem
        return cls(
            problem.costed.graph,
            problem.costed.device,
            problem.budgets,
            problem.switches,
            pack_schedule(trace.schedule),
        )

    def trace(self) -> Trace:
        """The schedule with its costs again. Raises as `unpack_schedule`."""
        problem = Problem(price(self.graph, self.device), self.budgets, self.switches)
        return simulate(unpack_schedule(self.schedule), problem)


class RunStep(msgspec.Struct, frozen=True, tag="step"):
    """So many actions are done, of all."""

    done: int
    total: int


class RunDone(msgspec.Struct, frozen=True, tag="done"):
    """What was found."""

    report: ReplayReport


class RunRefused(msgspec.Struct, frozen=True, tag="refused"):
    """Why nothing was run; `details` is empty unless the program itself is at fault."""

    issues: list[Issue]
    details: str = ""


RunEvent = RunStep | RunDone | RunRefused


def run_request_reader(stream: BinaryIO) -> MessageReader[RunRequest]:
    """Reads what is to be run, on the standard input of the process."""
    return MessageReader(stream, msgspec.json.Decoder(RunRequest))


def run_event_reader(stream: BinaryIO) -> MessageReader[RunEvent]:
    """Reads what the process reports."""
    return MessageReader(stream, msgspec.json.Decoder(RunEvent))
