"""The schedule view: overview, lanes, memory curve, transport and legend, with all their keys."""

from typing import Final

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QStackedLayout, QVBoxLayout, QWidget

from poet_gui.theme import LIGHT, Theme
from poet_gui.viewmodels.block_lanes import blocks_of
from poet_gui.viewmodels.timeline import NO_TENSOR
from poet_gui.viewmodels.trace_index import Axis
from poet_gui.widgets.schedule_canvas import ScheduleCanvas
from poet_gui.widgets.schedule_cards import ScheduleCards
from poet_gui.widgets.schedule_foot import ScheduleFoot
from poet_gui.widgets.schedule_keys import handle_key
from poet_gui.widgets.schedule_picture import SchedulePicture
from poet_gui.widgets.state_message import StateMessage, ViewState
from poet_gui.widgets.time_model import TimeModel
from poet_gui.widgets.time_moves import TimeMoves
from solver.simulate import Trace

_LEAST: Final = 7
"""Lines of text that the view is never lower than."""
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
        self.moves = TimeMoves(self.model)
        self.canvas = ScheduleCanvas(self.model)
        self.message = StateMessage()
        self.foot = ScheduleFoot()
        self.picture = SchedulePicture(self.canvas, self.foot.legend)
        self._trace: Trace | None = None
        self._theme = LIGHT
        self._selected: int | None = None
        self._quiet = False
        self._build()
        self.cards = ScheduleCards(self.canvas, self)
        self._connect()
        self.set_theme(LIGHT)
        self.show_message(ViewState.EMPTY, *_EMPTY)

    def _build(self) -> None:
        self._stack = QStackedLayout()
        self._stack.addWidget(self.message)
        self._stack.addWidget(self.canvas)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(3, 3, 3, 3)
        layout.setSpacing(6)
        layout.addLayout(self._stack, 1)
        layout.addLayout(self.foot)

    def _connect(self) -> None:
        self.canvas.pointer.tensor_picked.connect(self._on_tensor_picked)
        self.canvas.budget_dragged.connect(self.budget_dragged)
        self.canvas.focus_wanted.connect(self._on_focus_wanted)
        self.model.playhead_changed.connect(self._on_playhead_changed)
        self.model.axis_changed.connect(self._on_axis_changed)
        foot = self.foot
        foot.axis_toggle.axis_chosen.connect(self.model.set_axis)
        foot.blocks_toggle.toggled.connect(self._on_blocks_toggled)
        foot.transport.moved.connect(self._on_transport_moved)
        foot.transport.to_start_requested.connect(self.moves.go_to_start)
        foot.transport.to_end_requested.connect(self.moves.go_to_end)
        foot.transport.to_peak_requested.connect(self.moves.jump_to_peak)

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
        self.cards.hover.hide()
        if not same:
            self._selected = None
        self.canvas.set_trace(trace, keep_view=same or keep_view)
        self.canvas.set_selected(self._selected)
        self._quiet = False
        self.foot.transport.setEnabled(trace is not None)
        useful = trace is not None and blocks_of(trace.problem.costed).useful
        self.foot.blocks_toggle.set_useful(useful=useful)
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
        self.foot.set_theme(theme)
        self.cards.set_theme(theme)
        self.picture.set_theme(theme)
        self.update()

    def _describe(self) -> None:
        """Keep a sentence for screen readers: a painted picture says nothing to them."""
        curve = self.canvas.curve
        if curve is None or self.canvas.scene_data is None:
            self.setAccessibleDescription(_EMPTY[0])
            return
        over = self.canvas.memory.item.over_text
        steps = self.canvas.scene_data.index.steps
        self.setAccessibleDescription(
            f"{steps} steps, {self.canvas.scene_data.lanes} lanes, peak {curve.peak_bytes} bytes"
            + (f", {over}" if over else "")
        )

    # What the user can do; the window's menus call these, too, and those of `moves`

    def toggle_blocks(self) -> None:
        """Change between lanes of tensors and lanes of blocks, where the model has any."""
        if self.foot.blocks_toggle.isEnabled():
            self.foot.blocks_toggle.toggle()

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
        self.moves.step_playhead(by)
        if self.model.playhead == before:
            self.foot.transport.pause()

    def _on_axis_changed(self) -> None:
        self.foot.axis_toggle.set_axis(self.model.axis)
        if not self._quiet:
            self.axis_changed.emit(self.model.axis.value)

    def _on_blocks_toggled(self, by_block: bool) -> None:  # noqa: FBT001 - a signal's argument
        self.cards.hover.hide()
        self.canvas.set_by_block(by_block=by_block)
        self.canvas.set_selected(self._selected)
        self._describe()

    def _on_focus_wanted(self) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)

    def _fit_foot(self) -> None:
        self.foot.fit(self.size(), self.fontMetrics().height())

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
            self.foot.transport.set_theme(self._theme)
            self._fit_foot()

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
        self.cards.hover.hide()
        self._fit_foot()
        super().resizeEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        """No pointer, no card."""
        self.cards.hover.hide()
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
