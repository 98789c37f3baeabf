"""What is known of one problem under all its budgets: verified schedules and proven bounds.

A schedule of peak p and runtime r serves every budget of at least (p, r); a bound proven for a
budget holds for every tighter one, and so does a proof that nothing fits. Hence the least energy
under any budgets lies between two numbers, without a solve.
"""

import math
from bisect import bisect_left, bisect_right, insort
from dataclasses import dataclass
from typing import Final

from solver.outcome import OPTIMAL_TOTAL_TOLERANCE
from solver.problem import Budgets, Problem
from solver.schedule import Schedule
from solver.simulate import Trace

_CLASH: Final = 1e-6
"""Of the overhead: a bound that far above a verified schedule is false, less is rounding."""

STORED_STEP: Final = "stored"
"""The step at which a solve takes up what earlier ones found."""


@dataclass(frozen=True, slots=True)
class StoredSchedule:
    """A verified schedule and its figures: bytes, seconds, joules."""

    peak_bytes: int
    runtime_s: float
    energy_j: float
    schedule: Schedule

    def fits(self, budgets: Budgets) -> bool:
        """Say whether this very schedule is allowed under `budgets`."""
        return self.peak_bytes <= budgets.ram_bytes and budgets.allow_runtime(self.runtime_s)


@dataclass(frozen=True, slots=True)
class StoredBound:
    """No schedule under `budgets` needs less than `bound_j` joules; inf: there is none at all."""

    budgets: Budgets
    bound_j: float


@dataclass(frozen=True, slots=True)
class Bracket:
    """The least energy lies between these, joules; `high_j` is None when no schedule is known.

    low_j is inf where nothing fits. `solved` counts the schedules and bounds that are stored.
    """

    low_j: float
    high_j: float | None
    solved: int

    @property
    def impossible(self) -> bool:
        """True when it is proven that nothing fits."""
        return math.isinf(self.low_j)


@dataclass(frozen=True, slots=True)
class Known:
    """What a solve is told beforehand: schedules that should fit, and a bound proven for it.

    The solve verifies the schedules again and drops what does not stand up; bound_j is trusted
    (inf: proven impossible, -inf: nothing known).
    """

    schedules: tuple[Schedule, ...] = ()
    bound_j: float = -math.inf


NOTHING_KNOWN: Final = Known()


def covers(loose: Budgets, tight: Budgets) -> bool:
    """Say whether every schedule allowed under `tight` is allowed under `loose`."""
    if loose.ram_bytes < tight.ram_bytes:
        return False
    if loose.runtime_s is None:
        return True
    return tight.runtime_s is not None and tight.runtime_s <= loose.runtime_s


def highest_bound_j(energy_j: float, baseline_j: float) -> float:
    """What a bound may state, rounded as it is, where a schedule of that energy is allowed."""
    overhead_j = max(0.0, energy_j - baseline_j)
    return energy_j + _CLASH * overhead_j + OPTIMAL_TOTAL_TOLERANCE * energy_j


