"""The legend of the schedule view, painted with the very brushes of the bars."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from poet_gui.theme import LIGHT, Theme
from poet_gui.viewmodels.trace_index import BAR_KINDS, KIND_NAMES, Kind
from poet_gui.widgets.bar_style import LaneBox, bar_brushes, draw_glyph

_SWATCH = 20
_GAP = 12
_HELP = (
    "compute: an op runs for the first time (solid)\n"
    "recompute: it runs again (diagonal hatch, circular arrow)\n"
    "page in: from storage into RAM (lower half, triangle down)\n"
    "page out: from RAM into storage (upper half, triangle up)\n"
    "in RAM: thin bar at the foot of the lane\n"
    "in storage: dotted line at its head"
)


class Legend(QWidget):
    """One swatch and word per thing that lanes can show; wraps into rows when narrow."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("legend")
        self._theme = LIGHT
        self.setToolTip(_HELP)
        self.setAccessibleName("Legend")
        self.setAccessibleDescription(_HELP)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def set_theme(self, theme: Theme) -> None:
        """Use these colours."""
        self._theme = theme
        self.update()

    def entries(self) -> tuple[tuple[str, Kind | None], ...]:
        """Words and kinds in the order in which they are drawn; None = residency or storage."""
        kinds = tuple((KIND_NAMES[kind], kind) for kind in BAR_KINDS)
        return (*kinds, ("in RAM", None), ("in storage", None))

    def _places(self, width: int) -> tuple[list[tuple[int, int]], int]:
        metrics = self.fontMetrics()
        row_height = metrics.height() + 4
        x = y = 0
        places = []
        for text, _ in self.entries():
            item = _SWATCH + 6 + metrics.horizontalAdvance(text)
            if x and x + item > width:
                x, y = 0, y + row_height
            places.append((x, y))
            x += item + _GAP
        return places, y + row_height

    def sizeHint(self) -> QSize:
        """Everything in one row."""
        places, height = self._places(10**6)
        last = self.fontMetrics().horizontalAdvance(self.entries()[-1][0])
        return QSize(places[-1][0] + _SWATCH + 8 + last, height)

    def minimumSizeHint(self) -> QSize:
        """One under the other."""
        metrics = self.fontMetrics()
        widest = max(metrics.horizontalAdvance(text) for text, _ in self.entries())
        return QSize(_SWATCH + 6 + widest, metrics.height() + 4)

    def heightForWidth(self, width: int) -> int:
        """Rows needed at this width."""
        return self._places(width)[1]

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's signature
        """Paint swatches with the look of the bars."""
        painter = QPainter(self)
        brushes = bar_brushes(self._theme)
        row = self.fontMetrics().height() + 4
        box = LaneBox(float(row))
        places, rows_height = self._places(self.width())
        painter.translate(0, max(0, (self.height() - rows_height) // 2))
        for (text, kind), (x, y) in zip(self.entries(), places, strict=True):
            if kind is not None:
                top, height = box.bar(kind)
                swatch = QRectF(x, y + top, _SWATCH, height)
                painter.setBrushOrigin(x, y)
                painter.fillRect(swatch, brushes[kind])
                draw_glyph(painter, kind, swatch)
            elif text == "in RAM":
                top, height = box.resident
                painter.fillRect(QRectF(x, y + row / 2 - height / 2, _SWATCH, height),
                                 QColor(self._theme.resident))  # fmt: skip
            else:
                pen = QPen(QColor(self._theme.storage), 1.0, Qt.PenStyle.CustomDashLine)
                pen.setDashPattern([1.0, 2.0])
                painter.setPen(pen)
                painter.drawLine(x, y + row // 2, x + _SWATCH, y + row // 2)
            painter.setPen(QColor(self._theme.text))
            painter.drawText(
                QRectF(x + _SWATCH + 6, y, 400, row), Qt.AlignmentFlag.AlignVCenter, text
            )
        painter.end()
