"""The RAM budget as a line that can be dragged; where it is out of sight its label says so."""

import pyqtgraph as pg
from pyqtgraph.GraphicsScene.mouseEvents import MouseDragEvent
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter

from poet_gui.theme import LIGHT, Theme
from solver.units import format_bytes


class BudgetLine(pg.InfiniteLine):  # type: ignore[misc]  # pyqtgraph ships no types
    """A dashed horizontal line at the budget in bytes.

    Signals
    -------
    budget_dragged(object)
        The user moved the line to this many bytes (a whole number, at least 1; beyond 32 bits).
    drag_started(), drag_finished()
        The first and the last of these.
    """

    budget_dragged = Signal(object)
    drag_started = Signal()
    drag_finished = Signal()

    def __init__(self) -> None:
        super().__init__(angle=0, movable=True)
        self._top = 1.0
        self._budget_bytes: int | None = None
        self._theme = LIGHT
        self._font = QFont()
        self.setCursor(Qt.CursorShape.SizeVerCursor)
        self.hide()

    def set_budget(self, budget_bytes: int | None, top: float) -> None:
        """Stand at this budget, or at the upper end `top` of the axis when it lies above."""
        self._budget_bytes, self._top = budget_bytes, top
        self.setVisible(budget_bytes is not None)
        if budget_bytes is not None:
            self.setValue(min(float(budget_bytes), top * 0.995))
        self.update()

    def set_theme(self, theme: Theme, font: QFont) -> None:
        """Use these colours and this font."""
        self._theme, self._font = theme, font
        for width, setter in ((1, self.setPen), (2, self.setHoverPen)):
            pen = pg.mkPen(theme.budget_line, width=width, style=Qt.PenStyle.DashLine)
            setter(pen)

    @property
    def label(self) -> str:
        """What stands beside the line."""
        if self._budget_bytes is None:
            return ""
        sign = "↑" if self._budget_bytes > self._top else "↕"
        return f"budget {format_bytes(self._budget_bytes)}  {sign}"

    def paint(self, painter: QPainter, *args: object) -> None:
        """Draw the line and, at its right end, its label."""
        super().paint(painter, *args)
        view = self.getViewBox()
        if view is None or not self.label:
            return
        corner = view.mapViewToScene(QPointF(view.viewRect().right(), self.value()))
        device = painter.transform()
        to_device = self.sceneTransform().inverted()[0] * device
        right = to_device.map(corner)
        painter.save()
        painter.resetTransform()
        font = QFont(self._font)
        font.setBold(True)
        metrics = QFontMetricsF(font)
        width = metrics.horizontalAdvance(self.label)
        top_edge = to_device.map(view.mapViewToScene(view.viewRect().bottomLeft())).y()
        above = right.y() - metrics.height() - 1
        y = above if above >= top_edge else right.y() + 1
        painter.setFont(font)
        painter.setPen(QColor(self._theme.budget_line))
        box = QRectF(right.x() - width - 8, y, width + 4, metrics.height())
        ground = QColor(self._theme.panel)
        ground.setAlpha(235)
        painter.fillRect(box, ground)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, self.label)
        painter.restore()

    def mouseDragEvent(self, event: MouseDragEvent) -> None:
        """Follow the pointer and say how many bytes that is."""
        if event.button() != Qt.MouseButton.LeftButton:
            return
        event.accept()
        if event.isStart():
            self.drag_started.emit()
        view = self.getViewBox()
        level = float(view.mapSceneToView(event.scenePos()).y())
        self.budget_dragged.emit(min(max(1, round(level)), round(view.viewRange()[1][1])))
        if event.isFinish():
            self.drag_finished.emit()
