"""Brackets as rows of the store's tables: sealed, compressed, checked when they are read."""

import hashlib
import math
import sqlite3
import time
import zlib
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import msgspec

from solver.brackets import Brackets, StoredBound, StoredSchedule
from solver.messages import PackedSchedule
from solver.packing import pack_schedule, unpack_schedule
from solver.problem import Budgets, Problem
from solver.verify import verify_figures

TABLES: Final = (
    "CREATE TABLE problems (problem TEXT PRIMARY KEY, used REAL NOT NULL)",
    """CREATE TABLE schedules (
         problem TEXT NOT NULL, peak INTEGER NOT NULL, runtime REAL NOT NULL, energy REAL NOT NULL,
         body BLOB NOT NULL, seal BLOB NOT NULL, UNIQUE (problem, peak, runtime, energy))""",
    """CREATE TABLE bounds (
         problem TEXT NOT NULL, ram INTEGER NOT NULL, runtime REAL NOT NULL, bound REAL NOT NULL,
         seal BLOB NOT NULL, UNIQUE (problem, ram, runtime))""",
)
"""A runtime of inf: no limit. A bound of inf: proven impossible."""


@dataclass(frozen=True, slots=True)
class StoreLimits:
    """How much is kept: schedules and bounds in all, their bytes, and those of one problem.

    Above, the problems used longest ago go first, then the oldest entries of the present one.
    """

    entries: int = 50_000
    size_bytes: int = 64 * 2**20
    entries_per_problem: int = 4_000


Figures = tuple[str, int, float, float]
"""What tells an entry of a problem from every other: its kind, bytes, seconds, joules."""


class ScheduleRow(NamedTuple):
    """A row of schedules, as it was read."""

    rowid: int
    peak_bytes: int
    runtime_s: float
    energy_j: float
    body: bytes
    seal: bytes


class BoundRow(NamedTuple):
    """A row of bounds, as it was read."""

    rowid: int
    ram_bytes: int
    runtime_s: float
    bound_j: float
    seal: bytes


class Rows(NamedTuple):
    """All that is stored of a problem, nothing of it checked yet."""

    schedules: list[ScheduleRow]
    bounds: list[BoundRow]


def read_rows(connection: sqlite3.Connection, key: str) -> Rows:
    """Every row of the problem; it counts as used now."""
    schedules = connection.execute(
        "SELECT rowid, peak, runtime, energy, body, seal FROM schedules WHERE problem = ?", (key,)
    ).fetchall()
    bounds = connection.execute(
        "SELECT rowid, ram, runtime, bound, seal FROM bounds WHERE problem = ?", (key,)
    ).fetchall()
    touch(connection, key)
    return Rows([ScheduleRow(*row) for row in schedules], [BoundRow(*row) for row in bounds])


def schedule_of(row: ScheduleRow, key: str, problem: Problem) -> StoredSchedule | None:
    """The schedule of a row, verified under exactly its own figures; None when it is not valid."""
    figures = (row.peak_bytes, row.runtime_s, row.energy_j)
    if row.seal != _seal(key, *figures, row.body):
        return None
    try:
        packed = msgspec.msgpack.decode(zlib.decompress(row.body), type=PackedSchedule)
        schedule = unpack_schedule(packed)
    except (zlib.error, msgspec.DecodeError, ValueError, IndexError):
        return None
    report = verify_figures(
        schedule,
        replace(problem, budgets=Budgets(row.peak_bytes, row.runtime_s)),
        peak_bytes=row.peak_bytes,
        energy_j=row.energy_j,
        runtime_s=row.runtime_s,
    )
    return StoredSchedule(*figures, schedule) if report.ok else None


def bound_of(row: BoundRow, key: str) -> StoredBound | None:
    """The bound of a row; None when it is not what was written."""
    if row.seal != _seal(key, row.ram_bytes, row.runtime_s, row.bound_j):
        return None
    limit_s = None if math.isinf(row.runtime_s) else row.runtime_s
    return StoredBound(Budgets(row.ram_bytes, limit_s), row.bound_j)


def remove_rows(connection: sqlite3.Connection, bad: Rows) -> None:
    """Remove these very rows: one that was written anew meanwhile has another seal."""
    for table, rows in (("schedules", bad.schedules), ("bounds", bad.bounds)):
        for row in rows:
            connection.execute(
                f"DELETE FROM {table} WHERE rowid = ? AND seal = ?", (row.rowid, row.seal)
            )


