"""Overview, lanes and memory curve in one graphics layout: one time model sets all three ranges."""

import math
from typing import TYPE_CHECKING, Final

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFont, QFontMetricsF, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QWidget

from poet_gui.theme import LIGHT, Theme
from poet_gui.viewmodels.block_lanes import lanes_scene
from poet_gui.viewmodels.memory import MemoryCurve, memory_curve
from poet_gui.viewmodels.resident import place_text
from poet_gui.viewmodels.time_range import TimeRange
from poet_gui.viewmodels.trace_index import index_trace
from poet_gui.widgets.lane_axis import LaneAxis
from poet_gui.widgets.lane_pointer import LanePointer
from poet_gui.widgets.lane_scroller import LaneScroller
from poet_gui.widgets.lanes_item import LanesItem
from poet_gui.widgets.memory_item import MemoryItem
from poet_gui.widgets.memory_pane import MemoryPane
from poet_gui.widgets.plot_axes import CaptionAxis, TimeAxis
from poet_gui.widgets.plot_marks import PlotMarks
from poet_gui.widgets.time_model import TimeModel
from poet_gui.widgets.time_view_box import Gestures, TimeViewBox
from solver.simulate import Trace

if TYPE_CHECKING:
    from poet_gui.viewmodels.timeline import TimelineScene

_LOW: Final = 14
_VERY_LOW: Final = 6
"""Lines of text: a lower picture has a flat overview, a very low one none."""


