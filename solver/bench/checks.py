"""What must hold of every benchmark, whatever its figures."""

import math
from collections.abc import Mapping, Sequence

from solver.bench.figures import excess, final
from solver.bench.records import Document, Row, RowResult
from solver.outcome import BOUND_SLACK, bound_clash


def faults(
    rows: Sequence[Row],
    document: Document,
    best_j: Mapping[str, float],
    *,
    tolerance: float | None = None,
) -> tuple[str, ...]:
    """What must never be, in sentences.

    Rows that failed, schedules that are not verified, bounds above an energy or above the best
    known one; with `tolerance`, also overheads further above the best known than that part of it.
    """
    by_name = {row.name: row for row in rows}
    found = []
    for result in document.rows:
        if result.failed:
            found.append(f"{result.name}: {result.note}")
        if not result.runs or result.name not in by_name:
            continue
        best = best_j.get(result.name, math.inf)
        found += [
            f"{result.name}: {words}"
            for words in _faults_of(result, best, by_name[result.name].rounding_j, tolerance)
        ]
    return tuple(found)


def _faults_of(
    result: RowResult, best_j: float, rounding_j: float, tolerance: float | None
) -> list[str]:
    found = []
    for run in result.runs:
        if run.status == "failed":
            found.append("the solve failed")
        if not run.verified:
            found.append("the schedule does not stand up to the verifier")
        least = min((p.energy_j for p in run.points if p.energy_j is not None), default=math.inf)
        bound = max((p.bound_j for p in run.points), default=0.0)
        clash = bound_clash(least, bound)
        if clash:
            found += clash
        elif bound > best_j * (1 + BOUND_SLACK) + rounding_j:
            found.append(f"the bound of {bound} J lies above the best known {best_j} J")
    if tolerance is not None:
        above = excess(final(result).energy_j, best_j, result.baseline_j)
        if above is None or above > tolerance:
            shown = "no schedule" if above is None else f"{100 * above:.1f} % above the best known"
            found.append(f"{shown}, more than {100 * tolerance:.0f} % of its overhead")
    return found
