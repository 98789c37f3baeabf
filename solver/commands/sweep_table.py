"""The table that `poet sweep` prints: one line per point, knees marked, what is certified."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from solver.apart import bytes_apart
from solver.codec.documents import BudgetObject
from solver.codec.sweep_documents import PointDocument
from solver.costs import CostedGraph
from solver.explain import proven_percent
from solver.frontier import Knee, knees
from solver.outcome import Feasible, Optimal, Outcome
from solver.schedule import ActionKind
from solver.sweep_run import StrategySweep
from solver.text import counted
from solver.units import format_bytes, format_joules, format_percent, format_seconds

_HEADS = ("RAM", "limit", "energy", "overhead", "bound", "gap", "page-ins", "page-outs", "reruns")
_UNKNOWN = "-"
_WORDS = {
    "infeasible": "none found",  # by a rule of thumb: whatever proves it rules the budget out
    "no_answer": "no answer",
    "failed": "failed",
}


class Entry(NamedTuple):
    """A point as it is written, and how many actions of each kind its schedule has, if known."""

    document: PointDocument
    counts: Counter[ActionKind] | None


def action_counts(outcome: Outcome) -> Counter[ActionKind] | None:
    """How many actions of each kind; None without a schedule."""
    if not isinstance(outcome, Optimal | Feasible):
        return None
    return Counter(action.kind for action in outcome.trace.schedule.actions)


def sweep_table(sweep: StrategySweep, entries: Sequence[Entry]) -> list[str]:
    """Lines for people about one strategy; `entries` are its points in order."""
    axis = sweep.settings.axis
    found = () if axis == "map" else knees(sweep.planner.frontier())
    sizes = bytes_apart(entry.document.budget.ram_bytes for entry in entries)
    limits = limit_words([entry.document.budget.runtime_s for entry in entries])
    refused = [
        entry.document.budget
        for entry in entries
        if entry.document.status == "infeasible"
        and (sweep.proves or _is_hopeless(entry.document.budget, sweep.problem.costed))
    ]
    rows: list[tuple[str, ...]] = []
    marked: set[Knee] = set()
    for entry in entries:
        knee = next((each for each in found if _is_at(each, entry.document)), None)
        first = knee is not None and knee not in marked  # looser budgets may have the same schedule
        rows.append(("*" if first else "", *_cells(entry, sizes, limits, refused)))
        marked |= set() if knee is None else {knee}
    limit = 1 + _HEADS.index("limit")
    unlimited = all(row[limit] == _UNKNOWN for row in rows)
    table = [("", *_HEADS), *rows]
    kept = [[cell for k, cell in enumerate(row) if k != limit or not unlimited] for row in table]
    widths = [max(len(row[k]) for row in kept) for k in range(len(kept[0]))]
    lines = [
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in kept
    ]
    return [_head(sweep, len(entries)), *lines, *_foot(sweep, found)]


def _head(sweep: StrategySweep, count: int) -> str:
    problem, settings = sweep.problem, sweep.settings
    along = {"ram": "along RAM", "runtime": "along the runtime limit", "map": "over both budgets"}
    name = problem.costed.graph.name
    points = counted(count, "point")
    device = problem.costed.device.name
    return f"{sweep.strategy}, {name} on {device}, {along[settings.axis]}: {points}"


def limit_words(limits: Sequence[float | None]) -> dict[float | None, str]:
    """Runtime limits in seconds for people, with as many digits as tell different ones apart."""
    given = sorted({limit for limit in limits if limit is not None})
    words = [format_seconds(limit) for limit in given]
    digits = 4
    while len(set(words)) < len(given):
        words = [f"{limit:.{digits}g} s" for limit in given]
        digits += 1
    return {None: _UNKNOWN, **dict(zip(given, words, strict=True))}


def is_ruled_out(budget: BudgetObject, refused: Sequence[BudgetObject]) -> bool:
    """Whether it is no looser than a budget that is proven impossible."""
    return any(
        budget.ram_bytes <= other.ram_bytes and _limit_s(budget) <= _limit_s(other)
        for other in refused
    )


def _is_hopeless(budget: BudgetObject, costed: CostedGraph) -> bool:
    """Whether one op does not fit, or every op once takes longer: impossible, whoever says so."""
    return budget.ram_bytes < costed.floor_bytes or _limit_s(budget) < costed.baseline_runtime_s


def _limit_s(budget: BudgetObject) -> float:
    return math.inf if budget.runtime_s is None else budget.runtime_s


def _cells(
    entry: Entry,
    sizes: Mapping[int, str],
    limits: Mapping[float | None, str],
    refused: Sequence[BudgetObject],
) -> tuple[str, ...]:
    document, counts = entry
    budget = document.budget
    budgets = (sizes[budget.ram_bytes], limits[budget.runtime_s])
    total, bound = document.energy_j.total, document.bound_j
    if total is None or bound is None:
        word = "impossible" if is_ruled_out(budget, refused) else _WORDS[document.status]
        shown = _UNKNOWN if bound is None else format_joules(bound)
        return (*budgets, word, _UNKNOWN, shown, *(_UNKNOWN,) * 4)
    baseline = document.baseline.energy_j
    over = (total - baseline) / baseline if baseline > 0 else 0.0
    numbers = (
        [_UNKNOWN] * 3
        if counts is None
        else [
            str(counts[kind])
            for kind in (ActionKind.PAGE_IN, ActionKind.PAGE_OUT, ActionKind.RECOMPUTE)
        ]
    )
    gap = document.gap
    return (
        *budgets,
        format_joules(total),
        format_percent(over, signed=True),
        format_joules(bound),
        proven_percent(gap.total if gap.total and gap.overhead != 0 else 0.0),
        *numbers,
    )


def _is_at(knee: Knee, document: PointDocument) -> bool:
    schedule = knee.schedule
    return (schedule.peak_bytes, schedule.energy_j) == (
        document.peak_bytes,
        document.energy_j.total,
    )


def _foot(sweep: StrategySweep, found: Sequence[Knee]) -> list[str]:
    lines = []
    if found:
        places = ", ".join(
            format_bytes(knee.schedule.peak_bytes)
            if sweep.settings.axis == "ram"
            else format_seconds(knee.schedule.runtime_s)
            for knee in found
        )
        lines.append(f"* knee: with less than {places} the energy rises steeply")
    if sweep.proves:
        within = format_percent(sweep.settings.tolerance)
        sure = f"{math.floor(1000 * sweep.certified_share + 1e-9) / 10:g} %"  # never rounded up
        what = "grid" if sweep.settings.axis == "map" else "axis"
        lines.append(f"{sure} of the {what} is certified within {within} of the energy")
    return lines
