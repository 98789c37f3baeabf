"""The axes of the schedule view: steps or time below, bytes and captions on the left."""

import numpy as np
import pyqtgraph as pg
from pyqtgraph.GraphicsScene.mouseEvents import MouseClickEvent, MouseDragEvent
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QPolygonF

from poet_gui.theme import LIGHT, Theme
from poet_gui.viewmodels.memory import byte_ticks
from poet_gui.viewmodels.trace_index import Axis
from solver.units import format_bytes, format_seconds

_DrawSpecs = tuple[
    tuple[QPen, QPointF, QPointF],
    list[tuple[QPen, QPointF, QPointF]],
    list[tuple[QRectF, Qt.AlignmentFlag, str]],
]
"""The axis itself, its ticks, and its labels, as pyqtgraph draws them."""


class CaptionAxis(pg.AxisItem):  # type: ignore[misc]  # pyqtgraph ships no types
    """A left axis with a caption at its head; `bytes_shown` adds ticks in bytes."""

    def __init__(self, caption: str, *, bytes_shown: bool) -> None:
        super().__init__("left", showValues=bytes_shown)
        self._caption = caption
        self._bytes_shown = bytes_shown
        self._theme = LIGHT
        self._font = QFont()
        self.setStyle(tickLength=-4, tickTextOffset=6, autoExpandTextSpace=False)

    def set_theme(self, theme: Theme, font: QFont) -> None:
        """Use these colours and this font."""
        self._theme, self._font = theme, font
        self.setPen(theme.border if not self._bytes_shown else theme.text_muted)
        self.setTextPen(theme.text_muted)
        self.setTickFont(font)

    def tickValues(  # pyqtgraph passes by name
        self,
        minVal: float,  # noqa: N803 - pyqtgraph's signature
        maxVal: float,  # noqa: N803 - pyqtgraph's signature
        size: float,
    ) -> list[tuple[float, list[float]]]:
        """Powers of two apart, as many as have room."""
        if not self._bytes_shown:
            return []
        room = 2.0 * QFontMetricsF(self._font).height()
        ticks, spacing = byte_ticks(minVal, maxVal, max(1, int(size / room)))
        return [(spacing, ticks)] if ticks else []

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:  # noqa: ARG002 - pyqtgraph's signature
        """Sizes as everywhere in the window."""
        return [format_bytes(int(value)) for value in values]

    def boundingRect(self) -> QRectF:
        """Its own column: pyqtgraph's reaches beyond, and what stands there would be drawn anew."""
        beyond = QFontMetricsF(self._font).height() / 2 + 1  # half a label at either end
        return QRectF(0.0, -beyond, self.size().width(), self.size().height() + 2 * beyond)

    def paint(self, painter: QPainter, *args: object) -> None:
        """Draw ticks, then the caption."""
        if self._bytes_shown:
            super().paint(painter, *args)
        painter.setFont(self._font)
        painter.setPen(QColor(self._theme.text_muted))
        where = Qt.AlignmentFlag.AlignLeft | (
            Qt.AlignmentFlag.AlignTop if self._bytes_shown else Qt.AlignmentFlag.AlignVCenter
        )
        painter.drawText(
            QRectF(6, 2, self.size().width(), self.size().height() - 4), where, self._caption
        )


