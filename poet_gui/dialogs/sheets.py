"""Sheets beside the work: all keys, about, import report. None of them blocks the window."""

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QDialog,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from poet_gui.widgets.parts import button, label

KeyRow = tuple[str, str]
_MOST_COLUMNS: Final = 3
_MARGIN: Final = 60
"""Pixels beside what a sheet holds: its margins and a scroll bar."""


class Sheet(QDialog):
    """A dialog that is shown without blocking and closes with Esc."""

    def __init__(self, title: str, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setWindowTitle(title)
        self.setModal(False)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.body = QVBoxLayout(self)
        self.body.setContentsMargins(18, 16, 18, 14)
        self.body.setSpacing(10)
        self.body.addWidget(label(title, size="title"))

    def take_room(self, wanted: QSize) -> None:
        """Be as large as wanted, but no larger than the window and the screen."""
        self.resize(wanted.boundedTo(_room(self)))

    def finish(self, *before: QWidget) -> None:
        """Add the close button, after these; call it last."""
        close = button("Close", name="sheetClose", tip="close this sheet")
        close.clicked.connect(self.close)
        row = QHBoxLayout()
        row.addStretch(1)
        for widget in (*before, close):
            row.addWidget(widget)
        self.body.addLayout(row)
        close.setDefault(True)
        close.setFocus()


def keys_sheet(groups: Sequence[tuple[str, Sequence[KeyRow]]], parent: QWidget) -> Sheet:
    """All keys, in groups of (what it does, keys)."""
    sheet = Sheet("All keys", "keysSheet", parent)
    room = _room(sheet).width() - _MARGIN
    for columns in range(_MOST_COLUMNS, 0, -1):
        inside = _keys(groups, columns)
        inside.setParent(sheet)  # its text has the size of the sheet's
        inside.ensurePolished()
        for words in inside.findChildren(QLabel):
            words.ensurePolished()
        if inside.sizeHint().width() <= room or columns == 1:
            break
        inside.hide()
        inside.deleteLater()
    area = QScrollArea()
    area.setWidget(inside)
    area.setWidgetResizable(True)
    sheet.body.addWidget(area, 1)
    hint = inside.sizeHint()
    sheet.take_room(QSize(hint.width() + _MARGIN, hint.height() + 140))
    sheet.finish()
    return sheet


def _keys(groups: Sequence[tuple[str, Sequence[KeyRow]]], columns: int) -> QWidget:
    """The groups side by side, so many in a row."""
    inside = QWidget()
    outer = QGridLayout(inside)
    outer.setHorizontalSpacing(36)
    outer.setVerticalSpacing(18)
    for place, (title, rows) in enumerate(groups):
        grid = QGridLayout()
        grid.setHorizontalSpacing(18)
        grid.setVerticalSpacing(4)
        grid.addWidget(label(title, weight="bold"), 0, 0, 1, 2)
        for i, (text, keys) in enumerate(rows, 1):
            grid.addWidget(label(text), i, 0)
            grid.addWidget(label(keys, tone="accent"), i, 1)
        grid.setRowStretch(len(rows) + 1, 1)
        outer.addLayout(grid, *divmod(place, columns))
    return inside


def _room(sheet: QWidget) -> QSize:
    parent = sheet.parentWidget()
    room = sheet.screen().availableGeometry().size()
    return room if parent is None else parent.window().size().boundedTo(room)


def text_sheet(title: str, name: str, lines: Sequence[str], parent: QWidget) -> Sheet:
    """Sentences that can be selected and copied."""
    sheet = Sheet(title, name, parent)
    text = QPlainTextEdit("\n".join(lines))
    text.setReadOnly(True)
    text.setAccessibleName(title)
    sheet.body.addWidget(text, 1)
    sheet.ensurePolished()
    metrics = sheet.fontMetrics()
    sheet.take_room(QSize(90 * metrics.averageCharWidth(), 22 * metrics.height()))
    sheet.finish()
    return sheet
