"""How high the solver's curves are drawn: the ends of the axis, what they say, and the labels."""

from dataclasses import dataclass
from typing import Final

from poet_gui.solving.status import Point, SolveStatus
from solver.units import format_joules

_SLACK: Final = 1e-9  # of the energy: rounding of two sums
_CUT_AT: Final = 3.0
_MIDDLE: Final = 0.5


@dataclass(frozen=True, slots=True)
class CurveScale:
    """The energies between the lower and the upper end of the axis, joules.

    is_cut : some of the curve lies above `high_j`. Where both ends are the same energy there is
    nothing between them to be shown: it stands in the middle.
    """

    low_j: float
    high_j: float
    is_cut: bool = False

    @property
    def is_flat(self) -> bool:
        """Whether all that is drawn is one and the same energy."""
        return self.high_j - self.low_j <= _SLACK * abs(self.high_j)

    def height(self, joules: float) -> float:
        """Where an energy stands between the lower end (0) and the upper end (1)."""
        if self.is_flat:
            return _MIDDLE
        part = (joules - self.low_j) / (self.high_j - self.low_j)
        return min(1.0, max(0.0, part))

    def ticks(self) -> tuple[tuple[float, str], ...]:
        """Heights and what stands there, from below: ends that read the same say how far apart."""
        low, high = format_joules(self.low_j), format_joules(self.high_j)
        if self.is_flat:
            return ((_MIDDLE, low),)
        if low == high:
            high = f"+ {format_joules(self.high_j - self.low_j)}"
        return ((0.0, low), (1.0, f"> {high}" if self.is_cut else high))


def curve_scale(status: SolveStatus) -> CurveScale | None:
    """The scale of the curves of `status`; None while there is neither a schedule nor a bound.

    The first schedules may lie far above the best: the axis ends at three times what lies between
    the best and the first bound, so that the end of the race stays readable.
    """
    values = [point.joules for point in (*status.incumbents, *status.bounds)]
    if not values:
        return None
    low, high = min(values), max(values)
    best = status.energy_j
    if best is None or best - low <= _SLACK * abs(best):
        return CurveScale(low, high)
    most = best + _CUT_AT * (best - low)
    return CurveScale(low, min(high, most), is_cut=high > most)


def points_above(scale: CurveScale, points: tuple[Point, ...]) -> int:
    """How many points of a falling curve lie above the axis."""
    return sum(point.joules > scale.high_j for point in points) if scale.is_cut else 0


def apart(
    upper: float, lower: float, *, line: float, room: tuple[float, float]
) -> tuple[float, float]:
    """Tops of two lines of text, in pixels downward, of which the first stands above the second.

    Each is centred at the place it is given while both have room; where they would meet they part
    as far as `line`, their height, and stay inside `room`, which holds them both.
    """
    lower = max(upper, lower)
    if lower - upper < line:
        middle = (upper + lower) / 2
        upper, lower = middle - line / 2, middle + line / 2
    top, bottom = upper - line / 2, lower - line / 2
    shift = max(0.0, room[0] - top)
    top, bottom = top + shift, max(bottom, top + shift + line)
    over = max(0.0, bottom + line - room[1])
    bottom -= over
    return min(top, bottom - line), bottom