class TimeAxis(pg.AxisItem):  # type: ignore[misc]  # pyqtgraph ships no types
    """Steps from 1 or times, and the flag of the playhead; dragging moves the playhead.

    Signals
    -------
    scrubbed(float)
        The user pointed at this place of the axis.
    """

    scrubbed = Signal(float)

    def __init__(self) -> None:
        super().__init__("bottom")
        self.axis = Axis.STEP
        self._flag: tuple[float, str] | None = None
        self._labels: list[QRectF] = []
        self._theme = LIGHT
        self._font = QFont()
        self.setStyle(tickLength=4, tickTextOffset=4, autoExpandTextSpace=False)
        self.enableAutoSIPrefix(False)  # pyqtgraph's signature

    def set_theme(self, theme: Theme, font: QFont) -> None:
        """Use these colours and this font."""
        self._theme, self._font = theme, font
        self.setPen(theme.text_muted)
        self.setTextPen(theme.text_muted)
        self.setTickFont(font)
        self.setHeight(round(QFontMetricsF(font).height() + 10))

    def set_axis(self, axis: Axis) -> None:
        """Label steps or seconds."""
        self.axis = axis
        self.picture = None
        self.update()

    def set_flag(self, x: float | None, text: str) -> None:
        """Put the playhead's flag at `x` of the axis; None takes it away."""
        self._flag = None if x is None else (x, text)
        self.update()

    def tickValues(  # pyqtgraph passes by name
        self,
        minVal: float,  # noqa: N803 - pyqtgraph's signature
        maxVal: float,  # noqa: N803 - pyqtgraph's signature
        size: float,
    ) -> list[tuple[float, list[float]]]:
        """Return one level of ticks; steps are labelled at the middle of their column."""
        room = 1.8 * QFontMetricsF(self._font).horizontalAdvance("step 10,000")
        most = max(1, int(size / room))
        if not maxVal > minVal:
            return []
        spacing = round_spacing((maxVal - minVal) / most, whole=self.axis is Axis.STEP)
        shift = 0.5 if self.axis is Axis.STEP else 0.0
        # Step n (from 1) has its middle at n - 0.5: multiples of the spacing read as round steps.
        first = np.ceil((minVal + shift) / spacing)
        last = np.floor((maxVal + shift) / spacing)
        values = (np.arange(first, last + 1) * spacing - shift).tolist()
        return [(spacing, [value for value in values if value >= 0])]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:  # noqa: ARG002 - pyqtgraph's signature
        """Name steps from 1, or times."""
        if self.axis is Axis.STEP:
            return [f"step {round(value + 0.5):,}" for value in values]
        return [format_seconds(value) for value in values]

    def generateDrawSpecs(self, p: QPainter) -> _DrawSpecs | None:
        """Note where the labels stand: one that meets the flag would look out behind it."""
        specs: _DrawSpecs | None = super().generateDrawSpecs(p)
        self._labels = [] if specs is None else [box for box, _, _ in specs[2]]
        return specs

    def paint(self, painter: QPainter, *args: object) -> None:
        """Draw ticks, then the flag in the place of the labels that it meets."""
        super().paint(painter, *args)
        view = self.linkedView()
        if self._flag is None or view is None:
            return
        low, high = self.range
        width = float(self.size().width())
        x = (self._flag[0] - low) / (high - low) * width
        if -1.0 <= x <= width + 1.0:
            self._draw_flag(painter, x, self._flag[1])

    def _draw_flag(self, painter: QPainter, x: float, text: str) -> None:
        font = QFont(self._font)
        font.setBold(True)
        metrics = QFontMetricsF(font)
        width = metrics.horizontalAdvance(text) + 16
        left = min(max(x - width / 2, 0.0), float(self.size().width()) - width)
        box = QRectF(left, 4, width, metrics.height() + 3)
        painter.save()
        for hidden in self._labels:
            if hidden.left() <= box.right() and hidden.right() >= box.left():
                # Letters reach below: pyqtgraph takes a fifth off the height of a label.
                whole = QRectF(hidden.left() - 1, box.top(), hidden.width() + 2, 1.5 * box.height())
                painter.fillRect(whole, QColor(self._theme.panel))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._theme.playhead))
        painter.drawRoundedRect(box, 4, 4)
        painter.drawPolygon(QPolygonF([QPointF(x, 0), QPointF(x - 4, 5), QPointF(x + 4, 5)]))
        painter.setFont(font)
        painter.setPen(QColor(self._theme.accent_text))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
        painter.restore()

    def _point(self, event: MouseClickEvent | MouseDragEvent) -> None:
        low, high = self.range
        width = float(self.size().width())
        if event.button() == Qt.MouseButton.LeftButton and width > 0:
            event.accept()
            self.scrubbed.emit(low + (high - low) * float(event.pos().x()) / width)

    def mouseClickEvent(self, event: MouseClickEvent) -> None:
        """Put the playhead there."""
        self._point(event)

    def mouseDragEvent(self, event: MouseDragEvent) -> None:
        """Take the playhead along."""
        self._point(event)

    def wheelEvent(self, event: object) -> None:
        """Hand the wheel to the plot above."""
        view = self.linkedView()
        if view is not None:
            view.wheelEvent(event)


def round_spacing(least: float, *, whole: bool) -> float:
    """Return the least 1, 2 or 5 times a power of ten from `least` on; `whole`: at least 1."""
    if whole and least <= 1.0:
        return 1.0
    power = 10.0 ** np.floor(np.log10(least))
    for digit in (1.0, 2.0, 5.0):
        if digit * power >= least * (1 - 1e-12):
            return float(digit * power)
    return float(10.0 * power)
