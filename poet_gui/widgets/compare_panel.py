"""The whole comparison: every difference, the tensors treated anew, both memory curves."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QScrollArea,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from poet_gui.theme import Theme
from poet_gui.viewmodels.compare import DELTA_COLUMNS, Changes, Delta, Overlay
from poet_gui.viewmodels.trace_index import Axis
from poet_gui.widgets.compare_curves import CompareCurves
from poet_gui.widgets.linked_table import LinkedTable
from poet_gui.widgets.parts import eliding, label, set_tone

NOTHING = (
    "Nothing is compared. Ctrl+click a point of the frontier or a row of the history "
    "(Ctrl+Return with the keyboard), or keep the schedule on screen as A with Ctrl+B."
)


class DeltaGrid(QWidget):
    """The differences as a dense grid of selectable text."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("compareDeltas")
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(14)
        self._grid.setVerticalSpacing(1)
        self._grid.setRowStretch(20, 1)
        self._rows: list[tuple[QLabel, ...]] = []
        for column, title in enumerate(DELTA_COLUMNS):
            self._grid.addWidget(_cell(title, column, tone="muted"), 0, column)

    def set_deltas(self, deltas: tuple[Delta, ...]) -> None:
        """Show these lines; labels are reused."""
        while len(self._rows) < len(deltas):
            cells = tuple(_cell("", column) for column in range(len(DELTA_COLUMNS)))
            for column, made in enumerate(cells):
                self._grid.addWidget(made, len(self._rows) + 1, column)
            self._rows.append(cells)
        for cells, delta in zip(self._rows, deltas, strict=True):
            for cell, text in zip(cells, delta.cells, strict=True):
                cell.setText(text)
            set_tone(cells[0], "muted")
            for cell in cells[3:]:
                set_tone(cell, delta.tone)

    def texts(self) -> list[tuple[str, ...]]:
        """What is shown, line by line."""
        return [tuple(cell.text() for cell in cells) for cells in self._rows]


class ComparePanel(QWidget):
    """Renders a comparison, or says how to start one.

    Signals
    -------
    tensor_selected(int)
        The user chose a tensor that is treated anew.
    """

    tensor_selected = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("comparePanel")
        self.words = label(NOTHING, tone="muted")
        self.words.setWordWrap(True)
        self.words.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.grid, self.curves = DeltaGrid(), CompareCurves()
        self.summary = eliding(at_end=True)
        self.summary.setObjectName("compareSummary")
        self.table = LinkedTable("compareTable")
        self.table.setAccessibleName("tensors treated differently")
        middle = QVBoxLayout()
        middle.setSpacing(2)
        middle.addWidget(self.summary)
        middle.addWidget(self.table, 1)
        left = QScrollArea()
        left.setWidget(self.grid)
        left.setWidgetResizable(True)
        left.setFrameShape(QFrame.Shape.NoFrame)
        left.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        left.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        shown = QWidget()
        row = QHBoxLayout(shown)
        row.setContentsMargins(0, 4, 0, 0)
        row.setSpacing(18)
        row.addWidget(left, 4)
        row.addLayout(middle, 4)
        row.addWidget(self.curves, 3)
        self._shown = shown
        # Tabs are as high as the highest page: this one must not take room from the schedule.
        self.setMinimumHeight(1)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self.words)
        self._stack.addWidget(shown)
        self.table.tensor_selected.connect(self.tensor_selected)

    def set_theme(self, theme: Theme) -> None:
        """Use these colours."""
        self.curves.set_theme(theme)
        self.table.set_theme(theme)

    def show_words(self, text: str = NOTHING) -> None:
        """Say this in place of a comparison."""
        self.words.setText(text)
        self._stack.setCurrentWidget(self.words)

    def show_comparison(
        self, deltas: tuple[Delta, ...], changes: Changes, overlay: Overlay, axis: Axis
    ) -> None:
        """Show every difference."""
        self.grid.set_deltas(deltas)
        self.summary.setText(changes.summary)
        self.table.show_table(changes.table)
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.curves.set_overlay(overlay, axis)
        self._stack.setCurrentWidget(self._shown)


def _cell(text: str, column: int, *, tone: str = "") -> QLabel:
    made = label(text, tone=tone)
    if column:
        made.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    return made
