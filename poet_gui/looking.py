"""Part of the explorer's state: where the user looks, in the schedule and on which axis."""

from collections.abc import Callable

from poet_gui.explored import Topic
from poet_gui.viewmodels.first_look import first_look
from solver.simulate import Trace


class Looking:
    """The selected tensor (position in the graph), the playhead (an action), and the axis.

    Until the user's first move (`moved`), selection and playhead follow what is shown. `notify` is
    called once per topic that really changed.
    """

    def __init__(self, notify: Callable[[Topic], None]) -> None:
        self._notify = notify
        self.tensor: int | None = None
        self.playhead = 0
        self.axis = "step"
        self.moved = False
        self._last = 0

    def set_tensor(self, tensor: int | None) -> None:
        """Select a tensor everywhere, or none."""
        if tensor != self.tensor:
            self.moved = True
            self.tensor = tensor
            self._notify(Topic.SELECTION)

    def set_playhead(self, action: int) -> None:
        """Move the playhead to an action of the schedule on screen, the nearest one there is."""
        action = max(0, min(action, self._last))
        if action != self.playhead:
            self.moved = True
            self.playhead = action
            self._notify(Topic.PLAYHEAD)

    def set_axis(self, axis: str) -> None:
        """Choose the horizontal axis, "step" or "time"."""
        if axis != self.axis:
            self.axis = axis
            self._notify(Topic.AXIS)

    def forget(self) -> None:
        """Another model: nothing of the former one is selected, and nobody has looked at it."""
        self.tensor, self.playhead, self.moved, self._last = None, 0, False, 0

    def follow(self, trace: Trace, *, another: bool) -> tuple[Topic, ...]:
        """Look at the schedule that takes its place on screen; which topics changed by that.

        `another`: its actions are not those of the one before. Nobody is notified: views must know
        the schedule before they are told of a place in it.
        """
        tensor, playhead = self.tensor, self.playhead
        self._last = max(0, len(trace.schedule.actions) - 1)
        self.playhead = min(self.playhead, self._last)
        if another and not self.moved:
            look = first_look(trace, self.tensor)
            self.playhead, self.tensor = look.action, look.tensor
        selected = (Topic.SELECTION,) if self.tensor != tensor else ()
        return (*selected, Topic.PLAYHEAD) if self.playhead != playhead else selected
