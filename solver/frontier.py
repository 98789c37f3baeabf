"""What the least energy is along one budget: a curve of schedules, a proven curve below it, knees.

The best curve is a staircase of verified schedules: each serves every budget from its own peak (or
runtime) on. The lower curve is a staircase of proofs: each holds for every tighter budget. The
least energy lies between the two everywhere, not at the solved budgets alone.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from solver.brackets import Brackets, StoredSchedule, covers
from solver.costs import CostedGraph, FloatArray
from solver.problem import Budgets

LineAxis = Literal["ram", "runtime"]
_ENDLESS: Final = math.inf


@dataclass(frozen=True, slots=True)
class Knee:
    """A corner after which more budget saves little; `distance` below the chord, 0 .. 1."""

    position: float
    energy_j: float
    distance: float
    schedule: StoredSchedule


@dataclass(frozen=True, eq=False)
class Frontier:
    """The least energy along one budget, the other fixed. Arrays are read-only.

    axis : which budget varies, "ram" (bytes) or "runtime" (seconds).
    other : the fixed budget: the runtime limit in seconds (None: no limit) along "ram", the RAM in
        bytes along "runtime".
    position : shape (n,), ascending: both ends and every place where a curve changes. Entry k of
        the curves holds from position[k] up to, but without, position[k + 1].
    best_j : shape (n,), joules of the cheapest verified schedule, inf where none is known.
    lower_j : shape (n,), joules, proven; inf where it is proven that nothing fits. Never above
        best_j; both never rise.
    solved : shape (s,), ascending: the budgets on this axis for which a bound was proven.
    corners : the schedules that make the best curve, from tight to loose.
    """

    axis: LineAxis
    other: float | None
    position: FloatArray
    best_j: FloatArray
    lower_j: FloatArray
    solved: FloatArray
    corners: tuple[StoredSchedule, ...]

    @cached_property
    def corner(self) -> FloatArray:
        """Positions of the corners, shape (corners,): their own peaks or runtimes."""
        return _frozen([_place(schedule, self.axis) for schedule in self.corners])

    @cached_property
    def gap_j(self) -> FloatArray:
        """best_j - lower_j, shape (n,); 0 where nothing fits, inf where that is open."""
        gaps = np.zeros_like(self.best_j)
        open_ = ~np.isinf(self.lower_j)
        gaps[open_] = self.best_j[open_] - self.lower_j[open_]
        return _frozen(gaps)

    def at(self, place: float) -> tuple[float, float]:
        """The (lower, best) energy of a budget between the ends, joules."""
        k = max(0, int(np.searchsorted(self.position, place, side="right")) - 1)
        return float(self.lower_j[k]), float(self.best_j[k])


def along_ram(brackets: Brackets, costed: CostedGraph, runtime_s: float | None) -> Frontier:
    """The frontier from the floor to the plain peak, under a runtime limit or none."""
    low, high = costed.floor_bytes, max(costed.floor_bytes, costed.plain_peak_bytes)
    served = Budgets(0, runtime_s).allow_runtime
    schedules = [s for s in brackets.schedules if served(s.runtime_s)]
    proofs = [
        (bound.budgets.ram_bytes, bound.bound_j)
        for bound in brackets.bounds
        if covers(bound.budgets, Budgets(bound.budgets.ram_bytes, runtime_s))
    ]
    if not served(costed.baseline_runtime_s):
        proofs.append((high, _ENDLESS))  # every op once takes longer
    # A proof for B bytes holds up to B, so the curve falls at B + 1.
    steps = [(float(ram), float(ram + 1), bound_j) for ram, bound_j in proofs]
    return _frontier(
        "ram",
        runtime_s,
        (low, high),
        schedules=schedules,
        steps=steps,
        baseline_j=brackets.baseline_j,
    )


def along_runtime(brackets: Brackets, costed: CostedGraph, ram_bytes: int) -> Frontier:
    """The frontier from the baseline's runtime to the longest that a known schedule takes."""
    low = costed.baseline_runtime_s
    schedules = [s for s in brackets.schedules if s.peak_bytes <= ram_bytes]
    proofs = [
        (bound.budgets.runtime_s, bound.bound_j)
        for bound in brackets.bounds
        if bound.budgets.ram_bytes >= ram_bytes
    ]
    if ram_bytes < costed.floor_bytes:
        proofs.append((None, _ENDLESS))
    steps = [
        (_ENDLESS, _ENDLESS, bound_j)
        if limit is None
        else (limit, math.nextafter(limit, _ENDLESS), bound_j)
        for limit, bound_j in proofs
    ]
    ends = [s.runtime_s for s in schedules] + [limit for limit, _ in proofs if limit is not None]
    high = max([low, *ends])
    return _frontier(
        "runtime",
        ram_bytes,
        (low, high),
        schedules=schedules,
        steps=steps,
        baseline_j=brackets.baseline_j,
    )


