"""Where budgets lie on a slider's groove: its ends, the impossible zone, the marks, the dots."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from solver.costs import CostedGraph
from solver.problem import Budgets
from solver.units import format_bytes, format_seconds

NO_LIMIT: Final = math.inf
_HEADROOM: Final = 1.075  # of the plain peak: the mark stands a little before the end
_RUNTIME_FACTOR: Final = 3.0  # of the baseline's runtime; the end of the groove is "no limit"
_RUNTIME_MARGIN: Final = 0.1


@dataclass(frozen=True, slots=True)
class Mark:
    """A line across the groove at a fraction of its length, and what it stands for.

    `pointed`: with a triangle on top, which tells the device's own RAM from the graph's needs.
    """

    at: float
    text: str
    pointed: bool = False


@dataclass(frozen=True, slots=True)
class BudgetScale:
    """A linear groove from `low` to `high` (bytes or seconds); fractions run from 0 to 1.

    Below `least` nothing is possible. `open_end`: the right end means no limit at all.
    """

    low: float
    high: float
    least: float
    marks: tuple[Mark, ...] = ()
    dots: tuple[float, ...] = ()
    left_text: str = ""
    right_text: str = ""
    open_end: bool = False

    @property
    def tip(self) -> str:
        """What the marks stand for, a line each."""
        return "\n".join(mark.text for mark in self.marks)

    def fraction(self, value: float) -> float:
        """Place of a value, clamped to the groove."""
        if self.high <= self.low or value >= self.high:
            return 1.0
        return max(0.0, (value - self.low) / (self.high - self.low))

    def value(self, fraction: float) -> float:
        """Value at a place; infinite at an open end."""
        if self.open_end and fraction >= 1.0:
            return NO_LIMIT
        return self.low + fraction * (self.high - self.low)

    @property
    def impossible(self) -> float:
        """Fraction up to which the groove is hatched."""
        return self.fraction(self.least) if self.least > self.low else 0.0


EMPTY_SCALE: Final = BudgetScale(0.0, 1.0, 0.0)


def memory_scale(
    costed: CostedGraph, solved: Iterable[Budgets], least: float | None = None
) -> BudgetScale:
    """The groove of the memory slider, from zero to a little above the plain peak, in bytes.

    Less than `least` is proven impossible; None: what is less than the floor.
    """
    peak, floor = costed.plain_peak_bytes, costed.floor_bytes
    low = float(floor) if least is None else least
    bare = BudgetScale(0.0, max(1.0, peak * _HEADROOM), low)
    marks = [Mark(bare.fraction(peak), f"plain peak {format_bytes(peak)}")]
    device = costed.device
    board = f"RAM of {device.name}: {format_bytes(device.ram_bytes)}"
    if device.ram_bytes <= bare.high:
        marks.append(Mark(bare.fraction(device.ram_bytes), board, pointed=True))
    named = f"impossible below {format_bytes(int(low))}" if floor < low < math.inf else ""
    return BudgetScale(
        bare.low,
        bare.high,
        bare.least,
        marks=tuple(marks),
        dots=tuple(bare.fraction(budgets.ram_bytes) for budgets in solved),
        left_text=named or f"floor {format_bytes(floor)}",
        right_text=f"plain peak {format_bytes(peak)}",
    )


def runtime_scale(
    costed: CostedGraph, solved: Iterable[Budgets], least: float | None = None
) -> BudgetScale:
    """The groove of the runtime slider, up to three baselines and then no limit, in seconds.

    Less than `least` is proven impossible; None: what is less than the baseline.
    """
    baseline_s = costed.baseline_runtime_s
    low = (1 - _RUNTIME_MARGIN) * baseline_s
    from_s = baseline_s if least is None else least
    bare = BudgetScale(low, _RUNTIME_FACTOR * baseline_s, from_s, open_end=True)
    limits = [budgets.runtime_s for budgets in solved]
    return BudgetScale(
        bare.low,
        bare.high,
        bare.least,
        marks=(Mark(bare.fraction(baseline_s), f"baseline {format_seconds(baseline_s)}"),),
        dots=tuple(1.0 if limit is None else bare.fraction(limit) for limit in limits),
        left_text=f"baseline {format_seconds(baseline_s)}",
        right_text="no limit",
        open_end=True,
    )


def beyond_device(costed: CostedGraph, ram_bytes: int) -> tuple[str, str]:
    """Words for a budget that the device itself does not have, in short and in full; else empty."""
    device = costed.device
    more, has = ram_bytes - device.ram_bytes, format_bytes(device.ram_bytes)
    if more <= 0:
        return "", ""
    full = f"{format_bytes(more)} above the RAM of {device.name}, {has}"
    return f"above the board's {has}", full


def ram_at(scale: BudgetScale, fraction: float, costed: CostedGraph, snap: float) -> int:
    """RAM in whole bytes at a place; within `snap` of a mark or of the floor it is exactly that."""
    for exact in (costed.floor_bytes, costed.plain_peak_bytes, costed.device.ram_bytes):
        if exact <= scale.high and abs(scale.fraction(exact) - fraction) <= snap:
            return exact
    return round(scale.value(fraction))
