"""Part of the explorer's state: the schedule that is kept as A, and what it is compared with."""

from collections.abc import Callable

from poet_gui.compared import Pair, Side
from poet_gui.explored import WhatIf


class CompareState:
    """A kept schedule beside the one on screen; `changed` is called after every change.

    The kept one is A until the sides are swapped; the other side follows the screen.
    """

    def __init__(self, core: WhatIf, changed: Callable[[], None]) -> None:
        self._core = core
        self._changed = changed
        self._kept: Side | None = None
        self._swapped = False
        self._pair: Pair | None = None

    @property
    def shown(self) -> Side | None:
        """The schedule on screen as a side; None when there is none."""
        shown = self._core.shown
        if shown is None:
            return None
        return Side(shown.trace, self._core.budgets, shown.bound_j)

    @property
    def pair(self) -> Pair | None:
        """What is compared; None while nothing is kept. The same object until something changes."""
        kept, shown = self._kept, self.shown
        if kept is None or shown is None:
            return None
        a, b = (shown, kept) if self._swapped else (kept, shown)
        before = self._pair
        if before is None or not (_same(before.a, a) and _same(before.b, b)):
            self._pair = Pair(a, b)
        return self._pair

    def keep(self, side: Side) -> None:
        """Keep this schedule as A; what is on screen is B."""
        self._kept, self._swapped = side, False
        self._changed()

    def keep_shown(self) -> None:
        """Keep what is on screen as A."""
        shown = self.shown
        if shown is not None:
            self.keep(shown)

    def swap(self) -> None:
        """Let A be B and B be A."""
        if self._kept is not None:
            self._swapped = not self._swapped
            self._changed()

    def end(self) -> None:
        """Compare no longer."""
        if self._kept is not None:
            self._kept = self._pair = None
            self._changed()


def _same(one: Side, other: Side) -> bool:
    return (
        one.trace is other.trace
        and one.budgets == other.budgets
        and one.bound_j == other.bound_j
        and one.made_by == other.made_by
    )