class ScheduleCanvas(pg.GraphicsLayoutWidget):  # type: ignore[misc]  # pyqtgraph ships no types
    """The picture of a schedule and the gestures on it.

    Signals
    -------
    budget_dragged(object)
        The user drags the budget line to this many bytes.
    focus_wanted()
        The user pressed a mouse button here.
    """

    budget_dragged = Signal(object)
    focus_wanted = Signal()

    def __init__(self, model: TimeModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("scheduleCanvas")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.model = model
        self.scene_data: TimelineScene | None = None
        self.curve: MemoryCurve | None = None
        self._by_block = False
        self._theme = LIGHT
        self._unit = 12.0
        self.lane_gestures = Gestures(self)
        self.memory_gestures = Gestures(self)
        self._build_plots()
        self._build_items()
        self.scroller = LaneScroller(self, self.lanes_box)
        self.pointer = LanePointer(
            model, self, axis=self.lane_axis, box=self.lanes_box, scroller=self.scroller
        )
        self._connect()
        self.set_theme(LIGHT)

    # Building

    def _build_plots(self) -> None:
        self.lane_axis, self.time_axis = LaneAxis(), TimeAxis()
        self.memory_axis = CaptionAxis("memory", bytes_shown=True)
        self.overview_axis = CaptionAxis("whole step", bytes_shown=False)
        self.overview_box = TimeViewBox(Gestures(self), scrubs=True)
        self.lanes_box = TimeViewBox(self.lane_gestures)
        self.memory_box = TimeViewBox(self.memory_gestures, scrubs=True)
        layout = self.ci.layout
        layout.setContentsMargins(0, 4, 8, 2)
        layout.setVerticalSpacing(6)
        layout.setHorizontalSpacing(0)
        # Axes and areas stand in the grid themselves: a PlotItem would bring seven menus each.
        rows: tuple[tuple[pg.AxisItem, TimeViewBox], ...] = (
            (self.overview_axis, self.overview_box),
            (self.lane_axis, self.lanes_box),
            (self.memory_axis, self.memory_box),
        )
        for row, (axis, box) in enumerate(rows):
            axis.linkToView(box)
            self.addItem(axis, row=row, col=0)
            self.addItem(box, row=row, col=1)
        self.time_axis.linkToView(self.memory_box)
        self.addItem(self.time_axis, row=len(rows), col=1)
        layout.setRowSpacing(2, 0)
        layout.setRowStretchFactor(1, 100)
        layout.setColumnStretchFactor(1, 100)
        self.lanes_box.invertY(True)  # pyqtgraph's signature

    def _build_items(self) -> None:
        self.lanes_item, self.overview_item = LanesItem(), MemoryItem(plain=True)
        self.memory = MemoryPane(self.memory_box, self)
        self.lanes_box.addItem(self.lanes_item, ignoreBounds=True)
        self.overview_box.addItem(self.overview_item, ignoreBounds=True)
        plots = [self.lanes_box, self.memory_box]
        self.marks = PlotMarks(self.model, self, plots=plots, overview=self.overview_box)

    def _connect(self) -> None:
        self.model.range_changed.connect(self._on_range)
        self.model.axis_changed.connect(self._on_axis)
        self.model.playhead_changed.connect(self._on_playhead)
        for gestures in (self.lane_gestures, self.memory_gestures):
            gestures.zoomed.connect(self.model.zoom)
            gestures.panned.connect(self.model.pan)
            gestures.pan_started.connect(self.model.remember)
            gestures.scrolled.connect(self.scroller.on_notches)
            gestures.scrubbed.connect(self.model.set_playhead_x)
            gestures.range_dragged.connect(self._on_range_dragged)
        overview = self.overview_box.gestures
        overview.clicked.connect(self._on_overview_clicked)
        overview.scrubbed.connect(self._centre_on)
        overview.zoomed.connect(self.model.zoom)
        overview.scrolled.connect(self.scroller.on_notches)
        self.lane_gestures.clicked.connect(self.pointer.on_clicked)
        self.lane_gestures.double_clicked.connect(self.pointer.on_double_clicked)
        self.memory_gestures.clicked.connect(self._on_memory_clicked)
        self.time_axis.scrubbed.connect(self.model.set_playhead_x)
        self.memory.budget_dragged.connect(self.budget_dragged)

    # What is shown

    def set_trace(self, trace: Trace | None, *, keep_view: bool) -> None:
        """Show `trace`; `keep_view` keeps zoom, scroll and playhead as far as they fit."""
        by_block = self._by_block
        self.scene_data = lanes_scene(trace, by_block=by_block) if trace is not None else None
        self.curve = memory_curve(trace) if trace is not None else None
        scene = self.scene_data
        self.pointer.set_scene(scene)
        self.lane_axis.set_lanes(
            scene.lane_names if scene else (), scene.lane_sizes if scene else ()
        )
        self._show_data()
        self.model.set_index(index_trace(trace) if trace is not None else None, keep_view=keep_view)
        self.scroller.set_lanes(scene.lanes if scene else 0, keep=keep_view)

    def set_by_block(self, *, by_block: bool) -> None:
        """Let lanes be blocks or tensors; zoom and playhead stay."""
        if by_block != self._by_block:
            self._by_block = by_block
            if self.scene_data is not None:
                self.set_trace(self.scene_data.index.trace, keep_view=True)
                self.scroller.set_lanes(self.scene_data.lanes, keep=False)
                self.viewport().update()  # fewer lanes leave paint of the former ones behind

    def set_budget(self, budget_bytes: int | None) -> None:
        """Show this RAM budget: it moves a line, the lanes stay as they are."""
        self.memory.set_budget(budget_bytes)

    def set_selected(self, tensor: int | None) -> None:
        """Draw this tensor's lane as selected and bring it into sight."""
        lane = None
        if tensor is not None and self.scene_data is not None:
            lane = self.scene_data.lane_of_tensor.get(tensor)
        self.lanes_item.set_selected_lane(lane)
        self.lane_axis.set_selected_lane(lane)
        if lane is not None:
            self.scroller.reveal(lane)

    def reveal_action(self, action: int) -> None:
        """Bring the lane of the bar of `action` into sight; a free has no bar of its own."""
        if self.scene_data is None:
            return
        bars = np.flatnonzero(self.scene_data.bars.action == action)
        if len(bars):
            # The last one: the first may stand in the lane of the processor or of the transfers.
            self.scroller.reveal(int(self.scene_data.bars.row[bars[-1]]))

    def set_theme(self, theme: Theme) -> None:
        """Use these colours, and the widget's font for every text."""
        self._theme = theme
        font = QFont(self.font())
        small = QFont(font)
        small.setPointSizeF(max(6.0, font.pointSizeF() * 0.92))
        self.setBackground(theme.panel)
        self.lanes_item.set_theme(theme)
        self.lane_axis.set_theme(theme)
        self.lane_axis.set_font(small)
        self.overview_item.set_theme(theme)
        for lettered in (self.memory, self.memory_axis, self.overview_axis, self.time_axis):
            lettered.set_theme(theme, small)
        self.marks.set_theme(theme)
        self._set_sizes(small)

    def _set_sizes(self, font: QFont) -> None:
        metrics = QFontMetricsF(font)
        self._unit = metrics.height()
        self.scroller.lane_pixels = float(max(15, math.ceil(self._unit * 1.28)))
        width = math.ceil(metrics.horizontalAdvance("batchn…orm2d 47") * 1.15)
        width += math.ceil(metrics.horizontalAdvance("1000 KiB")) + 18
        for axis in (self.overview_axis, self.lane_axis, self.memory_axis):
            axis.setWidth(width)
        self._share_height()

    def _share_height(self) -> None:
        """Give the memory curve a quarter of the height, within bounds; the lanes get the rest.

        When there is little room the curve gets a third: some lanes must always be seen.
        """
        layout = self.ci.layout
        lines = self.height() / self._unit
        overview = 2.3 if lines >= _LOW else 1.2 if lines >= _VERY_LOW else 0.0
        layout.setRowFixedHeight(0, round(overview * self._unit))
        for item in (self.overview_axis, self.overview_box):
            item.setVisible(overview > 0)
        memory = min(max(0.26 * self.height(), 4.5 * self._unit), 10.0 * self._unit)
        memory = min(memory, 0.33 * self.height())
        layout.setRowFixedHeight(2, round(memory))
        layout.activate()
        self.ci.setGeometry(self.range)  # the rows of before may have been too high for it
        self.scroller.refresh()
        self._show_data()

    def _show_data(self) -> None:
        axis = self.model.axis
        self.lanes_item.set_scene(self.scene_data, axis)
        over = max(1.0, float(self.curve.peak_bytes)) if self.curve else 1.0
        self.overview_item.set_curve(self.curve, axis, over)
        self.overview_box.setYRange(0.0, over, padding=0)
        self.memory.set_curve(self.curve, axis)

    # Answers to the model

    def _on_range(self) -> None:
        shown = self.model.range
        for box in (self.lanes_box, self.memory_box):
            box.setXRange(shown.low, shown.high, padding=0)
        self.overview_box.setXRange(0.0, self.model.extent, padding=0)

    def _on_axis(self) -> None:
        self.time_axis.set_axis(self.model.axis)
        self._show_data()

    def _on_playhead(self, action: int) -> None:
        x = self.model.playhead_x
        if self.scene_data is None or action < 0:
            self.time_axis.set_flag(None, "")
        else:
            self.time_axis.set_flag(x, place_text(self.scene_data.index, action))

    # Answers to the user

    def _on_overview_clicked(self, x: float, _y: float) -> None:
        self.model.remember()
        self._centre_on(x)

    def _centre_on(self, x: float) -> None:
        shown = self.model.range
        self.model.pan(x - (shown.low + shown.high) / 2)

    def _on_range_dragged(self, x0: float, x1: float, finished: bool) -> None:  # noqa: FBT001  # a signal's argument
        low, high = sorted((x0, x1))
        low, high = max(low, 0.0), min(high, self.model.extent)
        if high > low:
            self.model.select(TimeRange(low, high))
        elif finished:
            self.model.select(None)

    def _on_memory_clicked(self, x: float, _y: float) -> None:
        self.model.set_playhead_x(x)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Keep the height of a lane; more room shows more lanes."""
        super().resizeEvent(event)
        if hasattr(self, "scroller"):  # Qt resizes while the base class is still being made
            self._share_height()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Give the keys to the schedule view."""
        self.focus_wanted.emit()
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Notice that the pointer is here."""
        self.pointer.come()
        super().mouseMoveEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        """Notice that it is gone."""
        self.pointer.leave()
        super().leaveEvent(event)
