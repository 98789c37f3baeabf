"""The RAM budget as a line that can be dragged."""

import pyqtgraph as pg
from pyqtgraph.GraphicsScene.mouseEvents import MouseDragEvent
from PySide6.QtCore import Qt, Signal

from poet_gui.theme import Theme


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
        for width, setter in ((1, self.setPen), (2, self.setHoverPen)):
            pen = pg.mkPen(theme.budget_line, width=width, style=Qt.PenStyle.DashLine)
            setter(pen)

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
