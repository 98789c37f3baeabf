"""poet.result -> the outcome and the options that it was made from."""

import math
from collections.abc import Mapping

from solver.codec.documents import ActionObject, ReasonObject, ResultDocument, SolverObject
from solver.errors import Issue, ModelError
from solver.graph import TrainingGraph
from solver.outcome import (
    Failed,
    Feasible,
    Infeasible,
    NoAnswer,
    Optimal,
    Outcome,
    Progress,
    Reason,
    SolverRecord,
    StopReason,
)
from solver.problem import Problem, SolveOptions
from solver.schedule import Action, Schedule
from solver.simulate import simulate


def outcome_of(document: ResultDocument, problem: Problem) -> Outcome:
    """The outcome again; its schedule is simulated on `problem`, not verified.

    Raises
    ------
    ModelError
        Actions or a reason that name no op or tensor of the graph, each of them; a status whose
        fields are missing.
    """
    record, message = _record(document.solver), document.message
    names = _Names(problem.costed.graph)
    match document:
        case ResultDocument(status="optimal", bound_j=float(bound)):
            return Optimal(simulate(names.schedule(document), problem), bound, message, record)
        case ResultDocument(
            status="feasible", bound_j=float(bound), stop_reason=StopReason() as stop
        ):
            trace = simulate(names.schedule(document), problem)
            return Feasible(trace, bound, stop, message, record)
        case ResultDocument(status="infeasible", reason=ReasonObject() as reason):
            return Infeasible(names.reason(reason), message, record, document.bound_j)
        case ResultDocument(status="no_answer", stop_reason=StopReason() as stop):
            return NoAnswer(stop, message, record, document.bound_j)
        case ResultDocument(status="failed"):
            return Failed(message, record)
    missing = "reason" if document.status == "infeasible" else "bound_j or stop_reason"
    raise ModelError(Issue(f"the status is {document.status}, yet {missing} is null", "status"))


def options_of(document: ResultDocument) -> SolveOptions:
    """How hard was tried."""
    settings = document.settings
    return SolveOptions(
        settings.strategy,
        settings.gap,
        settings.time_limit_s,
        settings.work_limit,
        settings.threads,
        settings.seed,
    )


class _Names:
    """Looks up names of a document in a graph and remembers those that it does not have."""

    def __init__(self, graph: TrainingGraph) -> None:
        self._graph = graph
        self._unknown: list[Issue] = []

    def schedule(self, document: ResultDocument) -> Schedule:
        rows = enumerate(document.actions)
        actions = tuple(self._action(row, f"actions[{position}]") for position, row in rows)
        self._refuse()
        return Schedule(actions)

    def reason(self, reason: ReasonObject) -> Reason:
        op = None if reason.op is None else self._op(reason.op, "reason.op")
        tensors = tuple(self._tensor(name, "reason.tensors") for name in reason.tensors)
        self._refuse()
        return Reason(reason.limit, op, tensors, reason.needed, reason.missing, reason.exact)

    def _action(self, row: ActionObject, where: str) -> Action:
        if row.kind.runs_op:
            return Action(row.kind, self._op(row.op or "", where))
        return Action(row.kind, self._tensor(row.tensor or "", where))

    def _op(self, name: str, where: str) -> int:
        return self._position(name, where, "op", self._graph.op_index)

    def _tensor(self, name: str, where: str) -> int:
        return self._position(name, where, "tensor", self._graph.tensor_index)

    def _position(self, name: str, where: str, what: str, index: Mapping[str, int]) -> int:
        if name not in index:
            self._unknown.append(Issue(f"the graph has no {what} {name!r}", where))
        return index.get(name, -1)

    def _refuse(self) -> None:
        if self._unknown:
            raise ModelError(self._unknown)


def _record(solver: SolverObject) -> SolverRecord:
    history = tuple(
        Progress(p.t_s, p.step, p.energy_j, -math.inf if p.bound_j is None else p.bound_j)
        for p in solver.incumbents
    )
    return SolverRecord(
        solver.strategy,
        solver.name,
        solver.version,
        solver.wall_s,
        solver.first_answer_s,
        history,
    )
