"""The line above the timeline, the expected energy beside the sliders, and the facts of a model."""

import math
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from poet_gui.explorer import Explorer, Origin, Shown
from poet_gui.solving.deliveries import OpenModel
from poet_gui.viewmodels.solve_words import StatusWords, Tone
from solver.brackets import StoredBound
from solver.problem import Budgets
from solver.schedule import ActionKind, Schedule
from solver.simulate import Trace
from solver.text import counted
from solver.units import (
    format_bytes,
    format_bytes_exactly,
    format_count,
    format_joules,
    format_percent,
    format_seconds,
)


@dataclass(frozen=True, slots=True)
class Headline:
    """`lead` says how sure the schedule on screen is; `figures` are its numbers."""

    lead: StatusWords
    figures: tuple[str, ...]
    tooltip: str


@dataclass(frozen=True, slots=True)
class Expected:
    """What is proven before a solve; `detail` says from what."""

    text: str
    detail: str
    tone: Tone = Tone.MUTED


def headline(shown: Shown, budgets: Budgets, words: StatusWords) -> Headline:
    """Energy, runtime, peak and how often is recomputed and paged, all of the one trace."""
    trace = shown.trace
    lead = {
        Origin.PLAIN: StatusWords("Plain schedule", Tone.MUTED, plain_words(trace, budgets)),
        Origin.NEAREST: StatusWords("Provisional, stored", Tone.ACCENT),
        Origin.PROVISIONAL: StatusWords("Provisional", Tone.ACCENT),
        Origin.RESULT: words,
    }[shown.origin]
    runtime = f"runtime {format_seconds(trace.runtime_s)}"
    figures = (_energy(trace), _peak(trace, budgets), runtime, *changes(trace.schedule))
    return Headline(lead, figures, _exact(trace, budgets))


def expected(core: Explorer) -> Expected:
    """What the slider may promise at once: the bracket between bound and best stored schedule."""
    bracket = core.bracket
    if bracket is None:
        return Expected("No model yet", "open one to see what a budget costs")
    if bracket.impossible:
        return Expected("Impossible", _why_impossible(core), Tone.DANGER)
    if bracket.high_j is None:
        text = f"At least {format_joules(bracket.low_j)}"
        return Expected(text, "proven; no schedule for this budget yet")
    proven = f"proven from {counted(bracket.solved, 'stored result')}"
    if bracket.high_j - bracket.low_j <= 1e-4 * abs(bracket.high_j):  # the shown digits agree
        return Expected(format_joules(bracket.high_j), proven, Tone.GOOD)
    text = f"Expected {_range(bracket.low_j, bracket.high_j)}"
    return Expected(text, proven, Tone.GOOD)


def model_facts(model: OpenModel) -> tuple[tuple[str, str, str], ...]:
    """What is known before any solve: label, value, and the exact value for the tooltip."""
    costed, graph = model.costed, model.costed.graph
    floor_op = graph.ops[costed.floor_op].name if graph.ops else "–"
    forward = graph.first_backward
    halves = f"{forward} forward, {len(graph.ops) - forward} backward"
    counted = "counted" if graph.fixed_bytes else "not counted"
    weights = f"{format_bytes(graph.weight_bytes)}, {counted}"
    fixed = f"fixed bytes in RAM: {format_bytes_exactly(graph.fixed_bytes)}"
    exact_weights = f"{format_bytes_exactly(graph.weight_bytes)}; {fixed}"
    peak, floor = costed.plain_peak_bytes, costed.floor_bytes
    energy, runtime = costed.baseline_energy_j, costed.baseline_runtime_s
    baseline = f"{format_joules(energy)}, {format_seconds(runtime)}"
    return (
        ("ops", format_count(len(graph.ops)), halves),
        ("tensors", format_count(len(graph.tensors)), "values with a size; views have none"),
        ("weights", weights, exact_weights),
        ("plain peak", format_bytes(peak), f"RAM without any trick: {format_bytes_exactly(peak)}"),
        ("floor", format_bytes(floor), f"least RAM possible: {format_bytes_exactly(floor)}"),
        ("set by", floor_op, "the op with the largest working set"),
        ("baseline", baseline, "every op once, nothing paged"),
    )


def model_title(model: OpenModel) -> str:
    """The model's name and size as the header shows it."""
    graph = model.costed.graph
    return f"{graph.name} · {format_count(len(graph.ops))} ops"


