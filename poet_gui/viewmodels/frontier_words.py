"""What the frontier says: cards at the pointer, the table, and where the arrow keys lead."""

import math

import numpy as np

from poet_gui.viewmodels.distinct import first_places
from poet_gui.viewmodels.frontier import FrontierScene, Points, Series
from poet_gui.viewmodels.tables import Column, Table
from solver.apart import bytes_apart
from solver.brackets import StoredSchedule
from solver.costs import FloatArray
from solver.problem import Budgets
from solver.strategies.registry import PROVING
from solver.units import (
    format_bytes_exactly,
    format_joules,
    format_percent,
    format_seconds,
)

_SLACK = 1e-9  # of the energy: rounding of two sums


def point_words(scene: FrontierScene, point: int) -> tuple[str, tuple[str, ...]]:
    """Heading and lines for a point: what it costs, what is proven there, what it needs."""
    points = scene.points
    schedule, series = points.schedules[point], scene.series[int(points.series[point])]
    energy_j, lower_j = float(points.energy_j[point]), float(points.lower_j[point])
    over = format_percent(energy_j / scene.baseline_j - 1, signed=True) if scene.baseline_j else "–"
    lines = (
        f"{format_joules(energy_j)}, {over} above the baseline",
        _proof_words(energy_j, lower_j, proven=bool(points.proven[point])),
        f"needs {format_bytes_exactly(schedule.peak_bytes)}, {format_seconds(schedule.runtime_s)}",
        "click loads it, Ctrl+click compares",
    )
    return f"{series.style.label} · {scene.x_text(float(points.x[point]))}", lines


def place_words(scene: FrontierScene, x: float) -> tuple[str, tuple[str, ...]]:
    """Heading and lines for a place of the plot without a point: what is proven there."""
    title = scene.x_text(max(0.0, x))
    if x < scene.impossible:
        return title, ("impossible: no schedule fits",)
    lower_j, best_j = scene.series[0].frontier.at(x)
    others = tuple(line for one in scene.series[1:] for line in _other_words(one, x))
    if not math.isfinite(best_j):
        return title, (f"at least {format_joules(lower_j)}", "no schedule known yet", *others)
    return title, (f"{format_joules(lower_j)} … {format_joules(best_j)}, proven", *others)


def _other_words(series: Series, x: float) -> tuple[str, ...]:
    """What is known of a further strategy where it has no schedule; nothing where it has one."""
    lower_j, best_j = series.frontier.at(x)
    if x >= series.frontier.position[0] and math.isfinite(best_j):
        return ()
    label = series.style.label
    if series.source.strategy not in PROVING:  # a rule of thumb proves nothing
        return (f"{label}: this rule of thumb found none here",)
    if math.isinf(lower_j):
        return (f"{label}: proven impossible",)
    return (f"{label}: none known yet",)


def budget_words(scene: FrontierScene) -> str:
    """The present budget, and whether its line can be moved both ways or stands out of sight."""
    if scene.budget is None:
        return "no limit ↔"
    text = f"budget {scene.x_text(scene.budget)}"
    low, high = scene.x_range
    if scene.budget < low:
        return f"← {text}"
    return f"{text} {'→' if scene.budget > high else '↔'}"


def points_table(scene: FrontierScene) -> Table:
    """The points as a table; `action` of a row is the position of its point."""
    points = scene.points
    peak = np.array([s.peak_bytes for s in points.schedules], dtype=np.int64)
    runtime = np.array([s.runtime_s for s in points.schedules], dtype=np.float64)
    gap, sizes = _gaps(points), bytes_apart(peak.tolist())
    names = [scene.series[int(i)].style.label for i in points.series]
    columns = (
        Column("strategy", "", points.series, lambda row: names[row], is_number=False),
        Column("needs RAM", "peak of the schedule", peak, lambda r: sizes[int(peak[r])]),
        Column("runtime", "of one step", runtime, lambda r: format_seconds(float(runtime[r]))),
        Column("energy", "of one step", points.energy_j,
               lambda r: format_joules(float(points.energy_j[r]))),
        Column("proven", "no schedule needs less", points.lower_j,
               lambda r: format_joules(float(points.lower_j[r]))),
        Column("gap", "energy above the proof", gap, lambda r: format_percent(float(gap[r]))),
    )  # fmt: skip
    order = np.arange(len(points), dtype=np.int64)
    return Table(columns, np.full(len(points), -1, dtype=np.int64), order)


def neighbour(scene: FrontierScene, point: int | None, *, along: int, across: int) -> int | None:
    """The point that the arrow keys move to: `along` its curve, `across` to another curve.

    From nothing (None) it is the one nearest to the present budget on the first curve that has
    points. None without points.
    """
    points = scene.points
    if not len(points):
        return None
    if point is None or not 0 <= point < len(points):
        place = scene.budget if scene.budget is not None else scene.x_range[1]
        return _nearest_on(points, int(points.series[0]), place)
    own = int(points.series[point])
    if along:
        there = point + along
        stays = not 0 <= there < len(points) or points.series[there] != own
        return point if stays else there
    present = first_places(points.series)[0]
    at = int(np.searchsorted(present, own)) + across
    if not 0 <= at < len(present):
        return point
    return _nearest_on(points, int(present[at]), float(points.x[point]))


def same_point(scene: FrontierScene, point: StoredSchedule | None, strategy: str) -> int | None:
    """Where a schedule of a former scene stands in this one; None when it is no corner any more."""
    for k, schedule in enumerate(scene.points.schedules):
        style = scene.series[int(scene.points.series[k])].style
        if schedule is point and style.strategy == strategy:
            return k
    return None


def shown_point(scene: FrontierScene, present: Budgets) -> int | None:
    """The point of the first curve that serves the present budget: the schedule on screen."""
    on_main = [
        k
        for k, schedule in enumerate(scene.points.schedules)
        if scene.points.series[k] == 0 and schedule.fits(present)
    ]
    return on_main[-1] if on_main else None


def energy_ticks(low: float, high: float, most: int) -> list[float]:
    """Round energies between `low` and `high`, at most `most`, from 1, 2, 2.5 and 5 times 10**k."""
    if not high > low or most < 1:
        return []
    rough = (high - low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    spacing = next(power * k for k in (1, 2, 2.5, 5, 10) if power * k >= rough * (1 - 1e-12))
    first = math.ceil(low / spacing - 1e-9)
    return [k * spacing for k in range(first, math.floor(high / spacing + 1e-9) + 1)]


def _gaps(points: Points) -> FloatArray:
    safe = np.where(points.energy_j > 0, points.energy_j, 1.0)
    return np.asarray(np.maximum(0.0, points.energy_j - points.lower_j) / safe)


def _proof_words(energy_j: float, lower_j: float, *, proven: bool) -> str:
    if energy_j - lower_j <= _SLACK * energy_j:
        return "proven: nothing that fits needs less"
    gap = format_percent((energy_j - lower_j) / energy_j) if energy_j else "–"
    words = f"at least {format_joules(lower_j)}, gap {gap}"
    return f"proven: {words}" if proven else words


def _nearest_on(points: Points, series: int, place: float) -> int:
    own = np.flatnonzero(points.series == series)
    return int(own[np.argmin(np.abs(points.x[own] - place))])
