"""The RAM budget as a line that can be dragged."""

from typing import Final

import pyqtgraph as pg
from pyqtgraph.GraphicsScene.mouseEvents import MouseDragEvent
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from poet_gui.theme import Theme

GRIP: Final = 9.0
"""Pixels on each side of the line in which it can be taken."""
_BAND_ALPHA: Final = 40


class BudgetLine(pg.InfiniteLine):  # type: ignore[misc]  # pyqtgraph ships no types
    """A dashed horizontal line at the budget in bytes; a band around it lights up when pointed at.

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
        # What pyqtgraph keeps for a marker on the line is what its bounds, and so its shape, allow.
        self._maxMarkerSize = GRIP
        self._held = 0.0
        self._band = QColor(Qt.GlobalColor.transparent)
        self.setCursor(Qt.CursorShape.SizeVerCursor)
        self.hide()

    def set_budget(self, budget_bytes: int | None, top: float) -> None:
        """Stand at this budget, or at the upper end `top` of the axis when it lies above."""
        self.setVisible(budget_bytes is not None)
        if budget_bytes is not None:
            self.setValue(min(float(budget_bytes), top * 0.995))
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Use these colours."""
        self._band = QColor(theme.budget_line)
        self._band.setAlpha(_BAND_ALPHA)
        for width, setter in ((1, self.setPen), (2, self.setHoverPen)):
            pen = pg.mkPen(theme.budget_line, width=width, style=Qt.PenStyle.DashLine)
            setter(pen)

    def mouseDragEvent(self, event: MouseDragEvent) -> None:
        """Follow the pointer and say how many bytes that is."""
        if event.button() != Qt.MouseButton.LeftButton:
            return
        event.accept()
        view = self.getViewBox()
        if event.isStart():
            taken = float(view.mapSceneToView(event.buttonDownScenePos()).y())
            self._held = self.value() - taken  # it does not jump to where it was taken
            self.drag_started.emit()
        level = float(view.mapSceneToView(event.scenePos()).y()) + self._held
        self.budget_dragged.emit(min(max(1, round(level)), round(view.viewRange()[1][1])))
        if event.isFinish():
            self.drag_finished.emit()

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        """Draw the line, and while the pointer is on it where it can be taken."""
        if self.mouseHovering:
            painter.fillRect(self.boundingRect(), self._band)
        super().paint(painter, option, widget)
