"""Incumbent and bound of a solve against seconds."""

from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from poet_gui.solving.status import Point, SolveStatus
from poet_gui.theme import LIGHT, Theme
from poet_gui.viewmodels.curve_scale import CurveScale, apart, curve_scale, points_above
from poet_gui.viewmodels.solve_words import curve_words
from solver.units import format_seconds

_PAD: Final = 8
_ARROW: Final = 6.0
"""Pixels: between curve and words; height of the arrow over what is cut."""
_WIDEST: Final = "0000.0 mJ"
"""The axis stays in its place while energies change."""


@dataclass(frozen=True, slots=True)
class Frame:
    """Where the curves stand: their area in pixels, its energies, and the seconds at its right."""

    scale: CurveScale
    area: QRectF
    end_s: float

    def x(self, t_s: float) -> float:
        """Pixels of a time."""
        return self.area.left() + self.area.width() * min(1.0, t_s / self.end_s)

    def y(self, joules: float) -> float:
        """Pixels of an energy."""
        return self.area.bottom() - self.area.height() * self.scale.height(joules)

    def steps(self, points: tuple[Point, ...], *, from_above: bool = False) -> QPolygonF:
        """A step curve up to the right end; `from_above` leaves its first level out."""
        line, before = QPolygonF(), None
        for point in points:
            x, y = self.x(point.t_s), self.y(point.joules)
            if before is not None:
                line.append(QPointF(x, before))
            if before is not None or not from_above:
                line.append(QPointF(x, y))
            before = y
        if before is not None:
            line.append(QPointF(self.area.right(), before))
        return line


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

    def end_labels(self, frame: Frame) -> tuple[QRectF, QRectF]:
        """Where the words for best and bound stand: beside the ends of their curves."""
        status, area = self._status, frame.area
        best = area.top() if status.energy_j is None else frame.y(status.energy_j)
        bound = area.bottom() if status.bound_j is None else frame.y(status.bound_j)
        line = float(self.fontMetrics().height())
        room = (0.0, float(self.height()))
        left, width = area.right() + _PAD, self.width() - area.right() - _PAD
        first, second = apart(best, bound, line=line, room=room)
        return QRectF(left, first, width, line), QRectF(left, second, width, line)

    def frame(self) -> Frame | None:
        """Where the curves stand; None while there are none."""
        status, metrics = self._status, self.fontMetrics()
        scale = curve_scale(status)
        if scale is None:
            return None
        ticks = (*(text for _, text in scale.ticks()), _WIDEST)
        left = max(metrics.horizontalAdvance(text) for text in ticks) + _PAD
        words = curve_words(status.energy_j, status.bound_j)
        right = max(metrics.horizontalAdvance(text) for text in words) + _PAD + 4
        line = metrics.height()
        area = QRectF(self.rect()).adjusted(left, line / 2 + 1, -right, -line - 4)
        end_s = max([self._elapsed_s, 1e-3, *(p.t_s for p in status.incumbents)])
        return Frame(scale, area, end_s)

    def _draw_axes(self, painter: QPainter, frame: Frame) -> None:
        theme, area = self._theme, frame.area
        painter.setPen(QPen(QColor(theme.storage), 1))
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        painter.drawLine(area.bottomLeft(), area.topLeft())
        painter.setPen(QColor(theme.text_muted))
        line = painter.fontMetrics().height()
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        for height, text in frame.scale.ticks():
            y = area.bottom() - height * area.height()
            painter.drawText(QRectF(0, y - line / 2, area.left() - 6, line), right, text)
        below = QRectF(area.left(), area.bottom() + 2, area.width(), line)
        painter.drawText(below, right, format_seconds(frame.end_s))

    def _draw_best(self, painter: QPainter, frame: Frame) -> None:
        """The best energy; what lies above the axis is dotted along its end, under an arrow."""
        points = self._status.incumbents
        above = points_above(frame.scale, points)
        accent = QColor(self._theme.accent)
        painter.setPen(QPen(accent, 1.8))
        painter.drawPolyline(frame.steps(points[max(0, above - 1) :], from_above=above > 0))
        if above:
            top = frame.area.top()
            start = QPointF(frame.x(points[0].t_s), top)
            painter.setPen(QPen(accent, 1.8, Qt.PenStyle.DotLine))
            painter.drawLine(start, QPointF(frame.x(points[above].t_s), top))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(accent)
            tip, side = start - QPointF(0, _ARROW), QPointF(_ARROW * 0.7, 0)
            painter.drawPolygon(QPolygonF([tip, start + side, start - side]))

    def _draw_labels(self, painter: QPainter, frame: Frame) -> None:
        words = curve_words(self._status.energy_j, self._status.bound_j)
        colours = (self._theme.accent, self._theme.text_muted)
        for box, text, colour in zip(self.end_labels(frame), words, colours, strict=True):
            painter.setPen(QColor(colour))
            painter.drawText(box, Qt.AlignmentFlag.AlignLeft, text)

    def sizeHint(self) -> QSize:
        """Qt: wide and flat."""
        return QSize(320, 5 * self.fontMetrics().height())

    def minimumSizeHint(self) -> QSize:
        """Qt: four lines of text."""
        return QSize(180, 4 * self.fontMetrics().height())

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt override
        """Qt: draw the axes and both curves, or say that there is nothing yet."""
        painter = QPainter(self)
        theme, frame = self._theme, self.frame()
        if frame is None:
            painter.setPen(QColor(theme.text_muted))
            text = "incumbent and bound appear here while a solve runs"
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, text)
            painter.end()
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._draw_axes(painter, frame)
        painter.setPen(QPen(QColor(theme.text_muted), 1.4, Qt.PenStyle.DashLine))
        painter.drawPolyline(frame.steps(self._status.bounds))
        self._draw_best(painter, frame)
        self._draw_labels(painter, frame)
        painter.end()
