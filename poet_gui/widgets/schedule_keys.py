"""The keys of the schedule view: every gesture of the mouse has one."""

from typing import TYPE_CHECKING, Final, Protocol

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent

from poet_gui.widgets.schedule_canvas import ScheduleCanvas
from poet_gui.widgets.schedule_foot import ScheduleFoot
from poet_gui.widgets.time_model import TimeModel
from poet_gui.widgets.time_moves import TimeMoves

if TYPE_CHECKING:
    from collections.abc import Callable

_PAN_PART: Final = 0.2
_NUDGES: Final[dict[int, int]] = {Qt.Key.Key_Up: 1, Qt.Key.Key_Down: -1}

KEYS: Final = (
    ("Left / Right", "one step back / on; with Shift the selected range grows"),
    ("Home / End", "first / last step"),
    ("K", "the peak"),
    ("Space", "play or pause"),
    ("Up / Down", "select the tensor above / below"),
    ("Page Up / Page Down", "scroll the lanes"),
    ("Ctrl+Up / Ctrl+Down", "raise / lower the line of the memory budget"),
    ("+ / - or Ctrl+wheel", "zoom in / out"),
    ("Alt+Left / Alt+Right", "pan"),
    ("F", "fit the selected range, or everything"),
    ("Backspace", "the range before"),
    ("T", "steps or time"),
    ("B", "lanes of tensors, or of whole blocks of layers"),
    ("Escape", "drop the selected range, then the selected tensor"),
)
"""What the window's overview of keys lists for the schedule: keys, meaning."""


class Keyed(Protocol):
    """What the keys act upon: a schedule view."""

    model: TimeModel
    moves: TimeMoves
    canvas: ScheduleCanvas
    foot: ScheduleFoot

    def toggle_blocks(self) -> None:
        """Change between lanes of tensors and lanes of blocks."""

    def select_neighbour(self, by: int) -> None:
        """Select the tensor of the lane above (-1) or below (+1)."""

    def step_back(self) -> bool:
        """Drop what is selected; False when nothing was."""


def handle_key(view: Keyed, event: QKeyEvent) -> bool:
    """Do what a key stands for; False when it stands for nothing here."""
    key = event.key()
    if key == Qt.Key.Key_Escape:
        return view.step_back()
    if event.modifiers() & Qt.KeyboardModifier.AltModifier:
        return _pan_by_key(view, key)
    nudge = _NUDGES.get(key)
    if nudge is not None and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
        view.canvas.memory.nudge_budget(nudge)
        return True
    plain: dict[int, Callable[[], None]] = {
        Qt.Key.Key_F: view.moves.fit,
        Qt.Key.Key_Backspace: view.moves.back,
        Qt.Key.Key_T: view.moves.toggle_axis,
        Qt.Key.Key_B: view.toggle_blocks,
        Qt.Key.Key_K: view.moves.jump_to_peak,
        Qt.Key.Key_Home: view.moves.go_to_start,
        Qt.Key.Key_End: view.moves.go_to_end,
        Qt.Key.Key_Plus: view.moves.zoom_in,
        Qt.Key.Key_Equal: view.moves.zoom_in,
        Qt.Key.Key_Minus: view.moves.zoom_out,
        Qt.Key.Key_Space: view.foot.transport.toggle_play,
    }
    if key in plain:
        plain[key]()
        return True
    return _move_by_key(
        view, key, extend=bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
    )


def _pan_by_key(view: Keyed, key: int) -> bool:
    by: float | None = {int(Qt.Key.Key_Left): -_PAN_PART, int(Qt.Key.Key_Right): _PAN_PART}.get(key)
    if by is None:
        return False
    view.model.pan(by * view.model.range.width)
    return True


def _move_by_key(view: Keyed, key: int, *, extend: bool) -> bool:
    page = max(1, int(view.canvas.scroller.visible) - 1)
    steps: dict[int, int] = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
    lanes: dict[int, int] = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
    pages: dict[int, int] = {Qt.Key.Key_PageUp: -page, Qt.Key.Key_PageDown: page}
    if key in steps:
        if extend:
            view.model.extend_selection(steps[key])
        view.moves.step_playhead(steps[key])
    elif key in lanes:
        view.select_neighbour(lanes[key])
    elif key in pages:
        view.canvas.scroller.scroll_by(pages[key])
    else:
        return False
    return True
