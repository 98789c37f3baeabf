"""The memory curve with its marks: the budget as a line that can be dragged, labels, the axis."""

import pyqtgraph as pg
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QFont, QFontMetricsF

from poet_gui.theme import Theme
from poet_gui.viewmodels.memory import MemoryCurve, memory_top
from poet_gui.viewmodels.trace_index import Axis
from poet_gui.widgets.budget_line import BudgetLine
from poet_gui.widgets.memory_item import MemoryItem
from poet_gui.widgets.memory_labels import MemoryLabels


class MemoryPane(QObject):
    """What is drawn in `box`, over the x axis of the schedule.

    Signals
    -------
    budget_dragged(object)
        The user wants the budget line at this many bytes.
    """

    budget_dragged = Signal(object)

    def __init__(self, box: pg.ViewBox, parent: QObject) -> None:
        super().__init__(parent)
        self._box = box
        self.item, self.line, self.labels = MemoryItem(), BudgetLine(), MemoryLabels()
        self._curve: MemoryCurve | None = None
        self._axis = Axis.STEP
        self._budget_bytes: int | None = None
        self._frozen_top: float | None = None
        self._line_height = 12.0
        for item in (self.item, self.line, self.labels):
            box.addItem(item, ignoreBounds=True)
        self.line.budget_dragged.connect(self.budget_dragged)
        self.line.drag_started.connect(self._on_drag_started)
        self.line.drag_finished.connect(self._on_drag_finished)

    def set_theme(self, theme: Theme, font: QFont) -> None:
        """Use these colours and this font."""
        self._line_height = QFontMetricsF(font).height()
        for item in (self.item, self.line):
            item.set_theme(theme)
        self.labels.set_theme(theme, font)

    def set_curve(self, curve: MemoryCurve | None, axis: Axis) -> None:
        """Show this curve over this axis."""
        self._curve, self._axis = curve, axis
        self._show()

    def set_budget(self, budget_bytes: int | None) -> None:
        """Show this RAM budget, bytes."""
        if budget_bytes != self._budget_bytes:
            self._budget_bytes = budget_bytes
            self._show()

    def nudge_budget(self, hundredths: int) -> None:
        """Ask for a budget that is higher by so many hundredths of the axis."""
        if self._budget_bytes is not None and self._curve is not None:
            step = max(1, round(float(self._box.viewRange()[1][1]) / 100))
            self.budget_dragged.emit(max(1, self._budget_bytes + hundredths * step))

    def _show(self) -> None:
        curve, budget_bytes = self._curve, self._budget_bytes
        room = (self._line_height + 8.0) / max(1.0, float(self._box.height()))
        top = self._frozen_top or memory_top(curve, budget_bytes, headroom=min(max(room, 0.1), 0.5))
        self.item.set_curve(curve, self._axis, top)
        self.item.set_budget(budget_bytes)
        self.labels.set_curve(curve, self._axis, top=top, budget_bytes=budget_bytes)
        self._box.setYRange(0.0, top, padding=0)
        self.line.set_budget(budget_bytes if curve else None, top)

    def _on_drag_started(self) -> None:
        """Hold the axis still: one that follows the line would run away under the pointer."""
        self._frozen_top = float(self._box.viewRange()[1][1])

    def _on_drag_finished(self) -> None:
        self._frozen_top = None
        self._show()
