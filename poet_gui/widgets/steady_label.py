"""A wrapped text that asks for another height only when it needs one."""

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QWidget


class SteadyLabel(QWidget):
    """Holds a wrapped `label` outside any layout.

    A label in a layout has the whole window laid out anew at every change of its text, though a
    number that changes takes as many lines as before.
    """

    def __init__(self, label: QLabel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._label = label
        label.setParent(self)
        label.setWordWrap(True)

    def text(self) -> str:
        """What is shown."""
        return self._label.text()

    def set_text(self, text: str) -> None:
        """Show this text."""
        if text == self._label.text():
            return
        width = max(1, self.width())
        before, least = self._label.heightForWidth(width), self._label.minimumSizeHint()
        self._label.setText(text)
        same_height = self._label.heightForWidth(width) == before
        if not same_height or self._label.minimumSizeHint().width() > least.width():
            self.updateGeometry()

    # Qt

    def hasHeightForWidth(self) -> bool:
        """Qt: as the label."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Qt: as the label."""
        return self._label.heightForWidth(width)

    def sizeHint(self) -> QSize:
        """Qt: as the label."""
        return self._label.sizeHint()

    def minimumSizeHint(self) -> QSize:
        """Qt: as the label."""
        return self._label.minimumSizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt: the label fills it."""
        super().resizeEvent(event)
        self._label.setGeometry(self.rect())
