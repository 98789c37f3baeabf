"""How the curves and points of the frontier look: one look in plot and legend."""

from functools import lru_cache
from typing import Final

from PySide6.QtCore import QLineF, QPointF, Qt
from PySide6.QtGui import QBrush, QColor, QImage, QPainter, QPen, QPolygonF

from poet_gui.theme import Theme

_TILE: Final = 7
POINT_RADIUS: Final = 4.2


def series_colour(theme: Theme, strategy: str) -> QColor:
    """Colour of a strategy's curve; the dash pattern and the label say the same without it."""
    colours = {
        "remat-only": theme.recompute,
        "paging-only": theme.page_in,
        "sqrt-n": theme.page_out,
    }
    return QColor(colours.get(strategy, theme.accent))


def series_pen(theme: Theme, strategy: str, dash: tuple[float, ...]) -> QPen:
    """The pen of a strategy's curve."""
    pen = QPen(series_colour(theme, strategy), 1.5 if dash else 2.0)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
    if dash:
        pen.setDashPattern(list(dash))
    return pen


def bound_pen(theme: Theme) -> QPen:
    """The pen of the proven curve: thin, short dashes."""
    pen = QPen(QColor(theme.text_muted), 1.3)
    pen.setDashPattern([3.5, 2.5])
    return pen


@lru_cache(maxsize=4)
def gap_brush(theme: Theme) -> QBrush:
    """The area that is not solved yet: a soft ground with a diagonal hatch."""
    line = QColor(theme.accent)
    line.setAlpha(120)
    return _hatched(QColor(theme.accent_soft), line, falling=False)


@lru_cache(maxsize=4)
def impossible_brush(theme: Theme) -> QBrush:
    """Where nothing fits: amber hatch the other way on the panel."""
    line = QColor(theme.over_budget)
    line.setAlpha(150)
    return _hatched(QColor(theme.panel), line, falling=True)


def draw_point(
    painter: QPainter, at: QPointF, *, colour: QColor, ground: QColor, proven: bool, radius: float
) -> None:
    """A proven point is a full circle, another a hollow diamond."""
    if proven:
        painter.setPen(QPen(ground, 1.0))
        painter.setBrush(colour)
        painter.drawEllipse(at, radius, radius)
        return
    painter.setPen(QPen(colour, 1.6))
    painter.setBrush(ground)
    reach = radius * 1.15
    painter.drawPolygon(QPolygonF([
        at + QPointF(0, -reach), at + QPointF(reach, 0), at + QPointF(0, reach),
        at + QPointF(-reach, 0),
    ]))  # fmt: skip


def _hatched(ground: QColor, line: QColor, *, falling: bool) -> QBrush:
    """Lines one tile apart; the corners are drawn as well, so that tiles join."""
    image = QImage(_TILE, _TILE, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(ground)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(line, 1.0))
    size = float(_TILE)
    for shift in (-size, 0.0, size):
        ends = (0.0, size) if falling else (size, 0.0)
        painter.drawLine(QLineF(shift, ends[0], shift + size, ends[1]))
    painter.end()
    return QBrush(image)
