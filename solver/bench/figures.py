"""From histories to figures: values at fixed times, medians of runs, which side is open."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median_high, median_low
from typing import Final, Literal

from solver.bench.records import Point, RowResult, Run
from solver.outcome import gap_above, total_gap

Side = Literal["primal", "dual", "both", "-"]
VALUE_TIMES_S: Final = (0.1, 1.0, 5.0)
_ENDED: Final = frozenset({"optimal", "infeasible"})
_EARLY: Final = 0.9  # of its limit: a run that stopped before this had nothing more to do
_CLOSED: Final = 0.01
_MOSTLY: Final = 0.8  # of what is open: from here on one side alone is named
_NOTHING: Final = 1e-9  # of the energy: an overhead below it is rounding


@dataclass(frozen=True, slots=True)
class Moment:
    """What is known at one time, J; energy_j is infinite without a schedule."""

    energy_j: float
    bound_j: float
    baseline_j: float

    @property
    def gap(self) -> float | None:
        """(energy - bound) / overhead; None without a schedule or an overhead to divide by."""
        if not math.isfinite(self.energy_j):
            return None
        return gap_above(self.baseline_j, self.energy_j, self.bound_j)

    @property
    def total_gap(self) -> float | None:
        """(energy - bound) / energy; None without a schedule."""
        if not math.isfinite(self.energy_j):
            return None
        return total_gap(self.energy_j, self.bound_j)


def excess(energy_j: float, best_j: float, baseline_j: float) -> float | None:
    """How far above the best known overhead, as a part of it (0.01 = 1 %); None if unknowable."""
    if not math.isfinite(energy_j):
        return None
    above = energy_j - best_j
    if above <= _NOTHING * best_j:
        return 0.0
    overhead = best_j - baseline_j
    return above / overhead if overhead > _NOTHING * best_j else None


def first_answer_s(result: RowResult) -> float | None:
    """Median over the runs of the time of the first schedule; None when most found none."""
    firsts = [
        next((point.t_s for point in run.points if point.energy_j is not None), math.inf)
        for run in result.runs
    ]
    found = median_high(firsts) if firsts else math.inf
    return found if math.isfinite(found) else None


def moment(result: RowResult, t_s: float) -> Moment:
    """Medians at `t_s` over the runs that lasted that long; of two in the middle the worse.

    Without such a run nothing is known: no schedule, and the baseline as bound.
    """
    states = [_state(run, t_s, result.baseline_j) for run in result.runs if lasted(run, t_s)]
    if not states:
        return Moment(math.inf, result.baseline_j, result.baseline_j)
    energy = median_high([energy for energy, _ in states])
    return Moment(energy, median_low([bound for _, bound in states]), result.baseline_j)


def lasted(run: Run, t_s: float) -> bool:
    """Whether a run says what is known at `t_s`: it went on so long, or had nothing more to do."""
    return run.limit_s >= t_s or run.status in _ENDED or run.wall_s < _EARLY * run.limit_s


def final(result: RowResult) -> Moment:
    """What the long run knew in the end."""
    return moment(result, max((run.limit_s for run in result.runs), default=0.0))


def _state(run: Run, t_s: float, baseline_j: float) -> tuple[float, float]:
    energy, bound = math.inf, baseline_j
    for point in run.points:
        if point.t_s > t_s:
            break
        energy = math.inf if point.energy_j is None else point.energy_j
        bound = max(bound, point.bound_j)
    return energy, bound


def finders(result: RowResult) -> tuple[str, str]:
    """Steps of the long run that found its best schedule and its best bound; "-" if none did."""
    if not result.runs:
        return "-", "-"
    points = result.runs[0].points
    schedule = _finder([math.inf if p.energy_j is None else p.energy_j for p in points], points)
    bound = _finder([-p.bound_j for p in points], points, worst=-result.baseline_j)
    return schedule, bound


def _finder(costs: Sequence[float], points: Sequence[Point], *, worst: float = math.inf) -> str:
    """Step of the first point that reaches the least cost, which must be below `worst`."""
    least = min(costs, default=worst)
    return points[costs.index(least)].step if least < worst else "-"


def open_side(result: RowResult, best_j: float) -> Side:
    """What a gap above 1 % is due to: the schedule (primal), the bound (dual), or both.

    The best known schedule tells them apart: what the solve's is above it is missing on the primal
    side, what the bound is below it on the dual side (or no better schedule is known yet).
    """
    end = final(result)
    gap = end.gap
    if gap is not None and gap <= _CLOSED:
        return "-"
    if not math.isfinite(end.energy_j):
        return "primal"
    left = end.energy_j - end.bound_j
    if left <= _NOTHING * end.energy_j:
        return "-"
    primal = (end.energy_j - best_j) / left
    if primal >= _MOSTLY:
        return "primal"
    return "dual" if primal <= 1 - _MOSTLY else "both"
