"""The search field: Enter and Shift+Enter walk through the tensors or actions that match."""

from typing import Final

from PySide6.QtCore import QEvent, QSize, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLabel, QLineEdit, QWidget

from poet_gui.theme import Theme
from poet_gui.viewmodels.search import Hit, QueryError, find, parse_query
from poet_gui.widgets.return_keys import is_return
from solver.simulate import Trace
from solver.text import counted

_EXAMPLES = "Find tensor, kind:recompute, size>64k …"
_LETTERS: Final = (20, 38)
"""Letters that must fit, and that should."""


class SearchField(QLineEdit):
    """Finds while one types; says how many hits there are, or what is wrong with the query.

    Signals
    -------
    hit_chosen(object, int)
        Go to this tensor (int, or None for an op without one) and action.
    """

    hit_chosen = Signal(object, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("searchField")
        self.setPlaceholderText(_EXAMPLES)
        self.setClearButtonEnabled(True)
        self.setAccessibleName("Find in the schedule")
        self.setToolTip(
            "Words of a name, kind:compute|recompute|page-in|page-out|free, size>64k; "
            "Enter and Shift+Enter walk through the hits"
        )
        self._trace: Trace | None = None
        self.hits: tuple[Hit, ...] = ()
        self.current = -1
        self._count = QLabel(self)
        self._count.setProperty("tone", "muted")
        self._count.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._count.hide()
        self.textChanged.connect(self._on_text)

    def set_theme(self, theme: Theme) -> None:
        """Colours come from the style sheet; the new one asks for new paint."""
        del theme
        self._place_count()

    def set_trace(self, trace: Trace | None) -> None:
        """Search another schedule; the text stays."""
        self._trace = trace
        self._search()

    @property
    def status(self) -> str:
        """What stands at the right: "2 of 17", "no hits", what is wrong, or nothing."""
        return self._count.text()

    @Slot()
    def edit(self) -> None:
        """Put the focus here with the text selected."""
        self.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.selectAll()

    def go(self, by: int) -> None:
        """Choose the next (+1) or previous (-1) hit, round and round."""
        if not self.hits:
            return
        start = self.current if self.current >= 0 else (-1 if by > 0 else 0)
        self.current = (start + by) % len(self.hits)
        hit = self.hits[self.current]
        self._say(f"{self.current + 1} of {len(self.hits)}")
        self.hit_chosen.emit(hit.tensor, hit.action)

    def _on_text(self) -> None:
        self._search()

    def _search(self) -> None:
        self.hits, self.current = (), -1
        try:
            query = parse_query(self.text())
        except QueryError as error:
            self._say(str(error))
            return
        if query.is_empty or self._trace is None:
            self._say("")
            return
        self.hits = find(self._trace, query)
        count = len(self.hits)
        self._say(counted(count, "hit") if count else "no hits")

    def _say(self, text: str) -> None:
        self._count.setText(text)
        self._count.setToolTip(text)
        self._count.setVisible(bool(text))
        self.setAccessibleDescription(text)
        self._place_count()

    def _place_count(self) -> None:
        """Put the count before the clear button, and keep the text clear of it."""
        self._count.adjustSize()
        room = round(self.width() * 0.55)
        width = min(self._count.width(), room)
        right = self.width() - self.fontMetrics().height() - 14
        self._count.setGeometry(right - width, 0, width, self.height())
        self.setTextMargins(0, 0, width + 4 if self._count.text() else 0, 0)

    def sizeHint(self) -> QSize:
        """Qt: the examples fit."""
        return self._sized(_LETTERS[1])

    def minimumSizeHint(self) -> QSize:
        """Qt: a name and the number of hits fit."""
        return self._sized(_LETTERS[0])

    def _sized(self, letters: int) -> QSize:
        width = letters * self.fontMetrics().averageCharWidth()
        return QSize(width, super().sizeHint().height())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter goes on, Shift+Enter back, Escape clears."""
        if is_return(event):
            back = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            self.go(-1 if back else 1)
        elif event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QEvent) -> None:
        """Keep the count at the right."""
        super().resizeEvent(event)  # type: ignore[arg-type]  # the stub wants a QResizeEvent
        self._place_count()
