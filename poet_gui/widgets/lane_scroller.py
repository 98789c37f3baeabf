"""Scrolling of the lanes: lanes keep their height in pixels, more room shows more of them."""

import math
from typing import Final

import pyqtgraph as pg
from PySide6.QtCore import QObject, QSignalBlocker, Qt
from PySide6.QtWidgets import QGraphicsView, QScrollBar

_LANES_PER_NOTCH: Final = 3.0
_BAR_PIXELS: Final = 8


class LaneScroller(QObject):
    """Which lanes are in sight; it sets the y range of their area and a scroll bar beside it."""

    def __init__(self, view: QGraphicsView, box: pg.ViewBox) -> None:
        super().__init__(view)
        self._view, self._box = view, box
        self._lanes = 0
        self._first = 0.0
        self.lane_pixels = 19.0
        self.bar = QScrollBar(Qt.Orientation.Vertical, view)
        self.bar.setObjectName("laneScrollBar")
        self.bar.setToolTip("Scroll the lanes")
        self.bar.setAccessibleName("Scroll the lanes")
        self.bar.valueChanged.connect(self._on_bar)

    @property
    def visible(self) -> float:
        """How many lanes there is room for."""
        return max(1.0, float(self._box.height()) / self.lane_pixels)

    def set_lanes(self, lanes: int, *, keep: bool) -> None:
        """Scroll among this many lanes; `keep` stays where it is, as far as possible."""
        self._lanes = lanes
        self.scroll_to(self._first if keep else 0.0)

    def scroll_to(self, first: float) -> None:
        """Make `first` the first lane in sight, as far as there are lanes."""
        self._first = min(max(first, 0.0), max(0.0, self._lanes - self.visible))
        self.refresh()

    def scroll_by(self, lanes: float) -> None:
        """Scroll by this many lanes."""
        self.scroll_to(self._first + lanes)

    def on_notches(self, notches: float) -> None:
        """Scroll by notches of the wheel."""
        self.scroll_by(_LANES_PER_NOTCH * notches)

    def reveal(self, lane: int) -> None:
        """Scroll as little as needed to show the whole lane."""
        if lane < self._first:
            self.scroll_to(lane - 1.0)
        elif lane + 1 > self._first + self.visible:
            self.scroll_to(lane + 2.0 - self.visible)

    def refresh(self) -> None:
        """Set range and scroll bar anew, after the area has another size."""
        highest = max(0.0, self._lanes - self.visible)
        self._first = min(self._first, highest)
        self._box.setYRange(self._first, self._first + self.visible, padding=0)
        with QSignalBlocker(self.bar):
            self.bar.setRange(0, math.ceil(highest))
            self.bar.setPageStep(max(1, int(self.visible)))
            self.bar.setValue(round(self._first))
        self.bar.setVisible(highest > 0)
        corner = self._view.mapFromScene(self._box.sceneBoundingRect().topRight())
        self.bar.setGeometry(corner.x(), corner.y(), _BAR_PIXELS, round(self._box.height()))

    def _on_bar(self, value: int) -> None:
        self.scroll_to(float(value))
