"""The axes of a sweep: where they begin and end, what lies between two places of them."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Protocol

from solver.brackets import Brackets
from solver.problem import Budgets, Problem
from solver.recording import JUST_BELOW

_LONGEST: Final = 2.0
"""Times the baseline: where a map ends while no schedule is known."""


class Line(Protocol):
    """An axis with one fixed budget. Places are bytes or seconds."""

    def first(self) -> tuple[Budgets, ...]:
        """Both ends, the loose one first: it is solved soonest and shows how far the axis goes."""
        ...

    def ends(self, brackets: Brackets) -> tuple[float, float]:
        """The tightest and the loosest place that need answers."""
        ...

    def may_divide(self, brackets: Brackets, *, out: bool) -> bool:
        """Whether the ends are known well enough to ask between them."""
        ...

    def place(self, budgets: Budgets, brackets: Brackets) -> float:
        """Where budgets lie on the axis."""
        ...

    def budgets(self, place: float) -> Budgets:
        """The budgets at a place."""
        ...

    def before(self, place: float) -> float:
        """The last place below."""
        ...

    def after(self, place: float) -> float:
        """The first place above."""
        ...

    def middle(self, start: float, end: float) -> float:
        """A place halfway between."""
        ...

    def finest(self, place: float) -> float:
        """The widest stretch up to a place that cannot be divided any more."""
        ...


@dataclass(frozen=True, slots=True)
class RamLine:
    """Bytes from the floor to the plain peak."""

    problem: Problem

    def first(self) -> tuple[Budgets, ...]:
        """Both ends, the loose one first."""
        low, high = self._ends()
        return self.budgets(high), self.budgets(low)

    def ends(self, brackets: Brackets) -> tuple[float, float]:  # noqa: ARG002 - as Line has it
        """Tightest and loosest place."""
        low, high = self._ends()
        return float(low), float(high)

    def may_divide(self, brackets: Brackets, *, out: bool) -> bool:  # noqa: ARG002 - likewise
        """Whether to ask between the ends."""
        return True

    def place(self, budgets: Budgets, brackets: Brackets) -> float:  # noqa: ARG002 - likewise
        """Where budgets lie."""
        return float(budgets.ram_bytes)

    def budgets(self, place: float) -> Budgets:
        """The budgets at a place."""
        return Budgets(int(place), self.problem.budgets.runtime_s)

    def before(self, place: float) -> float:
        """The last place below."""
        return place - 1

    def after(self, place: float) -> float:
        """The first place above."""
        return place + 1

    def middle(self, start: float, end: float) -> float:
        """A place halfway."""
        return float((int(start) + int(end)) // 2)

    def finest(self, place: float) -> float:  # noqa: ARG002 - likewise
        """None: every byte counts."""
        return 0.0

    def _ends(self) -> tuple[int, int]:
        costed = self.problem.costed
        return costed.floor_bytes, max(costed.floor_bytes, costed.plain_peak_bytes)


@dataclass(frozen=True, slots=True)
class RuntimeLine:
    """Seconds from the baseline's to what the cheapest schedule without a limit takes.

    The loose end has no limit; its place is the runtime of the schedule found for it.
    """

    problem: Problem

    def first(self) -> tuple[Budgets, ...]:
        """Both ends, the loose one first."""
        ram = self.problem.budgets.ram_bytes
        return Budgets(ram), Budgets(ram, self.problem.costed.baseline_runtime_s)

    def ends(self, brackets: Brackets) -> tuple[float, float]:
        """Tightest and loosest place."""
        low = self.problem.costed.baseline_runtime_s
        best = brackets.best(Budgets(self.problem.budgets.ram_bytes))
        return low, low if best is None else max(low, best.runtime_s)

    def may_divide(self, brackets: Brackets, *, out: bool) -> bool:
        """Whether to ask between the ends."""
        known = brackets.best(Budgets(self.problem.budgets.ram_bytes)) is not None
        return known or not out

    def place(self, budgets: Budgets, brackets: Brackets) -> float:
        """Where budgets lie."""
        high = self.ends(brackets)[1]
        return high if budgets.runtime_s is None else min(budgets.runtime_s, high)

    def budgets(self, place: float) -> Budgets:
        """The budgets at a place."""
        return Budgets(self.problem.budgets.ram_bytes, place)

    def before(self, place: float) -> float:
        """The last place below."""
        return place * (1 - JUST_BELOW)

    def after(self, place: float) -> float:
        """The first place above."""
        return math.nextafter(place, math.inf)

    def middle(self, start: float, end: float) -> float:
        """A place halfway."""
        return (start + end) / 2

    def finest(self, place: float) -> float:
        """What a solve can tell apart, twice."""
        return 2 * JUST_BELOW * place


LINES: Final[Mapping[str, Callable[[Problem], Line]]] = MappingProxyType(
    {"ram": RamLine, "runtime": RuntimeLine}
)


def map_budgets(problem: Problem, points: int, brackets: Brackets) -> list[Budgets]:
    """The nodes of a grid about as fine as `points` solves allow, loosest first.

    RAM from the floor to the plain peak; runtime from the baseline's to that of the known schedule
    that needs least RAM, the loosest without a limit.
    """
    costed = problem.costed
    side = max(2, math.ceil(math.sqrt(points)))
    low, high = costed.floor_bytes, max(costed.floor_bytes, costed.plain_peak_bytes)
    rams = [low + (high - low) * k // (side - 1) for k in range(side)]
    fastest = costed.baseline_runtime_s
    tight = brackets.best(Budgets(low))
    longest = _LONGEST * fastest if tight is None else max(fastest, tight.runtime_s)
    limits: list[float | None] = [
        fastest + (longest - fastest) * k / (side - 1) for k in range(side - 1)
    ]
    limits.append(None)
    nodes = (Budgets(ram, limit) for limit in reversed(limits) for ram in reversed(rams))
    return list(dict.fromkeys(nodes))
