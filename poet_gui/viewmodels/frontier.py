"""The frontier as arrays: a curve per strategy, the proven curve, points, marks and knees."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from poet_gui.viewmodels.frontier_sources import Source, Style, style_of
from poet_gui.viewmodels.trace_index import IntArray
from solver.brackets import StoredSchedule
from solver.costs import CostedGraph, FloatArray
from solver.frontier import Frontier, LineAxis, along_ram, along_runtime, knees
from solver.problem import Budgets
from solver.sweep import DEFAULT_TOLERANCE
from solver.sweep_open import open_steps
from solver.units import (
    format_bytes,
    format_joules,
    format_seconds,
)

PROVEN_WITHIN: Final = 0.01
"""Of the overhead: a point whose bracket is narrower is drawn as proven."""
OPEN_PART: Final = 0.01
"""Of the axis: less than this may be open where a sweep has come to its end."""
_SLACK: Final = 1e-9  # of the energy: rounding of two sums
_MARGIN: Final = 0.035
_KNEES: Final = 3


@dataclass(frozen=True, eq=False)
class Series:
    """The staircase of one strategy: x in bytes or seconds, y in joules, from tight to loose.

    Both have one entry per vertex; empty when no schedule is known.
    """

    source: Source
    style: Style
    frontier: Frontier
    x: FloatArray
    y: FloatArray


@dataclass(frozen=True, eq=False)
class Points:
    """Schedules that can be loaded, by series, each from tight to loose; shape (points,) each.

    x : bytes or seconds that the schedule itself needs. energy_j, lower_j : its energy, and what
    is proven for a budget of x. series : position in the scene. proven : whether the bracket there
    is closed but for PROVEN_WITHIN of the overhead. schedules : one per point.
    """

    x: FloatArray
    energy_j: FloatArray
    lower_j: FloatArray
    series: IntArray
    proven: NDArray[np.bool_]
    schedules: tuple[StoredSchedule, ...]

    def __len__(self) -> int:
        return len(self.x)


@dataclass(frozen=True, slots=True)
class Mark:
    """A place on the x axis and its name; `point` is what loading it loads, -1 for none."""

    x: float
    text: str
    point: int = -1


@dataclass(frozen=True, eq=False)
class FrontierScene:
    """Everything the plot draws, in bytes or seconds along x and joules along y.

    gap_x, gap_low_j, gap_high_j : the staircase of the area between proof and best schedule of the
    first series, one entry per vertex; gap_high_j is inf where no schedule is known.
    impossible : x up to which nothing fits. budget : the present one, None for no limit.
    solved : places for which a bound was proven. settled : all but OPEN_PART of the axis is
    certified, as a sweep counts it: until then knees are those of what was found so far.
    caption : what is plotted, under which other budget. bent : several strategies lie so far apart
    that y is to be spread by `height`.
    """

    axis: LineAxis
    series: tuple[Series, ...]
    points: Points
    gap_x: FloatArray
    gap_low_j: FloatArray
    gap_high_j: FloatArray
    x_range: tuple[float, float]
    y_range: tuple[float, float]
    impossible: float
    solved: FloatArray
    budget: float | None
    marks: tuple[Mark, ...]
    knees: tuple[Mark, ...]
    settled: bool
    caption: str
    baseline_j: float
    bent: bool = False

    def height(self, joules: FloatArray) -> FloatArray:
        """Where energies stand between the lower (0) and the upper end (1) of the y axis.

        Bent, it is the root of the energy above the lower end: what the strategies differ by at
        loose budgets stays readable beside what they cost at tight ones.
        """
        low, high = self.y_range
        part = np.clip((joules - low) / (high - low), 0.0, 1.0)
        return np.asarray(np.sqrt(part) if self.bent else part)

    def x_text(self, x: float) -> str:
        """A place on the x axis for people."""
        return format_bytes(round(x)) if self.axis == "ram" else format_seconds(x)

    def budgets_of(self, point: int, present: Budgets) -> Budgets:
        """What loading a point sets: the budget of the axis becomes what the schedule needs."""
        x = float(self.points.x[point])
        if self.axis == "ram":
            return Budgets(round(x), present.runtime_s)
        return Budgets(present.ram_bytes, x)


def frontier_scene(
    sources: Sequence[Source], costed: CostedGraph, budgets: Budgets, axis: LineAxis
) -> FrontierScene:
    """The scene of the sources (the first is the main one) along `axis`, the other budget fixed.

    A source without a schedule has no curve; the main one is always there, for its bound.
    """
    made = [_series(source, costed, budgets, axis) for source in sources]
    series = (made[0], *(one for one in made[1:] if len(one.x)))
    points = _points(series, costed.baseline_energy_j)
    main = series[0].frontier
    impossible = _impossible(main, costed, axis)
    x_range = _x_range(series, impossible, costed, axis)
    gap = _gap(main, impossible, x_range[1])
    present = budgets.ram_bytes if axis == "ram" else budgets.runtime_s
    bent = len(series) > 1
    return FrontierScene(
        axis=axis,
        series=series,
        points=points,
        gap_x=gap[0],
        gap_low_j=gap[1],
        gap_high_j=gap[2],
        x_range=x_range,
        y_range=_y_range(series, costed.baseline_energy_j, bent=bent),
        impossible=impossible,
        solved=main.solved,
        budget=None if present is None else float(present),
        marks=_marks(costed, axis),
        knees=_knee_marks(main, points, axis),
        settled=_is_settled(main),
        caption=_caption(budgets, axis) + (" · √ scale" if bent else ""),
        baseline_j=costed.baseline_energy_j,
        bent=bent,
    )


def _series(source: Source, costed: CostedGraph, budgets: Budgets, axis: LineAxis) -> Series:
    style = style_of(source)
    if axis == "ram":
        frontier = along_ram(source.brackets, costed, budgets.runtime_s)
    else:
        frontier = along_runtime(source.brackets, costed, budgets.ram_bytes)
    energy = np.array([corner.energy_j for corner in frontier.corners])
    corner = frontier.corner
    if not len(corner):
        return Series(source, style, frontier, np.zeros(0), np.zeros(0))
    end = max(float(frontier.position[-1]), float(corner[-1]))
    x = np.append(np.repeat(corner, 2)[1:], end)
    return Series(source, style, frontier, x, np.repeat(energy, 2))


def _points(series: Sequence[Series], baseline_j: float) -> Points:
    x = np.concatenate([one.frontier.corner for one in series])
    schedules = tuple(s for one in series for s in one.frontier.corners)
    energy = np.array([s.energy_j for s in schedules], dtype=np.float64)
    lower = np.concatenate([_lower_at(one.frontier) for one in series])
    owner = np.repeat(
        np.arange(len(series), dtype=np.int64), [len(one.frontier.corners) for one in series]
    )
    overhead = np.maximum(0.0, energy - baseline_j)
    proven = energy - lower <= PROVEN_WITHIN * overhead + _SLACK * energy
    return Points(x, energy, lower, owner, proven, schedules)


def _lower_at(frontier: Frontier) -> FloatArray:
    at = np.searchsorted(frontier.position, frontier.corner, side="right") - 1
    return frontier.lower_j[np.maximum(at, 0)]


def _impossible(main: Frontier, costed: CostedGraph, axis: LineAxis) -> float:
    """Below it nothing fits; never below floor or baseline."""
    low = float(costed.floor_bytes) if axis == "ram" else costed.baseline_runtime_s
    possible = np.flatnonzero(np.isfinite(main.lower_j))
    if not len(possible):
        return float(main.position[-1])
    return max(low, float(main.position[possible[0]]))


def _x_range(
    series: Sequence[Series], impossible: float, costed: CostedGraph, axis: LineAxis
) -> tuple[float, float]:
    low = float(costed.floor_bytes) if axis == "ram" else costed.baseline_runtime_s
    high = max(impossible, *(float(one.frontier.position[-1]) for one in series))
    if high <= low:
        high = low * 1.5 if low > 0 else 1.0
    margin = _MARGIN * (high - low)
    return max(0.0, low - margin), high + margin


def _y_range(series: Sequence[Series], baseline_j: float, *, bent: bool) -> tuple[float, float]:
    energies = [corner.energy_j for one in series for corner in one.frontier.corners]
    lower = series[0].frontier.lower_j
    low = min([*lower[np.isfinite(lower)].tolist(), *energies], default=baseline_j)
    high = max([low, *energies])
    if high <= low:
        high = low * 1.01 if low > 0 else 1.0
    below = 0.002 if bent else 0.04
    return low - below * (high - low), high + 0.08 * (high - low)


def _gap(
    main: Frontier, impossible: float, end: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Vertices of the area between proof and best schedule, where something may fit."""
    use = np.isfinite(main.lower_j)
    start = np.maximum(main.position[use], impossible)
    if not len(start):
        return np.zeros(0), np.zeros(0), np.zeros(0)
    stop = np.append(start[1:], max(float(start[-1]), min(end, float(main.position[-1]))))
    x = np.column_stack((start, stop)).ravel()
    return x, np.repeat(main.lower_j[use], 2), np.repeat(main.best_j[use], 2)


