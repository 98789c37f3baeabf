"""A small card beside the pointer; it never covers what it speaks of."""

from html import escape

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtWidgets import QLabel, QWidget

from poet_gui.theme import Theme


class HoverCard(QLabel):
    """A heading and lines on a panel of its own, transparent to the mouse."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("hoverCard")
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._area = parent
        self.hide()

    def set_theme(self, theme: Theme) -> None:
        """Use these colours."""
        self.setStyleSheet(
            f"QLabel#hoverCard {{ background: {theme.panel}; color: {theme.text};"
            f" border: 1px solid {theme.text_muted}; border-radius: 5px; padding: 6px 9px; }}"
        )

    def show_at(self, box: QRectF, title: str, lines: tuple[str, ...]) -> None:
        """Show the text beside `box` (pixels of the parent): below it, else above."""
        body = "<br>".join(escape(line) for line in lines)
        self.setText(f"<b>{escape(title)}</b><br>{body}")
        self.adjustSize()
        size, area = self.size(), self._area.rect()
        below = round(box.bottom()) + 8
        above = round(box.top()) - size.height() - 8
        y = below if below + size.height() <= area.bottom() or above < 0 else above
        x = min(max(round(box.left()), 4), max(4, area.width() - size.width() - 4))
        self.setGeometry(QRect(x, y, size.width(), size.height()))
        self.show()
        self.raise_()
