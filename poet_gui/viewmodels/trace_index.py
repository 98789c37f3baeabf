"""A trace as arrays: its actions on both axes, and when each tensor is in RAM and read."""

from dataclasses import dataclass
from enum import IntEnum, StrEnum
from functools import cached_property, lru_cache
from itertools import chain
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from solver.costs import FloatArray
from solver.device import IoMode
from solver.schedule import ActionKind
from solver.simulate import Trace, at_or_after

IntArray = NDArray[np.int64]


class Axis(StrEnum):
    """What x means: the number of the step, or seconds since the start."""

    STEP = "step"
    TIME = "time"


class Kind(IntEnum):
    """The kinds of actions as small numbers for arrays; all but FREE are drawn as bars."""

    COMPUTE = 0
    RECOMPUTE = 1
    PAGE_IN = 2
    PAGE_OUT = 3
    FREE = 4


BAR_KINDS: Final = (Kind.COMPUTE, Kind.RECOMPUTE, Kind.PAGE_IN, Kind.PAGE_OUT)

KIND_NAMES: Final = MappingProxyType(
    {
        Kind.COMPUTE: "compute",
        Kind.RECOMPUTE: "recompute",
        Kind.PAGE_IN: "page in",
        Kind.PAGE_OUT: "page out",
        Kind.FREE: "free",
    }
)

_CODES: Final = MappingProxyType(
    {
        ActionKind.COMPUTE: 0,
        ActionKind.RECOMPUTE: 1,
        ActionKind.PAGE_IN: 2,
        ActionKind.PAGE_OUT: 3,
        ActionKind.FREE: 4,
    }
)


@dataclass(frozen=True, eq=False)
class Spans:
    """Times during which a tensor is in RAM, sorted by tensor, then start; shape (spans,) each.

    first : the action that brings it in. last : the free that ends it, or the number of actions
        when nothing does. A tensor is resident at action a when first <= a < last.
    """

    tensor: IntArray
    first: IntArray
    last: IntArray

    def of(self, tensor: int) -> slice:
        """Where the spans of one tensor stand in the arrays."""
        low, high = np.searchsorted(self.tensor, [tensor, tensor + 1])
        return slice(int(low), int(high))


