"""The memory curve: RAM over the schedule, reduced to a screen without losing a peak."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from poet_gui.viewmodels.trace_index import Axis, IntArray, index_trace
from solver.costs import FloatArray
from solver.simulate import Trace
from solver.units import format_bytes

_BUDGET_IN_SIGHT: Final = 1.6


@dataclass(frozen=True, eq=False)
class MemoryCurve:
    """RAM during each action and after each free, in order; shape (actions,).

    begin, end : per axis, where each level stands, up to the issue of the next action; a free has
        no width and shows as a notch between two columns.
    bytes_used : float64 of the trace's exact integers, for drawing only.
    peak_action : the first action at which RAM is highest, -1 for an empty schedule.
    """

    begin: dict[Axis, FloatArray]
    end: dict[Axis, FloatArray]
    bytes_used: FloatArray
    extent: dict[Axis, float]
    peak_bytes: int
    peak_action: int
    floor_bytes: int
    fixed_bytes: int

    def peak_place(self, axis: Axis) -> float:
        """The middle of the action at the peak; there must be one."""
        return float(self.begin[axis][self.peak_action] + self.end[axis][self.peak_action]) / 2

    def outline(
        self, axis: Axis, view: tuple[float, float], pixels: int
    ) -> tuple[FloatArray, FloatArray]:
        """Points (x, bytes) of the curve inside `view`, at most about four per pixel.

        Exact while at most two actions share a pixel; beyond that one level per pixel, the highest
        of it, so that no peak ever disappears. Both ends reach the edges of the visible part of the
        schedule.
        """
        begin, end = self.begin[axis], self.end[axis]
        if not len(begin) or pixels < 1:
            return np.zeros(0), np.zeros(0)
        # Ends never decrease: actions follow each other.
        low = int(np.searchsorted(end, view[0], side="left"))
        high = int(np.searchsorted(begin, view[1], side="right"))
        if low >= high:
            return np.zeros(0), np.zeros(0)
        if high - low <= 2 * pixels:
            x = np.column_stack((begin[low:high], end[low:high])).ravel()
            return np.clip(x, *view), np.repeat(self.bytes_used[low:high], 2)
        return self._highest(axis, view, pixels, slice(low, high))

    def _highest(
        self, axis: Axis, view: tuple[float, float], pixels: int, part: slice
    ) -> tuple[FloatArray, FloatArray]:
        edges = np.linspace(view[0], view[1], pixels + 1)
        begin, end = self.begin[axis][part], self.end[axis][part]
        first = np.searchsorted(end, edges[:-1], side="left")
        last = np.searchsorted(begin, edges[1:], side="right")
        last = np.maximum(last, first + 1)
        shown = first < len(begin)
        first, last = first[shown], np.minimum(last[shown], len(begin))
        highest = _range_max(self.bytes_used[part], first, last)
        left, right = edges[:-1][shown], edges[1:][shown]
        inside = (left < end[-1]) & (right > begin[0])
        x = np.column_stack((left[inside], right[inside])).ravel()
        return np.clip(x, begin[0], end[-1]), np.repeat(highest[inside], 2)


def _range_max(values: FloatArray, first: IntArray, last: IntArray) -> FloatArray:
    """Highest of values[first:last] for overlapping, non-empty ranges."""
    bounds = np.column_stack((first, last)).ravel()
    padded = np.append(values, -np.inf)  # reduceat wants every bound inside
    return np.asarray(np.maximum.reduceat(padded, bounds)[::2])


def memory_curve(trace: Trace) -> MemoryCurve:
    """Memory curve of `trace` on both axes."""
    index = index_trace(trace)
    costed = trace.problem.costed
    return MemoryCurve(
        begin={axis: index.begin(axis) for axis in Axis},
        end={axis: _until_next(index.begin(axis), index.extent(axis)) for axis in Axis},
        bytes_used=trace.resident_bytes.astype(np.float64),
        extent={axis: index.extent(axis) for axis in Axis},
        peak_bytes=trace.peak_bytes,
        peak_action=index.peak_action,
        floor_bytes=costed.floor_bytes,
        fixed_bytes=costed.graph.fixed_bytes,
    )


def _until_next(begin: FloatArray, extent: float) -> FloatArray:
    return np.append(begin[1:], extent) if len(begin) else begin


def over_budget_text(peak_bytes: int, budget_bytes: int) -> str:
    """Words for a peak above the budget ("over by 3.2 KiB"); empty when it fits."""
    return f"over by {format_bytes(peak_bytes - budget_bytes)}" if peak_bytes > budget_bytes else ""


def memory_top(
    curve: MemoryCurve | None, budget_bytes: int | None, *, headroom: float = 0.18
) -> float:
    """Upper end of the memory axis in bytes, always above 0.

    `headroom` is the part of the axis that stays free above the highest mark, for its label;
    below 1. A budget is in sight while it is at most 1.6 times the peak; a far larger one would
    press the curve flat, so it is named at the upper edge instead.
    """
    highest = max(curve.peak_bytes, curve.floor_bytes, 1) if curve is not None else 1
    if budget_bytes is not None and budget_bytes <= _BUDGET_IN_SIGHT * highest:
        highest = max(highest, budget_bytes)
    return highest / (1.0 - headroom)


def byte_ticks(low: float, high: float, most: int) -> tuple[list[float], float]:
    """Round positions for a memory axis, a power of two apart, and their spacing in bytes.

    At most `most` ticks; an empty list when the range is empty.
    """
    if not high > low or most < 1:
        return [], 0.0
    spacing = 1.0
    while (high - low) / spacing > most:
        spacing *= 2.0
    first = np.ceil(low / spacing)
    count = int(np.floor(high / spacing) - first) + 1
    return [float((first + k) * spacing) for k in range(max(count, 0))], spacing
