"""The foot of a sheet: its buttons, and in their place a question before changes are lost."""

from collections.abc import Callable

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QWidget

from poet_gui.widgets.parts import button, label


class AskingFoot(QStackedWidget):
    """Asks in place, without a box over the work. Return and Escape go on: nothing is lost."""

    def __init__(self, buttons: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._then: Callable[[], None] | None = None
        self._before: QWidget | None = None
        self.question = QWidget()
        self.question.setObjectName("discardQuestion")
        self.discard_button = button(
            "Discard", name="discardButton", tip="throw the unsaved changes away"
        )
        self.keep_button = button(
            "Go on editing", name="keepButton", tip="keep the changes (Esc)", kind="primary"
        )
        row = QHBoxLayout(self.question)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(label("Your changes are not saved. Discard them?", weight="bold"))
        row.addStretch(1)
        row.addWidget(self.discard_button)
        row.addWidget(self.keep_button)
        self.addWidget(buttons)
        self.addWidget(self.question)
        self.discard_button.clicked.connect(self._on_discarded)
        self.keep_button.clicked.connect(self._on_kept)

    @property
    def is_asking(self) -> bool:
        """Whether the question waits for its answer."""
        return self.currentWidget() is self.question

    def ask(self, then: Callable[[], None]) -> None:
        """Ask; what would lose the changes is done when they are given up."""
        if not self.is_asking:
            self._before = self.window().focusWidget()
        self._then = then
        self.setCurrentWidget(self.question)
        self.keep_button.setFocus()

    def stop_asking(self) -> None:
        """The user goes on by himself: the buttons are back."""
        self._then = self._before = None
        self.setCurrentIndex(0)

    @Slot()
    def _on_kept(self) -> None:
        before = self._before
        self.stop_asking()
        if before is not None:
            before.setFocus()

    @Slot()
    def _on_discarded(self) -> None:
        then = self._then
        self.stop_asking()
        if then is not None:
            then()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt: Escape is the careful answer."""
        if self.is_asking and event.key() == Qt.Key.Key_Escape:
            self._on_kept()
        else:
            super().keyPressEvent(event)