@dataclass(frozen=True, eq=False)
class TraceIndex:
    """Look-up arrays of one trace; shape (actions,) each unless told otherwise.

    kind, target : codes of `Kind`; positions in graph.ops (compute, recompute) or graph.tensors.
    step : for a bar its column, from 0; for a free the number of bars before it. A free has no
        column of its own: it happens on the border between two columns.
    step_action : shape (steps,), the action of each column.
    use_key : sorted numbers tensor * (actions + 1) + action, one per reading of a tensor (ops and
        page-outs).
    """

    trace: Trace
    kind: NDArray[np.int8]
    target: IntArray
    step: IntArray
    step_action: IntArray
    spans: Spans
    use_key: IntArray

    @property
    def actions(self) -> int:
        """Number of actions, frees included."""
        return len(self.kind)

    @property
    def steps(self) -> int:
        """Number of columns of the step axis."""
        return len(self.step_action)

    def begin(self, axis: Axis) -> FloatArray:
        """Where each action begins on `axis`: column or seconds."""
        return self._edges[axis][0]

    def end(self, axis: Axis) -> FloatArray:
        """Where each action ends on `axis`; a free ends where it begins."""
        return self._edges[axis][1]

    def extent(self, axis: Axis) -> float:
        """Where the axis ends; never 0, so that a range can be made of it."""
        length = float(self.steps) if axis is Axis.STEP else self.trace.runtime_s
        return length if length > 0 else 1.0

    def action_at(self, x: float, axis: Axis) -> int:
        """Return the bar last begun at `x`, the first one before that; -1 without bars."""
        if not self.steps:
            return -1
        begins = self.begin(axis)[self.step_action]
        column = int(np.searchsorted(begins, x, side="right")) - 1
        return int(self.step_action[min(max(column, 0), self.steps - 1)])

    def place(self, action: int, axis: Axis) -> float:
        """Where the playhead stands for `action`: the middle of its bar, for a free its border.

        Of a bar beside which others begin, the part before the next one counts: what is in RAM
        there is what is in RAM when `action` is issued.
        """
        if not 0 <= action < self.actions:
            return 0.0
        begin, end = float(self.begin(axis)[action]), float(self.end(axis)[action])
        if axis is Axis.TIME and action + 1 < self.actions:
            end = min(end, float(self.begin(axis)[action + 1]))
        return (begin + max(begin, end)) / 2

    def running(self, action: int) -> int | None:
        """Return the run that is under way when `action` is issued, a run itself; None if none."""
        at = int(np.searchsorted(self.runs, action, side="right")) - 1
        if at < 0:
            return None
        run = int(self.runs[at])
        ends_s = float(self.end(Axis.TIME)[run])
        over = run != action and at_or_after(float(self.trace.start_s[action]), ends_s)
        return None if over else run

    def next_use(self, tensor: int, action: int) -> int | None:
        """Return the first action from `action` on that reads `tensor`; None when nothing does."""
        stride = self.actions + 1
        at = int(np.searchsorted(self.use_key, tensor * stride + action))
        if at < len(self.use_key) and self.use_key[at] // stride == tensor:
            return int(self.use_key[at] % stride)
        return None

    def next_uses(self, tensors: IntArray, action: int) -> IntArray:
        """As `next_use` for each of `tensors`, shape (tensors,); -1 where nothing reads it."""
        stride = self.actions + 1
        at = np.searchsorted(self.use_key, tensors * stride + action)
        key = np.append(self.use_key, -1)[at]  # -1 // stride is no tensor
        return np.asarray(np.where(key // stride == tensors, key % stride, -1))

    def last_use(self, tensor: int, action: int) -> int | None:
        """Return the last action up to `action`, itself included, that reads `tensor`, if any."""
        stride = self.actions + 1
        at = int(np.searchsorted(self.use_key, tensor * stride + action, side="right")) - 1
        if at >= 0 and self.use_key[at] // stride == tensor:
            return int(self.use_key[at] % stride)
        return None

    def span_at(self, tensor: int, action: int) -> tuple[int, int] | None:
        """Return (first, last) of the span that has `tensor` in RAM at `action`; None outside."""
        where = self.spans.of(tensor)
        firsts = self.spans.first[where]
        at = int(np.searchsorted(firsts, action, side="right")) - 1
        if at < 0 or action >= self.spans.last[where][at]:
            return None
        return int(firsts[at]), int(self.spans.last[where][at])

    @cached_property
    def runs(self) -> IntArray:
        """The actions that compute or recompute, in order."""
        return np.flatnonzero(self.kind <= Kind.RECOMPUTE)

    @cached_property
    def overlaps(self) -> bool:
        """Whether transfers run beside the processor, which then has a lane of its own."""
        return self.trace.problem.switches.io is IoMode.OVERLAPPED

    @cached_property
    def peak_action(self) -> int:
        """The first action at which RAM is highest; -1 when there are none."""
        return int(np.argmax(self.trace.resident_bytes)) if self.actions else -1

    @cached_property
    def _edges(self) -> dict[Axis, tuple[FloatArray, FloatArray]]:
        begin = self.step.astype(np.float64)
        wide = (self.kind != Kind.FREE).astype(np.float64)
        start_s = self.trace.start_s
        return {
            Axis.STEP: (begin, begin + wide),
            Axis.TIME: (start_s, start_s + self.trace.duration_s),
        }


@lru_cache(maxsize=4)  # every view asks for the same few; traces are told apart by identity
def index_trace(trace: Trace) -> TraceIndex:
    """Arrays of `trace`; the latest four are remembered."""
    actions = trace.schedule.actions
    kind = np.array([_CODES[action.kind] for action in actions], dtype=np.int8)
    target = np.array([action.target for action in actions], dtype=np.int64)
    is_bar = kind != Kind.FREE
    step = np.cumsum(is_bar, dtype=np.int64) - is_bar
    runs = np.flatnonzero(kind <= Kind.RECOMPUTE)
    graph = trace.problem.costed.graph
    return TraceIndex(
        trace=trace,
        kind=kind,
        target=target,
        step=step,
        step_action=np.flatnonzero(is_bar),
        spans=_spans(kind, target, runs, graph.op_outputs),
        use_key=_uses(kind, target, runs, graph.op_inputs),
    )


def _gather(lists: tuple[tuple[int, ...], ...], rows: IntArray) -> tuple[IntArray, IntArray]:
    """Members of the given rows, and for each the position in `rows` that it came from."""
    lengths = np.array([len(members) for members in lists], dtype=np.int64)
    flat = np.fromiter(chain.from_iterable(lists), dtype=np.int64, count=int(lengths.sum()))
    starts = np.concatenate(([0], np.cumsum(lengths)))[:-1]
    count = lengths[rows] if len(rows) else np.zeros(0, dtype=np.int64)
    came_from = np.repeat(np.arange(len(rows), dtype=np.int64), count)
    within = np.arange(len(came_from), dtype=np.int64) - np.repeat(np.cumsum(count) - count, count)
    return flat[starts[rows][came_from] + within] if len(came_from) else flat[:0], came_from


def _spans(
    kind: NDArray[np.int8], target: IntArray, runs: IntArray, outputs: tuple[tuple[int, ...], ...]
) -> Spans:
    made, came_from = _gather(outputs, target[runs])
    page_in, free = np.flatnonzero(kind == Kind.PAGE_IN), np.flatnonzero(kind == Kind.FREE)
    tensor = np.concatenate((made, target[page_in], target[free]))
    action = np.concatenate((runs[came_from], page_in, free))
    is_free = np.zeros(len(tensor), dtype=bool)
    is_free[len(tensor) - len(free) :] = True
    order = np.lexsort((action, tensor))
    tensor, action, is_free = tensor[order], action[order], is_free[order]
    same = np.concatenate(([False], tensor[1:] == tensor[:-1]))
    was_in = same & ~np.concatenate(([True], is_free[:-1]))
    begins = np.flatnonzero(~is_free & ~was_in)
    # A span ends at the first free after its beginning, if that free belongs to the same tensor.
    frees = np.flatnonzero(is_free)
    at = np.searchsorted(frees, begins)
    ends = np.full(len(begins), len(kind), dtype=np.int64)
    found = at < len(frees)
    candidate = frees[at[found]]
    mine = tensor[candidate] == tensor[begins[found]]
    ends[np.flatnonzero(found)[mine]] = action[candidate[mine]]
    return Spans(tensor[begins], action[begins], ends)


def _uses(
    kind: NDArray[np.int8], target: IntArray, runs: IntArray, inputs: tuple[tuple[int, ...], ...]
) -> IntArray:
    read, came_from = _gather(inputs, target[runs])
    page_out = np.flatnonzero(kind == Kind.PAGE_OUT)
    tensor = np.concatenate((read, target[page_out]))
    action = np.concatenate((runs[came_from], page_out))
    return np.sort(tensor * (len(kind) + 1) + action)
