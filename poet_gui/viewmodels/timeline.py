"""The schedule as lanes: a lane per tensor, bars for actions, thin strips for RAM and storage."""

from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypedDict

import numpy as np
from numpy.typing import NDArray

from poet_gui.viewmodels.trace_index import Axis, IntArray, Kind, TraceIndex, index_trace
from solver.costs import FloatArray
from solver.graph import TrainingGraph
from solver.simulate import Trace
from solver.units import format_bytes

NO_TENSOR: Final = -1
UNITS: Final = (
    ("processor", "what it computes, one op at a time"),
    ("transfers", "what moves between RAM and storage beside it, one tensor at a time"),
)
"""The lanes of the processor and of the transfers, where these run side by side: name, note."""
_SILENT_NOTE: Final = "each op runs once and leaves no tensor"


@dataclass(frozen=True, eq=False)
class Strips:
    """Intervals in lanes, sorted by lane, then start; shape (strips,) each, columns and seconds.

    row_start : shape (lanes + 1,), where the strips of each lane begin.
    """

    row: IntArray
    row_start: IntArray
    step0: FloatArray
    step1: FloatArray
    time0: FloatArray
    time1: FloatArray

    def edges(self, axis: Axis) -> tuple[FloatArray, FloatArray]:
        """Begins and ends on `axis`."""
        if axis is Axis.STEP:
            return self.step0, self.step1
        return self.time0, self.time1

    def __len__(self) -> int:
        return len(self.row)


@dataclass(frozen=True, eq=False)
class Bars(Strips):
    """Actions that are drawn as bars: their `Kind` and their position in the schedule."""

    kind: NDArray[np.int8]
    action: IntArray


@dataclass(frozen=True, eq=False)
class TimelineScene:
    """Everything the lanes show, as arrays.

    lane_tensor : shape (lanes,), the tensor of each lane in first-made order; NO_TENSOR for the
        last lane, which holds the ops that make no tensor (applied weight gradients), when there
        are any, for the first `units` lanes, and for the lanes of blocks.
    lane_of : shape (tensors,), the lane that shows a tensor, -1 for one that is never made.
    lane_names, lane_sizes : texts of the lanes. lane_notes : what a lane without a tensor holds.
    units : 2 where transfers overlap, else 0: the processor and the transfer unit, as lanes that
        show what each does and what runs side by side.
    bars : one per action that is not a free; an op of several outputs has a bar in the lane of
        each. Every action has one more in its unit's lane.
    resident, stored : when a tensor is in RAM; when a copy in storage still awaits its last page-in
        (or was written in vain).
    """

    index: TraceIndex
    lane_tensor: IntArray
    lane_of: IntArray
    lane_names: tuple[str, ...]
    lane_sizes: tuple[str, ...]
    lane_notes: dict[int, str]
    units: int
    bars: Bars
    resident: Strips
    stored: Strips

    @property
    def lanes(self) -> int:
        """Number of lanes."""
        return len(self.lane_tensor)

    @cached_property
    def lane_of_tensor(self) -> dict[int, int]:
        """Tensor -> lane; tensors that are never made have none."""
        made = np.flatnonzero(self.lane_of >= 0)
        return dict(zip(made.tolist(), self.lane_of[made].tolist(), strict=True))

    def pick(self, lane: int, x: float, axis: Axis, *, slack: float = 0.0) -> int | None:
        """Return the bar of `lane` at `x`, or the nearest within `slack`; None when there is none.

        The answer is a position in `bars`. Two look-ups by bisection, independent of the number of
        actions.
        """
        if not 0 <= lane < self.lanes:
            return None
        low, high = int(self.bars.row_start[lane]), int(self.bars.row_start[lane + 1])
        begins, ends = self.bars.edges(axis)
        at = low + int(np.searchsorted(begins[low:high], x, side="right")) - 1
        best, distance = None, slack
        for bar in (at, at + 1):
            if not low <= bar < high:
                continue
            if begins[bar] <= x < ends[bar]:
                return bar
            away = max(float(begins[bar]) - x, x - float(ends[bar]))
            if away <= distance:
                best, distance = bar, away
        return best


def timeline_scene(trace: Trace) -> TimelineScene:
    """Lanes of `trace` in the order in which its tensors are first made, below those of the units.

    Ops that make no tensor share one last lane: each runs once and they never overlap, so one lane
    holds them all and their energy and time stay visible.
    """
    index = index_trace(trace)
    graph = trace.problem.costed.graph
    order = _first_made_order(index, len(graph.tensors))
    units = len(UNITS) if index.overlaps and index.actions else 0
    lane_of = np.full(len(graph.tensors) + 1, -1, dtype=np.int64)
    lane_of[order] = units + np.arange(len(order))
    runs_silently = _silent_runs(index, graph)
    lane_of_tensor = lane_of[:-1].copy()
    names = [name for name, _ in UNITS[:units]]
    names += [graph.tensors[t].name for t in order.tolist()]
    sizes = [""] * units + [format_bytes(graph.tensors[t].bytes) for t in order.tolist()]
    notes = {lane: note for lane, (_, note) in enumerate(UNITS[:units])}
    lane_tensor = np.concatenate((np.full(units, NO_TENSOR), order))
    if runs_silently.any():
        lane_of[-1] = len(lane_tensor)
        notes[len(lane_tensor)] = _SILENT_NOTE
        lane_tensor = np.append(lane_tensor, NO_TENSOR)
        names.append(_silent_name(graph))
        sizes.append("")
    lanes = len(lane_tensor)
    return TimelineScene(
        index=index,
        lane_tensor=lane_tensor,
        lane_of=lane_of_tensor,
        lane_names=tuple(names),
        lane_sizes=tuple(sizes),
        lane_notes=notes,
        units=units,
        bars=_bars(index, lane_of, runs_silently, lanes),
        resident=_resident(index, lane_of, lanes),
        stored=stored_strips(index, lane_of, lanes),
    )


