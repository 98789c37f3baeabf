"""How each kind of action looks: fill, pattern, place in the lane, glyph; one look everywhere."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QImage, QPainter, QPainterPath, QPen, QPolygonF

from poet_gui.theme import Theme
from poet_gui.viewmodels.trace_index import Kind

GLYPH_FROM: Final = 14.0
"""A bar of at least this many pixels carries its glyph."""

_INK: Final = "#000000"
_INK_ALPHA: Final = 105
_LEAST_GLYPH: Final = 3.0


@dataclass(frozen=True, slots=True)
class LaneBox:
    """Vertical layout of a lane of a given height, pixels from its upper edge."""

    height: float

    @property
    def padding(self) -> float:
        """Room above and below a full bar."""
        return max(0.0, round(self.height * 0.14))

    @property
    def full(self) -> float:
        """Height of a full bar."""
        return max(1.0, self.height - 2 * self.padding)

    def bar(self, kind: Kind) -> tuple[float, float]:
        """Top and height of a bar: page-outs in the upper half, page-ins in the lower half."""
        half = max(1.0, round(self.full / 2))
        if kind is Kind.PAGE_OUT:
            return self.padding, half
        if kind is Kind.PAGE_IN:
            return self.padding + self.full - half, half
        return self.padding, self.full

    @property
    def resident(self) -> tuple[float, float]:
        """Top and height of the thin bar of a tensor in RAM, at the foot of the lane."""
        thin = max(1.0, round(self.full * 0.28))
        return self.padding + self.full - thin, thin

    @property
    def stored(self) -> float:
        """Where the dotted line of a tensor in storage runs, at the head of the lane."""
        return self.padding + max(1.0, round(self.full * 0.2))


def bar_brushes(theme: Theme) -> Mapping[Kind, QBrush]:
    """Return one brush per kind: fill and pattern in one tile, so that a frame draws each bar once.

    Tiles are drawn in screen pixels: the pattern keeps its pitch at any zoom.
    """
    return MappingProxyType(
        {
            Kind.COMPUTE: QBrush(QColor(theme.compute)),
            Kind.RECOMPUTE: QBrush(_tile(theme.recompute, 5, (QLineF(0, 4, 4, 0),), 1.0)),
            Kind.PAGE_IN: QBrush(_tile(theme.page_in, 3, (QLineF(0, 0.5, 3, 0.5),), 1.0)),
            Kind.PAGE_OUT: QBrush(_tile(theme.page_out, 3, (QLineF(0.5, 0, 0.5, 3),), 1.0)),
        }
    )


def over_budget_brush(theme: Theme) -> QBrush:
    """Amber with a cross hatch, for the area above the budget."""
    lines = (QLineF(-1, -1, 9, 9), QLineF(-1, 9, 9, -1))
    return QBrush(_tile(theme.over_budget, 8, lines, 1.2))


def _tile(fill: str, size: int, lines: tuple[QLineF, ...], width: float) -> QImage:
    ink = QColor(_INK)
    ink.setAlpha(_INK_ALPHA)
    image = QImage(size, size, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(QColor(fill))
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, width != 1.0)
    painter.setPen(QPen(ink, width))
    for line in lines:
        painter.drawLine(line)
    painter.end()
    return image


def draw_glyph(painter: QPainter, kind: Kind, box: QRectF) -> None:
    """Draw the glyph of `kind` in the middle of `box`.

    Triangle down = into RAM, triangle up = out of RAM, circular arrow = made again.
    """
    size = min(box.height() - 1.0, 9.0)
    if size < _LEAST_GLYPH:
        return
    centre = box.center()
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if kind is Kind.RECOMPUTE:
        _circular_arrow(painter, centre, size)
    elif kind in {Kind.PAGE_IN, Kind.PAGE_OUT}:
        down = kind is Kind.PAGE_IN
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor("#ffffff"))
        painter.drawPolygon(_triangle(centre, size, down=down))
    painter.restore()


def _triangle(centre: QPointF, size: float, *, down: bool) -> QPolygonF:
    half, tip = size * 0.62, size / 2 if down else -size / 2
    return QPolygonF(
        [
            QPointF(centre.x() - half, centre.y() - tip),
            QPointF(centre.x() + half, centre.y() - tip),
            QPointF(centre.x(), centre.y() + tip),
        ]
    )


def _circular_arrow(painter: QPainter, centre: QPointF, size: float) -> None:
    radius = size / 2
    circle = QRectF(centre.x() - radius, centre.y() - radius, size, size)
    path = QPainterPath()
    path.arcMoveTo(circle, 40)
    path.arcTo(circle, 40, 280)
    head = QPointF(centre.x() + radius * 0.766, centre.y() - radius * 0.643)
    arrow = QPolygonF(
        [
            head + QPointF(-size * 0.32, size * 0.02),
            head + QPointF(size * 0.16, -size * 0.3),
            head + QPointF(size * 0.2, size * 0.3),
        ]
    )
    for colour, width in ((QColor(_INK), 3.0), (QColor("#ffffff"), 1.5)):
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(colour, width))
        painter.drawPath(path)
        painter.setPen(QPen(colour, width - 1.0))
        painter.setBrush(colour)
        painter.drawPolygon(arrow)
