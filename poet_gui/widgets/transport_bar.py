"""Buttons that move the playhead: first, back, play, forward, last, and to the peak."""

from typing import Final

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QHideEvent, QIcon, QPainter, QPixmap, QPolygonF
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from poet_gui.theme import LIGHT, Theme

_FRAME_MS: Final = 120
_SIZE: Final = 14.0

_SHAPES: Final = {
    "first": ("|", "<"),
    "previous": ("<",),
    "play": (">",),
    "pause": ("[", "]"),
    "next": (">",),
    "last": (">", "|"),
    "peak": ("^",),
}


def _icon(name: str, colour: str, size: float, ratio: float) -> QIcon:
    """Icon of triangles and bars in one colour, sharp at any pixel ratio."""
    pixels = round(size * ratio)
    pixmap = QPixmap(pixels, pixels)
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.scale(size / _SIZE, size / _SIZE)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(colour))
    shapes = _SHAPES[name]
    for place, shape in enumerate(shapes):
        _shape(
            painter,
            shape,
            4.0 * (place - (len(shapes) - 1) / 2),
            small=name in {"previous", "next"},
        )
    painter.end()
    return QIcon(pixmap)


def _shape(painter: QPainter, shape: str, shift: float, *, small: bool) -> None:
    middle, half = _SIZE / 2, 4.0 if small else 5.0
    x = middle + shift
    if shape in "|[]":
        painter.drawRect(
            QRectF(x - 1.2 + (shift * 0.6 if shape == "|" else 0), middle - half, 2.4, 2 * half)
        )
        return
    points = {
        "<": ((half * 0.8, -half), (half * 0.8, half), (-half * 0.8, 0)),
        ">": ((-half * 0.8, -half), (-half * 0.8, half), (half * 0.8, 0)),
        "^": ((-half, half * 0.7), (half, half * 0.7), (0, -half * 0.9)),
    }[shape]
    painter.drawPolygon(QPolygonF([QPointF(x + dx, middle + dy) for dx, dy in points]))


class TransportBar(QWidget):
    """Moves the playhead by buttons; play goes on at a constant pace until the end.

    Signals
    -------
    moved(int)
        Move the playhead by this many columns.
    to_start_requested(), to_end_requested(), to_peak_requested()
        Move the playhead there.
    """

    moved = Signal(int)
    to_start_requested = Signal()
    to_end_requested = Signal()
    to_peak_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = LIGHT
        self._timer = QTimer(self)
        self._timer.setInterval(_FRAME_MS)
        self._timer.timeout.connect(self._on_frame)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        self._buttons: dict[str, QToolButton] = {}
        for name, tip in (
            ("first", "First step (Home)"),
            ("previous", "One step back (Left)"),
            ("play", "Play or pause (Space)"),
            ("next", "One step on (Right)"),
            ("last", "Last step (End)"),
            ("peak", "Jump to the peak (K)"),
        ):
            button = QToolButton(self)
            button.setObjectName(f"{name}Button")
            button.setToolTip(tip)
            button.setAccessibleName(tip)
            button.setProperty("flat", "false")
            button.setProperty("compact", "true")
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            layout.addWidget(button)
            self._buttons[name] = button
        self._buttons["first"].clicked.connect(self.to_start_requested)
        self._buttons["previous"].clicked.connect(self._on_previous)
        self._buttons["play"].clicked.connect(self.toggle_play)
        self._buttons["next"].clicked.connect(self._on_frame)
        self._buttons["last"].clicked.connect(self.to_end_requested)
        self._buttons["peak"].clicked.connect(self.to_peak_requested)

    @property
    def is_playing(self) -> bool:
        """True while the playhead moves by itself."""
        return self._timer.isActive()

    def set_theme(self, theme: Theme) -> None:
        """Use these colours."""
        self._theme = theme
        self._draw_icons()

    def toggle_play(self) -> None:
        """Start or pause."""
        if self._timer.isActive():
            self.pause()
        else:
            self._timer.start()
            self._draw_icons()

    def pause(self) -> None:
        """Stop playing; nothing happens when it is not."""
        self._timer.stop()
        self._draw_icons()

    def _draw_icons(self) -> None:
        size = max(_SIZE, 0.85 * self.fontMetrics().height())
        for name, button in self._buttons.items():
            shape = "pause" if name == "play" and self.is_playing else name
            button.setIcon(_icon(shape, self._theme.text, size, self.devicePixelRatioF()))
            button.setIconSize(QSize(round(size), round(size)))

    def _on_previous(self) -> None:
        self.moved.emit(-1)

    def _on_frame(self) -> None:
        self.moved.emit(1)

    def hideEvent(self, event: QHideEvent) -> None:
        """Stop the clock: nobody looks."""
        self.pause()
        super().hideEvent(event)