class Brackets:
    """Mutable: what is known of all problems that differ from one another in their budgets only.

    Dominated entries are dropped, so that every query is a short walk. `refuted` lists bounds that
    a verified schedule proved false: each is a fault of ours, and no longer used.
    """

    def __init__(self, problem: Problem) -> None:
        costed = problem.costed
        self.baseline_j = costed.baseline_energy_j
        self.baseline_runtime_s = costed.baseline_runtime_s
        self.floor_bytes = costed.floor_bytes
        self.refuted: list[StoredBound] = []
        self._schedules: list[StoredSchedule] = []  # by energy
        self._bounds: list[StoredBound] = []  # highest first

    @property
    def schedules(self) -> tuple[StoredSchedule, ...]:
        """Every schedule that no other dominates, by energy, then bytes, then seconds."""
        return tuple(self._schedules)

    @property
    def bounds(self) -> tuple[StoredBound, ...]:
        """Every bound above the baseline that no other implies, highest first."""
        return tuple(self._bounds)

    def copy(self) -> "Brackets":
        """An independent copy that shares the (frozen) entries."""
        twin = object.__new__(Brackets)
        twin.baseline_j, twin.baseline_runtime_s = self.baseline_j, self.baseline_runtime_s
        twin.floor_bytes = self.floor_bytes
        twin.refuted = self.refuted.copy()
        twin._schedules, twin._bounds = self._schedules.copy(), self._bounds.copy()
        return twin

    def add_schedule(self, trace: Trace) -> bool:
        """Remember a verified schedule; False when what is known serves at least as well."""
        return self.add_stored(
            StoredSchedule(trace.peak_bytes, trace.runtime_s, trace.total_energy_j, trace.schedule)
        )

    def add_stored(self, new: StoredSchedule) -> bool:
        """`add_schedule` by its figures, which must be verified ones."""
        peak, runtime_s = new.peak_bytes, new.runtime_s
        known = self._schedules
        cheaper = bisect_right(known, new.energy_j, key=_energy_j)
        if any(s.peak_bytes <= peak and s.runtime_s <= runtime_s for s in known[:cheaper]):
            return False
        dearer = bisect_left(known, new.energy_j, key=_energy_j)
        rest = [s for s in known[dearer:] if s.peak_bytes < peak or s.runtime_s < runtime_s]
        self._schedules = [*known[:dearer], *rest]
        insort(self._schedules, new, key=_figures)
        for bound in self._refuted_by(new):
            self._bounds.remove(bound)
            self.refuted.append(bound)
        return True

    def add_bound(self, budgets: Budgets, bound_j: float) -> bool:
        """Remember a proven bound; False when it says nothing new, or a schedule refutes it."""
        if not bound_j > self._stored_bound_j(budgets):
            return False
        new = StoredBound(budgets, bound_j)
        cheapest = next((s for s in self._schedules if _is_under(s, budgets)), None)
        if cheapest is not None and bound_j > highest_bound_j(cheapest.energy_j, self.baseline_j):
            self.refuted.append(new)
            return False
        self._bounds = [
            known
            for known in self._bounds
            if known.bound_j > bound_j or not covers(budgets, known.budgets)
        ]
        insort(self._bounds, new, key=_falling)
        return True

    def merge(self, other: "Brackets") -> bool:
        """Take in everything that `other` knows of the same problem; say whether it was news."""
        news = [self.add_stored(schedule) for schedule in other.schedules]
        news += [self.add_bound(bound.budgets, bound.bound_j) for bound in other.bounds]
        return any(news)

    def best(self, budgets: Budgets) -> StoredSchedule | None:
        """The schedule of least energy among those that fit; None when none does."""
        return next((known for known in self._schedules if known.fits(budgets)), None)

    def bound_j(self, budgets: Budgets) -> float:
        """No schedule under `budgets` needs less, joules; inf when it is proven that none fits."""
        low_j = self._stored_bound_j(budgets)
        if math.isinf(low_j):
            return low_j
        best = self.best(budgets)
        return low_j if best is None else min(low_j, best.energy_j)

    def bracket(self, budgets: Budgets) -> Bracket:
        """What is proven of the least energy under `budgets`."""
        best = self.best(budgets)
        count = len(self._schedules) + len(self._bounds)
        return Bracket(self.bound_j(budgets), None if best is None else best.energy_j, count)

    def known(self, budgets: Budgets) -> Known:
        """What a solve under `budgets` should be told beforehand."""
        best = self.best(budgets)
        return Known(() if best is None else (best.schedule,), self.bound_j(budgets))

    def least_ram_bytes(self, runtime_s: float | None) -> int | None:
        """Less RAM than this is proven impossible under that runtime limit; None: any RAM is."""
        if not Budgets(0, runtime_s).allow_runtime(self.baseline_runtime_s):
            return None
        return max(
            [self.floor_bytes]
            + [
                bound.budgets.ram_bytes + 1
                for bound in self._impossible()
                if covers(bound.budgets, Budgets(bound.budgets.ram_bytes, runtime_s))
            ]
        )

    def least_runtime_s(self, ram_bytes: int) -> float | None:
        """No runtime limit below this works with that RAM, seconds; None: no limit at all does."""
        if ram_bytes < self.floor_bytes:
            return None
        least = self.baseline_runtime_s
        for bound in self._impossible():
            if bound.budgets.ram_bytes >= ram_bytes:
                if bound.budgets.runtime_s is None:
                    return None
                least = max(least, bound.budgets.runtime_s)
        return least

    def _impossible(self) -> list[StoredBound]:
        return [bound for bound in self._bounds if math.isinf(bound.bound_j)]

    def _stored_bound_j(self, budgets: Budgets) -> float:
        if budgets.ram_bytes < self.floor_bytes:
            return math.inf
        if not budgets.allow_runtime(self.baseline_runtime_s):
            return math.inf
        for bound in self._bounds:  # highest first
            if covers(bound.budgets, budgets):
                return max(self.baseline_j, bound.bound_j)
        return self.baseline_j

    def _refuted_by(self, schedule: StoredSchedule) -> list[StoredBound]:
        """Bounds that the schedule proves false, by more than rounding."""
        allowed_j = highest_bound_j(schedule.energy_j, self.baseline_j)
        count = bisect_left(self._bounds, -allowed_j, key=_falling)  # highest first
        return [bound for bound in self._bounds[:count] if _is_under(schedule, bound.budgets)]


def _is_under(schedule: StoredSchedule, budgets: Budgets) -> bool:
    """Say whether the schedule keeps the budgets exactly, without what rounding is granted."""
    if schedule.peak_bytes > budgets.ram_bytes:
        return False
    return budgets.runtime_s is None or schedule.runtime_s <= budgets.runtime_s


def _figures(schedule: StoredSchedule) -> tuple[float, int, float]:
    """By energy; the rest makes the order of equally dear ones no matter of who came first."""
    return schedule.energy_j, schedule.peak_bytes, schedule.runtime_s


def _energy_j(schedule: StoredSchedule) -> float:
    return schedule.energy_j


def _falling(bound: StoredBound) -> float:
    return -bound.bound_j
