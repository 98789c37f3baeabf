"""Draws the still part of the frontier: axes, areas, curves and points; knows no mouse."""

import math

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QPainter,
    QPen,
    QPixmap,
    QPolygonF,
)

from poet_gui.theme import Theme
from poet_gui.viewmodels.frontier import Series
from poet_gui.viewmodels.frontier_words import energy_ticks
from poet_gui.viewmodels.label_places import in_a_row
from poet_gui.viewmodels.memory import byte_ticks
from poet_gui.widgets.frontier_names import draw_names
from poet_gui.widgets.frontier_place import PAD, Place, joules_text
from poet_gui.widgets.frontier_style import (
    POINT_RADIUS,
    bound_pen,
    draw_point,
    gap_brush,
    impossible_brush,
    series_colour,
    series_pen,
)
from poet_gui.widgets.rect_batch import RectBatch
from solver.costs import FloatArray
from solver.units import format_seconds


class FrontierLayer:
    """Paints one scene at one place with one theme."""

    def __init__(self, place: Place, theme: Theme, font: QFont) -> None:
        self._place, self._scene = place, place.scene
        self._theme, self._font = theme, font

    def paint(self, painter: QPainter) -> None:
        """Everything but what moves: the budget, the rings."""
        painter.setFont(self._font)
        self._draw_impossible(painter)
        self._draw_axes(painter)
        # Steps run along the pixels: smoothing them would only cost time and blur them.
        self._draw_gap(painter)
        for series in reversed(self._scene.series):
            self._draw_series(painter, series)
        self._draw_points(painter)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        flags = [box for _, box, _ in self._knee_flags()]
        draw_names(painter, self._place, self._theme, flags)
        self._draw_knees(painter)

    def _draw_impossible(self, painter: QPainter) -> None:
        area = self._place.area
        edge = float(self._place.x(np.array(self._scene.impossible)))
        zone = QRectF(area.left(), area.top(), max(0.0, edge - area.left()), area.height())
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(impossible_brush(self._theme))
        painter.drawRect(zone)

    def _draw_axes(self, painter: QPainter) -> None:
        scene, area, theme = self._scene, self._place.area, self._theme
        line = QFontMetricsF(self._font).height()
        low, high = scene.y_range
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        last = area.bottom() + line
        for tick in energy_ticks(low, high, max(2, int(area.height() / (2.2 * line)))):
            y = round(float(self._place.y(np.array(tick)))) + 0.5
            if last - y < 1.3 * line:  # a bent axis crowds its upper ticks
                continue
            last = y
            painter.setPen(QPen(QColor(theme.grid), 1))
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
            painter.setPen(QColor(theme.text_muted))
            box = QRectF(0, y - line / 2, area.left() - PAD, line)
            painter.drawText(box, right, joules_text(tick))
        painter.setPen(QPen(QColor(theme.storage), 1))
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        painter.drawLine(area.bottomLeft(), area.topLeft())
        self._draw_x_axis(painter, line)

    def _draw_x_axis(self, painter: QPainter, line: float) -> None:
        """The marks by name; between them, where there is room, round places."""
        scene, area, theme = self._scene, self._place.area, self._theme
        metrics = QFontMetricsF(self._font)
        dotted = QPen(QColor(theme.text_muted), 1)
        dotted.setDashPattern([1.0, 3.0])
        wanted = []
        for mark in scene.marks:
            x = round(float(self._place.x(np.array(mark.x)))) + 0.5
            painter.setPen(dotted)
            painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
            width = metrics.horizontalAdvance(mark.text)
            wanted.append((max(x - width / 2, area.left() - 30), width))
        lefts = in_a_row(wanted, room=(0.0, area.right() + PAD), gap=8.0)
        taken = [(x - 8, x + w + 8) for x, (_, w) in zip(lefts, wanted, strict=False)]
        painter.setPen(QColor(theme.text))
        for left, mark in zip(lefts, scene.marks, strict=False):
            width = metrics.horizontalAdvance(mark.text)
            painter.drawText(QRectF(left, area.bottom() + 4, width + 2, line), 0, mark.text)
        painter.setPen(QColor(theme.text_muted))
        for tick, text in self._x_ticks(metrics):
            x, width = float(self._place.x(np.array(tick))), metrics.horizontalAdvance(text)
            left = x - width / 2
            free = all(left + width < low or left > high for low, high in taken)
            if free and left > area.left() and left + width < area.right() + PAD:
                painter.drawLine(QPointF(x, area.bottom()), QPointF(x, area.bottom() + 3))
                painter.drawText(QRectF(left, area.bottom() + 4, width + 2, line), 0, text)
        # Where a bound was proven: a rug, one thread per pixel.
        for x in sorted(set(np.round(self._place.x(scene.solved)).tolist())):
            if area.left() <= x <= area.right():
                painter.drawLine(QLineF(x + 0.5, area.bottom() - 4, x + 0.5, area.bottom()))

    def _x_ticks(self, metrics: QFontMetricsF) -> list[tuple[float, str]]:
        low, high = self._scene.x_range
        most = max(1, int(self._place.area.width() / (1.7 * metrics.horizontalAdvance("0000 KiB"))))
        if self._scene.axis == "ram":
            return [(x, self._scene.x_text(x)) for x in byte_ticks(low, high, most)[0]]
        return [(x, format_seconds(x)) for x in energy_ticks(low, high, most)]

    def _draw_gap(self, painter: QPainter) -> None:
        scene = self._scene
        if not len(scene.gap_x):
            return
        x, low = self._place.x(scene.gap_x), self._place.y(scene.gap_low_j)
        high = self._place.y(scene.gap_high_j)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(gap_brush(self._theme))
        # One rectangle per step: a polygon of many corners takes five times as long.
        left, right = np.floor(x[0::2]), np.floor(x[1::2])
        top, height = high[0::2], np.maximum(0.0, low[0::2] - high[0::2])
        RectBatch().draw(painter, left, top, right - left, height)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(bound_pen(self._theme))
        painter.drawPolyline(QPolygonF(_points(x, low)))

    def _draw_series(self, painter: QPainter, series: Series) -> None:
        if not len(series.x):
            return
        style = series.style
        painter.setPen(series_pen(self._theme, style.strategy, style.dash))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        line = _points(self._place.x(series.x), self._place.y(series.y))
        painter.drawPolyline(QPolygonF(line))

    def _draw_points(self, painter: QPainter) -> None:
        """Each look is drawn once and stamped wherever it is needed."""
        points, ratio = self._scene.points, painter.device().devicePixelRatio()
        x = self._place.x(points.x)
        y = self._place.y(points.energy_j)
        for owner in range(len(self._scene.series) - 1, -1, -1):  # the main curve on top
            for proven in (True, False):
                chosen = (points.series == owner) & (points.proven == proven)
                if not chosen.any():
                    continue
                stamp = self._stamp(owner, ratio, proven=proven)
                half = stamp.width() / ratio / 2
                for left, top in zip(
                    (x[chosen] - half).tolist(), (y[chosen] - half).tolist(), strict=True
                ):
                    painter.drawPixmap(QPointF(left, top), stamp)

    def _stamp(self, owner: int, ratio: float, *, proven: bool) -> QPixmap:
        theme, strategy = self._theme, self._scene.series[owner].style.strategy
        colour = QColor(theme.good) if proven and not owner else series_colour(theme, strategy)
        side = round(4 * POINT_RADIUS * ratio)
        stamp = QPixmap(side, side)
        stamp.setDevicePixelRatio(ratio)
        stamp.fill(Qt.GlobalColor.transparent)
        painter = QPainter(stamp)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        draw_point(
            painter,
            QPointF(side / ratio / 2, side / ratio / 2),
            colour=colour,
            ground=QColor(theme.panel),
            proven=proven,
            radius=POINT_RADIUS if not owner else POINT_RADIUS * 0.7,
        )
        painter.end()
        return stamp

    def _draw_knees(self, painter: QPainter) -> None:
        """A flag with the number above the point; the name is in the list of knees."""
        for at, box, text in self._knee_flags():
            painter.setPen(QPen(QColor(self._theme.text_muted), 1))
            painter.drawLine(at, box.bottomLeft() + QPointF(2, -1))
            painter.setBrush(QColor(self._theme.panel))
            painter.drawRoundedRect(box, 3, 3)
            painter.setPen(QColor(self._theme.text))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def _knee_flags(self) -> list[tuple[QPointF, QRectF, str]]:
        """Point, box and text of each flag."""
        metrics = QFontMetricsF(self._font)
        flags = []
        for number, knee in enumerate(self._scene.knees, start=1):
            at = self._place.point(knee.x, float(self._scene.points.energy_j[knee.point]))
            text = self._knee_text(number)
            width = metrics.horizontalAdvance(text) + 8
            box = QRectF(at.x() + 5, at.y() - metrics.height() - 7, width, metrics.height())
            flags.append((at, box, text))
        return flags

    def _knee_text(self, number: int) -> str:
        settled = self._scene.settled
        if self._place.area.width() > 30 * PAD * 2:
            return f"knee {number}" if settled else f"knee {number} so far"
        return str(number) if settled else f"{number}?"


def _points(x: FloatArray, y: FloatArray) -> list[QPointF]:
    return [QPointF(a, b) for a, b in zip(x.tolist(), y.tolist(), strict=True) if math.isfinite(b)]
