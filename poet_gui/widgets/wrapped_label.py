"""A label that shows as many lines as there is room for, and says where it had to stop."""

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette, QTextLayout, QTextOption
from PySide6.QtWidgets import QLabel, QStyle, QStyleOption, QWidget


class WrappedLabel(QLabel):
    """`text()` is always whole; what is drawn ends with an ellipsis where the height ends.

    Its height never depends on its text: one that follows the wrapping makes scroll areas flicker.
    """

    def __init__(self, least_lines: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._least_lines = least_lines
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)

    def shown_lines(self) -> list[str]:
        """The lines as they are drawn now."""
        room = self.contentsRect()
        metrics, text = self.fontMetrics(), self.text()
        most = max(1, room.height() // metrics.lineSpacing())
        layout = QTextLayout(text, self.font())
        layout.setTextOption(QTextOption(Qt.AlignmentFlag.AlignLeft))
        lines: list[str] = []
        layout.beginLayout()
        line = layout.createLine()
        while line.isValid():
            line.setLineWidth(room.width())
            begin, end = line.textStart(), line.textStart() + line.textLength()
            if len(lines) == most - 1 and end < len(text):
                rest = metrics.elidedText(text[begin:], Qt.TextElideMode.ElideRight, room.width())
                lines.append(rest)
                break
            lines.append(text[begin:end].rstrip())
            line = layout.createLine()
        layout.endLayout()
        return lines

    def hasHeightForWidth(self) -> bool:
        """Qt: never."""
        return False

    def sizeHint(self) -> QSize:
        """Qt: the least lines; a layout with room to spare gives more."""
        metrics = self.fontMetrics()
        return QSize(20 * metrics.averageCharWidth(), self._least_lines * metrics.lineSpacing())

    def minimumSizeHint(self) -> QSize:
        """Qt: the least lines."""
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt override
        """Qt: the style's background, then the lines."""
        painter = QPainter(self)
        option = QStyleOption()
        option.initFrom(self)
        self.style().drawPrimitive(QStyle.PrimitiveElement.PE_Widget, option, painter, self)
        painter.setPen(self.palette().color(QPalette.ColorRole.WindowText))
        metrics, corner = self.fontMetrics(), self.contentsRect().topLeft()
        for number, text in enumerate(self.shown_lines()):
            down = number * metrics.lineSpacing() + metrics.ascent()
            painter.drawText(QPointF(corner.x(), corner.y() + down), text)
        painter.end()
