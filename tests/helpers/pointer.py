"""Mouse and wheel on a graphics view, by plot coordinates."""

import time

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QGraphicsView

LEFT = Qt.MouseButton.LeftButton
NONE = Qt.MouseButton.NoButton


def at(view: QGraphicsView, box, x: float, y: float) -> QPointF:
    """Pixel of the viewport at plot coordinates (x, y) of a ViewBox."""
    return QPointF(view.mapFromScene(box.mapViewToScene(QPointF(x, y))))


def send(view: QGraphicsView, kind: QEvent.Type, place: QPointF, button, buttons) -> None:
    viewport = view.viewport()
    event = QMouseEvent(
        kind,
        place,
        QPointF(viewport.mapToGlobal(place.toPoint())),
        button,
        buttons,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(viewport, event)


def click(view: QGraphicsView, place: QPointF) -> None:
    send(view, QEvent.Type.MouseMove, place, NONE, NONE)
    send(view, QEvent.Type.MouseButtonPress, place, LEFT, LEFT)
    send(view, QEvent.Type.MouseButtonRelease, place, LEFT, NONE)


def drag(view: QGraphicsView, start: QPointF, end: QPointF, button=LEFT) -> None:
    send(view, QEvent.Type.MouseMove, start, NONE, NONE)
    send(view, QEvent.Type.MouseButtonPress, start, button, button)
    for part in (0.25, 0.5, 0.75, 1.0):
        send(view, QEvent.Type.MouseMove, start + (end - start) * part, NONE, button)
        time.sleep(0.015)  # pyqtgraph looks at no more than 100 moves a second
    send(view, QEvent.Type.MouseButtonRelease, end, button, NONE)


def wheel(
    view: QGraphicsView,
    place: QPointF,
    notches: float,
    modifiers=Qt.KeyboardModifier.NoModifier,
) -> None:
    viewport = view.viewport()
    event = QWheelEvent(
        place,
        QPointF(viewport.mapToGlobal(place.toPoint())),
        QPoint(),
        QPoint(0, round(120 * notches)),
        NONE,
        modifiers,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(viewport, event)
