"""The schedule as tables: columns of values to sort by, texts made row by row on demand."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poet_gui.viewmodels.details import count_tensors
from poet_gui.viewmodels.distinct import first_places, ranks
from poet_gui.viewmodels.timeline import NO_TENSOR
from poet_gui.viewmodels.trace_index import KIND_NAMES, IntArray, Kind, index_trace
from solver.costs import FloatArray
from solver.graph import TrainingGraph
from solver.simulate import Trace
from solver.units import format_bytes, format_count, format_joules, format_percent, format_seconds


@dataclass(frozen=True, eq=False)
class Column:
    """One column: `keys`, shape (rows,), order the rows; `text` makes the text of a row.

    Numbers stand on the right.
    """

    title: str
    tip: str
    keys: NDArray[np.generic]
    text: Callable[[int], str]
    is_number: bool = True


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of one length; `tensor` and `action` link a row to the picture (-1 = none)."""

    columns: tuple[Column, ...]
    tensor: IntArray
    action: IntArray

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.tensor)


def actions_table(trace: Trace) -> Table:
    """Every action in issue order, frees included."""
    index = index_trace(trace)
    graph = trace.problem.costed.graph
    kind, target, step = index.kind, index.target, index.step
    runs = kind <= Kind.RECOMPUTE
    sizes = np.array(trace.problem.costed.tensor_bytes, dtype=np.int64)
    first_output = np.array([made[0] if made else NO_TENSOR for made in graph.op_outputs])
    tensor = np.where(runs, NO_TENSOR, target)
    tensor[runs] = first_output[target[runs]]
    made = np.array([sum(sizes[list(out)]) for out in graph.op_outputs], dtype=np.int64)
    moved = np.zeros(index.actions, dtype=np.int64)
    moved[runs], moved[~runs] = made[target[runs]], sizes[target[~runs]]
    order = np.arange(index.actions)
    op_names = [op.name for op in graph.ops]
    tensor_names = [value.name for value in graph.tensors]

    def step_text(row: int) -> str:
        return "" if kind[row] == Kind.FREE else format_count(int(step[row]) + 1)

    def name(row: int) -> str:
        names = op_names if runs[row] else tensor_names
        return names[int(target[row])]

    columns = (
        Column("#", "position in the schedule, from 0", order, format_count),
        Column("step", "column of the step axis; a free has none", order, step_text),
        Column("action", "", kind, lambda row: KIND_NAMES[Kind(int(kind[row]))], is_number=False),
        Column("what", "op that runs, or tensor that moves", _name_keys(graph, index.target, runs),
               name, is_number=False),
        bytes_column("bytes", "made, moved or freed", moved),
        seconds_column("start", "seconds since the start", trace.start_s),
        seconds_column("duration", "", trace.duration_s),
        joules_column("energy", "", trace.energy_j),
        bytes_column("RAM", "in use when issued; after it for a free", trace.resident_bytes),
    )  # fmt: skip
    return Table(columns, tensor, order)


def _name_keys(graph: TrainingGraph, target: IntArray, runs: NDArray[np.bool_]) -> IntArray:
    """Ranks of names: numbers sort faster than 100,000 strings."""
    names = [op.name for op in graph.ops] + [value.name for value in graph.tensors]
    return ranks(names)[np.where(runs, target, target + len(graph.ops))]


def tensors_table(trace: Trace) -> Table:
    """Every tensor in graph order; one more row sums up the ops that make none.

    The energies add up to the energy of the schedule.
    """
    counts = count_tensors(trace)
    graph = trace.problem.costed.graph
    index = index_trace(trace)
    extra = 1 if counts.silent_runs else 0

    def with_extra(values: IntArray, last: int) -> IntArray:
        return np.append(values, [last] * extra).astype(np.int64)

    energy = np.append(counts.energy_j, [counts.silent_j] * extra)
    names = [t.name for t in graph.tensors] + ["ops without output"] * extra
    shapes = [" × ".join(map(str, t.shape)) if t.shape else "–" for t in graph.tensors]
    dtypes = [t.dtype or "–" for t in graph.tensors]
    shapes, dtypes = shapes + [""] * extra, dtypes + [""] * extra
    tensor = with_extra(np.arange(len(graph.tensors)), NO_TENSOR)
    first = np.full(len(tensor), -1, dtype=np.int64)
    made, at = first_places(index.spans.tensor)
    first[made] = index.spans.first[at]
    columns = (
        Column("tensor", "", ranks(names), lambda row: names[row], is_number=False),
        bytes_column("bytes", "", with_extra(np.array(trace.problem.costed.tensor_bytes), 0)),
        Column("shape", "", np.arange(len(tensor)), lambda row: shapes[row], is_number=False),
        Column("type", "", ranks(dtypes), lambda row: dtypes[row], is_number=False),
        count_column("computes", "first runs", with_extra(counts.computes, counts.silent_runs)),
        count_column("recomputes", "further runs of its producer",
                     with_extra(counts.recomputes, 0)),
        count_column("page-outs", "writes into storage", with_extra(counts.page_outs, 0)),
        count_column("page-ins", "reads from storage", with_extra(counts.page_ins, 0)),
        count_column("steps in RAM", "columns during which it is in RAM",
               with_extra(counts.steps_in_ram, 0)),
        joules_column("energy", "runs (shared among outputs) and transfers", energy),
        share_column("share", "of the schedule's energy", energy, trace.total_energy_j),
    )  # fmt: skip
    return Table(columns, tensor, first)


def bytes_column(title: str, tip: str, values: IntArray) -> Column:
    """Bytes, exact, sorted by number."""
    return Column(title, tip, values, lambda row: format_bytes(int(values[row])))


def seconds_column(title: str, tip: str, values: FloatArray) -> Column:
    """Seconds with a prefix."""
    return Column(title, tip, values, lambda row: format_seconds(float(values[row])))


def joules_column(title: str, tip: str, values: FloatArray) -> Column:
    """Joules with a prefix."""
    return Column(title, tip, values, lambda row: format_joules(float(values[row])))


def count_column(title: str, tip: str, values: IntArray) -> Column:
    """Whole numbers."""
    return Column(title, tip, values, lambda row: format_count(int(values[row])))


def share_column(title: str, tip: str, values: FloatArray, whole: float) -> Column:
    """Parts of `whole`, per cent; dashes where that is nothing."""
    if whole <= 0:
        return Column(title, tip, values, lambda _: "–")
    return Column(title, tip, values, lambda row: format_percent(float(values[row]) / whole))
