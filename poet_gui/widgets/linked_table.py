"""A table of the schedule whose rows and the picture select each other."""

from typing import Final

from PySide6.QtCore import QItemSelection, QItemSelectionModel, QModelIndex, Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QAbstractItemView, QApplication, QHeaderView, QTableView, QWidget

from poet_gui.theme import Theme
from poet_gui.viewmodels.tables import Table
from poet_gui.widgets.table_model import TableModel

_FIRST_ROWS: Final = 200  # looked at for the width of columns; all of 100,000 would take seconds


class LinkedTable(QTableView):
    """Sortable rows; choosing one points at its tensor and action.

    Signals
    -------
    tensor_selected(int), action_selected(int)
        The user chose a row that has one.
    """

    tensor_selected = Signal(int)
    action_selected = Signal(int)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.rows = TableModel(self)
        self.setModel(self.rows)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setAlternatingRowColors(True)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setResizeContentsPrecision(_FIRST_ROWS)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setSortingEnabled(True)
        self.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.horizontalHeader().setSortIndicatorClearable(True)
        self._quiet = False
        self._line = self.fontMetrics().height()
        self.selectionModel().selectionChanged.connect(self._on_selection)
        copy = QShortcut(QKeySequence(QKeySequence.StandardKey.Copy), self)
        copy.setContext(Qt.ShortcutContext.WidgetShortcut)
        copy.activated.connect(self.copy_row)

    def set_theme(self, theme: Theme) -> None:
        """Follow the font, the columns too; colours come from the style sheet."""
        del theme
        line = self.fontMetrics().height()
        self.verticalHeader().setDefaultSectionSize(round(line * 1.5))
        for column in range(self.rows.columnCount() if line != self._line else 0):
            self.setColumnWidth(column, round(self.columnWidth(column) * line / self._line))
        self._line = line

    def show_table(self, table: Table | None) -> None:
        """Show these rows; sorting and the widths of columns that the user set stay."""
        first = self.rows.columnCount() == 0
        self._quiet = True
        self.rows.set_table(table)
        self._quiet = False
        if first and table is not None:
            self.resizeColumnsToContents()

    def select_row(self, row: int | None) -> None:
        """Select a row (None = nothing) and bring it into sight, telling nobody."""
        self._quiet = True
        selection = self.selectionModel()
        if row is None:
            selection.clear()
        else:
            index = self.rows.index(row, 0)
            flags = QItemSelectionModel.SelectionFlag
            selection.setCurrentIndex(index, flags.ClearAndSelect | flags.Rows)
            self.scrollTo(index)
        self._quiet = False

    def selected_row(self) -> int | None:
        """Return the row that is selected."""
        found: list[QModelIndex] = self.selectionModel().selectedRows()
        return found[0].row() if found else None

    def copy_row(self) -> None:
        """Copy the selected row, its cells apart by tabs."""
        row = self.selected_row()
        if row is not None:
            columns = range(self.rows.columnCount())
            cells = [str(self.rows.index(row, column).data()) for column in columns]
            QApplication.clipboard().setText("\t".join(cells))

    def _on_selection(self, selected: QItemSelection, deselected: QItemSelection) -> None:  # noqa: ARG002 - Qt's signal has both
        row = self.selected_row()
        if self._quiet or row is None:
            return
        tensor, action = self.rows.tensor_of(row), self.rows.action_of(row)
        if tensor >= 0:
            self.tensor_selected.emit(tensor)
        if action >= 0:
            self.action_selected.emit(action)
