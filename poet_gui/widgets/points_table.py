"""The table twin of the frontier: the same points, row by row."""

from PySide6.QtCore import QEvent, Signal, Slot
from PySide6.QtGui import QKeyEvent

from poet_gui.widgets.linked_table import LinkedTable
from poet_gui.widgets.return_keys import asks_for_return, is_return, with_control


class PointsTable(LinkedTable):
    """The table twin: Return loads a row, Ctrl+Return compares it.

    Signals
    -------
    row_wished(int, bool)
        The position that a row stands for, and whether it is to be compared.
    """

    row_wished = Signal(int, bool)

    def __init__(self) -> None:
        super().__init__("frontierTable")
        self.setAccessibleName("points of the frontier")
        self.doubleClicked.connect(self._on_double_clicked)

    @Slot()
    def _on_double_clicked(self) -> None:
        self._wish(compares=False)

    def _wish(self, *, compares: bool) -> None:
        row = self.selected_row()
        if row is not None:
            self.row_wished.emit(self.rows.action_of(row), compares)

    def event(self, event: QEvent) -> bool:
        """Qt: Ctrl+Return compares here, though it solves elsewhere."""
        if asks_for_return(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt: Return loads, Ctrl+Return compares."""
        if is_return(event):
            self._wish(compares=with_control(event))
        else:
            super().keyPressEvent(event)
