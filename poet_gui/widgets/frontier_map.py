"""The map over both budgets: cells of RAM by runtime limit, darker where energy is higher."""

import math

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QWidget

from poet_gui.theme import Theme, luminance
from poet_gui.viewmodels.frontier_map import MapScene
from poet_gui.widgets.frontier_style import gap_brush, impossible_brush
from poet_gui.widgets.pointed_picture import PointedPicture
from poet_gui.widgets.return_keys import is_return
from solver.units import format_bytes, format_seconds

_GAP = 1.0
_CONTRAST_AT = 0.36
"""Luminance of a ground above which black text is read more easily than white."""


class FrontierMap(PointedPicture):
    """Renders a MapScene. Lightness carries the level, words and hatching what is not a level.

    Signals
    -------
    cell_chosen(object)
        The user wants these Budgets.
    """

    cell_chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("frontierMap", "energy over both budgets", parent)
        self.scene: MapScene | None = None
        self.focused: tuple[int, int] | None = None

    def set_scene(self, scene: MapScene | None) -> None:
        """Show this map."""
        before = self.scene
        if before is None or scene is None or before.shape != scene.shape:
            self.focused = None
        self.scene = scene
        self.update()

    def cell(self, row: int, column: int) -> QRectF:
        """Pixels of a cell; tight runtime limits lie at the bottom."""
        if self.scene is None:
            return QRectF()
        area, (rows, columns) = self._area(), self.scene.shape
        width, height = area.width() / columns, area.height() / rows
        return QRectF(
            area.left() + column * width, area.bottom() - (row + 1) * height, width, height
        )

    def cell_at(self, pixel: QPointF) -> tuple[int, int] | None:
        """The (row, column) under a pixel."""
        area = self._area()
        if self.scene is None or not area.contains(pixel):
            return None
        rows, columns = self.scene.shape
        column = int((pixel.x() - area.left()) / area.width() * columns)
        row = int((area.bottom() - pixel.y()) / area.height() * rows)
        return min(row, rows - 1), min(column, columns - 1)

    def _area(self) -> QRectF:
        metrics = self.fontMetrics()
        left = metrics.horizontalAdvance("no limit") + 10
        line = metrics.height()
        return QRectF(self.rect()).adjusted(left, 6, -6, -line - 8)

    def _draw_cell(self, painter: QPainter, scene: MapScene, row: int, column: int) -> None:
        theme = self._theme
        box = self.cell(row, column).adjusted(_GAP, _GAP, -_GAP, -_GAP)
        text, level = scene.text(row, column), float(scene.level[row, column])
        ground = QColor(theme.panel_sunken)
        painter.setPen(Qt.PenStyle.NoPen)
        if math.isinf(scene.lower_j[row, column]):
            painter.fillRect(box, impossible_brush(theme))
            ground = QColor(theme.panel)
        elif math.isnan(level):
            painter.fillRect(box, gap_brush(theme))
        else:
            ground = level_colour(theme, level)
            painter.fillRect(box, ground)
            if not scene.proven[row, column]:
                self._draw_open_corner(painter, box)
        metrics = painter.fontMetrics()
        if metrics.horizontalAdvance(text) + 6 <= box.width() and metrics.height() <= box.height():
            if math.isnan(level) or math.isinf(scene.lower_j[row, column]):
                plate = QRectF(0, 0, metrics.horizontalAdvance(text) + 8, metrics.height())
                plate.moveCenter(box.center())
                painter.fillRect(plate, QColor(theme.panel))
                painter.setPen(QColor(theme.text))
            else:
                bright = luminance(ground.name()) > _CONTRAST_AT
                painter.setPen(QColor("#000000" if bright else "#ffffff"))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def _draw_open_corner(self, painter: QPainter, box: QRectF) -> None:
        """A hatched corner: the bracket there is not closed yet."""
        size = min(12.0, box.width() / 3, box.height() / 2)
        corner = QRectF(box.right() - size, box.top(), size, size)
        painter.fillRect(corner, gap_brush(self._theme))

    def _draw_axes(self, painter: QPainter, scene: MapScene) -> None:
        painter.setPen(QColor(self._theme.text_muted))
        metrics, area = painter.fontMetrics(), self._area()
        rows, columns = scene.shape
        line = metrics.height()
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        for row in range(rows):
            limit = float(scene.runtime_s[row])
            text = format_seconds(limit) if math.isfinite(limit) else "no limit"
            box = self.cell(row, 0)
            if box.height() >= line or row in {0, rows - 1}:
                place = QRectF(0, box.center().y() - line / 2, area.left() - 6, line)
                painter.drawText(place, right, text)
        width = area.width() / columns
        every = max(1, math.ceil((metrics.horizontalAdvance("0000 KiB") + 8) / width))
        for column in range(0, columns, every):
            text = format_bytes(int(scene.ram_bytes[column]))
            box = QRectF(0, 0, metrics.horizontalAdvance(text) + 2, line)
            box.moveCenter(QPointF(self.cell(0, column).center().x(), area.bottom() + line / 2 + 3))
            box.moveLeft(min(max(box.left(), area.left()), self.width() - box.width()))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def _show_card(self, row: int, column: int) -> None:
        if self.scene is not None:
            self.hover_card.show_at(self.cell(row, column), *self.scene.words(row, column))

    def _choose(self, row: int, column: int) -> None:
        if self.scene is not None:
            self.cell_chosen.emit(self.scene.budgets(row, column))

    def _on_focus_gained(self) -> None:
        if self.focused is None and self.scene is not None:
            self.focused = self.scene.here

    # Qt

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt override
        """Qt: cells, the present budgets, the focused cell."""
        scene = self.scene
        if scene is None:
            return
        painter = QPainter(self)
        rows, columns = scene.shape
        for row in range(rows):
            for column in range(columns):
                self._draw_cell(painter, scene, row, column)
        self._draw_axes(painter, scene)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(self._theme.budget_line), 2.5))
        painter.drawRect(self.cell(*scene.here).adjusted(1, 1, -1, -1))
        if self.focused is not None and self.hasFocus():
            painter.setPen(QPen(QColor(self._theme.text), 2.0, Qt.PenStyle.DashLine))
            painter.drawRect(self.cell(*self.focused).adjusted(3, 3, -3, -3))
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Qt: choose the cell."""
        cell = self.cell_at(event.position())
        if event.button() is Qt.MouseButton.LeftButton and cell is not None:
            self.focused = cell
            self._choose(*cell)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Qt: say what the cell is."""
        cell = self.cell_at(event.position())
        if cell is None:
            self.hover_card.hide()
        else:
            self._show_card(*cell)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt: arrows walk over the cells, Return chooses one."""
        steps: dict[int, tuple[int, int]] = {
            Qt.Key.Key_Left: (0, -1), Qt.Key.Key_Right: (0, 1),
            Qt.Key.Key_Up: (1, 0), Qt.Key.Key_Down: (-1, 0),
        }  # fmt: skip
        key, scene = event.key(), self.scene
        if scene is None or self.focused is None:
            super().keyPressEvent(event)
        elif key in steps:
            rows, columns = scene.shape
            row, column = (a + b for a, b in zip(self.focused, steps[key], strict=True))
            self.focused = min(max(row, 0), rows - 1), min(max(column, 0), columns - 1)
            self._show_card(*self.focused)
            self.update()
        elif is_return(event):
            self._choose(*self.focused)
        else:
            super().keyPressEvent(event)


def level_colour(theme: Theme, level: float) -> QColor:
    """One hue from faint (0) to full (1); lightness alone orders the levels."""
    faint, full = QColor(theme.accent_soft), QColor(theme.accent)
    part = math.sqrt(min(1.0, max(0.0, level)))  # most cells lie near the best: spread them
    return QColor(
        round(faint.red() + part * (full.red() - faint.red())),
        round(faint.green() + part * (full.green() - faint.green())),
        round(faint.blue() + part * (full.blue() - faint.blue())),
    )
