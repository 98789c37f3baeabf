"""The pointer among the lanes: what it is on, what a click there picks, where things stand."""

import math
from typing import Final

import pyqtgraph as pg
from PySide6.QtCore import QObject, QPointF, QRectF, Signal

from poet_gui.viewmodels.time_range import TimeRange
from poet_gui.viewmodels.timeline import NO_TENSOR, TimelineScene
from poet_gui.widgets.lane_axis import LaneAxis
from poet_gui.widgets.lane_scroller import LaneScroller
from poet_gui.widgets.time_model import TimeModel

_HIT_PIXELS: Final = 3.0
_BESIDE: Final = 12.0
"""Pixels that a card keeps clear to the right of the place it speaks of."""
_MARGIN: Final = 0.05
"""Part of a tensor's life that is shown before and after it."""


class LanePointer(QObject):
    """Follows the pointer over the lanes in `box` and the names in `axis`; `view` shows both.

    Signals
    -------
    tensor_picked(object)
        The user pointed at this tensor (int), or at an op without one (None).
    pointed(object, object)
        The pointer rests on (lane, x) of the lanes, on the name of a lane (lane, None), or on
        neither (None, None).
    """

    tensor_picked = Signal(object)
    pointed = Signal(object, object)

    def __init__(
        self,
        model: TimeModel,
        view: pg.GraphicsView,
        *,
        axis: LaneAxis,
        box: pg.ViewBox,
        scroller: LaneScroller,
    ) -> None:
        super().__init__(view)
        self._model, self._view = model, view
        self._axis, self._box, self._scroller = axis, box, scroller
        self._scene: TimelineScene | None = None
        self._left = False
        axis.lane_clicked.connect(self._pick_lane)
        # Kept in an attribute: the proxy holds the connection.
        self._moves = pg.SignalProxy(
            view.scene().sigMouseMoved, rateLimit=60, slot=self._on_pointer_moved
        )

    def set_scene(self, scene: TimelineScene | None) -> None:
        """Point among these lanes."""
        self._scene = scene

    # What is where

    def hit(self, x: float, y: float) -> tuple[int | None, int | None]:
        """Lane and bar at a place of the lanes; bars count from three pixels beside them."""
        if self._scene is None or not 0 <= y < self._scene.lanes:
            return None, None
        lane = math.floor(y)
        slack = _HIT_PIXELS * self._model.range.width / max(1.0, float(self._box.width()))
        return lane, self._scene.pick(lane, x, self._model.axis, slack=slack)

    def bar_box(self, bar: int) -> QRectF:
        """Where a bar stands in the view, pixels; the hover card keeps clear of it."""
        assert self._scene is not None
        begins, ends = self._scene.bars.edges(self._model.axis)
        lane = int(self._scene.bars.row[bar])
        area = QRectF(float(begins[bar]), lane, float(ends[bar] - begins[bar]), 1.0)
        seen = area.intersected(self._box.viewRect())
        scene_box = self._box.mapViewToScene(seen).boundingRect()
        return QRectF(self._view.mapFromScene(scene_box).boundingRect())

    def lane_box(self, lane: int, x: float) -> QRectF:
        """Where a place in a lane stands in the view, pixels, no wider than a point."""
        corner = self._view.mapFromScene(self._box.mapViewToScene(QPointF(x, float(lane))))
        return QRectF(corner.x() + _BESIDE, corner.y(), 1.0, self._scroller.lane_pixels)

    def lanes_corner(self) -> QRectF:
        """Upper left corner of the lanes, where a card may lie."""
        corner = self._view.mapFromScene(self._box.sceneBoundingRect().topLeft())
        return QRectF(corner.x() + _BESIDE, corner.y(), 1.0, 1.0)

    # Where the pointer is

    def come(self) -> None:
        """The pointer is over the view."""
        self._left = False

    def leave(self) -> None:
        """It is gone; a late report of its last place must not bring the card back."""
        self._left = True
        self.pointed.emit(None, None)

    def _on_pointer_moved(self, arguments: tuple[QPointF]) -> None:
        position = arguments[0]
        if not self._left and self._scene is not None:
            if self._axis.sceneBoundingRect().contains(position):
                lane = self._axis.lane_at(self._axis.mapFromScene(position).y())
                self.pointed.emit(lane, None)
                return
            place = self._box.mapSceneToView(position)
            inside = self._box.sceneBoundingRect().contains(position)
            if inside and 0 <= place.y() < self._scene.lanes:
                self.pointed.emit(math.floor(place.y()), float(place.x()))
                return
        self.pointed.emit(None, None)

    # What a click does

    def on_clicked(self, x: float, y: float) -> None:
        """Put the playhead on the bar there, or on that place, and pick the lane's tensor."""
        self._model.select(None)
        lane, bar = self.hit(x, y)
        if bar is not None and self._scene is not None:
            self._model.set_playhead(int(self._scene.bars.action[bar]))
        else:
            self._model.set_playhead_x(x)
        if lane is not None:
            self._pick_lane(lane)

    def on_double_clicked(self, _x: float, y: float) -> None:
        """Show the whole life of the tensor in that lane."""
        if self._scene is None or not 0 <= y < self._scene.lanes:
            return
        bars, lane = self._scene.bars, math.floor(y)
        part = slice(int(bars.row_start[lane]), int(bars.row_start[lane + 1]))
        begins, ends = bars.edges(self._model.axis)
        spans = self._scene.resident
        held = slice(int(spans.row_start[lane]), int(spans.row_start[lane + 1]))
        edges = [*begins[part], *ends[part], *spans.edges(self._model.axis)[1][held]]
        if edges:
            low, high = float(min(edges)), float(max(edges))
            margin = _MARGIN * (high - low)
            self._model.set_range(TimeRange(low - margin, high + margin))

    def _pick_lane(self, lane: int) -> None:
        if self._scene is None:
            return
        tensor = int(self._scene.lane_tensor[lane])
        self.tensor_picked.emit(None if tensor == NO_TENSOR else tensor)
