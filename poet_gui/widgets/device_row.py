"""One entry of a device profile: its value, where that comes from, and what is wrong with it."""

from typing import Final

from PySide6.QtCore import QObject, QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import QComboBox, QGridLayout, QLabel, QLineEdit, QWidget

from poet_gui.viewmodels.device_form import KINDS, UNSAID, Source
from poet_gui.widgets.parts import label, restyle

_UNSAID_WORDS: Final = "not said"


class DeviceRow(QObject):
    """The widgets of one entry, put into the grid of a form with a sentence below them.

    `sourced`: with fields that say where the value comes from.

    Signals
    -------
    edited(str)
        The user changed the value: the key of the entry.
    left(str)
        The user is done with the value for now.
    source_edited(str)
        The user changed where it comes from.
    """

    edited = Signal(str)
    left = Signal(str)
    source_edited = Signal(str)

    def __init__(
        self,
        key: str,
        title: str,
        tip: str,
        value: QWidget,
        parent: QObject,
        *,
        sourced: bool = True,
    ) -> None:
        super().__init__(parent)
        self.key = key
        self.value = value
        self.title = label(title)
        self.title.setBuddy(value)
        self.fault = label(tone="danger")
        self.fault.setWordWrap(True)
        self.fault.setTextFormat(Qt.TextFormat.PlainText)
        self.fault.setObjectName(f"deviceFault {key}")
        self.fault.hide()
        _name(value, f"device {key}", tip)
        self.source_fields = _SourceFields(key, title) if sourced else None
        if isinstance(value, QLineEdit):
            value.textEdited.connect(self._on_edited)
            value.editingFinished.connect(self._on_left)
        elif isinstance(value, QComboBox):
            value.activated.connect(self._on_edited)
        if self.source_fields is not None:
            self.source_fields.kind.activated.connect(self._on_source)
            self.source_fields.words.textEdited.connect(self._on_source)

    @property
    def source(self) -> Source:
        """What stands in the fields of the source."""
        return Source() if self.source_fields is None else self.source_fields.source

    def add_to(self, grid: QGridLayout, row: int) -> None:
        """Put the widgets into two rows of a grid, from `row` on."""
        grid.addWidget(self.title, row, 0)
        if self.source_fields is None:
            grid.addWidget(self.value, row, 1, 1, 3)
        else:
            fields = self.source_fields
            for column, widget in enumerate((self.value, fields.kind, fields.words), 1):
                grid.addWidget(widget, row, column)
        grid.addWidget(self.fault, row + 1, 1, 1, 3)

    def show_text(self, text: str) -> None:
        """Show a value that was not typed here just now."""
        if isinstance(self.value, QLineEdit) and self.value.text() != text:
            self.value.setText(text)
            self.value.setCursorPosition(0)

    def show_source(self, source: Source) -> None:
        """Show where the value comes from; what is being typed is left alone."""
        if self.source_fields is not None and source != self.source:
            self.source_fields.show(source)

    def show_fault(self, sentence: str, *, told: bool) -> None:
        """Mark the value as wrong; say why below it once the user has left it (`told`)."""
        wanted = "true" if sentence else "false"
        if self.value.property("invalid") != wanted:
            self.value.setProperty("invalid", wanted)
            restyle(self.value)
        self.fault.setText(sentence)
        self.fault.setVisible(bool(sentence) and told)

    @Slot()
    def _on_edited(self) -> None:
        self.edited.emit(self.key)

    @Slot()
    def _on_left(self) -> None:
        self.left.emit(self.key)

    @Slot()
    def _on_source(self) -> None:
        self.source_edited.emit(self.key)


class _SourceFields:
    """How a value came about, out of a list, and in words."""

    def __init__(self, key: str, title: str) -> None:
        self.kind = QComboBox()
        self.kind.addItems([_UNSAID_WORDS, *KINDS])
        self.words = QLineEdit()
        _name(self.kind, f"deviceKind {key}", f"how the {title} came about")
        _name(self.words, f"deviceSource {key}", f"where the {title} comes from, in words")

    @property
    def source(self) -> Source:
        """What stands in them."""
        index = self.kind.currentIndex()
        return Source(KINDS[index - 1] if index > 0 else UNSAID, self.words.text())

    def show(self, source: Source) -> None:
        """Let them say this."""
        with QSignalBlocker(self.kind):
            self.kind.setCurrentIndex(KINDS.index(source.kind) + 1 if source.kind else 0)
        self.words.setText(source.words)
        self.words.setCursorPosition(0)
        self.words.setToolTip(source.words or self.words.accessibleName())


def heading(text: str) -> QLabel:
    """The title of a group of entries."""
    made = label(text, weight="bold")
    made.setContentsMargins(0, 8, 0, 0)
    return made


def _name(widget: QWidget, name: str, tip: str) -> None:
    widget.setObjectName(name)
    widget.setToolTip(tip)
    widget.setAccessibleName(tip)
