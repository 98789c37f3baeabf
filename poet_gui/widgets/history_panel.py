"""The history: every solved what-if is a row; choosing one brings it back without solving."""

from collections.abc import Sequence

from PySide6.QtCore import (
    QAbstractTableModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QColor, QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QHeaderView,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from poet_gui.theme import LIGHT, Theme
from poet_gui.viewmodels.history_rows import COLUMNS, HistoryText
from poet_gui.widgets.parts import label
from poet_gui.widgets.return_keys import is_return, with_control

_Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
_ANSWER = len(COLUMNS) - 1


class HistoryModel(QAbstractTableModel):
    """The rows as a table."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[HistoryText, ...] = ()
        self.theme = LIGHT

    def set_rows(self, rows: Sequence[HistoryText]) -> None:
        """Show other rows."""
        self.beginResetModel()
        self._rows = tuple(rows)
        self.endResetModel()

    def rowCount(self, parent: _Index = _ROOT) -> int:
        """Qt: number of rows."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: _Index = _ROOT) -> int:
        """Qt: number of columns."""
        return 0 if parent.isValid() else len(COLUMNS)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Qt: text, tooltip, alignment or colour of a cell."""
        row = self._rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return row.cells[index.column()]
        if role == Qt.ItemDataRole.ToolTipRole:
            return row.tooltip
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(index.column())
        if role == Qt.ItemDataRole.ForegroundRole and index.column() == _ANSWER:
            roles = {"good": self.theme.good, "warning": self.theme.warning,
                     "danger": self.theme.danger, "accent": self.theme.accent}  # fmt: skip
            return QColor(roles.get(row.tone.value, self.theme.text))
        return None

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> object:
        """Qt: names of the columns, above their cells."""
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(section)
        return COLUMNS[section] if role == Qt.ItemDataRole.DisplayRole else None


class HistoryPanel(QWidget):
    """The table, newest first.

    Signals
    -------
    row_chosen(int)
        Position from the newest (0) that the user wants back.
    compare_chosen(int)
        Position from the newest that the user wants beside what is on screen.
    """

    row_chosen = Signal(int)
    compare_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("historyPanel")
        self.model = HistoryModel(self)
        self.table = QTableView()
        self.table.setObjectName("historyTable")
        self.table.setAccessibleName("history of solved budgets")
        self.table.setToolTip("choose a row to bring it back without solving, with Ctrl to compare")
        self.table.setModel(self.model)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setShowGrid(False)
        self.table.setWordWrap(False)
        self.table.setTabKeyNavigation(False)
        self.table.verticalHeader().hide()
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        # What does not fit ends with an ellipsis; the tooltip has all of it.
        header.setSectionResizeMode(_ANSWER, QHeaderView.ResizeMode.Stretch)
        self.empty = label("Every solved budget becomes a row here.", tone="muted")
        self.empty.setWordWrap(True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 4, 0, 0)
        layout.addWidget(self.empty)
        layout.addWidget(self.table, 1)
        self.table.installEventFilter(self)
        self.table.activated.connect(self._on_activated)
        self.table.clicked.connect(self._on_activated)

    def set_theme(self, theme: Theme) -> None:
        """Use these colours."""
        self.model.theme = theme
        self.table.viewport().update()

    def set_rows(self, rows: Sequence[HistoryText]) -> None:
        """Show these rows, newest first."""
        self.model.set_rows(rows)
        limited = any(row.has_limit for row in rows)  # a column of "no limit" would say nothing
        self.table.setColumnHidden(COLUMNS.index("runtime"), not limited)
        self.empty.setVisible(not rows)
        self.table.setVisible(bool(rows))

    @Slot(QModelIndex)
    def _on_activated(self, index: QModelIndex) -> None:
        compares = QApplication.keyboardModifiers() & Qt.KeyboardModifier.ControlModifier
        (self.compare_chosen if compares else self.row_chosen).emit(index.row())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt: Ctrl+Return compares here, though it solves elsewhere."""
        kinds = {QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress}
        if event.type() in kinds and isinstance(event, QKeyEvent):
            row = self.table.currentIndex().row()
            if row >= 0 and is_return(event) and with_control(event):
                event.accept()
                if event.type() == QEvent.Type.KeyPress:
                    self.compare_chosen.emit(row)
                return True
        return super().eventFilter(watched, event)


def _alignment(column: int) -> Qt.AlignmentFlag:
    """Numbers at the right, words at the left."""
    side = Qt.AlignmentFlag.AlignLeft if column == _ANSWER else Qt.AlignmentFlag.AlignRight
    return side | Qt.AlignmentFlag.AlignVCenter
