"""Two schedules beside each other: differences with sign and percent, and what is treated anew."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

import numpy as np

from poet_gui.compared import Pair, Side
from poet_gui.viewmodels.details import TensorCounts, count_tensors
from poet_gui.viewmodels.distinct import ranks
from poet_gui.viewmodels.memory import MemoryCurve, memory_curve
from poet_gui.viewmodels.solve_words import Tone
from poet_gui.viewmodels.tables import Column, Table
from poet_gui.viewmodels.trace_index import Axis, IntArray, Kind, index_trace
from solver.schedule import ActionKind
from solver.simulate import Trace
from solver.units import (
    format_bytes,
    format_count,
    format_joules,
    format_percent,
    format_seconds,
)

DELTA_COLUMNS: Final = ("", "A", "B", "B − A", "of A")
_NONE: Final = "–"


@dataclass(frozen=True, slots=True)
class Delta:
    """One line of the comparison: texts in the order of DELTA_COLUMNS.

    value : B - A in bytes, seconds or joules; None when one of them is not known. tone : whether
    less of it is better news.
    """

    name: str
    a: str
    b: str
    difference: str
    percent: str
    value: float | None
    tone: Tone = Tone.MUTED

    @property
    def cells(self) -> tuple[str, str, str, str, str]:
        """The texts in the order of DELTA_COLUMNS."""
        return (self.name, self.a, self.b, self.difference, self.percent)


@dataclass(frozen=True, slots=True)
class Strip:
    """The line above the schedule: both sides, the difference in energy; or why there is none."""

    a: str
    b: str
    difference: str
    tone: Tone
    refusal: str = ""
    tooltip: str = ""


def refusal(pair: Pair) -> str:
    """Why the two cannot be compared, as a sentence; empty when they can."""
    a, b = (side.trace.problem.costed.graph for side in (pair.a, pair.b))
    if a is b or (a.tensors == b.tensors and a.ops == b.ops):
        return ""
    names = tuple(f"{g.name} ({format_count(len(g.ops))} ops)" for g in (a, b))
    if names[0] == names[1]:
        return (
            f"A and B are both {names[0]}, but of another batch or other settings: "
            "their tensors differ, so they cannot be compared."
        )
    return f"A is {names[0]}, B is {names[1]}: schedules of different models cannot be compared."


def strip(pair: Pair) -> Strip:
    """The line above the schedule: "256 KiB 9.410 J", "192 KiB 10.02 J", "(+6.5 %)"."""
    a, b = _side_text(pair.a), _side_text(pair.b)
    why = refusal(pair)
    if why:
        return Strip(a, b, "", Tone.WARNING, why, why)
    line = deltas(pair)[1]
    shown = line.percent if line.value else "the same energy"
    tooltip = "\n".join(
        f"{d.name}: {d.a} → {d.b}  ({d.difference}, {d.percent})" for d in deltas(pair)
    )
    return Strip(a, b, f"({shown})", line.tone, "", tooltip)


@lru_cache(maxsize=4)
def deltas(pair: Pair) -> tuple[Delta, ...]:
    """What differs, in this order: RAM budget, energy, its four kinds, bound, runtime, peak.

    Differences are B - A: zero for the same schedule, mirrored when the sides are swapped.
    """
    a, b = pair.a, pair.b
    kinds_a, kinds_b = a.trace.energy_by_kind_j(), b.trace.energy_by_kind_j()
    lines = [
        _delta("RAM budget", a.budgets.ram_bytes, b.budgets.ram_bytes, _bytes, judged=False),
        _delta("energy", a.trace.total_energy_j, b.trace.total_energy_j, format_joules),
    ]
    lines += [
        _delta(f"  {name}", kinds_a[kind], kinds_b[kind], format_joules)
        for kind, name in (
            (ActionKind.COMPUTE, "compute"),
            (ActionKind.RECOMPUTE, "recompute"),
            (ActionKind.PAGE_IN, "page in"),
            (ActionKind.PAGE_OUT, "page out"),
        )
    ]
    lines += [
        _delta("proven bound", a.bound_j, b.bound_j, format_joules, judged=False),
        _delta("runtime", a.trace.runtime_s, b.trace.runtime_s, format_seconds),
        _delta("peak", a.trace.peak_bytes, b.trace.peak_bytes, _bytes),
    ]
    return tuple(lines)


@dataclass(frozen=True, eq=False)
class Changes:
    """Tensors that A and B treat differently, largest first, and the same in a sentence."""

    table: Table
    summary: str


@lru_cache(maxsize=4)
def changes(pair: Pair) -> Changes:
    """The tensors whose treatment (held, paged, recomputed) differs between A and B."""
    graph = pair.b.trace.problem.costed.graph
    a, b = count_tensors(pair.a.trace), count_tensors(pair.b.trace)
    differs = _marks(a) != _marks(b)
    rows = np.flatnonzero(differs.any(axis=1))
    sizes = np.array(pair.b.trace.problem.costed.tensor_bytes, dtype=np.int64)
    rows = rows[np.argsort(-sizes[rows], kind="stable")]
    names = [graph.tensors[int(i)].name for i in rows]
    in_a, in_b = ([_treatment(c, int(i)) for i in rows] for c in (a, b))

    def text(values: list[str]) -> Callable[[int], str]:
        return lambda row: values[row]

    columns = (
        Column("tensor", "", ranks(names), text(names), is_number=False),
        Column("bytes", "", sizes[rows], lambda row: format_bytes(int(sizes[rows[row]]))),
        Column("in A", "how A treats it", ranks(in_a), text(in_a), is_number=False),
        Column("in B", "how B treats it", ranks(in_b), text(in_b), is_number=False),
    )
    table = Table(columns, rows.astype(np.int64), np.full(len(rows), -1, dtype=np.int64))
    return Changes(table, _summary(len(rows), int(sizes[rows].sum()), len(graph.tensors)))


@dataclass(frozen=True, eq=False)
class Overlay:
    """Both memory curves on one axis: ops in their order (STEP) or seconds (TIME).

    On the axis of ops a stage, which ends with the first run of its op, is one unit wide in both,
    so that equal places mean equal progress. `top` in bytes; `extent` and the names of both ends
    (first, last) per axis.
    """

    a: MemoryCurve
    b: MemoryCurve
    extent: dict[Axis, float]
    ends: dict[Axis, tuple[str, str]]
    top: float


@lru_cache(maxsize=4)
def overlay(pair: Pair) -> Overlay:
    """The memory curves of A and B over one another."""
    a, b = _aligned(pair.a.trace), _aligned(pair.b.trace)
    extent = {axis: max(a.extent[axis], b.extent[axis]) for axis in Axis}
    ops = format_count(len(pair.b.trace.problem.costed.graph.ops))
    ends = {
        Axis.STEP: ("op 1", f"op {ops}"),
        Axis.TIME: ("0 s", format_seconds(extent[Axis.TIME])),
    }
    return Overlay(a, b, extent, ends, max(a.peak_bytes, b.peak_bytes, 1) * 1.12)


def _aligned(trace: Trace) -> MemoryCurve:
    """The memory curve with ops in their order in place of steps."""
    curve, index = memory_curve(trace), index_trace(trace)
    if not index.actions:
        return curve
    first_run = index.kind == Kind.COMPUTE
    stage = np.cumsum(first_run) - first_run  # an action belongs to the op that runs next
    begins = np.flatnonzero(np.diff(stage, prepend=-1))
    length = np.diff(np.append(begins, index.actions))
    at = np.arange(index.actions) - np.repeat(begins, length)
    x = stage + at / np.repeat(length, length)
    stages = float(stage[-1] + 1)
    begin = {**curve.begin, Axis.STEP: x}
    end = {**curve.end, Axis.STEP: np.append(x[1:], stages)}
    return replace(curve, begin=begin, end=end, extent={**curve.extent, Axis.STEP: stages})


def _delta(
    name: str,
    a: float | None,
    b: float | None,
    text: Callable[[float], str],
    *,
    judged: bool = True,
) -> Delta:
    shown_a, shown_b = (_NONE if value is None else text(value) for value in (a, b))
    if a is None or b is None:
        return Delta(name, shown_a, shown_b, _NONE, _NONE, None)
    value = b - a
    sign = "+" if value > 0 else ""
    tone = Tone.MUTED
    if judged and value:
        tone = Tone.WARNING if value > 0 else Tone.GOOD
    return Delta(name, shown_a, shown_b, f"{sign}{text(value)}", _percent(a, b), value, tone)


def _percent(a: float, b: float) -> str:
    if a == b:
        return "0 %"
    return format_percent(b / a - 1, signed=True) if a else _NONE


def _bytes(value: float) -> str:
    return format_bytes(int(value))


def _side_text(side: Side) -> str:
    limit_s = side.budgets.runtime_s
    parts = [
        side.made_by,
        format_bytes(side.budgets.ram_bytes),
        "" if limit_s is None else f"≤ {format_seconds(limit_s)}",
        format_joules(side.trace.total_energy_j),
    ]
    return "  ".join(part for part in parts if part)


def _marks(counts: TensorCounts) -> IntArray:
    """How often each tensor is remade, written and read; shape (tensors, 3)."""
    return np.column_stack((counts.recomputes, counts.page_outs, counts.page_ins))


def _treatment(counts: TensorCounts, tensor: int) -> str:
    reruns, outs, ins = (
        int(values[tensor]) for values in (counts.recomputes, counts.page_outs, counts.page_ins)
    )
    parts = []
    if outs or ins:
        parts.append("paged" if max(outs, ins) == 1 else f"paged {max(outs, ins)}×")
    if reruns:
        parts.append("recomputed" if reruns == 1 else f"recomputed {reruns}×")
    return ", ".join(parts) or "held"


def _summary(count: int, size: int, total: int) -> str:
    if not count:
        return "Every tensor is treated alike."
    verb = "is" if count == 1 else "are"
    whole = f"{format_count(count)} of {format_count(total)} tensors"
    return f"{whole} ({format_bytes(size)}) {verb} treated differently:"
