"""A layout that puts widgets side by side and wraps them like words."""

from typing import Final

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget

_EDGE: Final = (12, 8, 12, 8)
_GAP: Final = (10, 6)


class FlowLayout(QLayout):
    """Rows as wide as there is room; its height follows its width.

    The last widget stands at the right end of its row, as wide as it likes or as room is left.

    Not superqt's: importing that package costs 0.6 s, a fifth of what the start may take.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setContentsMargins(*_EDGE)
        self._items: list[QLayoutItem] = []

    def addItem(self, item: QLayoutItem) -> None:
        """Qt: take a widget in."""
        self._items.append(item)

    def count(self) -> int:
        """Qt: number of widgets."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        """Qt: the widget at a position, None outside."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        """Qt: remove the widget at a position."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        """Qt: takes no more room than it needs."""
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        """Qt: narrow means high."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Qt: height of all rows."""
        return self._place(QRect(0, 0, width, 0), move=False)

    def setGeometry(self, area: QRect) -> None:
        """Qt: put every widget in its row."""
        super().setGeometry(area)
        self._place(area, move=True)

    def sizeHint(self) -> QSize:
        """Qt: as `minimumSize`."""
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        """Qt: the widest widget must fit into a row."""
        size = QSize()
        for item in self._items:
            size = size.expandedTo(item.minimumSize())
        edge = self.contentsMargins()
        return size + QSize(edge.left() + edge.right(), edge.top() + edge.bottom())

    def _place(self, area: QRect, *, move: bool) -> int:
        inside = area.marginsRemoved(self.contentsMargins())
        y = inside.y()
        for row in self._rows(inside):
            height = max(place.height() for _, place in row)
            for item, place in row:
                if move:
                    place.moveTop(y + (height - place.height()) // 2)
                    item.setGeometry(place)
            y += height + _GAP[1]
        bottom = y - _GAP[1] if y > inside.y() else y
        return bottom + self.contentsMargins().bottom() - area.y()

    def _rows(self, inside: QRect) -> list[list[tuple[QLayoutItem, QRect]]]:
        """Return the widgets of each row and where they stand in it, all at the top."""
        rows: list[list[tuple[QLayoutItem, QRect]]] = []
        x, end = inside.x(), inside.right() + 1
        for item in self._items:
            if item.isEmpty():
                continue
            size, least, last = item.sizeHint(), item.minimumSize().width(), item is self._items[-1]
            if not rows or x + (least if last else size.width()) > end:
                rows.append([])
                x = inside.x()
            width = min(size.width(), max(least, end - x if last else inside.width()))
            left = max(x, end - width) if last else x
            rows[-1].append((item, QRect(QPoint(left, 0), QSize(width, size.height()))))
            x += width + _GAP[0]
        return rows
