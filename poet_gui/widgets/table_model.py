"""A Table of the view-models as a Qt model: texts are made for the cells in sight only."""

import numpy as np
from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
)

from poet_gui.viewmodels.tables import Table
from poet_gui.viewmodels.trace_index import IntArray

Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()


class TableModel(QAbstractTableModel):
    """Rows of a Table, sortable by any column without touching a text."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._table: Table | None = None
        self._order: IntArray = np.zeros(0, dtype=np.int64)
        self._place: IntArray = self._order
        self._sorting = (-1, Qt.SortOrder.AscendingOrder)

    def set_table(self, table: Table | None) -> None:
        """Show another table; the sorting stays."""
        self.beginResetModel()
        self._table = table
        self._arrange()
        self.endResetModel()

    def tensor_of(self, row: int) -> int:
        """Tensor of a row as shown; -1 for none."""
        return int(self._table.tensor[self._order[row]]) if self._table is not None else -1

    def action_of(self, row: int) -> int:
        """Action of a row as shown; -1 for none."""
        return int(self._table.action[self._order[row]]) if self._table is not None else -1

    def row_of_tensor(self, tensor: int) -> int | None:
        """Return the first row of the table that belongs to `tensor`, as shown."""
        return self._row_of(self._table.tensor, tensor) if self._table is not None else None

    def row_of_action(self, action: int) -> int | None:
        """Row of `action` as shown."""
        return self._row_of(self._table.action, action) if self._table is not None else None

    def _row_of(self, values: IntArray, wanted: int) -> int | None:
        found = np.flatnonzero(values == wanted)
        return int(self._place[found[0]]) if len(found) else None

    def _arrange(self) -> None:
        rows = self._table.rows if self._table is not None else 0
        column, direction = self._sorting
        self._order = np.arange(rows, dtype=np.int64)
        if self._table is not None and 0 <= column < len(self._table.columns):
            keys = self._table.columns[column].keys
            self._order = np.argsort(keys, kind="stable")
            if direction == Qt.SortOrder.DescendingOrder:
                self._order = self._order[::-1].copy()
        self._place = np.empty(rows, dtype=np.int64)
        self._place[self._order] = np.arange(rows)

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        """Rows of the table."""
        return 0 if parent.isValid() or self._table is None else self._table.rows

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        """Columns of the table."""
        return 0 if parent.isValid() or self._table is None else len(self._table.columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Text and alignment of a cell."""
        if self._table is None or not index.isValid():
            return None
        column = self._table.columns[index.column()]
        if role in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole}:
            return column.text(int(self._order[index.row()]))
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if column.is_number else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Titles and what they mean."""
        if self._table is None or orientation != Qt.Orientation.Horizontal:
            return None
        if not 0 <= section < len(self._table.columns):
            return None
        column = self._table.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.title
        if role == Qt.ItemDataRole.ToolTipRole:
            return column.tip or None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if column.is_number else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Order the rows by a column; equal ones keep the order of the table."""
        self.layoutAboutToBeChanged.emit()
        before = self.persistentIndexList()
        rows = [int(self._order[index.row()]) for index in before]
        self._sorting = (column, order)
        self._arrange()
        for old, row in zip(before, rows, strict=True):
            self.changePersistentIndex(old, self.index(int(self._place[row]), old.column()))
        self.layoutChanged.emit()
