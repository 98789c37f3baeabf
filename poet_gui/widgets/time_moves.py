"""Ways to move along the axis of time: what keys, buttons and menus do to a time model."""

from PySide6.QtCore import QObject, Slot

from poet_gui.viewmodels.trace_index import Axis
from poet_gui.widgets.time_model import TimeModel
from poet_gui.widgets.time_view_box import ZOOM_PER_NOTCH


class TimeMoves(QObject):
    """Moves of range and playhead; each keeps the playhead that it moves in sight."""

    def __init__(self, model: TimeModel) -> None:
        super().__init__(model)
        self._model = model

    @Slot()
    def fit(self) -> None:
        """Show the selected range, or everything."""
        self._model.fit()

    @Slot()
    def back(self) -> None:
        """Show the range before."""
        self._model.back()

    @Slot()
    def zoom_in(self) -> None:
        """Zoom in about the playhead when it is in sight, else about the middle."""
        self._zoom(ZOOM_PER_NOTCH)

    @Slot()
    def zoom_out(self) -> None:
        """Zoom out likewise."""
        self._zoom(1 / ZOOM_PER_NOTCH)

    def _zoom(self, factor: float) -> None:
        shown, at = self._model.range, self._model.playhead_x
        inside = shown.low <= at <= shown.high
        self._model.zoom(at if inside else (shown.low + shown.high) / 2, factor)

    @Slot()
    def toggle_axis(self) -> None:
        """Change between steps and time."""
        self._model.set_axis(Axis.TIME if self._model.axis is Axis.STEP else Axis.STEP)

    @Slot()
    def jump_to_peak(self) -> None:
        """Put the playhead on the first action at which RAM is highest."""
        if self._model.index is not None:
            self._go_to(self._model.index.peak_action)

    @Slot()
    def go_to_start(self) -> None:
        """Put the playhead on the first step."""
        self._go_to_step(0)

    @Slot()
    def go_to_end(self) -> None:
        """Put the playhead on the last step."""
        self._go_to_step(-1)

    def step_playhead(self, by: int) -> None:
        """Move the playhead by columns."""
        self._model.step_playhead(by)
        self._model.reveal(self._model.playhead_x)

    def _go_to_step(self, step: int) -> None:
        index = self._model.index
        if index is not None and index.steps:
            self._go_to(int(index.step_action[step]))

    def _go_to(self, action: int) -> None:
        self._model.set_playhead(action)
        self._model.reveal(self._model.playhead_x)
