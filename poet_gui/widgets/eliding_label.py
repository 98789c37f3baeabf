"""A label that shortens its text when there is no room."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QStyle, QStyleOption, QWidget


class ElidingLabel(QLabel):
    """`text()` is always whole; what is drawn is shortened in the middle or `at_end`.

    Not superqt's: importing that package costs 0.6 s, a fifth of what the start may take.
    """

    def __init__(
        self, text: str = "", parent: QWidget | None = None, *, at_end: bool = False
    ) -> None:
        super().__init__(text, parent)
        self._mode = Qt.TextElideMode.ElideRight if at_end else Qt.TextElideMode.ElideMiddle
        self.setTextFormat(Qt.TextFormat.PlainText)

    def shown_text(self) -> str:
        """The text as it is drawn now."""
        room = self.contentsRect().width()
        return self.fontMetrics().elidedText(self.text(), self._mode, room)

    def minimumSizeHint(self) -> QSize:
        """Qt: a few letters are enough."""
        return QSize(4 * self.fontMetrics().averageCharWidth(), super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt override
        """Qt: the style's background, then the shortened text."""
        painter = QPainter(self)
        option = QStyleOption()
        option.initFrom(self)
        self.style().drawPrimitive(QStyle.PrimitiveElement.PE_Widget, option, painter, self)
        self.style().drawItemText(
            painter,
            self.contentsRect(),
            self.alignment(),
            self.palette(),
            self.isEnabled(),
            self.shown_text(),
            self.foregroundRole(),
        )
        painter.end()
