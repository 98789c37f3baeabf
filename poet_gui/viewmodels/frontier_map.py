"""The frontier over both budgets: a coarse grid of brackets, as levels, texts and a table."""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from poet_gui.viewmodels.distinct import first_places
from poet_gui.viewmodels.frontier import PROVEN_WITHIN
from poet_gui.viewmodels.tables import Column, Table
from poet_gui.viewmodels.trace_index import IntArray
from solver.apart import bytes_apart
from solver.brackets import Brackets
from solver.costs import CostedGraph, FloatArray
from solver.problem import Budgets
from solver.units import format_bytes, format_joules, format_percent, format_seconds

COLUMNS: Final = 10
ROWS: Final = 7
_RUNTIME_END: Final = 2.0  # baselines, when no known schedule needs as much


@dataclass(frozen=True, eq=False)
class MapScene:
    """Cells of RAM (columns, tight to loose) by runtime limit (rows, tight to loose; last: none).

    ram_bytes : shape (columns,). runtime_s : shape (rows,), the last is inf. best_j, lower_j :
    shape (rows, columns), joules; best_j inf where no schedule is known, lower_j inf where nothing
    fits. level : shape (rows, columns), overhead from 0 (none) to 1 (the most of all cells), nan
    without a schedule. proven : whether the bracket is closed but for PROVEN_WITHIN.
    here : the (row, column) that holds the present budgets.
    """

    ram_bytes: IntArray
    runtime_s: FloatArray
    best_j: FloatArray
    lower_j: FloatArray
    level: FloatArray
    proven: NDArray[np.bool_]
    here: tuple[int, int]
    baseline_j: float

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self.runtime_s), len(self.ram_bytes)

    def budgets(self, row: int, column: int) -> Budgets:
        """The budgets of a cell."""
        limit = float(self.runtime_s[row])
        return Budgets(int(self.ram_bytes[column]), limit if math.isfinite(limit) else None)

    def text(self, row: int, column: int) -> str:
        """What stands in a cell: percent above the baseline in two digits, "no" or "?"."""
        if math.isinf(self.lower_j[row, column]):
            return "no"
        if math.isinf(self.best_j[row, column]):
            return "?"
        percent = 100 * self._above(row, column)
        return f"+{percent:.2g}" if percent > 0 else "0"

    def _above(self, row: int, column: int) -> float:
        """Energy above the baseline as a part of it, never below 0; 0 without a baseline."""
        if not self.baseline_j:
            return 0.0
        return max(0.0, float(self.best_j[row, column]) / self.baseline_j - 1)

    def words(self, row: int, column: int) -> tuple[str, tuple[str, ...]]:
        """Heading and lines for a cell."""
        title = f"{format_bytes(int(self.ram_bytes[column]))}, {self.limit_text(row)}"
        lower_j, best_j = float(self.lower_j[row, column]), float(self.best_j[row, column])
        if math.isinf(lower_j):
            return title, ("impossible: no schedule fits",)
        if math.isinf(best_j):
            return title, (f"at least {format_joules(lower_j)}", "no schedule known yet")
        above = format_percent(self._above(row, column), signed=True)
        proven = "proven" if self.proven[row, column] else f"proven: {format_joules(lower_j)}"
        return title, (
            f"{format_joules(best_j)}, {above} above the baseline, {proven}",
            "Enter or click sets both budgets",
        )

    def limit_text(self, row: int) -> str:
        """The runtime limit of a row."""
        limit = float(self.runtime_s[row])
        return f"≤ {format_seconds(limit)}" if math.isfinite(limit) else "no limit"


def map_scene(brackets: Brackets, costed: CostedGraph, budgets: Budgets) -> MapScene:
    """The map of what `brackets` knows, from floor to plain peak and from the baseline's runtime.

    The grid is laid over what the known schedules need, so that its last row has no limit.
    """
    floor, peak = costed.floor_bytes, max(costed.plain_peak_bytes, costed.floor_bytes)
    sizes = np.linspace(floor, peak, COLUMNS).round().astype(np.int64)
    ram = first_places(sizes)[0]
    base_s = costed.baseline_runtime_s
    longest = max((s.runtime_s for s in brackets.schedules), default=base_s)
    end_s = longest if longest > base_s * 1.02 else base_s * _RUNTIME_END
    runtime = np.append(np.linspace(base_s, end_s, ROWS - 1), math.inf)
    best = np.full((len(runtime), len(ram)), math.inf)
    lower = np.full_like(best, costed.baseline_energy_j)
    for row, limit in enumerate(runtime.tolist()):
        for column, size in enumerate(ram.tolist()):
            cell = brackets.bracket(Budgets(size, limit if math.isfinite(limit) else None))
            lower[row, column] = cell.low_j
            if cell.high_j is not None:
                best[row, column] = cell.high_j
    baseline_j = costed.baseline_energy_j
    known = np.isfinite(best)
    over = np.where(known, best - baseline_j, np.nan)
    most = float(np.nanmax(over)) if known.any() else 0.0
    level = over / most if most > 0 else np.where(known, 0.0, np.nan)
    with np.errstate(invalid="ignore"):  # inf - inf where nothing is known or nothing fits
        proven = known & (best - lower <= PROVEN_WITHIN * np.nan_to_num(over) + 1e-9 * best)
    here = _here(ram, runtime, budgets)
    return MapScene(ram, runtime, best, lower, level, proven, here, baseline_j)


def map_table(scene: MapScene) -> Table:
    """The cells as rows, tight to loose; `action` of a row is row * columns + column."""
    rows, columns = scene.shape
    ram = np.tile(scene.ram_bytes, rows)
    sizes = bytes_apart(scene.ram_bytes.tolist())
    limit = np.repeat(scene.runtime_s, columns)
    best, lower = scene.best_j.ravel(), scene.lower_j.ravel()

    def joules(values: FloatArray, row: int) -> str:
        value = float(values[row])
        return format_joules(value) if math.isfinite(value) else "–"

    made = (
        Column("RAM", "budget", ram, lambda r: sizes[int(ram[r])]),
        Column("runtime limit", "", limit, lambda r: scene.limit_text(r // columns)),
        Column("energy", "of the best schedule known", best, lambda r: joules(best, r)),
        Column("proven", "no schedule needs less", lower, lambda r: joules(lower, r)),
        Column(
            "% above",
            "percent above the baseline",
            best,
            lambda r: scene.text(r // columns, r % columns),
        ),
    )
    count = rows * columns
    return Table(made, np.full(count, -1, dtype=np.int64), np.arange(count, dtype=np.int64))


def _here(ram: IntArray, runtime: FloatArray, budgets: Budgets) -> tuple[int, int]:
    """The loosest cell that the present budgets still cover, else the tightest."""
    column = max(0, int(np.searchsorted(ram, budgets.ram_bytes, side="right")) - 1)
    limit = math.inf if budgets.runtime_s is None else budgets.runtime_s
    row = max(0, int(np.searchsorted(runtime, limit * (1 + 1e-9), side="right")) - 1)
    return min(row, len(runtime) - 1), min(column, len(ram) - 1)
