"""What is in RAM at one action: every tensor with bytes, share and next use."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from poet_gui.viewmodels.trace_index import Kind, TraceIndex, index_trace
from solver.simulate import Trace
from solver.units import format_bytes, format_seconds


class Holder(StrEnum):
    """What holds a piece of RAM."""

    TENSOR = "tensor"
    WORKSPACE = "workspace"
    FIXED = "fixed"


@dataclass(frozen=True, slots=True)
class ResidentRow:
    """One holder of RAM; `tensor` is None for workspace and fixed bytes, `next_use` an action."""

    holder: Holder
    name: str
    tensor: int | None
    size_bytes: int
    share: float
    next_use: int | None
    next_use_text: str


@dataclass(frozen=True, slots=True)
class Residents:
    """RAM at one action, largest holder first; `total_bytes` sums the rows to the curve's byte."""

    action: int
    title: str
    rows: tuple[ResidentRow, ...]
    total_bytes: int
    curve_bytes: int

    @property
    def sum_text(self) -> str:
        """The check that a reader can repeat: "sum 588.0 KiB = curve"."""
        same = "=" if self.total_bytes == self.curve_bytes else "≠"
        return f"sum {format_bytes(self.total_bytes)} {same} curve"


def residents_at(trace: Trace, action: int) -> Residents:
    """Everything in RAM at `action`: while it runs, or after it for a free.

    Workspace of the op then running and fixed bytes (weights, where they count) have own rows.
    Raises IndexError for an action outside the schedule.
    """
    index = index_trace(trace)
    if not 0 <= action < index.actions:
        raise IndexError(f"no action {action} in a schedule of {index.actions}")
    spans = index.spans
    inside = np.flatnonzero((spans.first <= action) & (action < spans.last))
    curve_bytes = int(trace.resident_bytes[action])
    tensors = spans.tensor[inside]
    uses = index.next_uses(tensors, action)
    uses[uses >= spans.last[inside]] = -1  # freed before: that reading needs another copy
    rows = [
        _row(index, action, tensor, use)
        for tensor, use in zip(tensors.tolist(), uses.tolist(), strict=True)
    ]
    rows.extend(_other_rows(index, action, curve_bytes))
    rows.sort(key=lambda row: (-row.size_bytes, row.name))
    total = sum(row.size_bytes for row in rows)
    return Residents(action, _title(index, action), tuple(rows), total, curve_bytes)


def place_text(index: TraceIndex, action: int) -> str:
    """Where an action stands, on both axes: "step 94 · 31.2 s"; a free stands after a step."""
    start = format_seconds(float(index.trace.start_s[action]))
    if index.kind[action] == Kind.FREE:
        return f"after step {int(index.step[action])} · {start}"
    return f"step {int(index.step[action]) + 1} · {start}"


def _row(index: TraceIndex, action: int, tensor: int, next_use: int) -> ResidentRow:
    use = next_use if next_use >= 0 else None
    size = index.trace.problem.costed.tensor_bytes[tensor]
    share = _share(size, int(index.trace.resident_bytes[action]))
    name = index.trace.problem.costed.graph.tensors[tensor].name
    return ResidentRow(Holder.TENSOR, name, tensor, size, share, use, _use_text(index, action, use))


def _use_text(index: TraceIndex, action: int, use: int | None) -> str:
    if use is None:
        return "–"
    if use == action:
        return "now"
    return f"step {int(index.step[use]) + 1}"


def _other_rows(index: TraceIndex, action: int, whole: int) -> list[ResidentRow]:
    graph = index.trace.problem.costed.graph
    rows = []
    run = index.running(action)
    if run is not None:
        op = graph.ops[int(index.target[run])]
        if op.workspace_bytes:
            rows.append(
                ResidentRow(Holder.WORKSPACE, f"workspace of {op.name}", None, op.workspace_bytes,
                            _share(op.workspace_bytes, whole), action, "now")
            )  # fmt: skip
    if graph.fixed_bytes:
        rows.append(
            ResidentRow(Holder.FIXED, "fixed bytes", None, graph.fixed_bytes,
                        _share(graph.fixed_bytes, whole), None, "always")
        )  # fmt: skip
    return rows


def _share(size: int, whole: int) -> float:
    return size / whole if whole else 0.0


def _title(index: TraceIndex, action: int) -> str:
    at = "" if index.kind[action] == Kind.FREE else "at "
    return f"In RAM {at}{place_text(index, action)}"
