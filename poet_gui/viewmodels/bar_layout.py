"""From intervals to whole pixels: which bars are in sight, and which of the slivers survive."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from poet_gui.viewmodels.timeline import Strips
from poet_gui.viewmodels.trace_index import Axis, IntArray
from solver.costs import FloatArray

_GAP_FROM: Final = (
    3  # a bar of this many pixels leaves one pixel free, so that neighbours stay apart
)


@dataclass(frozen=True, slots=True)
class Viewport:
    """What is in sight: how x of the axis and lanes become pixels.

    width : pixels. first_lane, last_lane : lanes in sight, the last one not included.
    """

    axis: Axis
    x_scale: float
    x_offset: float
    width: float
    lane_height: float
    lane_offset: float
    first_lane: int
    last_lane: int
    left: float = 0.0


@dataclass(frozen=True, eq=False)
class PixelBars:
    """Bars in sight in whole pixels: `strip` says which ones; shape (bars,) each."""

    strip: IntArray
    x: FloatArray
    width: FloatArray
    y: FloatArray


def visible_strips(strips: Strips, view: Viewport) -> IntArray:
    """Positions of the strips that overlap what is in sight, in order.

    Strips that end at or before the left edge do not count, but one of no width at the edge does.
    """
    low = int(strips.row_start[max(view.first_lane, 0)])
    high = int(strips.row_start[min(view.last_lane, len(strips.row_start) - 1)])
    begin, end = strips.edges(view.axis)
    x_low = (view.left - view.x_offset) / view.x_scale
    x_high = (view.left + view.width - view.x_offset) / view.x_scale
    inside = (begin[low:high] < x_high) & (end[low:high] >= x_low)
    return low + np.flatnonzero(inside)


def place_bars(strips: Strips, chosen: IntArray, view: Viewport) -> PixelBars:
    """Place `chosen` strips of one kind: at least 1 pixel wide, slivers merged, neighbours apart.

    Of several strips that fall into the same pixel column of a lane one is kept, so nothing ever
    disappears and no more rectangles are drawn than there are pixels.
    """
    begin, end = strips.edges(view.axis)
    row = strips.row[chosen]
    # Clipped, because whole pixels far outside would overflow when zoomed in deep.
    edge = (view.left - 4.0, view.left + view.width + 4.0)
    x0 = np.floor(np.clip(begin[chosen] * view.x_scale + view.x_offset, *edge))
    x1 = np.floor(np.clip(end[chosen] * view.x_scale + view.x_offset, *edge))
    width = np.maximum(x1 - x0, 1.0)
    sliver = width <= 1.0
    again = np.zeros(len(chosen), dtype=bool)
    again[1:] = sliver[1:] & (row[1:] == row[:-1]) & (x0[1:] < x0[:-1] + width[:-1])
    keep = ~again
    x0, width, row = x0[keep], width[keep], row[keep]
    width = np.where(width >= _GAP_FROM, width - 1.0, width)
    y = np.floor(row * view.lane_height + view.lane_offset)
    return PixelBars(chosen[keep], x0, width, y)
