"""The memory curves of two schedules over one another, on one axis."""

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from poet_gui.theme import LIGHT, Theme
from poet_gui.viewmodels.compare import Overlay
from poet_gui.viewmodels.memory import MemoryCurve, byte_ticks
from poet_gui.viewmodels.trace_index import Axis
from solver.costs import FloatArray
from solver.units import format_bytes

_DASH = (4.0, 2.5)
_LINE = 27
"""Pixels of a piece of line in the legend, and the distance to its words."""
_BETWEEN = 18
"""Pixels between the two sides of the legend."""


class CompareCurves(QWidget):
    """A dashed, B solid above its area; told apart without their hue."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("compareCurves")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._overlay: Overlay | None = None
        self._axis = Axis.STEP
        self._theme = LIGHT

    def set_theme(self, theme: Theme) -> None:
        """Use these colours."""
        self._theme = theme
        self.update()

    def set_overlay(self, overlay: Overlay | None, axis: Axis) -> None:
        """Draw these curves over ops (STEP) or seconds; None draws nothing."""
        self._overlay, self._axis = overlay, axis
        if overlay is not None:
            peaks = format_bytes(overlay.a.peak_bytes), format_bytes(overlay.b.peak_bytes)
            self.setAccessibleName(f"memory: A peaks at {peaks[0]}, B at {peaks[1]}")
        self.update()

    def _area(self) -> QRectF:
        metrics = self.fontMetrics()
        left = metrics.horizontalAdvance("0000 KiB") + 8
        line = metrics.height()
        return QRectF(self.rect()).adjusted(left, line + 4, -6, -line - 4)

    def _points(
        self, curve: MemoryCurve, overlay: Overlay, area: QRectF
    ) -> tuple[FloatArray, FloatArray]:
        extent = overlay.extent[self._axis]
        x, y = curve.outline(self._axis, (0.0, extent), max(1, round(area.width())))
        return (
            area.left() + x / extent * area.width(),
            area.bottom() - y / overlay.top * area.height(),
        )

    def _draw_axes(self, painter: QPainter, overlay: Overlay, area: QRectF) -> None:
        theme, line = self._theme, painter.fontMetrics().height()
        ticks, _ = byte_ticks(0.0, overlay.top, max(1, int(area.height() / (1.6 * line))))
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        for tick in ticks:
            y = round(area.bottom() - tick / overlay.top * area.height()) + 0.5
            painter.setPen(QPen(QColor(theme.grid), 1))
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
            painter.setPen(QColor(theme.text_muted))
            box = QRectF(0, y - line / 2, area.left() - 6, line)
            painter.drawText(box, right, format_bytes(int(tick)))
        painter.setPen(QPen(QColor(theme.storage), 1))
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        painter.setPen(QColor(theme.text_muted))
        below = QRectF(area.left(), area.bottom() + 3, area.width(), line)
        first, last = overlay.ends[self._axis]
        painter.drawText(below, Qt.AlignmentFlag.AlignLeft, first)
        painter.drawText(below, Qt.AlignmentFlag.AlignRight, last)

    def _draw_legend(self, painter: QPainter, overlay: Overlay, area: QRectF) -> None:
        metrics = painter.fontMetrics()
        y = area.top() - metrics.height() / 2 - 3
        names = [
            f"{name} peak {format_bytes(curve.peak_bytes)}"
            for name, curve in (("A", overlay.a), ("B", overlay.b))
        ]
        widths = [_LINE + metrics.horizontalAdvance(text) for text in names]
        x = legend_left(area.left(), self.width(), sum(widths) + _BETWEEN)
        for text, width, dashed in zip(names, widths, (True, False), strict=True):
            painter.setPen(self._pen(dashed=dashed))
            painter.drawLine(QPointF(x, y), QPointF(x + 22, y))
            painter.setPen(QColor(self._theme.text))
            box = QRectF(x + _LINE, y - metrics.height() / 2, area.width(), metrics.height())
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, text)
            x += width + _BETWEEN

    def _pen(self, *, dashed: bool) -> QPen:
        pen = QPen(QColor(self._theme.warning if dashed else self._theme.curve), 1.2)
        if dashed:
            pen.setDashPattern(list(_DASH))
        return pen

    def sizeHint(self) -> QSize:
        """Qt: wide and flat."""
        return QSize(320, 8 * self.fontMetrics().height())

    def minimumSizeHint(self) -> QSize:
        """Qt: four lines of text."""
        return QSize(180, 4 * self.fontMetrics().height())

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt override
        """Qt: axes, the area of B, then both outlines."""
        overlay = self._overlay
        if overlay is None:
            return
        painter = QPainter(self)
        area = self._area()
        self._draw_axes(painter, overlay, area)
        x, y = self._points(overlay.b, overlay, area)
        if len(x):
            polygon = QPolygonF([QPointF(float(x[0]), area.bottom())])
            polygon.append(_polyline(x, y).toList())
            polygon.append(QPointF(float(x[-1]), area.bottom()))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(self._theme.curve_fill))
            painter.drawPolygon(polygon)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(self._pen(dashed=False))
            painter.drawPolyline(_polyline(x, y))
        painter.setPen(self._pen(dashed=True))
        painter.drawPolyline(_polyline(*self._points(overlay.a, overlay, area)))
        self._draw_legend(painter, overlay, area)
        painter.end()


def legend_left(wanted: float, room: float, needed: float) -> float:
    """Where a legend begins, in pixels: above the axis, or as far left of it as it needs."""
    return max(0.0, min(wanted, room - needed))


def _polyline(x: FloatArray, y: FloatArray) -> QPolygonF:
    return QPolygonF([QPointF(*point) for point in zip(x.tolist(), y.tolist(), strict=True)])
