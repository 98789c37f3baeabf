"""The best schedules that any benchmark has found, in a file of the project with their source."""

import math
from collections.abc import Mapping, Sequence
from importlib.resources import as_file, files
from pathlib import Path
from typing import Final

import msgspec

from solver import ENGINE_VERSION
from solver.bench.figures import final, finders
from solver.bench.records import Document, Row, RowResult
from solver.files import write_whole

_NOTE: Final = (
    "Energies of verified schedules, the best that `poet bench --record` has seen. An entry holds "
    "for the problem (graph, prices, switches) of its fingerprint and for its budgets only."
)


class Best(msgspec.Struct, frozen=True, kw_only=True):
    """The least energy known for one row. `source` says what found it."""

    name: str
    problem: str
    ram_bytes: int
    runtime_s: float | None
    energy_j: float
    source: str


class _File(msgspec.Struct, frozen=True, kw_only=True):
    note: str
    entries: tuple[Best, ...]


def known_best() -> dict[str, Best]:
    """Entries of the project's file by the name of their row."""
    data = (files("resources") / "bench" / "best.json").read_bytes()
    return {entry.name: entry for entry in msgspec.json.decode(data, type=_File).entries}


def best_energies_j(
    rows: Sequence[Row], document: Document, known: Mapping[str, Best]
) -> dict[str, float]:
    """Least energy known per solved row: the prototype's, the file's, or this benchmark's own.

    A schedule counts for every row of the same problem whose budgets are no tighter than its row's.
    A prototype's figure of few digits is taken for what a better one of this or an earlier run
    says, where that is within its rounding.
    """
    by_name = {row.name: row for row in rows}
    own = (_entry(result) for result in document.rows if _is_verified(result))
    schedules = [*known.values(), *own]
    found = {}
    for result in document.rows:
        fitting = (each.energy_j for each in schedules if _serves(each, result))
        exact = min(fitting, default=math.inf)
        row = by_name.get(result.name)
        if row is None or row.best_overhead_j is None:
            found[result.name] = exact
            continue
        told = result.baseline_j + row.best_overhead_j
        close = abs(told - exact) <= row.rounding_j
        found[result.name] = exact if close else min(told, exact)
    return {name: energy for name, energy in found.items() if math.isfinite(energy)}


def _entry(result: RowResult) -> Best:
    """The best schedule of a row; of infinite energy without one."""
    limit = f"{result.runs[0].limit_s:.0f} s" if result.runs else "not solved"
    return Best(
        name=result.name,
        problem=result.problem,
        ram_bytes=result.ram_bytes,
        runtime_s=result.runtime_s,
        energy_j=final(result).energy_j,
        source=f"poet bench, {limit}, step {finders(result)[0]}, engine {ENGINE_VERSION}",
    )


def _is_verified(result: RowResult) -> bool:
    return all(run.verified for run in result.runs)


def _serves(entry: Best, result: RowResult) -> bool:
    """Whether the schedule of `entry` keeps the budgets of `result`."""
    fits_time = result.runtime_s is None or (
        entry.runtime_s is not None and entry.runtime_s <= result.runtime_s
    )
    return entry.problem == result.problem and entry.ram_bytes <= result.ram_bytes and fits_time


def improved(document: Document, known: Mapping[str, Best]) -> tuple[Best, ...]:
    """The file's entries with those that `document` betters or adds, by name."""
    entries = dict(known)
    for result in document.rows:
        end, before = final(result), entries.get(result.name)
        if not math.isfinite(end.energy_j) or not _is_verified(result):
            continue
        if before is not None and _same(before, result) and before.energy_j <= end.energy_j:
            continue
        entries[result.name] = _entry(result)
    return tuple(entries[name] for name in sorted(entries))


def write_best(entries: Sequence[Best]) -> None:
    """Write the project's file. Raises OSError where it cannot be written (an installed wheel)."""
    text = msgspec.json.encode(_File(note=_NOTE, entries=tuple(entries)))
    with as_file(files("resources") / "bench" / "best.json") as path:
        write_whole(Path(path), msgspec.json.format(text, indent=1) + b"\n")


def _same(entry: Best, result: RowResult) -> bool:
    return (entry.problem, entry.ram_bytes, entry.runtime_s) == (
        result.problem,
        result.ram_bytes,
        result.runtime_s,
    )