def write_brackets(
    connection: sqlite3.Connection, key: str, brackets: Brackets, written: AbstractSet[Figures]
) -> list[Figures]:
    """Insert what no stored row dominates and remove what it dominates, and what was refuted.

    Those of `written` are left alone: they are stored, or have made room since. Returns the
    figures of the entries that were not among them.
    """
    for refuted in brackets.refuted:
        connection.execute(
            "DELETE FROM bounds WHERE problem = ? AND ram = ? AND runtime = ? AND bound >= ?",
            (key, *_limits(refuted.budgets), refuted.bound_j),
        )
    new: list[Figures] = []
    for known in brackets.schedules:
        figures = ("schedule", known.peak_bytes, known.runtime_s, known.energy_j)
        if figures not in written:
            _write_schedule(connection, key, known)
            new.append(figures)
    for bound in brackets.bounds:
        figures = ("bound", *_limits(bound.budgets), bound.bound_j)
        if figures not in written:
            _write_bound(connection, key, bound)
            new.append(figures)
    touch(connection, key)
    return new


def touch(connection: sqlite3.Connection, key: str) -> None:
    """The problem is used now."""
    connection.execute("INSERT OR REPLACE INTO problems VALUES (?, ?)", (key, time.time()))


def trim(connection: sqlite3.Connection, key: str, limits: StoreLimits) -> None:
    """Remove what is above the limits, the present problem's own entries last."""
    _keep_newest(connection, key, limits.entries_per_problem)
    others = connection.execute(
        "SELECT problem FROM problems WHERE problem != ? ORDER BY used", (key,)
    ).fetchall()
    for (other,) in others:
        if not _above(connection, limits):
            return
        for table in ("schedules", "bounds", "problems"):
            connection.execute(f"DELETE FROM {table} WHERE problem = ?", (other,))
    keep = limits.entries_per_problem
    while keep and _above(connection, limits):
        keep //= 2
        _keep_newest(connection, key, keep)


def _keep_newest(connection: sqlite3.Connection, key: str, entries: int) -> None:
    """Keep so many schedules and bounds, half of them each."""
    for table in ("schedules", "bounds"):
        connection.execute(
            f"DELETE FROM {table} WHERE problem = ? AND rowid NOT IN (SELECT rowid FROM {table} "
            "WHERE problem = ? ORDER BY rowid DESC LIMIT ?)",
            (key, key, entries // 2),
        )


def _above(connection: sqlite3.Connection, limits: StoreLimits) -> bool:
    entries, size = connection.execute(
        "SELECT COUNT(*), COALESCE(SUM(LENGTH(body)), 0) FROM schedules"
    ).fetchone()
    entries += connection.execute("SELECT COUNT(*) FROM bounds").fetchone()[0]
    return bool(entries > limits.entries or size > limits.size_bytes)


def _write_schedule(connection: sqlite3.Connection, key: str, new: StoredSchedule) -> None:
    figures = (key, new.peak_bytes, new.runtime_s, new.energy_j)
    served = connection.execute(
        "SELECT 1 FROM schedules WHERE problem = ? AND peak <= ? AND runtime <= ? AND energy <= ?",
        figures,
    )
    if served.fetchone():
        return
    connection.execute(
        "DELETE FROM schedules WHERE problem = ? AND peak >= ? AND runtime >= ? AND energy >= ?",
        figures,
    )
    body = zlib.compress(msgspec.msgpack.encode(pack_schedule(new.schedule)))
    connection.execute(
        "INSERT INTO schedules VALUES (?, ?, ?, ?, ?, ?)", (*figures, body, _seal(*figures, body))
    )


def _write_bound(connection: sqlite3.Connection, key: str, new: StoredBound) -> None:
    row = (key, *_limits(new.budgets), new.bound_j)
    implied = connection.execute(
        "SELECT 1 FROM bounds WHERE problem = ? AND ram >= ? AND runtime >= ? AND bound >= ?", row
    )
    if implied.fetchone():
        return
    connection.execute(
        "DELETE FROM bounds WHERE problem = ? AND ram <= ? AND runtime <= ? AND bound <= ?", row
    )
    connection.execute("INSERT INTO bounds VALUES (?, ?, ?, ?, ?)", (*row, _seal(*row)))


def _limits(budgets: Budgets) -> tuple[int, float]:
    return budgets.ram_bytes, math.inf if budgets.runtime_s is None else budgets.runtime_s


def _seal(*fields: object) -> bytes:
    """A digest of a row: SQLite does not notice a flipped bit, and no bound can be verified."""
    return hashlib.blake2b(repr(fields).encode(), digest_size=16).digest()
