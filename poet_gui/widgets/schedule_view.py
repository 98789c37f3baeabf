"""The schedule view: overview, lanes, memory curve, transport and legend, with all their keys."""

from pathlib import Path
from typing import Final

from PySide6.QtCore import QEvent, QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QGridLayout,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from poet_gui.theme import LIGHT, Theme
from poet_gui.viewmodels.block_lanes import blocks_of
from poet_gui.viewmodels.hover import bar_text, lane_text, name_text, range_text
from poet_gui.viewmodels.timeline import NO_TENSOR
from poet_gui.viewmodels.trace_index import Axis
from poet_gui.widgets.axis_toggle import AxisToggle
from poet_gui.widgets.blocks_toggle import BlocksToggle
from poet_gui.widgets.hover_card import HoverCard
from poet_gui.widgets.legend import Legend
from poet_gui.widgets.picture_export import Picture, write_png, write_svg
from poet_gui.widgets.schedule_canvas import ScheduleCanvas
from poet_gui.widgets.schedule_keys import handle_key
from poet_gui.widgets.state_message import StateMessage, ViewState
from poet_gui.widgets.time_model import TimeModel
from poet_gui.widgets.time_view_box import ZOOM_PER_NOTCH
from poet_gui.widgets.transport_bar import TransportBar
from solver.simulate import Trace

_LEAST: Final = 7
_LOW: Final = 18
_VERY_LOW: Final = 11
"""Lines of text: a lower view has no row to spare for its legend, not even beside the buttons."""
_EMPTY: Final = ("No schedule yet", "Open a model, or start the demo, and it is drawn here.")


