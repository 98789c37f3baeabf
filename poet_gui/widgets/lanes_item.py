"""The lanes: one graphics item that culls by lane and time and draws each kind in one call."""

import math

import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from poet_gui.theme import LIGHT, Theme
from poet_gui.viewmodels.bar_layout import Viewport, place_bars, visible_strips
from poet_gui.viewmodels.timeline import Strips, TimelineScene
from poet_gui.viewmodels.trace_index import BAR_KINDS, Axis, Kind
from poet_gui.widgets.bar_style import GLYPH_FROM, LaneBox, bar_brushes, draw_glyph
from poet_gui.widgets.rect_batch import RectBatch

_MOST_GLYPHS = 300
_LEAST_GROUND = 2.0  # pixels; stripes thinner than that only flicker


class LanesItem(pg.GraphicsObject):  # type: ignore[misc]  # pyqtgraph ships no types
    """Bars, residency and storage of a TimelineScene; x is the axis, y counts lanes from 0.

    All drawing happens in whole screen pixels, so bars stay crisp and patterns keep their pitch.
    """

    def __init__(self) -> None:
        super().__init__()
        self._scene: TimelineScene | None = None
        self._axis = Axis.STEP
        self._selected_lane: int | None = None
        self._theme = LIGHT
        self._batch = RectBatch()
        self._set_colours()
        self.setFlag(self.GraphicsItemFlag.ItemUsesExtendedStyleOption)

    def set_scene(self, scene: TimelineScene | None, axis: Axis) -> None:
        """Show another schedule, or the same on the other axis."""
        self.prepareGeometryChange()
        self._scene, self._axis = scene, axis
        self.update()

    def set_selected_lane(self, lane: int | None) -> None:
        """Draw `lane` as selected."""
        if lane != self._selected_lane:
            self._selected_lane = lane
            self.update()

    def set_theme(self, theme: Theme) -> None:
        """Use these colours."""
        self._theme = theme
        self._set_colours()
        self.update()

    def _set_colours(self) -> None:
        self._brushes = bar_brushes(self._theme)
        self._resident = QColor(self._theme.resident)
        self._stored = QPen(QColor(self._theme.storage), 1.0, Qt.PenStyle.CustomDashLine)
        self._stored.setDashPattern([1.0, 2.0])

    def _viewport(self, painter: QPainter, exposed: QRectF, lanes: int) -> Viewport:
        """How the painter's transform maps axis and lanes to pixels, cut to what must be drawn."""
        transform = painter.transform()
        # Some paths (render into a file) expose the whole item, so what is in sight counts too.
        inside = exposed.intersected(self.boundingRect()).intersected(self.viewRect())
        seen = transform.mapRect(inside).toAlignedRect()
        height, offset = transform.m22(), transform.dy()
        return Viewport(
            axis=self._axis,
            x_scale=transform.m11(),
            x_offset=transform.dx(),
            width=float(seen.width()),
            lane_height=height,
            lane_offset=offset,
            first_lane=max(0, math.floor((seen.top() - offset) / height)),
            last_lane=min(lanes, math.ceil((seen.top() + seen.height() - offset) / height)),
            left=float(seen.left()),
        )

    def _draw_grounds(self, painter: QPainter, view: Viewport) -> None:
        even, odd = QColor(self._theme.lane_even), QColor(self._theme.lane_odd)
        chosen = QColor(self._theme.selection)
        if view.lane_height < _LEAST_GROUND:
            top = view.first_lane * view.lane_height + view.lane_offset
            height = (view.last_lane - view.first_lane) * view.lane_height
            painter.fillRect(QRectF(view.left, top, view.width, height), even)
            return
        for lane in range(view.first_lane, view.last_lane):
            top = math.floor(lane * view.lane_height + view.lane_offset)
            bottom = math.floor((lane + 1) * view.lane_height + view.lane_offset)
            colour = chosen if lane == self._selected_lane else (odd if lane % 2 else even)
            painter.fillRect(QRectF(view.left, top, view.width, bottom - top), colour)

    def _draw_strips(self, painter: QPainter, scene: TimelineScene, view: Viewport) -> None:
        box = LaneBox(view.lane_height)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._resident)
        placed = place_bars(scene.resident, visible_strips(scene.resident, view), view)
        top, height = box.resident
        self._batch.draw(painter, placed.x, placed.y + top, placed.width, height)
        self._draw_stored(painter, scene.stored, view, box)

    def _draw_stored(self, painter: QPainter, stored: Strips, view: Viewport, box: LaneBox) -> None:
        placed = place_bars(stored, visible_strips(stored, view), view)
        painter.setPen(self._stored)
        for x, y, width in zip(placed.x, placed.y, placed.width, strict=True):
            level = float(y + box.stored) + 0.5
            painter.drawLine(pg.QtCore.QLineF(float(x), level, float(x + width), level))

    def _draw_bars(self, painter: QPainter, scene: TimelineScene, view: Viewport) -> None:
        box = LaneBox(view.lane_height)
        seen = visible_strips(scene.bars, view)
        kinds = scene.bars.kind[seen]
        painter.setPen(Qt.PenStyle.NoPen)
        for kind in BAR_KINDS:
            placed = place_bars(scene.bars, seen[kinds == kind], view)
            top, height = box.bar(kind)
            painter.setBrush(self._brushes[kind])
            self._batch.draw(painter, placed.x, placed.y + top, placed.width, height)
            if kind is not Kind.COMPUTE:
                wide = placed.width >= GLYPH_FROM
                for x, y, width in list(
                    zip(placed.x[wide], placed.y[wide], placed.width[wide], strict=True)
                )[:_MOST_GLYPHS]:
                    draw_glyph(
                        painter, kind, QRectF(float(x), float(y + top), float(width), height)
                    )

    def boundingRect(self) -> QRectF:
        """Return the whole schedule, in axis units and lanes."""
        if self._scene is None:
            return QRectF()
        extent = self._scene.index.extent(self._axis)
        return QRectF(0.0, 0.0, extent, float(self._scene.lanes))

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,  # noqa: ARG002 - Qt's signature
    ) -> None:
        """Draw what is exposed: grounds, thin strips, then bars."""
        if self._scene is None or not self._scene.lanes:
            return
        if painter.worldTransform().m22() == 0 or painter.worldTransform().m11() == 0:
            return  # no room at all: nothing can be seen, and nothing divided by its height
        view = self._viewport(painter, option.exposedRect, self._scene.lanes)
        if view.width <= 0 or view.last_lane <= view.first_lane:
            return
        painter.save()
        painter.resetTransform()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        self._draw_grounds(painter, view)
        self._draw_strips(painter, self._scene, view)
        self._draw_bars(painter, self._scene, view)
        painter.restore()
