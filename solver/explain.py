"""Outcomes in words: what a solve proved, or why no schedule can exist and what would work."""

import math
from dataclasses import replace
from decimal import Context
from typing import Final

from solver.costs import CostedGraph
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
    is_proven,
    overhead_gap,
)
from solver.problem import Budgets, Problem, Switches
from solver.simulate import Trace
from solver.units import (
    format_bytes,
    format_bytes_exactly,
    format_joules,
    format_percent,
    format_seconds,
)

SECOND_DIGITS: Final = 5
"""Of a runtime limit, and of what is held against it."""
_NOTHING_PROVEN: Final = 0.9995
"""Overhead gap from which a bound says no more than that the baseline is a bound."""


def too_little_ram(problem: Problem, record: SolverRecord) -> Infeasible | None:
    """Impossible because one op alone does not fit; None when every op does."""
    costed, ram = problem.costed, problem.budgets.ram_bytes
    floor = costed.floor_bytes
    if ram >= floor:
        return None
    op = costed.floor_op if costed.floor_op_name else None
    graph = costed.graph
    reads = () if op is None else (*graph.op_inputs[op], *graph.op_outputs[op])
    tensors = tuple(dict.fromkeys(reads))
    reason = Reason(Limit.RAM, op, tensors, floor, floor - ram, exact=_floor_works(problem))
    advice = (
        f"the least RAM that works with paging is {exact_bytes(floor)}"
        if reason.exact
        else f"no schedule works with less than {exact_bytes(floor)}"
    )
    if op is None:
        needs = f"the fixed bytes alone take {exact_bytes(floor)}, "
    else:
        together = working_set_words(costed, op)
        needs = f"{graph.ops[op].name} alone needs {exact_bytes(floor)} ({together}), "
    message = (
        f"impossible: {needs}"
        f"{exact_bytes(floor - ram)} more than the budget of {exact_bytes(ram)}; {advice}"
    )
    return Infeasible(reason, message, record)


def too_little_time(problem: Problem, record: SolverRecord) -> Infeasible | None:
    """Impossible because every op once takes longer than the limit; None when it does not."""
    limit, baseline = problem.budgets.runtime_s, problem.costed.baseline_runtime_s
    if limit is None or problem.budgets.allow_runtime(baseline):
        return None
    reason = Reason(Limit.RUNTIME, None, (), baseline, baseline - limit, exact=False)
    message = (
        f"impossible: running every op once takes {format_seconds(baseline)}, "
        f"{format_seconds(baseline - limit)} more than the runtime limit of "
        f"{format_seconds(limit)}; no schedule is faster"
    )
    return Infeasible(reason, message, record)


def limit_text(seconds: float) -> str:
    """A runtime limit with as many digits as what is held against it: "525.34 s"."""
    return f"{Context(prec=SECOND_DIGITS).create_decimal(repr(float(seconds))).normalize():f} s"


def _switched_off(switches: Switches) -> list[str]:
    means = ((switches.paging, "paging"), (switches.recompute, "recomputing"))
    return [name for allowed, name in means if not allowed]


def without(switches: Switches) -> str:
    """The means that are switched off: " without paging and recomputing", or nothing."""
    off = _switched_off(switches)
    return f" without {' and '.join(off)}" if off else ""


def exact_bytes(count: int) -> str:
    """Exact bytes, and the short form where it says something else: "1,895,424 B (1.81 MiB)"."""
    exact, short = format_bytes_exactly(count), format_bytes(count)
    return exact if short == f"{count} B" else f"{exact} ({short})"


def proven_percent(gap: float) -> str:
    """A gap rounded up in its last shown digit: what is called proven is not rounded away.

    Two digits below 1 %, one decimal above: "0.13 %", "55.3 %".
    """
    percent = 100 * gap
    if percent <= 0 or not math.isfinite(percent):
        return format_percent(gap)
    decimals = 1 if percent >= 1 else 1 - math.floor(math.log10(percent))
    # The small number keeps 0.4 % from becoming 0.41 % because 0.004 is a little more in binary.
    shown = math.ceil(percent * 10.0**decimals - 1e-6) / 10.0**decimals
    return f"{shown:.{decimals}f} %"


def _floor_works(problem: Problem) -> bool:
    graph = problem.costed.graph
    return (
        problem.switches.paging
        and problem.budgets.runtime_s is None
        and all(tensor.pageable for tensor in graph.tensors)
    )


