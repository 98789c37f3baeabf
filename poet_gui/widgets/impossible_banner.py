"""The banner of an impossible budget: what is to blame, what is known to help, and buttons."""

from typing import Final

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from poet_gui.viewmodels.impossible import ImpossibleWords, Remedy
from poet_gui.widgets.parts import button, eliding, label

_BUTTONS: Final = 3


class _LowText(QScrollArea):
    """As high as its text; where there is no room for it one line high, and it scrolls."""

    def __init__(self, text: QLabel) -> None:
        super().__init__()
        self._text = text
        self.setWidget(text)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt: lines break elsewhere, so another height is wanted."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()

    def sizeHint(self) -> QSize:
        """Qt: all of the text. Not by heightForWidth: a layout would take that for the least."""
        return QSize(200, self._text.heightForWidth(max(200, self.width())))

    def minimumSizeHint(self) -> QSize:
        """Qt: one line."""
        return QSize(100, self._text.fontMetrics().lineSpacing() + 2)


class ImpossibleBanner(QFrame):
    """Renders ImpossibleWords; takes no room without them.

    Signals
    -------
    remedy_chosen(object)
        The Remedy whose button was pressed.
    """

    remedy_chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("impossibleBanner")
        self.words: ImpossibleWords | None = None
        self._remedies: tuple[Remedy, ...] = ()
        self.title = eliding(tone="danger", at_end=True)
        self.title.setProperty("weight", "bold")
        self.title.setObjectName("impossibleTitle")
        self.text = label()
        self.text.setObjectName("impossibleText")
        self.text.setWordWrap(True)
        self.text.setTextFormat(Qt.TextFormat.PlainText)
        self.buttons = tuple(
            button("", name=f"remedyButton{i}", tip="", kind="" if i else "primary")
            for i in range(_BUTTONS)
        )
        row = QHBoxLayout()  # beside the title: on a small screen every line counts
        row.setSpacing(8)
        row.addWidget(self.title, 1)
        for made in self.buttons:
            made.clicked.connect(self._on_clicked)
            row.addWidget(made)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 8, 12, 8)
        layout.setSpacing(4)
        layout.addLayout(row)
        self._lines = _LowText(self.text)
        layout.addWidget(self._lines)
        self.hide()

    def set_words(self, words: ImpossibleWords | None) -> None:
        """Show these words and a button per remedy, or nothing."""
        if words == self.words:
            return
        self.words = words
        if words is not None:
            self.title.setText(words.title)
            self.text.setText("\n".join(words.lines))
            self.text.setToolTip(words.whole)
            self._lines.updateGeometry()
            self.setAccessibleName(words.title)
            self.setAccessibleDescription(words.whole)
            self._set_remedies(words.remedies)
        self.setVisible(words is not None)

    def _set_remedies(self, remedies: tuple[Remedy, ...]) -> None:
        self._remedies = remedies[:_BUTTONS]
        for i, made in enumerate(self.buttons):
            made.setVisible(i < len(self._remedies))
            if i < len(self._remedies):
                made.setText(remedies[i].text)
                made.setToolTip(remedies[i].tip)
                made.setAccessibleName(f"{remedies[i].text}: {remedies[i].tip}")

    def _on_clicked(self) -> None:
        pressed = self.sender()
        if isinstance(pressed, QPushButton) and pressed in self.buttons:
            at = self.buttons.index(pressed)
            if at < len(self._remedies):
                self.remedy_chosen.emit(self._remedies[at])