class ScheduleView(QWidget):
    """A schedule on screen. It holds no domain numbers: what it shows comes from the trace.

    Signals
    -------
    tensor_selected(object)
        The user selected this tensor (int), or none (None).
    playhead_moved(int)
        The user moved the playhead to this action.
    budget_dragged(object)
        The user drags the budget line to this many bytes (int; may be beyond 32 bits).
    axis_changed(str)
        The user changed x to "step" or "time".
    """

    tensor_selected = Signal(object)
    playhead_moved = Signal(int)
    budget_dragged = Signal(object)
    axis_changed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("scheduleView")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Schedule")
        self.model = TimeModel(self)
        self.canvas = ScheduleCanvas(self.model)
        self.message = StateMessage()
        self.legend, self.transport = Legend(), TransportBar()
        self.axis_toggle, self.blocks_toggle = AxisToggle(), BlocksToggle()
        self._trace: Trace | None = None
        self._theme = LIGHT
        self._selected: int | None = None
        self._quiet = False
        self._legend_below = False
        self._build()
        self.hover_card = HoverCard(self.canvas)
        self.range_card = HoverCard(self.canvas)
        self._connect()
        self.set_theme(LIGHT)
        self.show_message(ViewState.EMPTY, *_EMPTY)

    def _build(self) -> None:
        self._stack = QStackedLayout()
        self._stack.addWidget(self.message)
        self._stack.addWidget(self.canvas)
        foot = QGridLayout()
        foot.setContentsMargins(6, 0, 6, 0)
        foot.setHorizontalSpacing(6)
        foot.setColumnStretch(1, 1)
        foot.addWidget(self.transport, 0, 0)
        foot.addWidget(self.legend, 0, 1)
        foot.addWidget(self.axis_toggle, 0, 2)
        foot.addWidget(self.blocks_toggle, 0, 3)
        self._foot = foot
        layout = QVBoxLayout(self)
        layout.setContentsMargins(3, 3, 3, 3)
        layout.setSpacing(6)
        layout.addLayout(self._stack, 1)
        layout.addLayout(foot)

    def _place_legend(self) -> None:
        """Put the legend beside the buttons, or below them when it would need three rows there."""
        parts = (self.transport, self.axis_toggle, self.blocks_toggle)
        taken = sum(part.sizeHint().width() for part in parts) + 54
        beside = self.legend.heightForWidth(max(1, self.width() - taken))
        below = beside > 2 * self.legend.heightForWidth(10**6)
        # Lanes come before words: the cards at the pointer name every kind, too.
        one_row = beside <= self.legend.heightForWidth(10**6)
        least = _LOW if below else 0 if one_row else _VERY_LOW
        self.legend.setVisible(self.height() >= least * self.fontMetrics().height())
        if below != self._legend_below:
            self._legend_below = below
            self._foot.removeWidget(self.legend)
            place = (1, 0, 1, 4) if below else (0, 1, 1, 1)
            self._foot.addWidget(self.legend, *place)

    def _connect(self) -> None:
        self.canvas.tensor_picked.connect(self._on_tensor_picked)
        self.canvas.budget_dragged.connect(self.budget_dragged)
        self.canvas.pointed.connect(self._on_pointed)
        self.canvas.focus_wanted.connect(self._on_focus_wanted)
        self.model.playhead_changed.connect(self._on_playhead_changed)
        self.model.selection_changed.connect(self._on_range_selected)
        self.model.range_changed.connect(self.hover_card.hide)
        self.model.axis_changed.connect(self._on_axis_changed)
        self.axis_toggle.axis_chosen.connect(self.model.set_axis)
        self.blocks_toggle.toggled.connect(self._on_blocks_toggled)
        self.transport.moved.connect(self._on_transport_moved)
        self.transport.to_start_requested.connect(self.go_to_start)
        self.transport.to_end_requested.connect(self.go_to_end)
        self.transport.to_peak_requested.connect(self.jump_to_peak)

    # What is shown

    def set_trace(self, trace: Trace | None, *, keep_view: bool = False) -> None:
        """Show `trace`; None shows the empty state.

        A schedule of the same graph keeps zoom, scroll, selection and playhead as far as they fit;
        `keep_view` has one of another graph keep zoom, scroll and playhead. Nothing is emitted.
        """
        before = self._trace
        self._trace = trace
        same = (
            before is not None
            and trace is not None
            and before.problem.costed.graph.tensors == trace.problem.costed.graph.tensors
        )
        self._quiet = True
        self.hover_card.hide()
        if not same:
            self._selected = None
        self.canvas.set_trace(trace, keep_view=same or keep_view)
        self.canvas.set_selected(self._selected)
        self._quiet = False
        self.transport.setEnabled(trace is not None)
        useful = trace is not None and blocks_of(trace.problem.costed).useful
        self.blocks_toggle.set_useful(useful=useful)
        if trace is None:
            self.show_message(ViewState.EMPTY, *_EMPTY)
        elif not len(trace.start_s):
            self.show_message(ViewState.EMPTY, "An empty schedule", "It has no action to draw.")
        else:
            self._stack.setCurrentWidget(self.canvas)
        self._describe()

    def show_message(self, state: ViewState, title: str, text: str) -> None:
        """Show words in place of the picture, until the next `set_trace`."""
        self.message.show_state(state, title, text)
        self._stack.setCurrentWidget(self.message)

    def set_budget(self, budget_bytes: int | None) -> None:
        """Show this RAM budget, bytes."""
        self.canvas.set_budget(budget_bytes)
        self._describe()

    def set_axis(self, axis: str) -> None:
        """Let x be "step" or "time". Raises ValueError for anything else."""
        self._quiet = True
        self.model.set_axis(Axis(axis))
        self._quiet = False

    def set_selected(self, tensor: int | None) -> None:
        """Draw this tensor as selected and bring its lane into sight."""
        self._selected = tensor
        self.canvas.set_selected(tensor)

    def set_playhead(self, action: int, *, reveal: bool = True) -> None:
        """Put the playhead on `action` (clipped to the schedule); `reveal` brings it into sight."""
        self._quiet = True
        self.model.set_playhead(action)
        self._quiet = False
        if reveal:
            self.model.reveal(self.model.playhead_x)

    def reveal_action(self, action: int) -> None:
        """Bring the bar of `action` into sight, its lane and its place in it."""
        self.canvas.reveal_action(action)
        if self.model.index is not None:
            self.model.reveal(self.model.index.place(action, self.model.axis))

    def set_theme(self, theme: Theme) -> None:
        """Use these colours, and the widget's present font."""
        self._theme = theme
        self.canvas.set_theme(theme)
        self.legend.set_theme(theme)
        self.transport.set_theme(theme)
        self.hover_card.set_theme(theme)
        self.range_card.set_theme(theme)
        self.update()

    def _describe(self) -> None:
        """Keep a sentence for screen readers: a painted picture says nothing to them."""
        curve = self.canvas.curve
        if curve is None or self.canvas.scene_data is None:
            self.setAccessibleDescription(_EMPTY[0])
            return
        over = self.canvas.memory_item.over_text
        steps = self.canvas.scene_data.index.steps
        self.setAccessibleDescription(
            f"{steps} steps, {self.canvas.scene_data.lanes} lanes, peak {curve.peak_bytes} bytes"
            + (f", {over}" if over else "")
        )

    # What the user can do; the window's menus call these too

    def fit(self) -> None:
        """Show the selected range, or everything."""
        self.model.fit()

    def back(self) -> None:
        """Show the range before."""
        self.model.back()

    def zoom_in(self) -> None:
        """Zoom in about the playhead when it is in sight, else about the middle."""
        self._zoom(ZOOM_PER_NOTCH)

    def zoom_out(self) -> None:
        """Zoom out likewise."""
        self._zoom(1 / ZOOM_PER_NOTCH)

    def _zoom(self, factor: float) -> None:
        shown, at = self.model.range, self.model.playhead_x
        inside = shown.low <= at <= shown.high
        self.model.zoom(at if inside else (shown.low + shown.high) / 2, factor)

    def toggle_axis(self) -> None:
        """Change between steps and time."""
        self.model.set_axis(Axis.TIME if self.model.axis is Axis.STEP else Axis.STEP)

    def toggle_blocks(self) -> None:
        """Change between lanes of tensors and lanes of blocks, where the model has any."""
        if self.blocks_toggle.isEnabled():
            self.blocks_toggle.toggle()

    def jump_to_peak(self) -> None:
        """Put the playhead on the first action at which RAM is highest."""
        if self.model.index is not None:
            self._go_to(self.model.index.peak_action)

    def go_to_start(self) -> None:
        """Put the playhead on the first step."""
        self._go_to_step(0)

    def go_to_end(self) -> None:
        """Put the playhead on the last step."""
        self._go_to_step(-1)

    def _go_to_step(self, step: int) -> None:
        index = self.model.index
        if index is not None and index.steps:
            self._go_to(int(index.step_action[step]))

    def step_playhead(self, by: int) -> None:
        """Move the playhead by columns and keep it in sight."""
        self.model.step_playhead(by)
        self.model.reveal(self.model.playhead_x)

    def _go_to(self, action: int) -> None:
        self.model.set_playhead(action)
        self.model.reveal(self.model.playhead_x)

    def select_neighbour(self, by: int) -> None:
        """Select the tensor of the lane above (-1) or below (+1)."""
        scene = self.canvas.scene_data
        if scene is None or not scene.lanes:
            return
        lanes = [lane for lane in range(scene.lanes) if scene.lane_tensor[lane] != NO_TENSOR]
        now = scene.lane_of_tensor.get(self._selected) if self._selected is not None else None
        if not lanes:
            return  # lanes of blocks: a tensor is selected in its table
        lane = lanes[0] if now is None else min(max(now + by, 0), len(lanes) - 1)
        self._on_tensor_picked(int(scene.lane_tensor[lane]))

    def step_back(self) -> bool:
        """Escape: drop the selected range, then the selected tensor; False when there was none."""
        if self.model.selection is not None:
            self.model.select(None)
        elif self._selected is not None:
            self._on_tensor_picked(None)
        else:
            return False
        return True

    # Export

    def render_png(self, path: Path, scale: float = 2.0) -> None:
        """Write what is shown as PNG, `scale` image pixels per screen pixel.

        Raises OSError when the file cannot be written; a file of that name stays as it was.
        """
        write_png(self._picture(), path, scale)

    def render_svg(self, path: Path) -> None:
        """Write what is shown as SVG. Raises OSError likewise."""
        write_svg(self._picture(), path)

    def _picture(self) -> Picture:
        self.hover_card.hide()
        size = QSize(self.canvas.width(), self.canvas.height() + self.legend.height() + 12)
        return Picture(size, QColor(self._theme.panel), self._render)

    def _render(self, painter: QPainter) -> None:
        area = QRectF(0, 0, self.canvas.width(), self.canvas.height())
        self.canvas.render(painter, area, self.canvas.viewport().rect())
        self.legend.render(painter, QPoint(12, self.canvas.height() + 6))

    # Answers

    def _on_tensor_picked(self, tensor: int | None) -> None:
        if tensor != self._selected:
            self.set_selected(tensor)
            self.tensor_selected.emit(tensor)

    def _on_playhead_changed(self, action: int) -> None:
        if not self._quiet and action >= 0:
            self.playhead_moved.emit(action)

    def _on_transport_moved(self, by: int) -> None:
        before = self.model.playhead
        self.step_playhead(by)
        if self.model.playhead == before:
            self.transport.pause()

    def _on_axis_changed(self) -> None:
        self.axis_toggle.set_axis(self.model.axis)
        if not self._quiet:
            self.axis_changed.emit(self.model.axis.value)

    def _on_blocks_toggled(self, by_block: bool) -> None:  # noqa: FBT001 - a signal's argument
        self.hover_card.hide()
        self.canvas.set_by_block(by_block=by_block)
        self.canvas.set_selected(self._selected)
        self._describe()

    def _on_focus_wanted(self) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)

    def _on_pointed(self, lane: int | None, x: float | None) -> None:
        scene = self.canvas.scene_data
        if lane is None or scene is None:
            self.hover_card.hide()
            return
        if x is None:
            here = self.canvas.lane_box(lane, self.model.range.low)
            self.hover_card.show_at(here, *name_text(scene, lane))
            return
        bar = self.canvas.hit(x, lane + 0.5)[1]
        if bar is not None:
            self.hover_card.show_at(self.canvas.bar_box(bar), *bar_text(scene, bar))
            return
        here = self.canvas.lane_box(lane, x)
        self.hover_card.show_at(here, *lane_text(scene, lane, x, self.model.axis))

    def _on_range_selected(self) -> None:
        part, index = self.model.selection, self.model.index
        if part is None or index is None:
            self.range_card.hide()
            return
        text = range_text(index, part.low, part.high, self.model.axis)
        self.range_card.show_at(self.canvas.lanes_corner(), "Selected range (F fits it)", (text,))

    # Qt

    def minimumSizeHint(self) -> QSize:
        """Qt: a lane or two and the memory curve, whatever stands above."""
        least = super().minimumSizeHint()
        return QSize(least.width(), max(least.height(), _LEAST * self.fontMetrics().height()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Every gesture has a key; the window's list of keys names them."""
        if not handle_key(self, event):
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Follow the font of the window."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and hasattr(self, "canvas"):
            self.canvas.set_theme(self._theme)
            self.transport.set_theme(self._theme)
            self._place_legend()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show that keys go here."""
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Show that keys go elsewhere."""
        super().focusOutEvent(event)
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Cards belong to places that have moved."""
        self.hover_card.hide()
        self._place_legend()
        super().resizeEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        """No pointer, no card."""
        self.hover_card.hide()
        super().leaveEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the ground, and a frame while the keys go here."""
        super().paintEvent(event)
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._theme.panel))
        if self.hasFocus():
            painter.setPen(QPen(QColor(self._theme.accent), 1.0))
            painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))
        painter.end()