def working_set_words(costed: CostedGraph, op: int) -> str:
    """What must be in RAM together while the op runs, each tensor with its size."""
    graph = costed.graph
    parts = []
    for what, tensors in (("inputs", graph.op_inputs[op]), ("outputs", graph.op_outputs[op])):
        named = [f"{graph.tensors[i].name} {format_bytes(graph.tensors[i].bytes)}" for i in tensors]
        if named:
            parts.append(f"{what} {', '.join(named)}")
    if graph.ops[op].workspace_bytes:
        parts.append(f"workspace {format_bytes(graph.ops[op].workspace_bytes)}")
    if graph.fixed_bytes:
        parts.append(f"fixed {format_bytes(graph.fixed_bytes)}")
    return "; ".join(parts) or "nothing"


def finished(
    trace: Trace, bound_j: float, stop: StopReason, record: SolverRecord, *, why: str = ""
) -> Outcome:
    """Optimal when the bound meets the energy (the contract's rule), else feasible.

    `why` : the words for `stop`, where the usual ones would mislead.
    """
    problem, energy = trace.problem, trace.total_energy_j
    above = energy - problem.costed.baseline_energy_j
    cost = f"{format_joules(energy)}, {format_joules(max(above, 0.0))} above the baseline"
    if is_proven(problem, energy, bound_j):
        return Optimal(trace, bound_j, f"optimal: {cost}", record)
    gap = overhead_gap(problem, energy, bound_j)
    within = "" if gap is None else f" within {proven_percent(gap)} of the overhead (proven)"
    if gap is not None and gap > _NOTHING_PROVEN:
        within = ", nothing proven beyond the baseline"
    why = (
        why
        or {
            StopReason.PROOF: "no further progress was possible",
            StopReason.GAP: "stopped at the gap allowed",
            StopReason.TIME: "stopped by the time limit",
            StopReason.WORK: "stopped by the work limit",
            StopReason.CANCELLED: "stopped by request",
        }[stop]
    )
    return Feasible(trace, bound_j, stop, f"feasible{within}: {cost}; {why}", record)


def proven_impossible(
    problem: Problem, record: SolverRecord, bound_j: float | None, *, fits_in_ram: bool = False
) -> Infeasible:
    """Impossible although every op fits alone: because of paging, recomputing or time.

    `fits_in_ram` : some schedule is known that keeps the RAM budget, however long it takes.
    """
    budgets, switches = problem.budgets, problem.switches
    costed = problem.costed
    if budgets.runtime_s is not None and (fits_in_ram or _fits_without_limit(problem)):
        least = costed.baseline_runtime_s
        missing = max(0.0, least - budgets.runtime_s)
        reason = Reason(Limit.RUNTIME, None, (), budgets.runtime_s, missing, exact=False)
        message = (
            f"impossible: no schedule within {exact_bytes(budgets.ram_bytes)} is as fast as "
            f"{limit_text(budgets.runtime_s)}; allow more time or more RAM"
        )
        return Infeasible(reason, message, record, bound_j)
    ram = budgets.ram_bytes
    reason = Reason(Limit.RAM, None, (), ram + 1, 1, exact=False)
    off = without(switches)
    remedy = " or ".join([*_switched_off(switches), "more RAM"])
    if budgets.runtime_s is not None:
        off += f" within {limit_text(budgets.runtime_s)}"
        remedy += ", and more time if that is not enough"
    message = (
        f"impossible{off}: no schedule fits into {exact_bytes(ram)}, although every op alone "
        f"does (the largest needs {exact_bytes(costed.floor_bytes)}); allow {remedy}"
    )
    return Infeasible(reason, message, record, bound_j)


def _fits_without_limit(problem: Problem) -> bool:
    unlimited = replace(problem, budgets=Budgets(problem.budgets.ram_bytes))
    return _floor_works(unlimited)


def no_answer(
    problem: Problem, stop: StopReason, record: SolverRecord, bound_j: float | None
) -> NoAnswer:
    """Neither a schedule nor a proof that there is none."""
    why = {
        StopReason.TIME: "in the time given",
        StopReason.WORK: "within the work limit",
        StopReason.CANCELLED: "before it was stopped",
        StopReason.GAP: "",
        StopReason.PROOF: "although nothing is left to try",
    }[stop]
    ram = exact_bytes(problem.budgets.ram_bytes)
    message = (
        f"no schedule found {why}: whether one fits into {ram} is open; allow more time or more RAM"
    )
    return NoAnswer(stop, message, record, bound_j)
