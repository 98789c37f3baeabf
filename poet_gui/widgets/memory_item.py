"""The memory curve as one graphics item: area, outline, floor, peak, what is over the budget."""

from typing import Final

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QTransform
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from poet_gui.theme import LIGHT, Theme
from poet_gui.viewmodels.memory import MemoryCurve, over_budget_text
from poet_gui.viewmodels.trace_index import Axis
from poet_gui.widgets.bar_style import over_budget_brush
from poet_gui.widgets.rect_batch import RectBatch
from solver.costs import FloatArray

_DOT_EVERY: Final = 4.0
"""Pixels from one dot of the floor's line to the next."""


class MemoryItem(pg.GraphicsObject):  # type: ignore[misc]  # pyqtgraph ships no types
    """RAM over the axis; `plain` draws the area alone, for the overview.

    Drawn in screen pixels from at most four points per pixel column, each the highest of what it
    stands for.
    """

    def __init__(self, *, plain: bool = False) -> None:
        super().__init__()
        self._plain = plain
        self._curve: MemoryCurve | None = None
        self._axis = Axis.STEP
        self._budget_bytes: int | None = None
        self._top = 1.0
        self._theme = LIGHT
        self._batch = RectBatch()
        self._over = over_budget_brush(LIGHT)

    def set_curve(self, curve: MemoryCurve | None, axis: Axis, top: float) -> None:
        """Show another curve; `top` is the upper end of the memory axis in bytes."""
        self.prepareGeometryChange()
        self._curve, self._axis, self._top = curve, axis, top
        self.update()

    def set_budget(self, budget_bytes: int | None) -> None:
        """Hatch what lies above this budget."""
        self._budget_bytes = budget_bytes
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Use these colours."""
        self._theme = theme
        self._over = over_budget_brush(theme)
        self.update()

    @property
    def over_text(self) -> str:
        """Words for what is over the budget; empty when nothing is."""
        if self._curve is None or self._budget_bytes is None:
            return ""
        return over_budget_text(self._curve.peak_bytes, self._budget_bytes)

    def boundingRect(self) -> QRectF:
        """Return the whole schedule, in axis units and bytes."""
        extent = self._curve.extent[self._axis] if self._curve is not None else 1.0
        return QRectF(0.0, 0.0, extent, self._top)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,  # noqa: ARG002 - Qt's signature
        widget: QWidget | None = None,  # noqa: ARG002 - Qt's signature
    ) -> None:
        """Draw the part of the curve in sight, then its marks."""
        if self._curve is None or not len(self._curve.bytes_used):
            return
        seen = self.viewRect()
        transform = painter.transform()
        pixels = max(1, round(abs(seen.width() * transform.m11())))
        x, y = self._curve.outline(self._axis, (seen.left(), seen.right()), pixels)
        if not len(x):
            return
        painter.save()
        painter.resetTransform()
        x = x * transform.m11() + transform.dx()
        y = y * transform.m22() + transform.dy()
        frame = transform.mapRect(seen).normalized()
        self._draw_area(painter, x, y, transform.dy())
        if not self._plain:
            self._draw_over_budget(painter, (x, y), frame, transform)
            self._draw_outline(painter, x, y)
            self._draw_floor(painter, frame, transform)
            self._draw_peak(painter, frame, transform)
        painter.restore()

    def _draw_area(self, painter: QPainter, x: FloatArray, y: FloatArray, ground: float) -> None:
        colour = self._theme.resident if self._plain else self._theme.curve_fill
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colour))
        self._fill(painter, x, y, ground)

    def _fill(self, painter: QPainter, x: FloatArray, y: FloatArray, ground: float) -> None:
        """Fill below the curve: one rectangle per level, ten times as fast as a polygon."""
        left, right, level = np.floor(x[0::2]), np.floor(x[1::2]), np.round(y[0::2])
        wide = right > left
        left, level = left[wide], level[wide]
        self._batch.draw(painter, left, level, right[wide] - left, ground - level)

    def _draw_outline(self, painter: QPainter, x: FloatArray, y: FloatArray) -> None:
        painter.setPen(QPen(QColor(self._theme.curve), 1.0))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPolyline(pg.functions.arrayToQPolygonF(x, y))

    def _draw_over_budget(
        self,
        painter: QPainter,
        points: tuple[FloatArray, FloatArray],
        frame: QRectF,
        transform: QTransform,
    ) -> None:
        if not self.over_text or self._budget_bytes is None:
            return
        limit = self._budget_bytes * transform.m22() + transform.dy()
        painter.save()
        painter.setClipRect(
            QRectF(frame.left(), frame.top(), frame.width(), max(0.0, limit - frame.top())),
            Qt.ClipOperation.IntersectClip,
        )
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._over)
        self._fill(painter, *points, transform.dy())
        painter.restore()

    def _draw_floor(self, painter: QPainter, frame: QRectF, transform: QTransform) -> None:
        assert self._curve is not None
        level = round(self._curve.floor_bytes * transform.m22() + transform.dy())
        # Dots as rectangles: a dashed line of this length takes Qt ten times as long.
        x = np.arange(frame.left(), frame.right(), _DOT_EVERY)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._theme.text_muted))
        ones = np.ones_like(x)
        self._batch.draw(painter, x, level * ones, ones, 1.0)

    def _draw_peak(self, painter: QPainter, frame: QRectF, transform: QTransform) -> None:
        assert self._curve is not None
        x = self._curve.peak_place(self._axis) * transform.m11() + transform.dx()
        y = self._curve.peak_bytes * transform.m22() + transform.dy()
        if not frame.left() <= x <= frame.right():
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(self._theme.panel), 1.0))
        painter.setBrush(QColor(self._theme.curve))
        painter.drawEllipse(QPointF(x, y), 3.5, 3.5)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
