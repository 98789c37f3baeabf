"""ExplorerState: the state as a QObject, one thin signal per topic."""

from PySide6.QtCore import QObject, Signal

from poet_gui.explorer import Explorer, Topic
from solver.device import Device


class ExplorerState(QObject):
    """The only mutable domain object of the window; `core` holds it, views listen here.

    Signals
    -------
    model_changed, device_changed, problem_changed, solve_changed, shown_changed, selection_changed,
    playhead_changed, axis_changed, history_changed, opening_changed, known_changed, sweep_changed,
    compare_changed
        That part of `core` really changed; ask `core` for the new value.
    """

    model_changed = Signal()
    device_changed = Signal()
    problem_changed = Signal()
    solve_changed = Signal()
    shown_changed = Signal()
    selection_changed = Signal()
    playhead_changed = Signal()
    axis_changed = Signal()
    history_changed = Signal()
    opening_changed = Signal()
    known_changed = Signal()
    sweep_changed = Signal()
    compare_changed = Signal()

    def __init__(self, device: Device, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.core = Explorer(device, self._emit)
        self._signals = {
            Topic.MODEL: self.model_changed,
            Topic.DEVICE: self.device_changed,
            Topic.PROBLEM: self.problem_changed,
            Topic.SOLVE: self.solve_changed,
            Topic.SHOWN: self.shown_changed,
            Topic.SELECTION: self.selection_changed,
            Topic.PLAYHEAD: self.playhead_changed,
            Topic.AXIS: self.axis_changed,
            Topic.HISTORY: self.history_changed,
            Topic.OPENING: self.opening_changed,
            Topic.KNOWN: self.known_changed,
            Topic.SWEEP: self.sweep_changed,
            Topic.COMPARE: self.compare_changed,
        }

    def _emit(self, topic: Topic) -> None:
        self._signals[topic].emit()
