"""Where a frontier stands on screen: its area in pixels, and the way from values to pixels."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFont, QFontMetricsF

from poet_gui.viewmodels.frontier import FrontierScene
from solver.costs import FloatArray
from solver.units import format_joules

PAD: Final = 6.0
"""Pixels between an axis and its texts."""


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """Where a scene stands on screen: its area in pixels and the way between the two."""

    scene: FrontierScene
    area: QRectF

    def x(self, value: FloatArray) -> FloatArray:
        """Pixels of bytes or seconds."""
        low, high = self.scene.x_range
        return self.area.left() + (value - low) / (high - low) * self.area.width()

    def y(self, joules: FloatArray) -> FloatArray:
        """Pixels of joules; what is not known stands at the upper edge."""
        return self.area.bottom() - self.scene.height(joules) * self.area.height()

    def point(self, x: float, joules: float) -> QPointF:
        """Pixels of one place."""
        return QPointF(float(self.x(np.array(x))), float(self.y(np.array(joules))))

    def value(self, pixel: float) -> float:
        """Bytes or seconds of a pixel, inside the scene."""
        low, high = self.scene.x_range
        part = (pixel - self.area.left()) / max(1.0, self.area.width())
        return low + min(1.0, max(0.0, part)) * (high - low)


def area_of(size: QRectF, scene: FrontierScene, font: QFont) -> QRectF:
    """The part of a widget in which curves are drawn: axis texts stand left of it and below."""
    metrics = QFontMetricsF(font)
    low, high = scene.y_range
    widest = max(metrics.horizontalAdvance(joules_text(y)) for y in (low, high))
    left = max(widest, metrics.horizontalAdvance("000.0 mJ")) + 10
    line = metrics.height()
    return size.adjusted(left, line * 1.25, -PAD - 4, -line - 7)


def joules_text(joules: float) -> str:
    """Short while the axis allows it: "550 mJ" beside "620 mJ"."""
    text = format_joules(joules)
    number, _, unit = text.partition(" ")
    if "." in number:
        number = number.rstrip("0").rstrip(".")
    return f"{number} {unit}" if unit else text
