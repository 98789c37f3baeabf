"""Sheets beside the work: all keys, about, import report. None of them blocks the window."""

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QGridLayout,
    QHBoxLayout,
    QPlainTextEdit,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from poet_gui.widgets.parts import button, label

KeyRow = tuple[str, str]
_KEY_COLUMNS: Final = 3


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
    inside = QWidget()
    columns = QGridLayout(inside)
    columns.setHorizontalSpacing(36)
    columns.setVerticalSpacing(18)
    for place, (title, rows) in enumerate(groups):
        grid = QGridLayout()
        grid.setHorizontalSpacing(18)
        grid.setVerticalSpacing(4)
        grid.addWidget(label(title, weight="bold"), 0, 0, 1, 2)
        for i, (text, keys) in enumerate(rows, 1):
            grid.addWidget(label(text), i, 0)
            grid.addWidget(label(keys, tone="accent"), i, 1)
        grid.setRowStretch(len(rows) + 1, 1)
        columns.addLayout(grid, *divmod(place, _KEY_COLUMNS))
    area = QScrollArea()
    area.setWidget(inside)
    area.setWidgetResizable(True)
    sheet.body.addWidget(area, 1)
    sheet.resize(inside.sizeHint().width() + 60, min(680, inside.sizeHint().height() + 140))
    sheet.finish()
    return sheet


def text_sheet(title: str, name: str, lines: Sequence[str], parent: QWidget) -> Sheet:
    """Sentences that can be selected and copied."""
    sheet = Sheet(title, name, parent)
    text = QPlainTextEdit("\n".join(lines))
    text.setReadOnly(True)
    text.setAccessibleName(title)
    sheet.body.addWidget(text, 1)
    sheet.resize(620, 380)
    sheet.finish()
    return sheet