def _silent_runs(index: TraceIndex, graph: TrainingGraph) -> NDArray[np.bool_]:
    """Whether an action runs an op that makes no tensor, shape (actions,)."""
    silent = np.array([not made for made in graph.op_outputs], dtype=bool)
    runs = index.kind <= Kind.RECOMPUTE
    silently = np.zeros(index.actions, dtype=bool)
    silently[runs] = silent[index.target[runs]]
    return silently


def _silent_name(graph: TrainingGraph) -> str:
    kinds = {op.kind for op, made in zip(graph.ops, graph.op_outputs, strict=True) if not made}
    return "weight updates" if kinds == {"weight_gradient"} else "ops without output"


def _first_made_order(index: TraceIndex, tensors: int) -> IntArray:
    spans = index.spans
    if not len(spans.tensor):
        return np.zeros(0, dtype=np.int64)
    first = np.full(tensors, index.actions, dtype=np.int64)
    np.minimum.at(first, spans.tensor, spans.first)
    made = np.flatnonzero(first < index.actions)
    return made[np.argsort(first[made], kind="stable")]


def _bars(
    index: TraceIndex, lane_of: IntArray, runs_silently: NDArray[np.bool_], lanes: int
) -> Bars:
    outputs = index.trace.problem.costed.graph.op_outputs
    width = np.array([len(made) for made in outputs], dtype=np.int64)
    runs = index.kind <= Kind.RECOMPUTE
    count = np.where(index.kind == Kind.FREE, 0, 1)
    count[runs] = np.maximum(width[index.target[runs]], 1)
    action = np.repeat(np.arange(index.actions), count)
    which = np.arange(len(action)) - np.repeat(np.cumsum(count) - count, count)
    tensor = index.target[action]
    makes = (runs & ~runs_silently)[action]
    first_output = np.concatenate(([0], np.cumsum(width)))[:-1]
    flat = np.array([t for made in outputs for t in made], dtype=np.int64)
    tensor[makes] = flat[first_output[index.target[action[makes]]] + which[makes]]
    tensor[runs_silently[action]] = NO_TENSOR  # else an op's position is taken for a tensor's
    row = lane_of[tensor]
    if index.overlaps:
        row = np.concatenate((index.kind[index.step_action] > Kind.RECOMPUTE, row))
        action = np.concatenate((index.step_action, action))
    edges = {axis: (index.begin(axis)[action], index.end(axis)[action]) for axis in Axis}
    order, fields = sort_strips(row, edges, lanes)
    return Bars(**fields, kind=index.kind[action][order], action=action[order])


def _resident(index: TraceIndex, lane_of: IntArray, lanes: int) -> Strips:
    spans = index.spans
    edges = {}
    for axis in Axis:
        begin = np.append(index.begin(axis), index.extent(axis))
        edges[axis] = (begin[spans.first], begin[spans.last])
    return Strips(**sort_strips(lane_of[spans.tensor], edges, lanes)[1])


def stored_strips(index: TraceIndex, lane_of: IntArray, lanes: int) -> Strips:
    """From the end of the first page-out (or the start) to the last page-in that reads the copy."""
    tensors = index.trace.problem.costed.graph.tensors
    outs, ins = (np.flatnonzero(index.kind == kind) for kind in (Kind.PAGE_OUT, Kind.PAGE_IN))
    last_in = np.full(len(tensors), -1, dtype=np.int64)
    np.maximum.at(last_in, index.target[ins], ins)
    first_out = np.full(len(tensors), index.actions, dtype=np.int64)
    np.minimum.at(first_out, index.target[outs], outs)
    from_start = np.array([t.in_storage_at_start for t in tensors], dtype=bool) & (last_in >= 0)
    tensor = np.flatnonzero(from_start | (first_out < index.actions))
    until = np.where(last_in[tensor] >= 0, last_in[tensor], index.actions)
    edges = {}
    for axis in Axis:
        written = np.append(index.end(axis), 0.0)[first_out[tensor]]
        begin = np.append(index.begin(axis), index.extent(axis))
        edges[axis] = (np.where(from_start[tensor], 0.0, written), begin[until])
    return Strips(**sort_strips(lane_of[tensor], edges, lanes)[1])


class StripFields(TypedDict):
    """The fields of Strips, to make subclasses of it from."""

    row: IntArray
    row_start: IntArray
    step0: FloatArray
    step1: FloatArray
    time0: FloatArray
    time1: FloatArray


def sort_strips(
    row: IntArray, edges: dict[Axis, tuple[FloatArray, FloatArray]], lanes: int
) -> tuple[IntArray, StripFields]:
    """Sort strips by lane, then start; return the order and the sorted fields."""
    order = np.lexsort((edges[Axis.STEP][0], row))
    (step0, step1), (time0, time1) = edges[Axis.STEP], edges[Axis.TIME]
    return order, {
        "row": row[order],
        "row_start": np.searchsorted(row[order], np.arange(lanes + 1)),
        "step0": step0[order],
        "step1": step1[order],
        "time0": time0[order],
        "time1": time1[order],
    }
