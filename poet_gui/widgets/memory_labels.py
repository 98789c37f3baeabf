"""The labels over the memory curve as one graphics item, so that none is drawn upon another."""

import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QTransform
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from poet_gui.theme import LIGHT, Theme
from poet_gui.viewmodels.label_places import Box
from poet_gui.viewmodels.memory import MemoryCurve
from poet_gui.viewmodels.memory_labels import Levels, Mark, memory_places, memory_texts
from poet_gui.viewmodels.trace_index import Axis

_PAD = 6.0
_BOLD = (Mark.OVER, Mark.BUDGET)


class MemoryLabels(pg.GraphicsObject):  # type: ignore[misc]  # pyqtgraph ships no types
    """Over by, budget, peak and floor, each on a ground of its own, in screen pixels."""

    def __init__(self) -> None:
        super().__init__()
        self._curve: MemoryCurve | None = None
        self._axis = Axis.STEP
        self._budget_bytes: int | None = None
        self._top = 1.0
        self._theme = LIGHT
        self._font = QFont()

    def set_curve(
        self, curve: MemoryCurve | None, axis: Axis, *, top: float, budget_bytes: int | None
    ) -> None:
        """Name the marks of this curve; `top` is the upper end of the memory axis in bytes."""
        self.prepareGeometryChange()
        self._curve, self._axis = curve, axis
        self._top, self._budget_bytes = top, budget_bytes
        self.update()

    def set_theme(self, theme: Theme, font: QFont) -> None:
        """Use these colours and this font."""
        self._theme, self._font = theme, font
        self.update()

    @property
    def texts(self) -> dict[Mark, str]:
        """What the labels say."""
        if self._curve is None:
            return {}
        return memory_texts(self._curve, self._budget_bytes, self._top)

    def places(self, transform: QTransform) -> dict[Mark, Box]:
        """Where the labels stand, in the pixels that `transform` leads to from axis and bytes."""
        curve = self._curve
        if curve is None or not len(curve.bytes_used):
            return {}
        seen = transform.mapRect(self.viewRect()).normalized()
        frame = Box(seen.left(), seen.top(), seen.width(), seen.height())
        sizes = {}
        for mark, text in self.texts.items():
            metrics = QFontMetricsF(self._font_of(mark))
            sizes[mark] = (metrics.horizontalAdvance(text) + _PAD, metrics.height())
        return memory_places(sizes, self._levels(curve, transform, frame), frame)

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
        """Draw the labels."""
        places = self.places(painter.transform())
        painter.save()
        painter.resetTransform()
        for mark, box in places.items():
            self._draw(painter, mark, QRectF(box.left, box.top, box.width, box.height))
        painter.restore()

    def _levels(self, curve: MemoryCurve, transform: QTransform, frame: Box) -> Levels:
        def level(value: float) -> float:
            return value * transform.m22() + transform.dy()

        peak_x = curve.peak_place(self._axis) * transform.m11() + transform.dx()
        in_sight = frame.left <= peak_x <= frame.right
        budget = self._budget_bytes
        return Levels(
            budget=None if budget is None else level(min(float(budget), self._top)),
            floor=level(curve.floor_bytes),
            peak=(peak_x, level(curve.peak_bytes)) if in_sight else None,
        )

    def _font_of(self, mark: Mark) -> QFont:
        font = QFont(self._font)
        font.setBold(mark in _BOLD)
        return font

    def _draw(self, painter: QPainter, mark: Mark, box: QRectF) -> None:
        """Text on a ground of its own, readable over curve, hatch and grid."""
        theme = self._theme
        colour = {
            Mark.OVER: theme.warning,
            Mark.BUDGET: theme.budget_line,
            Mark.PEAK: theme.text,
            Mark.FLOOR: theme.text_muted,
        }[mark]
        ground = QColor(theme.panel)
        ground.setAlpha(232)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ground)
        painter.drawRoundedRect(box, 3, 3)
        painter.setFont(self._font_of(mark))
        painter.setPen(QColor(colour))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, self.texts[mark])
