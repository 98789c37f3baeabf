"""Brackets on disk: what was solved once is known the next time, to every process of this user.

One SQLite file in the user's cache folder. It is a cache: whatever is wrong with it costs a notice
and what it held, never an answer.
"""

import hashlib
import logging
import random
import sqlite3
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

from solver import ENGINE_VERSION
from solver.bracket_rows import (
    TABLES,
    Figures,
    Rows,
    ScheduleRow,
    StoreLimits,
    bound_of,
    read_rows,
    remove_rows,
    schedule_of,
    trim,
    write_brackets,
)
from solver.brackets import Brackets, StoredBound, StoredSchedule
from solver.problem import Problem, fingerprint

FORMAT: Final = 1
"""Number of the file's layout; a file of another layout is emptied."""
FILE_NAME: Final = "brackets.sqlite"

_LOG = logging.getLogger(__name__)
_BUSY_S: Final = 5.0
_REMEMBERED: Final = 64
"""Problems of which a store knows what it has written; what is forgotten is written once more."""
_DAMAGED: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR})
"""No database, or not ours. All else (locked, full, read-only) says nothing of what is in it."""


def user_store_folder() -> Path:
    """Where the stored results of this user are."""
    from platformdirs import user_cache_path  # noqa: PLC0415 - needed only where results are stored

    return user_cache_path("poet-explorer", appauthor=False)


class BracketStore:
    """Loads and saves brackets; safe for any number of processes, each with stores of its own.

    `folder` None: nothing is kept. `tell` gets sentences about what went wrong, each once.
    Use one store from one thread at a time.
    """

    def __init__(
        self,
        folder: Path | None,
        tell: Callable[[str], None] = _LOG.warning,
        limits: StoreLimits | None = None,
    ) -> None:
        self._path = None if folder is None else folder / FILE_NAME
        self._tell = tell
        self._told: set[str] = set()
        self._written = OrderedDict[str, set[Figures]]()
        self._limits = limits or StoreLimits()

    def load(self, problem: Problem) -> Brackets:
        """What is stored of `problem` under all budgets, everything checked (see `read`)."""
        brackets = Brackets(problem)
        for found in self.read(problem):
            if isinstance(found, StoredSchedule):
                brackets.add_stored(found)
            else:
                brackets.add_bound(found.budgets, found.bound_j)
        return brackets

    def read(self, problem: Problem) -> Iterator[StoredSchedule | StoredBound]:
        """What is stored of `problem`, one by one: bounds first, then schedules from all over.

        Every schedule is verified here, which takes some milliseconds; what does not stand up is
        left out and removed at the end.
        """
        key, rows, bad = _key(problem), Rows([], []), Rows([], [])

        def fetch(connection: sqlite3.Connection) -> None:
            rows.schedules[:], rows.bounds[:] = read_rows(connection, key)

        self._transact(fetch)
        for line in rows.bounds:
            bound = bound_of(line, key)
            if bound is None:
                bad.bounds.append(line)
            else:
                yield bound
        for row in _spread(rows.schedules):
            schedule = schedule_of(row, key, problem)
            if schedule is None:
                bad.schedules.append(row)
            else:
                yield schedule
        count = len(bad.schedules) + len(bad.bounds)
        if count:
            self._say(f"{count} stored results were not valid and are dropped")
            self._transact(lambda connection: remove_rows(connection, bad))

    def save(self, problem: Problem, brackets: Brackets) -> None:
        """Add what `brackets` know to what is stored, whoever stored it."""
        key, new = _key(problem), list[Figures]()

        def write(connection: sqlite3.Connection) -> None:
            new[:] = write_brackets(connection, key, brackets, self._written.get(key, set()))
            trim(connection, key, self._limits)

        if self._transact(write):
            self._written.setdefault(key, set()).update(new)
            self._written.move_to_end(key)
            while len(self._written) > _REMEMBERED:
                self._written.popitem(last=False)

    def _transact(self, work: Callable[[sqlite3.Connection], None], *, again: bool = True) -> bool:
        """Do `work` in one transaction; False when it could not be done, which is told.

        A damaged file is removed, and the work done `again` on a new one.
        """
        if self._path is None:
            return False
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            _when_free(self._path, work)
        except OSError as error:
            self._say(f"results are not stored: {error.strerror or error} ({self._path.parent})")
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
            if code in _DAMAGED:
                self._written.clear()
                self._say(f"the stored results were damaged and are dropped ({self._path})")
                return _remove(self._path) and again and self._transact(work, again=False)
            self._say(f"results are not stored for now: {error} ({self._path})")
        else:
            return True
        return False

    def _say(self, sentence: str) -> None:
        if sentence not in self._told:
            self._told.add(sentence)
            self._tell(sentence)


def _spread(rows: list[ScheduleRow]) -> Iterator[ScheduleRow]:
    """The rows by energy, but in halving steps: few of them tell the whole curve already."""
    ordered = sorted(rows, key=lambda row: row.energy_j)
    step = 1 << len(ordered).bit_length()
    yield from ordered[::step]
    while step > 1:
        yield from ordered[step // 2 :: step]
        step //= 2


def _key(problem: Problem) -> str:
    """Of the problem and the engine: another version may count or prove otherwise."""
    return hashlib.sha256(f"{ENGINE_VERSION}\n{fingerprint(problem)}".encode()).hexdigest()


def _remove(path: Path) -> bool:
    """Remove the file, its log first: it must not end up beside a newer file of somebody else."""
    for suffix in ("-wal", "-shm", ""):
        with suppress(OSError):
            Path(f"{path}{suffix}").unlink()
    return not path.exists()


def _when_free(path: Path, work: Callable[[sqlite3.Connection], None]) -> None:
    """One transaction, begun again while others are at work.

    SQLite waits for others by itself, but not everywhere: changing the journal's mode and
    recovering after a killed process fail at once.
    """
    deadline = time.monotonic() + _BUSY_S
    while True:
        try:
            with closing(_open(path)) as connection:
                connection.execute("BEGIN IMMEDIATE")
                work(connection)
                connection.execute("COMMIT")
                return
        except sqlite3.OperationalError as error:
            code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
            if code != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(random.uniform(0.001, 0.02))


def _open(path: Path) -> sqlite3.Connection:
    """The database, its tables made when it is new; autocommit, so that BEGIN is ours to say."""
    connection = sqlite3.connect(path, timeout=_BUSY_S, isolation_level=None)
    try:
        if connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
            connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        if _layout(connection) != FORMAT:
            connection.execute("BEGIN IMMEDIATE")
            if _layout(connection) != FORMAT:  # nobody else has made them meanwhile
                _make_tables(connection)
            connection.execute("COMMIT")
    except BaseException:
        connection.close()
        raise
    return connection


def _layout(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _make_tables(connection: sqlite3.Connection) -> None:
    for table in ("problems", "schedules", "bounds"):
        connection.execute(f"DROP TABLE IF EXISTS {table}")
    for statement in TABLES:
        connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {FORMAT}")
