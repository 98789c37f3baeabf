"""The visible part of the time axis: zooming, panning and going back, as pure arithmetic."""

from dataclasses import dataclass
from typing import Final

_HISTORY: Final = 50


@dataclass(frozen=True, slots=True)
class TimeRange:
    """A part of an axis, low < high, in columns or seconds."""

    low: float
    high: float

    @property
    def width(self) -> float:
        """Length of the part."""
        return self.high - self.low

    def zoomed(self, at: float, factor: float) -> "TimeRange":
        """`factor` times as wide, with `at` on the same place of the screen."""
        return TimeRange(at - (at - self.low) * factor, at + (self.high - at) * factor)

    def panned(self, by: float) -> "TimeRange":
        """Moved to the right by `by`."""
        return TimeRange(self.low + by, self.high + by)

    def fitted(self, extent: float, least: float) -> "TimeRange":
        """Moved and resized as little as needed: inside [0, extent], at least `least` wide."""
        width = min(max(self.width, min(least, extent)), extent)
        middle = (self.low + self.high) / 2
        low = self.low if width == self.width else middle - width / 2
        low = min(max(low, 0.0), extent - width)
        return TimeRange(low, low + width)


class RangeHistory:
    """The ranges to go back to, latest last; continuous changes count as one."""

    def __init__(self) -> None:
        self._past: list[TimeRange] = []

    def remember(self, shown: TimeRange) -> None:
        """Keep `shown`, which is about to be left."""
        if not self._past or self._past[-1] != shown:
            self._past.append(shown)
            del self._past[:-_HISTORY]

    def back(self) -> TimeRange | None:
        """Return the range left last and forget it; None when there is none."""
        return self._past.pop() if self._past else None

    def clear(self) -> None:
        """Forget everything; another schedule or another axis is shown."""
        self._past.clear()
