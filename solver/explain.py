"""Outcomes in words: what a solve proved, or why no schedule can exist and what would work."""

from solver.costs import CostedGraph
from solver.outcome import (
    Feasible,
    Infeasible,
    Limit,
    Optimal,
    Outcome,
    Reason,
    SolverRecord,
    StopReason,
    is_proven,
    overhead_gap,
)
from solver.problem import Problem
from solver.simulate import Trace
from solver.units import format_bytes, format_joules, format_seconds


def too_little_ram(problem: Problem, record: SolverRecord) -> Infeasible | None:
    """Impossible because one op alone does not fit; None when every op does."""
    costed, ram = problem.costed, problem.budgets.ram_bytes
    floor = costed.floor_bytes
    if ram >= floor:
        return None
    op = costed.floor_op
    graph = costed.graph
    tensors = tuple(dict.fromkeys((*graph.op_inputs[op], *graph.op_outputs[op])))
    reason = Reason(Limit.RAM, op, tensors, floor, floor - ram, exact=_floor_works(problem))
    advice = (
        f"the least RAM that works with paging is {exact_bytes(floor)}"
        if reason.exact
        else f"no schedule works with less than {exact_bytes(floor)}"
    )
    message = (
        f"{graph.ops[op].name} alone needs {exact_bytes(floor)} ({_together(costed, op)}), "
        f"{exact_bytes(floor - ram)} more than the budget of {exact_bytes(ram)}; {advice}"
    )
    return Infeasible(reason, message, record)


def too_little_time(problem: Problem, record: SolverRecord) -> Infeasible | None:
    """Impossible because every op once takes longer than the limit; None when it does not."""
    limit, baseline = problem.budgets.runtime_s, problem.costed.baseline_runtime_s
    if limit is None or baseline <= limit * (1 + 1e-9):
        return None
    reason = Reason(Limit.RUNTIME, None, (), baseline, baseline - limit, exact=False)
    message = (
        f"running every op once takes {format_seconds(baseline)}, "
        f"{format_seconds(baseline - limit)} more than the runtime limit of "
        f"{format_seconds(limit)}; no schedule is faster"
    )
    return Infeasible(reason, message, record)


def exact_bytes(count: int) -> str:
    """Exact bytes, and the short form where it says something else: "1895424 B (1.81 MiB)"."""
    short = format_bytes(count)
    return f"{count} B" if short in {f"{count} B", f"{count}"} else f"{count} B ({short})"


def _floor_works(problem: Problem) -> bool:
    graph = problem.costed.graph
    return (
        problem.switches.paging
        and problem.budgets.runtime_s is None
        and all(tensor.pageable for tensor in graph.tensors)
    )


def _together(costed: CostedGraph, op: int) -> str:
    graph = costed.graph
    inputs = [graph.tensors[i].name for i in graph.op_inputs[op]]
    outputs = [graph.tensors[i].name for i in graph.op_outputs[op]]
    parts = []
    if inputs:
        parts.append("inputs " + ", ".join(inputs))
    if outputs:
        parts.append("outputs " + ", ".join(outputs))
    if graph.ops[op].workspace_bytes:
        parts.append(f"workspace {format_bytes(graph.ops[op].workspace_bytes)}")
    if graph.fixed_bytes:
        parts.append(f"fixed {format_bytes(graph.fixed_bytes)}")
    return "; ".join(parts) or "nothing"


def finished(trace: Trace, bound_j: float, stop: StopReason, record: SolverRecord) -> Outcome:
    """Optimal when the bound meets the energy (the contract's rule), else feasible."""
    problem, energy = trace.problem, trace.total_energy_j
    bound = min(bound_j, energy)
    above = energy - problem.costed.baseline_energy_j
    cost = f"{format_joules(energy)}, {format_joules(max(above, 0.0))} above the baseline"
    if is_proven(problem, energy, bound):
        return Optimal(trace, bound, f"optimal: {cost}", record)
    gap = overhead_gap(problem, energy, bound)
    within = "" if gap is None else f" within {100 * gap:.3g} % of the overhead (proven)"
    why = {
        StopReason.PROOF: "no further progress was possible",
        StopReason.GAP: "stopped at the gap asked for",
        StopReason.TIME: "stopped by the time limit",
        StopReason.WORK: "stopped by the work limit",
        StopReason.CANCELLED: "stopped by request",
    }[stop]
    return Feasible(trace, bound, stop, f"feasible{within}: {cost}; {why}", record)
