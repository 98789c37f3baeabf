"""One tensor in one schedule: what it is, what is done with it, what that costs, and why."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from poet_gui.viewmodels.trace_index import IntArray, Kind, TraceIndex, index_trace
from poet_gui.viewmodels.why import Why, explain
from solver.costs import FloatArray
from solver.graph import Tensor
from solver.problem import Budgets
from solver.simulate import Trace
from solver.units import format_bytes, format_bytes_exactly, format_joules, format_percent

_MOST_READERS: Final = 3
_MOST_SPANS: Final = 3


@dataclass(frozen=True, slots=True)
class Fact:
    """One line of the card; `full` is the untruncated text for a tooltip."""

    label: str
    value: str
    full: str = ""


@dataclass(frozen=True, slots=True)
class TensorDetails:
    """The card of one tensor. `why` is None when the schedule has no actions."""

    tensor: int
    name: str
    subtitle: str
    facts: tuple[Fact, ...]
    why: Why | None


@dataclass(frozen=True, eq=False)
class TensorCounts:
    """Per tensor, shape (tensors,): runs, transfers, columns in RAM, and its energy in joules.

    The energy of an op with several outputs is shared equally among them; with `silent_j`, the
    energy of the ops that make no tensor, the shares add up to the energy of the schedule.
    """

    computes: IntArray
    recomputes: IntArray
    page_outs: IntArray
    page_ins: IntArray
    steps_in_ram: IntArray
    energy_j: FloatArray
    silent_j: float
    silent_runs: int


@lru_cache(maxsize=4)  # asked for at every move of the playhead
def count_tensors(trace: Trace) -> TensorCounts:
    """Count what `trace` does with each tensor."""
    index = index_trace(trace)
    graph = trace.problem.costed.graph
    ops, tensors = len(graph.ops), len(graph.tensors)
    runs = index.kind <= Kind.RECOMPUTE
    op_runs = np.bincount(index.target[runs], minlength=ops)
    first_runs = np.bincount(index.target[index.kind == Kind.COMPUTE], minlength=ops)
    op_energy = np.bincount(index.target[runs], weights=trace.energy_j[runs], minlength=ops)
    producer = np.array(graph.producer, dtype=np.int64)
    outputs = np.array([len(made) for made in graph.op_outputs], dtype=np.int64)
    moves = {kind: index.kind == kind for kind in (Kind.PAGE_OUT, Kind.PAGE_IN)}
    paged = moves[Kind.PAGE_OUT] | moves[Kind.PAGE_IN]
    moved_j = np.bincount(index.target[paged], weights=trace.energy_j[paged], minlength=tensors)
    shared = op_energy[producer] / outputs[producer] if tensors else np.zeros(0)
    ends = np.append(index.step, index.steps)
    in_ram = np.zeros(tensors, dtype=np.int64)
    np.add.at(in_ram, index.spans.tensor, ends[index.spans.last] - ends[index.spans.first])
    return TensorCounts(
        computes=first_runs[producer] if tensors else np.zeros(0, dtype=np.int64),
        recomputes=(op_runs - first_runs)[producer] if tensors else np.zeros(0, dtype=np.int64),
        page_outs=np.bincount(index.target[moves[Kind.PAGE_OUT]], minlength=tensors),
        page_ins=np.bincount(index.target[moves[Kind.PAGE_IN]], minlength=tensors),
        steps_in_ram=in_ram,
        energy_j=shared + moved_j,
        silent_j=float(op_energy[outputs == 0].sum()),
        silent_runs=int(op_runs[outputs == 0].sum()),
    )


def describe_tensor(
    trace: Trace, tensor: int, action: int | None = None, budgets: Budgets | None = None
) -> TensorDetails:
    """Describe `tensor`, and say why it is where it is at `action` (default: where RAM is highest).

    `budgets` : those that other choices are measured by; None: those of the trace's problem.
    Raises IndexError for a tensor or an action that does not exist.
    """
    index = index_trace(trace)
    graph = trace.problem.costed.graph
    if not 0 <= tensor < len(graph.tensors):
        raise IndexError(f"no tensor {tensor} in a graph of {len(graph.tensors)}")
    value = graph.tensors[tensor]
    at = index.peak_action if action is None else action
    return TensorDetails(
        tensor,
        value.name,
        subtitle(value),
        (*_origin(trace, tensor), *_history(index, tensor)),
        explain(trace, tensor, at, budgets) if index.actions else None,
    )


def subtitle(tensor: Tensor) -> str:
    """Shape, type and size: "1 × 32 × 16 × 16 float32 · 32.0 KiB"."""
    parts = []
    if tensor.shape is not None:
        parts.append(" × ".join(str(n) for n in tensor.shape) or "scalar")
    if tensor.dtype is not None:
        parts.append(tensor.dtype)
    size = format_bytes(tensor.bytes)
    return f"{' '.join(parts)} · {size}" if parts else size


def _origin(trace: Trace, tensor: int) -> tuple[Fact, ...]:
    graph = trace.problem.costed.graph
    value = graph.tensors[tensor]
    names = [graph.ops[k].name for k in graph.readers[tensor]]
    shown = names if len(names) <= _MOST_READERS else names[: _MOST_READERS - 1]
    more = len(names) - len(shown)
    readers = ", ".join(shown) + (f" and {more} more" if more else "")
    role = value.role.value.replace("_", " ") if value.role is not None else "–"
    return (
        Fact("size", format_bytes(value.bytes), format_bytes_exactly(value.bytes)),
        Fact("role", role),
        Fact("producer", value.producer, value.producer),
        Fact("readers", readers or "none", "\n".join(names)),
    )


def _history(index: TraceIndex, tensor: int) -> tuple[Fact, ...]:
    trace = index.trace
    graph = trace.problem.costed.graph
    counts = count_tensors(trace)
    again, first = int(counts.recomputes[tensor]), int(counts.computes[tensor])
    producer = graph.producer[tensor]
    price = format_joules(float(trace.problem.costed.op_energy_j[producer]))
    computes = f"{first + again}"
    if again:
        computes += f" ({again} again at {price})"
    energy = float(counts.energy_j[tensor])
    whole = trace.total_energy_j
    share = format_percent(energy / whole) if whole > 0 else "–"
    spans = _spans(index, tensor)
    shown = spans if len(spans) <= _MOST_SPANS else spans[:_MOST_SPANS]
    more = f" and {len(spans) - len(shown)} more" if len(spans) > len(shown) else ""
    outputs = len(graph.op_outputs[producer])
    note = f"its part of an op with {outputs} outputs, shared equally" if outputs > 1 else ""
    return (
        Fact("computes", computes),
        Fact(
            "page-outs / ins", f"{int(counts.page_outs[tensor])} / {int(counts.page_ins[tensor])}"
        ),
        Fact("in RAM, steps", ", ".join(shown) + more if spans else "never", "\n".join(spans)),
        Fact("energy", f"{format_joules(energy)} · {share}", note),
    )


def _spans(index: TraceIndex, tensor: int) -> list[str]:
    ends = np.append(index.step, index.steps)
    where = index.spans.of(tensor)
    texts = []
    for first, last in zip(index.spans.first[where], index.spans.last[where], strict=True):
        low, high = int(ends[first]) + 1, int(ends[last])
        texts.append(f"{low}–{high}" if high > low else f"{low}")
    return texts
