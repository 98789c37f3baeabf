"""A plot area whose wheel, drags and clicks ask for what the schedule view offers."""

from typing import Final

import pyqtgraph as pg
from pyqtgraph.GraphicsScene.mouseEvents import MouseClickEvent, MouseDragEvent
from PySide6.QtCore import QObject, QPointF, Qt, Signal
from PySide6.QtWidgets import QGraphicsSceneWheelEvent

NOTCH: Final = 120.0
"""Wheel angle of one notch, in Qt's eighths of a degree."""

ZOOM_PER_NOTCH: Final = 0.8


class Gestures(QObject):
    """What the user wishes, in units of the axis and lanes.

    Signals
    -------
    zoomed(x, factor), panned(dx), scrolled(notches), pan_started()
    range_dragged(x0, x1, finished), scrubbed(x), clicked(x, y), double_clicked(x, y)
    """

    zoomed = Signal(float, float)
    panned = Signal(float)
    pan_started = Signal()
    scrolled = Signal(float)
    range_dragged = Signal(float, float, bool)
    scrubbed = Signal(float)
    clicked = Signal(float, float)
    double_clicked = Signal(float, float)


class TimeViewBox(pg.ViewBox):  # type: ignore[misc]  # pyqtgraph ships no types
    """A ViewBox that never changes its own range: it emits gestures, the time model answers.

    Its own wheelEvent, because pyqtgraph's switches off automatic ranges of the locked axis.
    """

    def __init__(self, gestures: Gestures, *, scrubs: bool = False) -> None:
        super().__init__(enableMenu=False, defaultPadding=0.0)
        self.gestures = gestures
        self._scrubs = scrubs
        self.setMouseEnabled(x=False, y=False)
        self.disableAutoRange()

    def x_at(self, position: QPointF) -> float:
        """Place on the axis of a position inside this area."""
        return float(self.mapToView(position).x())

    def wheelEvent(self, event: QGraphicsSceneWheelEvent, axis: int | None = None) -> None:  # noqa: ARG002  # pyqtgraph's axes pass theirs
        """Wheel scrolls lanes, Ctrl+wheel zooms at the pointer, Shift or a thumb wheel pans."""
        notches = event.delta() / NOTCH
        modifiers = event.modifiers()
        if modifiers & Qt.KeyboardModifier.ControlModifier:
            self.gestures.zoomed.emit(self.x_at(event.pos()), ZOOM_PER_NOTCH**notches)
        elif (
            modifiers & Qt.KeyboardModifier.ShiftModifier
            or event.orientation() == Qt.Orientation.Horizontal
        ):
            self.gestures.panned.emit(-notches * 0.1 * self.viewRect().width())
        else:
            self.gestures.scrolled.emit(-notches)
        event.accept()

    def mouseDragEvent(self, event: MouseDragEvent, axis: int | None = None) -> None:  # noqa: ARG002 - pyqtgraph's axes pass theirs
        """Left selects a range (or moves the playhead on the memory curve), middle pans."""
        event.accept()
        here = self.x_at(event.pos())
        if event.button() == Qt.MouseButton.MiddleButton:
            if event.isStart():
                self.gestures.pan_started.emit()
            self.gestures.panned.emit(self.x_at(event.lastPos()) - here)
        elif event.button() == Qt.MouseButton.LeftButton and self._scrubs:
            self.gestures.scrubbed.emit(here)
        elif event.button() == Qt.MouseButton.LeftButton:
            start = self.x_at(event.buttonDownPos())
            self.gestures.range_dragged.emit(start, here, event.isFinish())

    def mouseClickEvent(self, event: MouseClickEvent) -> None:
        """Left click points at a place."""
        if event.button() != Qt.MouseButton.LeftButton:
            return
        event.accept()
        place = self.mapToView(event.pos())
        signal = self.gestures.double_clicked if event.double() else self.gestures.clicked
        signal.emit(float(place.x()), float(place.y()))
