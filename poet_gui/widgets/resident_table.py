"""What is in RAM at the playhead, largest first, with a sum that equals the curve."""

from typing import Final

from PySide6.QtCore import QObject, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from poet_gui.theme import LIGHT, Theme
from poet_gui.viewmodels.resident import Residents, residents_at
from poet_gui.widgets.parts import button, eliding, label, set_tone
from poet_gui.widgets.resident_model import BYTES, NAME, NEXT, SHARE, ResidentModel
from poet_gui.widgets.table_model import Index
from solver.simulate import Trace
from solver.units import format_bytes, format_bytes_exactly

_NARROW: Final = 52  # characters of width


class _ShareBar(QStyledItemDelegate):
    """A bar as long as the share."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.theme = LIGHT

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw ground and bar."""
        super().paint(painter, option, index)
        share = index.data(Qt.ItemDataRole.UserRole)
        if share is None:
            return
        rect = option.rect
        height = max(4, rect.height() // 3)
        width = max(1.0, (rect.width() - 8) * float(share))
        bar = QRectF(rect.left() + 4, rect.center().y() - height / 2, width, height)
        painter.fillRect(bar, QColor(self.theme.resident))


class ResidentTable(QWidget):
    """Tensors, workspace and fixed bytes in RAM at one action.

    Signals
    -------
    tensor_selected(int)
        The user chose this tensor.
    peak_requested()
        The user wants to see where RAM is highest.
    """

    tensor_selected = Signal(int)
    peak_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("residentTable")
        self._trace: Trace | None = None
        self._action = -1
        self._selected: int | None = None
        self._quiet = False
        self.rows = ResidentModel(self)
        self.title, self.total = eliding(), label(weight="bold")
        self.title.setProperty("weight", "bold")
        self.sum = label(tone="good")
        self.peak_button = button("Jump to peak  K", name="jumpToPeak", tip="Go to the peak (K)")
        self.peak_button.clicked.connect(self.peak_requested)
        self.view = self._make_view()
        self._lay_out()
        self.set_theme(LIGHT)
        self._refresh()

    def _make_view(self) -> QTableView:
        view = QTableView(self)
        view.setObjectName("residentRows")
        view.setModel(self.rows)
        view.setAccessibleName("Tensors in RAM at the playhead")
        view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        view.setShowGrid(False)
        view.setWordWrap(False)
        view.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        view.setTabKeyNavigation(False)
        view.verticalHeader().hide()
        view.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        view.horizontalHeader().setHighlightSections(False)
        view.horizontalHeader().setSectionResizeMode(NAME, QHeaderView.ResizeMode.Stretch)
        self._bar = _ShareBar(view)
        view.setItemDelegateForColumn(SHARE, self._bar)
        view.selectionModel().selectionChanged.connect(self._on_selection)
        return view

    def _lay_out(self) -> None:
        head, foot = QHBoxLayout(), QHBoxLayout()
        head.addWidget(self.title, 1)
        head.addWidget(self.total)
        foot.addWidget(self.sum, 1)
        foot.addWidget(self.peak_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addLayout(head)
        layout.addWidget(self.view, 1)
        layout.addLayout(foot)

    def set_theme(self, theme: Theme) -> None:
        """Use these colours and the present font."""
        self._bar.theme = theme
        metrics = self.fontMetrics()
        self.view.verticalHeader().setDefaultSectionSize(round(metrics.height() * 1.5))
        widest = ((SHARE, "share"), (BYTES, "1000 KiB"), (NEXT, "next use"))
        for column, text in widest:
            self.view.setColumnWidth(column, metrics.horizontalAdvance(text) + 14)
        self._set_share_visible()
        self.view.viewport().update()

    def _set_share_visible(self) -> None:
        """Let the names have the room when there is little."""
        narrow = self.width() < _NARROW * self.fontMetrics().averageCharWidth()
        self.view.setColumnHidden(SHARE, narrow)

    def set_trace(self, trace: Trace | None) -> None:
        """Show another schedule, at its peak until the playhead is set."""
        self._trace = trace
        self._action = -1
        if trace is not None and len(trace.resident_bytes):
            self._action = int(trace.resident_bytes.argmax())
        self._refresh()

    def show_all(self, trace: Trace | None, *, tensor: int | None, action: int) -> None:
        """Show another schedule at this action, with the row of this tensor selected."""
        self._trace, self._selected, self._action = trace, tensor, action
        self._refresh()

    def set_playhead(self, action: int) -> None:
        """Show what is in RAM at this action; an action outside the schedule shows nothing."""
        if action != self._action:
            self._action = action
            self._refresh()

    def set_selected(self, tensor: int | None) -> None:
        """Select the row of this tensor, if it is in RAM."""
        if tensor != self._selected:
            self._selected = tensor
            self._show_selection()

    @property
    def residents(self) -> Residents | None:
        """What is shown."""
        return self.rows.shown

    def _refresh(self) -> None:
        shown = None
        if self._trace is not None and 0 <= self._action < len(self._trace.start_s):
            shown = residents_at(self._trace, self._action)
        self._quiet = True
        self.rows.show(shown)
        self._quiet = False
        self.title.setText(shown.title if shown else "In RAM")
        self.total.setText(format_bytes(shown.total_bytes) if shown else "")
        self.total.setToolTip(format_bytes_exactly(shown.total_bytes) if shown else "")
        self.sum.setText(shown.sum_text if shown else "nothing scheduled yet")
        agrees = shown is None or shown.total_bytes == shown.curve_bytes
        set_tone(self.sum, "muted" if shown is None else ("good" if agrees else "danger"))
        self.peak_button.setEnabled(shown is not None)
        self._show_selection()

    def _show_selection(self) -> None:
        self._quiet = True
        self.view.clearSelection()
        rows = self.rows.shown.rows if self.rows.shown is not None else ()
        for at, row in enumerate(rows):
            if row.tensor is not None and row.tensor == self._selected:
                self.view.selectRow(at)
        self._quiet = False

    def _on_selection(self) -> None:
        found = self.view.selectionModel().selectedRows()
        if self._quiet or not found or self.rows.shown is None:
            return
        tensor = self.rows.shown.rows[found[0].row()].tensor
        if tensor is not None:
            self.tensor_selected.emit(tensor)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show as many columns as have room."""
        super().resizeEvent(event)
        self._set_share_visible()
