"""The line of the present budget in a frontier: where it stands, and how it is drawn."""

from typing import Final

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from poet_gui.theme import Theme
from poet_gui.viewmodels.frontier_words import budget_words
from poet_gui.widgets.frontier_place import Place

GRIP: Final = 9.0
"""Pixels on each side of the line in which it can be taken."""
_BAND_ALPHA: Final = 40


def budget_x(place: Place) -> float:
    """Pixels of the present budget's line; one out of sight stands at the edge beside it."""
    low, high = place.scene.x_range
    budget = place.scene.budget
    if budget is None:
        return place.area.right()
    return float(place.x(np.array(min(max(budget, low), high))))


def draw_budget(painter: QPainter, place: Place, theme: Theme, *, lit: bool) -> None:
    """The line and its words; `lit`: it can be taken where the pointer is."""
    scene, area = place.scene, place.area
    x = round(budget_x(place)) + 0.5
    if lit:
        band = QColor(theme.budget_line)
        band.setAlpha(_BAND_ALPHA)
        painter.fillRect(QRectF(x - GRIP, area.top(), 2 * GRIP, area.height()), band)
    pen = QPen(QColor(theme.budget_line), 2.0 if lit else 1.4)
    pen.setDashPattern([4.0, 3.0])
    painter.setPen(pen)
    painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
    font = painter.font()
    font.setBold(True)
    metrics = QFontMetricsF(font)
    text = budget_words(scene)
    width = metrics.horizontalAdvance(text) + 4
    left = min(max(x - width / 2, area.left()), area.right() - width)
    box = QRectF(left, area.top() - metrics.height() - 2, width, metrics.height())
    painter.setFont(font)
    painter.setPen(QColor(theme.warning))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
