"""The column of lane names and sizes beside the lanes; sharing their range, it cannot drift."""

import math
from functools import lru_cache

import pyqtgraph as pg
from pyqtgraph.GraphicsScene.mouseEvents import MouseClickEvent
from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from poet_gui.theme import LIGHT, Theme

_PADDING = 6.0
_LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
_RIGHT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
_LEAST_LANE = 6.0  # pixels; names of thinner lanes would only be a grey smear


@lru_cache(maxsize=4096)
def _elided(name: str, width: float, font: str) -> str:
    made = QFont()
    made.fromString(font)
    return QFontMetricsF(made).elidedText(name, Qt.TextElideMode.ElideMiddle, width)


class LaneAxis(pg.AxisItem):  # type: ignore[misc]  # pyqtgraph ships no types
    """Names elided in the middle, sizes on the right; the selected lane is bold.

    Signals
    -------
    lane_clicked(int)
        The user clicked the name of this lane.
    """

    lane_clicked = Signal(int)

    def __init__(self) -> None:
        super().__init__("left")
        self._names: tuple[str, ...] = ()
        self._sizes: tuple[str, ...] = ()
        self._selected: int | None = None
        self._theme = LIGHT
        self.setFlag(self.GraphicsItemFlag.ItemUsesExtendedStyleOption)  # it says what is exposed
        self.set_font(QFont())

    def set_lanes(self, names: tuple[str, ...], sizes: tuple[str, ...]) -> None:
        """Show these lanes."""
        if (names, sizes) != (self._names, self._sizes):
            self._names, self._sizes = names, sizes
            self.update()

    def set_selected_lane(self, lane: int | None) -> None:
        """Draw the name of `lane` in bold on the colour of the selection."""
        if lane != self._selected:
            self._selected = lane
            self.update()

    def set_theme(self, theme: Theme) -> None:
        """Use these colours."""
        self._theme = theme
        self.update()

    def set_font(self, font: QFont) -> None:
        """Use this font; its size sets the room that names need."""
        self._font, self._bold = QFont(font), QFont(font)
        self._bold.setBold(True)
        self._keys = {False: self._font.toString(), True: self._bold.toString()}
        self._size_width = QFontMetricsF(font).horizontalAdvance("1000 KiB")
        self.update()

    def lane_at(self, y: float) -> int | None:
        """Lane at `y` of this item; None outside."""
        low, high = sorted(self.range)  # pyqtgraph turns it round for an inverted view
        height = self.size().height()
        if height <= 0:
            return None
        lane = math.floor(low + (high - low) * y / height)
        return lane if 0 <= lane < len(self._names) else None

    def shown_text(self, lane: int) -> str:
        """Name of `lane` as it is drawn, shortened when there is no room."""
        room = max(10.0, float(self.size().width()) - self._size_width - 3 * _PADDING)
        return _elided(self._names[lane], room, self._keys[lane == self._selected])

    def _draw_names(self, painter: QPainter, boxes: dict[int, QRectF]) -> None:
        painter.setPen(QColor(self._theme.text))
        for lane, box in boxes.items():
            painter.setFont(self._bold if lane == self._selected else self._font)
            painter.drawText(box, _LEFT, self.shown_text(lane))

    def _draw_sizes(self, painter: QPainter, boxes: dict[int, QRectF]) -> None:
        painter.setFont(self._font)
        painter.setPen(QColor(self._theme.text_muted))
        for lane, box in boxes.items():
            painter.drawText(box, _RIGHT, self._sizes[lane])

    def boundingRect(self) -> QRectF:
        """Its own column: pyqtgraph's reaches beyond, and what moves there would draw it anew."""
        return QRectF(0.0, 0.0, self.size().width(), self.size().height())

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,  # noqa: ARG002 - Qt's signature
    ) -> None:
        """Draw the names of the lanes in sight."""
        low, high = sorted(self.range)  # pyqtgraph turns it round for an inverted view
        width, height = self.size().width(), self.size().height()
        if not self._names or high <= low or height <= 0:
            return
        scale = height / (high - low)
        if scale < _LEAST_LANE:
            return
        boxes = {}
        # What moves beside it exposes a few lanes only: the others need no paint.
        exposed = option.exposedRect
        first = math.floor(max(low, low + exposed.top() / scale, 0.0))
        last = math.ceil(min(high, low + exposed.bottom() / scale, len(self._names)))
        for lane in range(first, last):
            top, bottom = math.floor((lane - low) * scale), math.floor((lane + 1 - low) * scale)
            boxes[lane] = QRectF(_PADDING, top, width - 2 * _PADDING, bottom - top)
        painter.save()
        painter.setClipRect(QRectF(0, 0, width, height))
        chosen = boxes.get(self._selected) if self._selected is not None else None
        if chosen is not None:
            ground = QRectF(0, chosen.top(), width, chosen.height())
            painter.fillRect(ground, QColor(self._theme.selection))
            ground.setWidth(3)
            painter.fillRect(ground, QColor(self._theme.accent))
        self._draw_names(painter, boxes)
        self._draw_sizes(painter, boxes)
        painter.restore()

    def mouseClickEvent(self, event: MouseClickEvent) -> None:
        """Select the lane whose name was clicked."""
        lane = self.lane_at(event.pos().y())
        if lane is not None and event.button() == Qt.MouseButton.LeftButton:
            event.accept()
            self.lane_clicked.emit(lane)

    def mouseDragEvent(self, event: object) -> None:
        """Names are not dragged."""

    def wheelEvent(self, event: object) -> None:
        """Hand the wheel to the lanes."""
        view = self.linkedView()
        if view is not None:
            view.wheelEvent(event)
