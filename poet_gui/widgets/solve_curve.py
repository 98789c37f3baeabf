"""Incumbent and bound of a solve against seconds."""

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from poet_gui.solving.status import Point, SolveStatus
from poet_gui.theme import LIGHT, Theme
from poet_gui.viewmodels.solve_words import curve_words
from solver.units import format_joules, format_seconds


class SolveCurve(QWidget):
    """Two step curves: the best energy falls (solid), the bound rises (dashed)."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("solveCurve")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._status = SolveStatus()
        self._elapsed_s = 0.0
        self._theme = LIGHT

    def set_theme(self, theme: Theme) -> None:
        """Use these colours."""
        self._theme = theme
        self.update()

    def set_status(self, status: SolveStatus, elapsed_s: float) -> None:
        """Draw this solve up to `elapsed_s` seconds."""
        self._status, self._elapsed_s = status, elapsed_s
        best, bound = curve_words(status.energy_j, status.bound_j)
        self.setAccessibleName(f"solver progress: {best} {bound}")
        self.update()

    def _range(self) -> tuple[float, float]:
        values = [p.joules for p in (*self._status.incumbents, *self._status.bounds)]
        # The first incumbents may lie far above: the upper curve is cut at three times what
        # lies between the best and the first bound, so that the end of the race stays readable.
        low, high = min(values), max(values)
        if self._status.incumbents:
            best = self._status.incumbents[-1].joules
            high = min(high, best + 3 * max(best - low, 1e-12 * abs(best)))
        return (low, high) if high > low else (low * 0.999 - 1e-15, high * 1.001 + 1e-15)

    def _polyline(self, points: tuple[Point, ...], area: QRectF, end_s: float) -> QPolygonF:
        low, high = self._range()
        line = QPolygonF()
        before: float | None = None
        for point in points:
            x = area.left() + area.width() * min(1.0, point.t_s / end_s)
            y = area.bottom() - area.height() * (min(high, point.joules) - low) / (high - low)
            if before is not None:
                line.append(QPointF(x, before))
            line.append(QPointF(x, y))
            before = y
        if before is not None:
            line.append(QPointF(area.right(), before))
        return line

    def _draw_axes(self, painter: QPainter, area: QRectF, end_s: float) -> None:
        theme = self._theme
        painter.setPen(QPen(QColor(theme.storage), 1))
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        painter.drawLine(area.bottomLeft(), area.topLeft())
        painter.setPen(QColor(theme.text_muted))
        line = painter.fontMetrics().height()
        low, high = self._range()
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        for joules, y in ((high, area.top()), (low, area.bottom())):
            box = QRectF(0, y - line / 2, area.left() - 6, line)
            painter.drawText(box, right, format_joules(joules))
        painter.drawText(
            QRectF(area.left(), area.bottom() + 2, area.width(), line), right, format_seconds(end_s)
        )

    def sizeHint(self) -> QSize:
        """Qt: wide and flat."""
        return QSize(320, 5 * self.fontMetrics().height())

    def minimumSizeHint(self) -> QSize:
        """Qt: four lines of text."""
        return QSize(180, 4 * self.fontMetrics().height())

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt override
        """Qt: draw the axes and both curves, or say that there is nothing yet."""
        painter = QPainter(self)
        theme, status = self._theme, self._status
        if not status.incumbents and not status.bounds:
            painter.setPen(QColor(theme.text_muted))
            text = "incumbent and bound appear here while a solve runs"
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, text)
            painter.end()
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        metrics = self.fontMetrics()
        left = metrics.horizontalAdvance("0000.0 mJ") + 8
        best, bound = curve_words(status.energy_j, status.bound_j)
        right = max(metrics.horizontalAdvance(best), metrics.horizontalAdvance(bound)) + 12
        line = metrics.height()
        area = QRectF(self.rect()).adjusted(left, line / 2 + 1, -right, -line - 4)
        end_s = max([self._elapsed_s, 1e-3, *(p.t_s for p in status.incumbents)])
        self._draw_axes(painter, area, end_s)
        painter.setPen(QPen(QColor(theme.text_muted), 1.4, Qt.PenStyle.DashLine))
        painter.drawPolyline(self._polyline(status.bounds, area, end_s))
        painter.setPen(QPen(QColor(theme.accent), 1.8))
        painter.drawPolyline(self._polyline(status.incumbents, area, end_s))
        words = QRectF(area.right() + 8, area.bottom() - 2 * line, right, line)
        painter.drawText(words, Qt.AlignmentFlag.AlignLeft, best)
        painter.setPen(QColor(theme.text_muted))
        painter.drawText(words.translated(0, line), Qt.AlignmentFlag.AlignLeft, bound)
        painter.end()