def knees(frontier: Frontier, *, most: int = 3, sensitivity: float = 1.0) -> tuple[Knee, ...]:
    """Corners after which more budget saves little, from tight to loose; none on a straight line.

    Kneedle (Satopaa, Albrecht, Irwin, Raghavan, "Finding a Kneedle in a Haystack", ICDCS Workshops
    2011) on the corners of the best curve: both axes are scaled to 0 .. 1, so that the chord from
    the tightest to the loosest corner falls from (0, 1) to (1, 0); a local maximum of the distance
    1 - x - y below the chord is a knee when the distance falls by `sensitivity` mean spacings
    before it rises to a new maximum. The curve is not smoothed: its steps are true. Of more than
    `most` knees, the most distant are kept.
    """
    place, energy = frontier.corner, np.array([s.energy_j for s in frontier.corners])
    inner = len(place) - 2  # a knee lies between two ends
    if inner < 1 or place[-1] <= place[0] or energy[0] <= energy[-1]:
        return ()
    x = (place - place[0]) / (place[-1] - place[0])
    y = (energy - energy[-1]) / (energy[0] - energy[-1])
    distance = 1.0 - x - y
    found = _kneedle(distance.tolist(), sensitivity * float(np.diff(x).mean()))
    kept = sorted(sorted(found, key=lambda k: -distance[k])[:most])
    return tuple(
        Knee(float(place[k]), float(energy[k]), float(distance[k]), frontier.corners[k])
        for k in kept
    )


def _kneedle(distance: list[float], fall: float) -> list[int]:
    """Positions of the maxima above the chord's 0 from which the distance drops by `fall`."""
    found: list[int] = []
    top: int | None = 0  # None: on the way down from a knee
    for k in range(1, len(distance)):
        rises = distance[k] > distance[k - 1]
        if rises and (top is None or distance[k] > distance[top]):
            top = k
        elif top is not None and distance[k] <= distance[top] - fall:
            if distance[top] > 0:
                found.append(top)
            top = None
    return found


def _frontier(
    axis: LineAxis,
    other: float | None,
    ends: tuple[float, float],
    *,
    schedules: list[StoredSchedule],
    steps: list[tuple[float, float, float]],
    baseline_j: float,
) -> Frontier:
    """`steps`: per proof, the last place it holds, where it holds no more, and its joules."""
    low, high = ends
    corners = _staircase(schedules, axis, high)
    changes = {_place(s, axis) for s in corners} | {end for _, end, _ in steps}
    position = _frozen(sorted({low, high} | {x for x in changes if low < x < high}))
    best = _best(position, corners, axis)
    lower = np.minimum(_lower(position, steps, baseline_j), best)
    solved = sorted({last for last, _, _ in steps if low <= last <= high})
    return Frontier(
        axis, other, position, _frozen(best), _frozen(lower), _frozen(solved), tuple(corners)
    )


def _staircase(
    schedules: list[StoredSchedule], axis: LineAxis, high: float
) -> list[StoredSchedule]:
    """From tight to loose, those that are cheaper than all tighter ones."""
    corners: list[StoredSchedule] = []
    for schedule in sorted(schedules, key=lambda s: (_place(s, axis), s.energy_j)):
        if _place(schedule, axis) > high:
            break
        if not corners or schedule.energy_j < corners[-1].energy_j:
            corners.append(schedule)
    return corners


def _best(position: FloatArray, corners: list[StoredSchedule], axis: LineAxis) -> FloatArray:
    places = np.array([_place(s, axis) for s in corners], dtype=np.float64)
    energy = np.array([_ENDLESS, *(s.energy_j for s in corners)])
    best: FloatArray = energy[np.searchsorted(places, position, side="right")]
    return best


def _lower(
    position: FloatArray, steps: list[tuple[float, float, float]], baseline_j: float
) -> FloatArray:
    """The highest proof that still holds; the baseline is always one."""
    ordered = sorted(steps)
    ends = np.array([end for _, end, _ in ordered], dtype=np.float64)
    proven = np.array([*(bound_j for _, _, bound_j in ordered), baseline_j])
    highest = np.maximum.accumulate(proven[::-1])[::-1]  # a looser proof holds here as well
    lower: FloatArray = highest[np.searchsorted(ends, position, side="right")]
    return lower


def _place(schedule: StoredSchedule, axis: LineAxis) -> float:
    return float(schedule.peak_bytes) if axis == "ram" else schedule.runtime_s


def _frozen(values: NDArray[np.float64] | list[float]) -> FloatArray:
    array = np.array(values, dtype=np.float64)
    array.setflags(write=False)
    return array
