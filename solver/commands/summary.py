"""The short text that `poet solve` prints: what was found, what it costs, what limits it."""

from collections import Counter
from collections.abc import Sequence

from solver.explain import exact_bytes, proven_percent
from solver.outcome import Feasible, Optimal, Outcome, overhead_gap, total_gap
from solver.problem import Problem
from solver.schedule import ActionKind
from solver.simulate import Trace
from solver.units import (
    format_bytes,
    format_count,
    format_joules,
    format_percent,
    format_seconds,
)

_VERBS = {
    ActionKind.COMPUTE: "computed",
    ActionKind.RECOMPUTE: "recomputed",
    ActionKind.PAGE_OUT: "page-outs",
    ActionKind.PAGE_IN: "page-ins",
}


def summary(problem: Problem, outcome: Outcome) -> list[str]:
    """Lines for people; the first is the outcome's own sentence."""
    graph, record = problem.costed.graph, outcome.record
    solver = " ".join(part for part in (record.name, record.version) if part)
    rows = [("model", f"{graph.name} on {problem.costed.device.name}"), *_budget(problem)]
    if isinstance(outcome, Optimal | Feasible):
        rows += _schedule(outcome.trace, outcome.bound_j)
    rows.append(("solver", f"{record.strategy} ({solver}), {format_seconds(record.wall_s)}"))
    return [outcome.message, *aligned(rows)]


def aligned(rows: Sequence[tuple[str, str]]) -> list[str]:
    """One line per (name, text), the texts below each other."""
    width = max(len(name) for name, _ in rows) + 2
    return [f"{name:{width}}{text}" for name, text in rows]


def _budget(problem: Problem) -> list[tuple[str, str]]:
    ram, limit = problem.budgets.ram_bytes, problem.budgets.runtime_s
    peak = problem.costed.plain_peak_bytes
    share = f", {format_percent(ram / peak)} of the plain peak" if 0 < ram <= peak else ""
    device_ram = problem.costed.device.ram_bytes
    if ram > device_ram:
        share += f", more than the device's {format_bytes(device_ram)}"
    rows = [("RAM", f"{exact_bytes(ram)}{share}")]
    return rows if limit is None else [*rows, ("runtime", f"up to {format_seconds(limit)}")]


def _schedule(trace: Trace, bound_j: float) -> list[tuple[str, str]]:
    costed = trace.problem.costed
    energy, baseline = trace.total_energy_j, costed.baseline_energy_j
    above = max(0.0, energy - baseline)
    by_kind = trace.energy_by_kind_j()
    counts = Counter(action.kind for action in trace.schedule.actions)
    share = f" ({format_percent(above / baseline, signed=True)})" if baseline > 0 else ""
    runtimes = (format_seconds(trace.runtime_s), format_seconds(costed.baseline_runtime_s))
    return [
        ("energy", f"{format_joules(energy)}, baseline + {format_joules(above)}{share}"),
        *(
            (verb, f"{format_count(counts[kind])}, {format_joules(by_kind[kind])}")
            for kind, verb in _VERBS.items()
        ),
        ("bound", f"{format_joules(bound_j)}, {_gap(trace, bound_j)}"),
        ("peak", exact_bytes(trace.peak_bytes)),
        ("takes", f"{runtimes[0]}, baseline {runtimes[1]}"),
    ]


def _gap(trace: Trace, bound_j: float) -> str:
    energy = trace.total_energy_j
    overhead = overhead_gap(trace.problem, energy, bound_j)
    of_total = f"{proven_percent(total_gap(energy, bound_j))} of the energy"
    if overhead is None:
        return f"gap {of_total}"
    return f"gap {proven_percent(overhead)} of the overhead, {of_total}"
