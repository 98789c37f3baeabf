"""What the lines and points of the frontier mean, with the same pens as the plot."""

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from poet_gui.solving.sweep_status import MAIN
from poet_gui.theme import LIGHT, Theme
from poet_gui.viewmodels.frontier_sources import STYLES
from poet_gui.widgets.frontier_style import (
    POINT_RADIUS,
    bound_pen,
    draw_point,
    gap_brush,
    series_colour,
    series_pen,
)

_SAMPLE = 26
_SPACE = 16


class FrontierLegend(QWidget):
    """Entries that wrap into as many rows as the width needs."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("frontierLegend")
        self._theme = LIGHT
        self._strategies: tuple[str, ...] = (MAIN,)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)  # Qt's signature
        self.setSizePolicy(policy)

    def set_theme(self, theme: Theme) -> None:
        """Use these colours."""
        self._theme = theme
        self.update()

    def set_strategies(self, strategies: tuple[str, ...]) -> None:
        """Name these curves."""
        if strategies != self._strategies:
            self._strategies = strategies
            self._fit()
            self.update()

    def _fit(self) -> None:
        """Be as high as the rows need: a grid does not ask what a width needs across columns."""
        self.setFixedHeight(self.heightForWidth(max(1, self.width())))

    def _entries(self) -> list[tuple[str, str]]:
        """(what is drawn, text) in order."""
        one = len(self._strategies) == 1
        lines = [
            (style.strategy, "best schedule" if one else style.label)
            for style in STYLES
            if style.strategy in self._strategies
        ]
        return [
            *lines,
            ("bound", "proven bound"),
            ("gap", "not solved yet: between"),
            ("proven", "proven point"),
            ("open", "open point"),
        ]

    def _places(self, width: int) -> list[tuple[QRectF, str, str]]:
        """Boxes of the entries, row by row."""
        metrics = self.fontMetrics()
        line = metrics.height() + 3
        x = y = 0
        places = []
        for what, text in self._entries():
            wide = self._sample(what) + 6 + metrics.horizontalAdvance(text)
            if x and x + wide > width:
                x, y = 0, y + line
            places.append((QRectF(x, y, wide, line), what, text))
            x += wide + _SPACE
        return places

    def _sample(self, what: str) -> int:
        return 12 if what in {"proven", "open"} else _SAMPLE

    def _draw(self, painter: QPainter, box: QRectF, what: str, text: str) -> None:
        theme, middle = self._theme, box.center().y()
        wide = self._sample(what)
        left, right = QPointF(box.left(), middle), QPointF(box.left() + wide, middle)
        if what == "gap":
            painter.fillRect(QRectF(box.left(), middle - 6, wide, 12), gap_brush(theme))
        elif what in {"proven", "open"}:
            proven = what == "proven"
            draw_point(
                painter,
                QPointF(box.left() + 6, middle),
                colour=QColor(theme.good) if proven else series_colour(theme, MAIN),
                ground=QColor(theme.panel),
                proven=proven,
                radius=POINT_RADIUS,
            )
        else:
            style = next((s for s in STYLES if s.strategy == what), None)
            pen = bound_pen(theme) if style is None else series_pen(theme, what, style.dash)
            painter.setPen(pen)
            painter.drawLine(left, right)
        painter.setPen(QColor(theme.text_muted))
        at = box.adjusted(wide + 6, 0, 4, 0)
        painter.drawText(at, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)

    def hasHeightForWidth(self) -> bool:
        """Qt: rows depend on the width."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Qt: as many rows as are needed."""
        return round(self._places(width)[-1][0].bottom())

    def sizeHint(self) -> QSize:
        """Qt: two rows."""
        return QSize(220, 2 * self.fontMetrics().height())

    def minimumSizeHint(self) -> QSize:
        """Qt: the widest entry."""
        return QSize(100, self.fontMetrics().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt: another width may need other rows."""
        super().resizeEvent(event)
        self._fit()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt override
        """Qt: draw the entries."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for box, what, text in self._places(self.width()):
            self._draw(painter, box, what, text)
        painter.end()
