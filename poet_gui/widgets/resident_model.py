"""What is in RAM at one action as a Qt model: name, share, bytes, next use."""

from typing import Final

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt

from poet_gui.viewmodels.resident import Residents
from poet_gui.widgets.table_model import Index
from solver.units import format_bytes, format_bytes_exactly, format_percent

TITLES: Final = ("tensor", "share", "bytes", "next use")
NAME, SHARE, BYTES, NEXT = range(4)
_NOWHERE = QModelIndex()


class ResidentModel(QAbstractTableModel):
    """Rows of a Residents value."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.shown: Residents | None = None

    def show(self, residents: Residents | None) -> None:
        """Show these rows."""
        self.beginResetModel()
        self.shown = residents
        self.endResetModel()

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        """Holders of RAM."""
        return 0 if parent.isValid() or self.shown is None else len(self.shown.rows)

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        """Name, share, bytes, next use."""
        return 0 if parent.isValid() else len(TITLES)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Texts; the share as a number for its bar."""
        if self.shown is None or not index.isValid():
            return None
        row, column = self.shown.rows[index.row()], index.column()
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(column)
        if role == Qt.ItemDataRole.DisplayRole:
            return (row.name, "", format_bytes(row.size_bytes), row.next_use_text)[column]
        if role == Qt.ItemDataRole.UserRole:
            return row.share
        percent = format_percent(row.share)
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{row.name}: {format_bytes_exactly(row.size_bytes)}, {percent}"
        speaks = role == Qt.ItemDataRole.AccessibleTextRole and column == SHARE
        return percent if speaks else None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Titles of the columns."""
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(TITLES):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return TITLES[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(section)
        return None


def _alignment(column: int) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column >= BYTES else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter
