"""The frontier as a picture that can be pointed at: load a point, compare it, move the budget."""

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import QWidget

from poet_gui.theme import Theme
from poet_gui.viewmodels.frontier import FrontierScene
from poet_gui.viewmodels.frontier_words import (
    neighbour,
    place_words,
    point_words,
    same_point,
)
from poet_gui.widgets.frontier_budget import GRIP, budget_x, draw_budget
from poet_gui.widgets.frontier_layer import FrontierLayer
from poet_gui.widgets.frontier_place import Place, area_of
from poet_gui.widgets.pointed_picture import PointedPicture
from poet_gui.widgets.return_keys import asks_for_return, is_return, with_control

_REACH = 11.0
"""Pixels: what is nearer to the pointer is meant."""
_NUDGE_PARTS = 100


class FrontierPlot(PointedPicture):
    """Renders a FrontierScene. What does not move is drawn once and kept as a picture.

    Signals
    -------
    load_requested(int), compare_requested(int)
        The user wants this point of the scene on screen, or beside what is on screen.
    budget_dragged(float)
        The user moves the budget of this axis to so many bytes or seconds.
    """

    load_requested = Signal(int)
    compare_requested = Signal(int)
    budget_dragged = Signal(float)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("frontierPlot", "frontier", parent)
        self.scene: FrontierScene | None = None
        self.focused: int | None = None
        self._shown: int | None = None
        self._still: QPixmap | None = None
        self._held: float | None = None
        self._lit = False

    # What is shown

    def set_theme(self, theme: Theme) -> None:
        """Use these colours."""
        super().set_theme(theme)
        self._redraw()

    def set_scene(self, scene: FrontierScene | None, shown: int | None) -> None:
        """Show this scene; `shown` is the point on screen. The focused point stays if it can."""
        before, focused = self.scene, self.focused
        self.focused = None
        if scene is not None and before is not None and focused is not None:
            schedule = before.points.schedules[focused]
            owner = before.series[int(before.points.series[focused])]
            self.focused = same_point(scene, schedule, owner.style.strategy)
        moved = (
            before is None or scene is None
            or before.points is not scene.points or before.gap_x is not scene.gap_x
        )  # fmt: skip
        self.scene, self._shown = scene, shown
        if moved:
            self.hover_card.hide()
            self._redraw()
        else:
            self.update()

    def place(self) -> Place | None:
        """Where the scene stands on screen."""
        if self.scene is None:
            return None
        return Place(self.scene, area_of(QRectF(self.rect()), self.scene, self.font()))

    def where(self, point: int) -> QPointF:
        """Pixels of a point of the scene."""
        place = self.place()
        if place is None:
            return QPointF()
        points = place.scene.points
        return place.point(float(points.x[point]), float(points.energy_j[point]))

    def point_at(self, pixel: QPointF) -> int | None:
        """The point that is meant by a place on screen: the nearest within reach."""
        place = self.place()
        if place is None or not len(place.scene.points):
            return None
        points = place.scene.points
        away = np.hypot(
            place.x(points.x) - pixel.x(), place.y(points.energy_j) - pixel.y()
        ) - 2.0 * (points.series == 0)  # of two that coincide, the main curve's
        nearest = int(np.argmin(away))
        return nearest if away[nearest] <= _REACH else None

    # Inside

    def _redraw(self) -> None:
        self._still = None
        self.update()

    def _picture(self, place: Place) -> QPixmap:
        if self._still is None:
            ratio = self.devicePixelRatioF()
            self._still = QPixmap(self.size() * ratio)
            self._still.setDevicePixelRatio(ratio)
            self._still.fill(Qt.GlobalColor.transparent)
            painter = QPainter(self._still)
            FrontierLayer(place, self._theme, self.font()).paint(painter)
            painter.end()
        return self._still

    def _draw_rings(self, painter: QPainter) -> None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if self._shown is not None:
            painter.setPen(QPen(QColor(self._theme.text), 1.8))
            painter.drawEllipse(self.where(self._shown), 8.5, 8.5)
        if self.focused is not None and self.hasFocus():
            painter.setPen(QPen(QColor(self._theme.accent), 2.0))
            at = self.where(self.focused)
            painter.drawRect(QRectF(at.x() - 10, at.y() - 10, 20, 20))

    def _focus_point(self, point: int | None) -> None:
        self.focused = point
        self.update()
        if point is None or self.scene is None:
            self.hover_card.hide()
            return
        self._show_card(self.where(point), point_words(self.scene, point))

    def _show_card(self, at: QPointF, words: tuple[str, tuple[str, ...]]) -> None:
        box = QRectF(at.x() - 10, at.y() - 10, 20, 20)
        self.hover_card.show_at(box, *words)

    def _do(self, point: int, *, compares: bool) -> None:
        signal = self.compare_requested if compares else self.load_requested
        signal.emit(point)

    def _at_budget(self, pixel: QPointF) -> bool:
        place = self.place()
        return place is not None and abs(pixel.x() - budget_x(place)) <= GRIP

    def _light(self, *, lit: bool) -> None:
        """Show that the budget's line can be taken here."""
        if lit != self._lit:
            self._lit = lit
            self.update()

    def _nudge(self, hundredths: int) -> None:
        """Move the budget by so many hundredths of the axis; one beyond the picture comes into it.

        Without a limit the axis' end is what it starts from.
        """
        if self.scene is not None:
            low, high = self.scene.x_range
            budget = high if self.scene.budget is None else self.scene.budget
            moved = budget + hundredths * (high - low) / _NUDGE_PARTS
            self.budget_dragged.emit(min(high, max(low, moved)))

    def _on_focus_gained(self) -> None:
        if self.focused is None:
            self.focused = self._shown

    # Qt

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt override
        """Qt: the kept picture, then what moves."""
        place = self.place()
        if place is None:
            return
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._picture(place))
        draw_budget(painter, place, self._theme, lit=self._lit)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._draw_rings(painter)
        if self.hasFocus():
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
            painter.setPen(QPen(QColor(self._theme.accent), 1))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt: the picture is another one."""
        self._still = None
        super().resizeEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Qt: with another font, too."""
        if event.type() == QEvent.Type.FontChange:
            self._redraw()
        super().changeEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Qt: a point is loaded or compared; the budget's line is taken; else the budget moves."""
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        at = event.position()
        point = self.point_at(at)
        compares = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if point is not None:
            self.focused = point
            self._do(point, compares=compares)
        elif self._at_budget(at) and not compares:
            place = self.place()
            assert place is not None, "it is at a line of a scene"
            self._held = budget_x(place) - at.x()  # it does not jump to where it was taken

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Qt: the budget follows a drag; otherwise the card says what is under the pointer."""
        at, place = event.position(), self.place()
        if place is None:
            return
        if self._held is not None:
            self.budget_dragged.emit(place.value(at.x() + self._held))
            return
        point = self.point_at(at)
        near_line = point is None and self._at_budget(at)
        self._light(lit=near_line)
        self.setCursor(
            Qt.CursorShape.PointingHandCursor if point is not None
            else Qt.CursorShape.SizeHorCursor if near_line else Qt.CursorShape.ArrowCursor
        )  # fmt: skip
        if point is not None:
            self._show_card(self.where(point), point_words(place.scene, point))
        elif place.area.contains(at):
            self._show_card(at, place_words(place.scene, place.value(at.x())))
        else:
            self.hover_card.hide()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Qt: the budget is let go."""
        super().mouseReleaseEvent(event)
        self._held = None

    def leaveEvent(self, event: QEvent) -> None:
        """Qt: without a pointer nothing is lit."""
        self._light(lit=False)
        super().leaveEvent(event)

    def event(self, event: QEvent) -> bool:
        """Qt: Ctrl+Return compares here, though it solves elsewhere."""
        if asks_for_return(event) and self.focused is not None:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt: arrows walk over the points, with Ctrl they move the budget; Return loads."""
        moves: dict[int, tuple[int, int]] = {
            Qt.Key.Key_Left: (-1, 0), Qt.Key.Key_Right: (1, 0),
            Qt.Key.Key_Up: (0, -1), Qt.Key.Key_Down: (0, 1),
        }  # fmt: skip
        key, scene = event.key(), self.scene
        by_budget = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if by_budget and key in {Qt.Key.Key_Left, Qt.Key.Key_Right}:
            self._nudge(1 if key == Qt.Key.Key_Right else -1)
        elif scene is not None and key in moves:
            along, across = moves[key]
            self._focus_point(neighbour(scene, self.focused, along=along, across=across))
        elif is_return(event) and self.focused is not None:
            self._do(self.focused, compares=with_control(event))
        elif key == Qt.Key.Key_Escape and self.focused is not None and self.hover_card.isVisible():
            self._focus_point(None)
        else:
            super().keyPressEvent(event)
