"""Where a schedule is looked at first: its peak, and the tensor there that says most."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poet_gui.viewmodels.trace_index import IntArray, Kind, TraceIndex, index_trace
from solver.simulate import Trace


@dataclass(frozen=True, slots=True)
class Look:
    """An action, and a tensor that is in RAM there (None when there is none)."""

    action: int
    tensor: int | None


def first_look(trace: Trace, present: int | None = None) -> Look:
    """Where RAM is highest, and the largest tensor in it.

    Among equally large ones one that the schedule also pages or recomputes, then the one that
    waits longest for its next reader. `present`, when it is in RAM there, stays selected: a
    schedule that replaces another of the same graph should not jump.
    """
    index = index_trace(trace)
    at = index.peak_action
    if at < 0:
        return Look(0, None)
    spans = index.spans
    there = np.flatnonzero((spans.first <= at) & (at < spans.last))
    tensors = spans.tensor[there]
    if not len(tensors):
        return Look(at, None)
    if present is not None and present in tensors:
        return Look(at, present)
    sizes = np.array(trace.problem.costed.tensor_bytes, dtype=np.int64)[tensors]
    # The last key of lexsort counts most.
    order = np.lexsort((tensors, -_waits(index, at, there), ~_returns(index)[tensors], -sizes))
    return Look(at, int(tensors[order[0]]))


def _returns(index: TraceIndex) -> NDArray[np.bool_]:
    """Say for each tensor whether it is in RAM more than once, or paged out; shape (tensors,)."""
    count = len(index.trace.problem.costed.graph.tensors)
    paged = index.target[index.kind == Kind.PAGE_OUT]
    moves = np.bincount(index.spans.tensor, minlength=count)
    return np.asarray((moves > 1) | (np.bincount(paged, minlength=count) > 0))


def _waits(index: TraceIndex, at: int, spans: IntArray) -> IntArray:
    """Actions until the next reader of each of these spans; 0 without one."""
    use = index.next_uses(index.spans.tensor[spans], at)
    return np.where((use >= 0) & (use < index.spans.last[spans]), use - at, 0)
