"""The labels of the memory curve: what they say and where they would best stand."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from poet_gui.viewmodels.label_places import Box, Label, place_labels
from poet_gui.viewmodels.memory import MemoryCurve, over_budget_text
from solver.units import format_bytes

_MARGIN: Final = 4.0
_BESIDE: Final = 8.0
"""Pixels between a label and the edge of the frame, and the point at the peak."""
_ALONG_A_LINE: Final = 0.125


class Mark(StrEnum):
    """What a label names, the most important first: where there is no room the last one gives way.

    What the floor is stands below the slider, too.
    """

    OVER = "over"
    BUDGET = "budget"
    PEAK = "peak"
    FLOOR = "floor"


@dataclass(frozen=True, slots=True)
class Levels:
    """Pixels, downward, of what is named; None for what is not in sight."""

    budget: float | None
    floor: float
    peak: tuple[float, float] | None


def memory_texts(curve: MemoryCurve, budget_bytes: int | None, top: float) -> dict[Mark, str]:
    """What the labels say, most important first; `top` is the upper end of the axis in bytes."""
    texts: dict[Mark, str] = {}
    if budget_bytes is not None:
        over = over_budget_text(curve.peak_bytes, budget_bytes)
        if over:
            texts[Mark.OVER] = f"⚠ {over}"
        sign = "↑" if budget_bytes > top else "↕"
        texts[Mark.BUDGET] = f"budget {format_bytes(budget_bytes)}  {sign}"
    texts[Mark.PEAK] = f"peak {format_bytes(curve.peak_bytes)}"
    texts[Mark.FLOOR] = f"floor {format_bytes(curve.floor_bytes)}"
    return texts


def memory_places(
    sizes: dict[Mark, tuple[float, float]], levels: Levels, frame: Box
) -> dict[Mark, Box]:
    """Where labels of these sizes (width, height) stand in the frame; what has no room is left out.

    Over by: in the corner. Peak: below its point, inside the area. Lines: above them at an end.
    """
    left, right = frame.left + _MARGIN, frame.right - _MARGIN
    labels: dict[Mark, Label] = {}
    for mark in (mark for mark in Mark if mark in sizes):
        width, height = sizes[mark]
        match mark:
            case Mark.OVER:
                labels[mark] = Label(width, height, ((left, frame.top + _MARGIN),))
            case Mark.BUDGET if levels.budget is not None:
                labels[mark] = _line_label(sizes[mark], right - width, levels.budget)
            case Mark.FLOOR:
                labels[mark] = _line_label(sizes[mark], left, levels.floor)
            case Mark.PEAK if levels.peak is not None:
                labels[mark] = _point_label(sizes[mark], levels.peak)
            case _:
                continue
    boxes = place_labels(tuple(labels.values()), frame)
    return {mark: box for mark, box in zip(labels, boxes, strict=True) if box is not None}


def _line_label(size: tuple[float, float], left: float, level: float) -> Label:
    width, height = size
    wishes = ((left, level - height - 1), (left, level + 2))
    return Label(width, height, wishes, sideways=_ALONG_A_LINE)


def _point_label(size: tuple[float, float], point: tuple[float, float]) -> Label:
    width, height = size
    beside = (point[0] + _BESIDE, point[0] - _BESIDE - width)
    levels = (point[1] + _MARGIN, point[1] - _MARGIN - height)
    return Label(width, height, tuple((x, y) for y in levels for x in beside))
