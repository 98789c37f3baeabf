"""What the pictures of the frontier share: they can be pointed at, and walked over by keys."""

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from poet_gui.theme import LIGHT, Theme
from poet_gui.widgets.hover_card import HoverCard

_PREFERRED, _LEAST = (22, 14), (12, 6)
"""Width and height in heights of a line of text."""


class PointedPicture(QWidget):
    """A painted picture with a card that says what the pointer, or the keyboard, is on."""

    def __init__(self, object_name: str, accessible_name: str, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setObjectName(object_name)
        self.setAccessibleName(accessible_name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._theme = LIGHT
        self.hover_card = HoverCard(self)

    def set_theme(self, theme: Theme) -> None:
        """Use these colours."""
        self._theme = theme
        self.hover_card.set_theme(theme)
        self.update()

    def _on_focus_gained(self) -> None:
        """Let the keyboard begin somewhere."""

    def _lines(self, width: int, height: int) -> QSize:
        unit = self.fontMetrics().height()
        return QSize(width * unit, height * unit)

    # Qt

    def sizeHint(self) -> QSize:
        """Qt: wide enough for a curve."""
        return self._lines(*_PREFERRED)

    def minimumSizeHint(self) -> QSize:
        """Qt: still readable."""
        return self._lines(*_LEAST)

    def leaveEvent(self, event: QEvent) -> None:
        """Qt: no card without a pointer."""
        self.hover_card.hide()
        super().leaveEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Qt: the keyboard begins where the user looks."""
        super().focusInEvent(event)
        self._on_focus_gained()
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Qt: the mark goes."""
        super().focusOutEvent(event)
        self.hover_card.hide()
        self.update()
