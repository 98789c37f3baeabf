"""A solve process that follows a script, for tests of the window: same protocol, no solver.

Usage: python scripted_worker.py SCENARIO. Models: every LoadModel is answered by a chain of ops,
but for names that contain "bad", which are refused.

| scenario | a Solve is answered by |
|---|---|
| honest | page-all as an incumbent, then as feasible |
| obedient | page-all as an incumbent; it ends only when cancelled |
| deaf | page-all as an incumbent; it never ends |
| mute | nothing at all |
| stuck | page-all as an incumbent; then it hears nothing any more, no Cancel and no LoadModel |
| late | the first solve: nothing; the second: keep-all for the first, then page-all for itself |
| liar | page-all without its first action, called optimal |
| boaster | page-all as optimal with a bound far below its energy |
| dying | an end of the process |
| slow_load | honest, but no model is ever loaded |
"""

import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from typing import TYPE_CHECKING

from solver.costs import price
from solver.errors import Issue
from solver.messages import (
    Cancel,
    LoadFailed,
    LoadModel,
    Message,
    ModelLoaded,
    PackedOutcome,
    PackedSchedule,
    Ready,
    Shutdown,
    Solve,
    SolveFinished,
    SolveIncumbent,
    SolveStarted,
    Warm,
    encode,
    request_reader,
)
from solver.outcome import SolverRecord, StopReason
from solver.packing import pack_schedule
from solver.problem import Problem
from solver.simulate import Trace, simulate
from solver.staged import stage
from solver.strategies.plain import keep_all, page_all
from tests.helpers.builders import chain

if TYPE_CHECKING:
    from solver.graph import TrainingGraph

RECORD = SolverRecord("joint", "scripted", "1", 0.1)


class Script:
    """The running scenario."""

    def __init__(self, scenario: str) -> None:
        self.scenario = scenario
        self.graphs: dict[str, TrainingGraph] = {}
        self.solves: list[tuple[Solve, Problem]] = []

    def send(self, message: Message) -> None:
        os.write(EVENTS, encode(message))

    def load(self, message: LoadModel) -> None:
        if self.scenario == "slow_load":
            return
        if "bad" in message.request.model:
            issue = Issue("is no model", message.request.model, "choose another")
            self.send(LoadFailed(message.id, [issue], "scripted details"))
            return
        graph = chain(6)
        key = f"chain-{message.id}"
        self.graphs[key] = graph
        self.send(ModelLoaded(message.id, key, graph, message.request.model, None))

    def solve(self, message: Solve) -> None:
        if message.graph is not None:
            self.graphs[message.graph_key] = message.graph
        costed = price(self.graphs[message.graph_key], message.device)
        problem = Problem(costed, message.budgets, message.switches)
        self.solves.append((message, problem))
        if self.scenario == "dying":
            os._exit(3)
        if self.scenario == "mute":
            return
        self.send(SolveStarted(message.id, 0.0, "scripted"))
        if self.scenario == "late":
            if len(self.solves) > 1:
                first, first_problem = self.solves[0]
                self.finish(first.id, keep_trace(first_problem), "optimal")
                self.finish(message.id, page_trace(problem))
            return
        if self.scenario == "liar":
            self.lie(message.id, problem)
            return
        if self.scenario == "boaster":
            self.finish(message.id, page_trace(problem), "optimal")
            return
        trace = page_trace(problem)
        bound_j = costed.baseline_energy_j
        packed = pack_schedule(trace.schedule)
        self.send(
            SolveIncumbent(message.id, 0.1, "scripted", packed, trace.total_energy_j, bound_j)
        )
        if self.scenario in {"honest", "slow_load"}:
            self.finish(message.id, trace)
        if self.scenario == "stuck":
            time.sleep(3600)

    def cancel(self, message: Cancel) -> None:
        for solve, problem in self.solves:
            if solve.id == message.id and self.scenario == "obedient":
                self.finish(solve.id, page_trace(problem), stop=StopReason.CANCELLED)

    def finish(
        self,
        request_id: int,
        trace: Trace,
        status: str = "feasible",
        stop: StopReason = StopReason.TIME,
    ) -> None:
        baseline_j = trace.problem.costed.baseline_energy_j
        outcome = PackedOutcome(
            status, "scripted", RECORD, pack_schedule(trace.schedule), baseline_j, stop
        )
        self.send(SolveFinished(request_id, 0.2, outcome))

    def lie(self, request_id: int, problem: Problem) -> None:
        whole = pack_schedule(page_trace(problem).schedule)
        cut = PackedSchedule(whole.kinds[1:], whole.targets[1:])
        bound_j = problem.costed.baseline_energy_j
        outcome = PackedOutcome("optimal", "scripted", RECORD, cut, bound_j)
        self.send(SolveFinished(request_id, 0.2, outcome))


def page_trace(problem: Problem) -> Trace:
    return simulate(page_all(stage(problem)), problem)


def keep_trace(problem: Problem) -> Trace:
    return simulate(keep_all(stage(problem)), problem)


def main() -> None:
    script = Script(sys.argv[1])
    script.send(Ready(os.getpid(), "scripted"))
    script.send(Warm(0.0))
    reader = request_reader(sys.stdin.buffer)
    while (request := reader.read()) is not None:
        match request:
            case LoadModel():
                script.load(request)
            case Solve():
                script.solve(request)
            case Cancel():
                script.cancel(request)
            case Shutdown():
                return


EVENTS = os.dup(1)
if __name__ == "__main__":
    main()