def _marks(costed: CostedGraph, axis: LineAxis) -> tuple[Mark, ...]:
    if axis == "runtime":
        baseline_s = costed.baseline_runtime_s
        return (Mark(baseline_s, f"baseline {format_seconds(baseline_s)}"),)
    floor, peak = costed.floor_bytes, costed.plain_peak_bytes
    return (
        Mark(float(floor), f"floor {format_bytes(floor)}"),
        Mark(float(peak), f"plain peak {format_bytes(peak)}"),
    )


def _knee_marks(main: Frontier, points: Points, axis: LineAxis) -> tuple[Mark, ...]:
    """The knees by name, from tight to loose: "knee 1 · 704 KiB, 553.2 mJ"."""
    marks = []
    for number, knee in enumerate(knees(main, most=_KNEES), start=1):
        place = format_bytes(round(knee.position)) if axis == "ram" else format_seconds(
            knee.position
        )  # fmt: skip
        point = next(k for k, s in enumerate(points.schedules) if s is knee.schedule)
        text = f"knee {number} · {place}, {format_joules(knee.energy_j)}"
        marks.append(Mark(knee.position, text, point))
    return tuple(marks)


def _is_settled(main: Frontier) -> bool:
    low, high = float(main.position[0]), float(main.position[-1])
    steps = open_steps(main, low, high, DEFAULT_TOLERANCE)
    return sum(step.end - step.start for step in steps) <= OPEN_PART * (high - low)


def _caption(budgets: Budgets, axis: LineAxis) -> str:
    if axis == "runtime":
        return f"energy against the runtime limit · RAM ≤ {format_bytes(budgets.ram_bytes)}"
    limit_s = budgets.runtime_s
    limit = "no runtime limit" if limit_s is None else f"runtime ≤ {format_seconds(limit_s)}"
    return f"energy against RAM · {limit}"
