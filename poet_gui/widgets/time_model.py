"""The one model of the time axis that overview, lanes, memory curve and keys share."""

from typing import Final

from PySide6.QtCore import QElapsedTimer, QObject, Signal

from poet_gui.viewmodels.time_range import RangeHistory, TimeRange
from poet_gui.viewmodels.trace_index import Axis, TraceIndex

_STEP_LEAST: Final = 1.0
_GESTURE_MS: Final = 700
_TIME_LEAST: Final = 1e-7  # of the whole; below it floats in a plot's transform lose pixels


class TimeModel(QObject):
    """Visible range, axis, playhead and selected range of one schedule.

    Signals
    -------
    range_changed(), axis_changed(), selection_changed()
        Ask the model for the new value.
    playhead_changed(int)
        The playhead stands on another action; -1 without a schedule.
    """

    range_changed = Signal()
    axis_changed = Signal()
    selection_changed = Signal()
    playhead_changed = Signal(int)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.index: TraceIndex | None = None
        self.axis = Axis.STEP
        self.playhead = -1
        self.selection: TimeRange | None = None
        self._anchor: int | None = None
        self.range = TimeRange(0.0, 1.0)
        self._history = RangeHistory()
        self._pause = QElapsedTimer()

    @property
    def extent(self) -> float:
        """End of the axis, above 0 also without a schedule."""
        return self.index.extent(self.axis) if self.index is not None else 1.0

    @property
    def playhead_x(self) -> float:
        """Where the playhead stands on the axis."""
        return self.index.place(self.playhead, self.axis) if self.index is not None else 0.0

    def set_index(self, index: TraceIndex | None, *, keep_view: bool) -> None:
        """Show another schedule; `keep_view` keeps the zoom and the playhead as far as they fit."""
        was_whole = self.range == TimeRange(0.0, self.extent)
        self.index = index
        self._history.clear()
        self.select(None)
        whole = TimeRange(0.0, self.extent)
        kept = self.range.fitted(self.extent, self._least())
        self.range = kept if keep_view and not was_whole else whole
        self.range_changed.emit()
        actions = index.actions if index is not None else 0
        wanted = self.playhead if keep_view else (index.peak_action if index is not None else -1)
        self.playhead = min(wanted, actions - 1)
        self.playhead_changed.emit(self.playhead)

    def set_axis(self, axis: Axis) -> None:
        """Change what x means; the same actions stay in sight."""
        if axis is self.axis:
            return
        low = high = None
        if self.index is not None and self.range != TimeRange(0.0, self.extent):
            low = self._carried(self.range.low, axis)
            high = self._carried(self.range.high, axis)
        self.axis = axis
        self._history.clear()
        self.select(None)
        self.axis_changed.emit()
        carried = TimeRange(low or 0.0, high) if high is not None else TimeRange(0.0, self.extent)
        self.range = carried.fitted(self.extent, self._least())
        self.range_changed.emit()
        self.playhead_changed.emit(self.playhead)

    def _carried(self, x: float, axis: Axis) -> float:
        """Carry a place on the present axis to `axis`: the same fraction of the same bar."""
        if self.index is None:
            return x
        action = self.index.action_at(x, self.axis)
        if action < 0:
            return 0.0
        begin = float(self.index.begin(self.axis)[action])
        end = float(self.index.end(self.axis)[action])
        part = min(max((x - begin) / (end - begin), 0.0), 1.0) if end > begin else 0.0
        begin = float(self.index.begin(axis)[action])
        return begin + part * (float(self.index.end(axis)[action]) - begin)

    def set_range(self, wanted: TimeRange, *, remember: bool = True) -> None:
        """Show `wanted`, moved and resized so that it lies inside the schedule."""
        shown = wanted.fitted(self.extent, self._least())
        if shown == self.range:
            return
        if remember:
            self._history.remember(self.range)
        self.range = shown
        self.range_changed.emit()

    def _least(self) -> float:
        return _STEP_LEAST if self.axis is Axis.STEP else self.extent * _TIME_LEAST

    def zoom(self, at: float, factor: float) -> None:
        """Zoom about `at`; a factor below 1 shows less."""
        self._begin_gesture()
        self.set_range(self.range.zoomed(at, factor), remember=False)

    def pan(self, by: float) -> None:
        """Move the visible part by `by` units of the axis."""
        self._begin_gesture()
        self.set_range(self.range.panned(by), remember=False)

    def _begin_gesture(self) -> None:
        """Remember the range once per run of wheel notches or key presses, not at each."""
        if not self._pause.isValid() or self._pause.hasExpired(_GESTURE_MS):
            self._history.remember(self.range)
        self._pause.restart()

    def remember(self) -> None:
        """Make the present range one to go back to, at the start of a gesture."""
        self._history.remember(self.range)

    def fit(self) -> None:
        """Show the selected range; the whole schedule without one, or when it is shown."""
        whole = TimeRange(0.0, self.extent)
        target = self.selection or whole
        self.set_range(whole if target.fitted(self.extent, self._least()) == self.range else target)

    def back(self) -> None:
        """Show the range before."""
        earlier = self._history.back()
        if earlier is not None:
            self.set_range(earlier, remember=False)

    def reveal(self, x: float) -> None:
        """Pan as little as needed to bring `x` into sight, with a margin."""
        margin = 0.05 * self.range.width
        if x < self.range.low:
            self.set_range(self.range.panned(x - self.range.low - margin), remember=False)
        elif x > self.range.high:
            self.set_range(self.range.panned(x - self.range.high + margin), remember=False)

    def select(self, part: TimeRange | None) -> None:
        """Select a range to be summed up; None selects nothing."""
        if part is None:
            self._anchor = None
        if part != self.selection:
            self.selection = part
            self.selection_changed.emit()

    def set_playhead(self, action: int) -> None:
        """Put the playhead on `action`, clipped to the schedule."""
        count = self.index.actions if self.index is not None else 0
        action = min(max(action, 0), count - 1)
        if action != self.playhead:
            self.playhead = action
            self.playhead_changed.emit(action)

    def set_playhead_x(self, x: float) -> None:
        """Put the playhead on the bar at `x`."""
        if self.index is not None:
            self.set_playhead(self.index.action_at(x, self.axis))

    def step_playhead(self, by: int) -> None:
        """Move the playhead by whole columns; from a free to the column beside it."""
        if self.index is None or not self.index.steps:
            return
        column = int(self.index.step[max(self.playhead, 0)])
        beside = int(self.index.step_action[min(column, self.index.steps - 1)])
        if beside != self.playhead and by > 0:  # on a free the bar beside it is the next one
            by -= 1
        column = min(max(column + by, 0), self.index.steps - 1)
        self.set_playhead(int(self.index.step_action[column]))

    def extend_selection(self, by: int) -> None:
        """Grow or shrink the selected range by the column that the playhead is about to cross."""
        if self.index is None or not self.index.steps:
            return
        here = self.playhead
        column = int(self.index.step[max(here, 0)]) + by
        there = int(self.index.step_action[min(max(column, 0), self.index.steps - 1)])
        if self._anchor is None or self.selection is None:
            self._anchor = here
        first, last = sorted((self._anchor, there))
        low = float(self.index.begin(self.axis)[first])
        high = float(self.index.end(self.axis)[last])
        if high > low:
            self.select(TimeRange(low, high))
