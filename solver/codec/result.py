"""Outcomes <-> poet.result, the document of one solve."""

from dataclasses import dataclass
from typing import cast

from msgspec import UNSET

from solver.action_rows import action_rows
from solver.codec.documents import (
    ActionObject,
    BudgetObject,
    EnergyObject,
    GapObject,
    IncumbentObject,
    ModelObject,
    ReasonObject,
    ResultDocument,
    SettingsObject,
    SolverObject,
    Status,
)
from solver.codec.graph import (
    baseline_object,
    chosen_quantized,
    device_object,
    graph_document,
)
from solver.codec.numbers import finite, finite_or_none
from solver.graph import TrainingGraph
from solver.outcome import (
    Feasible,
    Infeasible,
    Limit,
    NoAnswer,
    Optimal,
    Outcome,
    Reason,
    SolverRecord,
    StopReason,
    overhead_gap,
    status_of,
    total_gap,
)
from solver.problem import Problem, SolveOptions
from solver.schedule import ActionKind
from solver.simulate import Trace


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a model came from: a path or "built-in", and the SHA-256 of the file if it is one."""

    source: str
    sha256: str | None = None


def result_document(
    problem: Problem,
    outcome: Outcome,
    options: SolveOptions,
    origin: Origin,
    *,
    slim: bool = False,
) -> ResultDocument:
    """The poet.result of one solve.

    `problem` is the one that was solved, with the switches of the strategy (strategies.registry.
    adapt). `slim` leaves out the graph.
    """
    costed, graph = problem.costed, problem.costed.graph
    trace = outcome.trace if isinstance(outcome, Optimal | Feasible) else None
    return ResultDocument(
        format="poet.result",
        version=1,
        model=model_object(graph, origin),
        device=device_object(costed.device),
        settings=settings_object(problem, options),
        budget=BudgetObject(
            int(problem.budgets.ram_bytes), finite_or_none(problem.budgets.runtime_s)
        ),
        status=cast("Status", status_of(outcome)),
        stop_reason=_stop_reason(outcome),
        message=outcome.message,
        reason=_reason_object(outcome, graph),
        baseline=baseline_object(costed),
        plain_peak_bytes=int(costed.plain_peak_bytes),
        floor_bytes=int(costed.floor_bytes),
        energy_j=_energy_object(trace),
        bound_j=_bound_j(outcome),
        gap=_gap_object(outcome),
        runtime_s=None if trace is None else finite(trace.runtime_s),
        peak_bytes=None if trace is None else int(trace.peak_bytes),
        actions=[] if trace is None else action_objects(trace),
        solver=_solver_object(outcome.record),
        warnings=list(costed.told),
        problem=UNSET if slim else graph_document(costed),
    )


def action_objects(trace: Trace) -> list[ActionObject]:
    """The actions of a trace in issue order, with the names of their ops and tensors."""
    return [
        ActionObject(
            row.kind,
            row.op or None,
            row.tensor or None,
            finite(row.start_s),
            finite(row.duration_s),
            finite(row.energy_j),
            row.bytes,
            None if row.kind is ActionKind.FREE else row.resident_bytes,
        )
        for row in action_rows(trace)
    ]


def model_object(graph: TrainingGraph, origin: Origin) -> ModelObject:
    """Which model it is."""
    return ModelObject(graph.name, origin.source, origin.sha256, len(graph.ops), len(graph.tensors))


def settings_object(problem: Problem, options: SolveOptions) -> SettingsObject:
    """Everything that was chosen for a solve."""
    graph, switches = problem.costed.graph.settings, problem.switches
    return SettingsObject(
        accounting=graph.accounting,
        io=switches.io,
        weights=graph.weights,
        weight_gradients=graph.weight_gradients,
        paging=switches.paging,
        recompute=switches.recompute,
        batch=graph.batch,
        dims={name: int(size) for name, size in sorted(graph.dims.items())},
        loss=graph.loss,
        output=graph.output,
        strategy=options.strategy,
        gap=finite(options.gap),
        time_limit_s=finite(options.time_limit_s),
        work_limit=finite_or_none(options.work_limit),
        threads=options.threads,
        seed=options.seed,
        quantized=chosen_quantized(graph),
    )


def _stop_reason(outcome: Outcome) -> StopReason | None:
    """`proof` where something was proven: the optimum, or that there is no schedule."""
    if isinstance(outcome, Optimal | Infeasible):
        return StopReason.PROOF
    return outcome.stop_reason if isinstance(outcome, Feasible | NoAnswer) else None


def _reason_object(outcome: Outcome, graph: TrainingGraph) -> ReasonObject | None:
    if not isinstance(outcome, Infeasible):
        return None
    reason = outcome.reason
    return ReasonObject(
        reason.limit,
        None if reason.op is None else graph.ops[reason.op].name,
        [graph.tensors[i].name for i in reason.tensors],
        _amount(reason, reason.needed),
        _amount(reason, reason.missing),
        reason.exact,
    )


def _amount(reason: Reason, value: float) -> int | float:
    return int(value) if reason.limit is Limit.RAM else finite(value)


def _energy_object(trace: Trace | None) -> EnergyObject:
    if trace is None:
        return EnergyObject(None, None, None, None, None)
    by_kind = trace.energy_by_kind_j()
    return EnergyObject(
        finite(trace.total_energy_j),
        finite(by_kind[ActionKind.COMPUTE]),
        finite(by_kind[ActionKind.RECOMPUTE]),
        finite(by_kind[ActionKind.PAGE_IN]),
        finite(by_kind[ActionKind.PAGE_OUT]),
    )


def _bound_j(outcome: Outcome) -> float | None:
    match outcome:
        case Optimal(bound_j=bound_j) | Feasible(bound_j=bound_j):
            return finite(bound_j)
        case Infeasible(bound_j=bound) | NoAnswer(bound_j=bound):
            return finite_or_none(bound)
        case _:
            return None


def _gap_object(outcome: Outcome) -> GapObject:
    if not isinstance(outcome, Optimal | Feasible):
        return GapObject(None, None)
    trace, bound_j = outcome.trace, outcome.bound_j
    overhead = overhead_gap(trace.problem, trace.total_energy_j, bound_j)
    return GapObject(finite_or_none(overhead), finite(total_gap(trace.total_energy_j, bound_j)))


def _solver_object(record: SolverRecord) -> SolverObject:
    return SolverObject(
        record.strategy,
        record.name,
        record.version,
        finite(record.wall_s),
        finite_or_none(record.first_answer_s),
        [
            IncumbentObject(finite(p.t_s), p.step, finite(p.energy_j), finite_or_none(p.bound_j))
            for p in record.incumbents
        ],
    )