def plain_words(trace: Trace, budgets: Budgets) -> str:
    """What the plain schedule says about itself: what it needs, and whether that is there."""
    need = f"plain schedule, needs {format_bytes(trace.peak_bytes)}"
    over = trace.peak_bytes - budgets.ram_bytes
    return f"{need}: over the budget by {format_bytes(over)}" if over > 0 else f"{need}: fits"


def _energy(trace: Trace) -> str:
    baseline_j = trace.problem.costed.baseline_energy_j
    energy_j = trace.total_energy_j
    above = format_percent(energy_j / baseline_j - 1, signed=True) if baseline_j else "–"
    return f"{format_joules(energy_j)} ({above})"


def _peak(trace: Trace, budgets: Budgets) -> str:
    over = trace.peak_bytes - budgets.ram_bytes
    tail = f", over by {format_bytes(over)}" if over > 0 else ""
    return f"peak {format_bytes(trace.peak_bytes)} of {format_bytes(budgets.ram_bytes)}{tail}"


def changes(schedule: Schedule) -> tuple[str, str]:
    """How often is recomputed and how often paged, in runs and transfers, and of how many.

    As every table, the search and the command line count them: "48 recomputes (42 ops)",
    "3 page-outs, 5 page-ins (2 tensors)". The latest 16 schedules are remembered.
    """
    return _changes(_Same(schedule))


@dataclass(frozen=True, slots=True, eq=False)
class _Same:
    """A schedule told apart by identity: to compare all its actions would take longer."""

    schedule: Schedule

    def __hash__(self) -> int:
        return id(self.schedule)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.schedule is self.schedule


@lru_cache(maxsize=16)  # asked for at every move of a slider
def _changes(drawn: _Same) -> tuple[str, str]:
    actions = drawn.schedule.actions
    count = Counter(action.kind for action in actions)
    again = {a.target for a in actions if a.kind is ActionKind.RECOMPUTE}
    paged = {a.target for a in actions if a.kind in {ActionKind.PAGE_IN, ActionKind.PAGE_OUT}}
    runs, outs, ins = (
        counted(count[kind], what)
        for kind, what in (
            (ActionKind.RECOMPUTE, "recompute"),
            (ActionKind.PAGE_OUT, "page-out"),
            (ActionKind.PAGE_IN, "page-in"),
        )
    )
    return (
        runs + (f" ({counted(len(again), 'op')})" if again else ""),
        f"{outs}, {ins}" + (f" ({counted(len(paged), 'tensor')})" if paged else ""),
    )


def _exact(trace: Trace, budgets: Budgets) -> str:
    limit_s = budgets.runtime_s
    limit = "none" if limit_s is None else f"{limit_s!r} s"
    peak, ram = format_bytes_exactly(trace.peak_bytes), format_bytes_exactly(budgets.ram_bytes)
    return (
        f"energy {trace.total_energy_j!r} J\n"
        f"runtime {trace.runtime_s!r} s, limit {limit}\n"
        f"peak {peak} of {ram}"
    )


def _range(low_j: float, high_j: float) -> str:
    """Two energies with the unit once when it is the same: "553.2 … 553.9 mJ"."""
    low, low_unit = format_joules(low_j).split(" ")
    high, high_unit = format_joules(high_j).split(" ")
    if low_unit == high_unit:
        return f"{low} … {high} {high_unit}"
    return f"{low} {low_unit} … {high} {high_unit}"


def _why_impossible(core: Explorer) -> str:
    problem = core.problem
    if problem is None:
        return ""
    costed, budgets = problem.costed, problem.budgets
    if budgets.ram_bytes < costed.floor_bytes:
        op = costed.graph.ops[costed.floor_op].name
        missing = format_bytes(costed.floor_bytes - budgets.ram_bytes)
        return f"{op} alone needs {format_bytes(costed.floor_bytes)}, {missing} more"
    limit_s = budgets.runtime_s
    if limit_s is not None and limit_s < costed.baseline_runtime_s:
        return f"every op once takes {format_seconds(costed.baseline_runtime_s)} already"
    brackets = core.brackets
    bounds = () if brackets is None else brackets.bounds
    if StoredBound(budgets, math.inf) in bounds:
        return "proven by a solve of these budgets"
    return "proven by a solve at a looser budget"
