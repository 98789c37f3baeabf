"""Draws the name of each curve of the frontier where no other curve crosses it."""

import math
from typing import Final

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from poet_gui.theme import Theme
from poet_gui.viewmodels.frontier import Series
from poet_gui.widgets.frontier_place import Place
from solver.costs import FloatArray

_LABEL_STEPS: Final = 16
"""Steps that are looked at for the place of a name."""


def draw_names(painter: QPainter, place: Place, theme: Theme, flags: list[QRectF]) -> None:
    """The name of each curve on a step of its own that no other curve crosses, nor a flag."""
    drawn = [one for one in place.scene.series if len(one.x)]
    if len(drawn) <= 1:
        return
    metrics = QFontMetricsF(painter.font())
    lines = [_segments(place, one) for one in drawn]
    taken = list(flags)
    ground = QColor(theme.panel)
    ground.setAlpha(210)
    for number, series in enumerate(drawn):
        others = np.concatenate([line for k, line in enumerate(lines) if k != number])
        size = QSizeF(metrics.horizontalAdvance(series.style.label) + 6, metrics.height())
        box = _free_box(place.area, lines[number][0::2], others, size, taken)
        taken.append(box)
        painter.fillRect(box, ground)
        painter.setPen(QColor(theme.text))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, series.style.label)


def _segments(place: Place, series: Series) -> FloatArray:
    """Left, top, right, bottom of each piece of a curve, shape (pieces, 4), in pixels."""
    x, y = place.x(series.x), place.y(series.y)
    pieces = np.column_stack((x[:-1], y[:-1], x[1:], y[1:]))
    return np.asarray(
        np.column_stack(
            (
                np.minimum(pieces[:, 0], pieces[:, 2]),
                np.minimum(pieces[:, 1], pieces[:, 3]),
                np.maximum(pieces[:, 0], pieces[:, 2]),
                np.maximum(pieces[:, 1], pieces[:, 3]),
            )
        )
    )


def _free_box(
    area: QRectF, steps: FloatArray, others: FloatArray, size: QSizeF, taken: list[QRectF]
) -> QRectF:
    """Where a name fits best: above or below one of the first steps, crossing least."""
    best, fewest = QRectF(), math.inf
    for left, top, _, _ in steps[:_LABEL_STEPS].tolist():
        for y in (top - size.height() - 5, top + 6):
            corner = QPointF(min(left + 7, area.right() - size.width()), y)
            box = QRectF(corner, size)
            if y < area.top() or box.bottom() > area.bottom():
                continue
            crossed = int(np.count_nonzero(
                (others[:, 0] < box.right()) & (others[:, 2] > box.left())
                & (others[:, 1] < box.bottom()) & (others[:, 3] > box.top())
            ))  # fmt: skip
            crossed += sum(100 for other in taken if box.intersects(other))
            if crossed < fewest:
                best, fewest = box, crossed
            if not crossed:
                return box
    return best
