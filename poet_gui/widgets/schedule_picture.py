"""The schedule as a picture in a file: a title, what is on screen, and the legend."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from PySide6.QtCore import QPoint, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QRegion
from PySide6.QtWidgets import QWidget

from poet_gui.theme import LIGHT, Theme
from poet_gui.widgets.legend import Legend
from poet_gui.widgets.picture_export import Picture, write_png, write_svg
from poet_gui.widgets.schedule_canvas import ScheduleCanvas

_MARGIN: Final = 12
_GAP: Final = 6
_WRAPPED: Final = int(Qt.TextFlag.TextWordWrap)
_BETWEEN: Final = " · "
_UNBROKEN: Final = "\u00a0"
"""A space at which no line ends: lines end between parts, never inside one that fits."""


class SchedulePicture:
    """Draws `canvas` and `legend` as they stand on screen below a title, as a figure in a paper."""

    def __init__(self, canvas: ScheduleCanvas, legend: Legend) -> None:
        self._canvas, self._legend = canvas, legend
        self._theme = LIGHT

    def set_theme(self, theme: Theme) -> None:
        """Use these colours."""
        self._theme = theme

    def render_png(self, path: Path, scale: float = 2.0, *, title: Sequence[str] = ()) -> None:
        """Write a PNG, `scale` image pixels per screen pixel; `title` by line, the first in bold.

        Raises OSError when the file cannot be written; a file of that name stays as it was.
        """
        write_png(self._picture(title), path, scale)

    def render_svg(self, path: Path, *, title: Sequence[str] = ()) -> None:
        """Write an SVG. Raises OSError likewise."""
        write_svg(self._picture(title), path)

    def _picture(self, title: Sequence[str]) -> Picture:
        lines = self._lines(title)
        below = lines[-1][2].bottom() + _GAP if lines else 0.0
        canvas, legend = self._canvas, self._legend
        height = round(below) + canvas.height() + legend.height() + 2 * _GAP

        def draw(painter: QPainter) -> None:
            painter.save()
            painter.setPen(QColor(self._theme.text))
            for text, font, box in lines:
                painter.setFont(font)
                painter.drawText(box, _WRAPPED, text)
            painter.restore()
            area = QRectF(0, round(below), canvas.width(), canvas.height())
            canvas.render(painter, area, canvas.viewport().rect())
            corner = QPoint(_MARGIN, round(below) + canvas.height() + _GAP)
            legend.render(painter, corner, QRegion(), QWidget.RenderFlag.DrawChildren)

        size, ground = QSize(canvas.width(), height), QColor(self._theme.panel)
        return Picture(size, ground, draw, "\n".join(title))

    def _lines(self, title: Sequence[str]) -> list[tuple[str, QFont, QRectF]]:
        """The title line by line: text, font and place; long ones are broken."""
        placed: list[tuple[str, QFont, QRectF]] = []
        top = float(_MARGIN)
        width = float(self._canvas.width() - 2 * _MARGIN)
        for number, line in enumerate(title):
            font = QFont(self._canvas.font())
            font.setBold(number == 0)
            metrics = QFontMetricsF(font)
            text = _BETWEEN.join(
                part.replace(" ", _UNBROKEN) if metrics.horizontalAdvance(part) <= width else part
                for part in line.split(_BETWEEN)
            )
            box = metrics.boundingRect(QRectF(_MARGIN, top, width, 10.0**4), _WRAPPED, text)
            placed.append((text, font, QRectF(_MARGIN, top, width, box.height())))
            top += box.height() + 2.0
        return placed
