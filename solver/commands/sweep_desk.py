"""One run of `poet sweep`: solve, keep what comes in, write it, also when it is interrupted."""

import os
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from solver.bracket_store import BracketStore, user_store_folder
from solver.codec import (
    Origin,
    decode_sweep,
    encode_json,
    graph_document,
    point_document,
    sweep_document,
)
from solver.codec.sweep_documents import SweepDocument
from solver.commands.output import STDOUT, say, tell, write_output
from solver.commands.problem_options import EXIT_CODES
from solver.commands.reading import read_file
from solver.commands.sweep_progress import SweepBar
from solver.commands.sweep_table import Entry, action_counts, sweep_table
from solver.errors import Issue, UsageError
from solver.files import is_special
from solver.problem import Problem, SolveOptions
from solver.saved_sweep import take_up
from solver.solve_pool import SolvePool
from solver.sweep import SweepPoint
from solver.sweep_run import StrategySweep, SweepRun, SweepSettings
from solver.text import counted, verb

_SAVE_EVERY_S: Final = 1.0
_WANTED: Final = "give the JSON of an earlier `poet sweep`"


@dataclass(frozen=True, slots=True)
class SweepOrder:
    """What to sweep and where to write it."""

    problem: Problem
    origin: Origin
    strategies: Sequence[str]
    settings: SweepSettings
    options: SolveOptions
    json_path: str | None = None
    full: bool = False


class SweepDesk:
    """Holds the sweeps of one order and the points that have come in."""

    def __init__(self, order: SweepOrder) -> None:
        self._order = order
        self._graph = graph_document(order.problem.costed) if order.full else None
        self._sweeps = {
            name: StrategySweep(name, order.problem, order.settings) for name in order.strategies
        }
        self._entries: list[Entry] = []
        self._saved = time.monotonic()

    @property
    def exit_code(self) -> int:
        """0 with any schedule, 3 when all points are impossible, else 1 or 4."""
        codes = {EXIT_CODES[entry.document.status] for entry in self._entries}
        if 0 in codes:
            return 0
        if codes == {EXIT_CODES["infeasible"]}:
            return EXIT_CODES["infeasible"]
        return EXIT_CODES["failed" if EXIT_CODES["failed"] in codes else "no_answer"]

    def take_up(self, path: str) -> None:
        """Go on from the JSON of an earlier sweep.

        Raises EngineError when it cannot be read, is of another question, or contradicts itself.
        """
        earlier = decode_sweep(read_file(path, _WANTED), path)
        if self._order.full and not all(point.is_full for point in earlier.points):
            message = "the earlier sweep holds no schedules"
            raise UsageError(Issue(message, "--full", "leave it out, or make a new sweep"))
        taken = take_up(earlier, self._sweeps, self._document())
        counts = {
            (sweep.strategy, point.budgets): action_counts(point.outcome)
            for sweep in self._sweeps.values()
            for point in sweep.points
        }
        for point in taken:
            key = (point.settings.strategy, point.budgets)
            self._entries.append(Entry(point, counts.get(key)))
        of = counted(len(earlier.points), "point")
        say(f"{len(taken)} of {of} {verb(len(taken), 'is', 'are')} taken from {path}")

    def work(self, jobs: int, wish: threading.Event, *, store: bool) -> None:
        """Solve until nothing is left to ask, or until `wish`."""
        folder = user_store_folder() if store else None
        stored = BracketStore(folder, lambda sentence: say(f"warning: {sentence}"))
        total = self._order.settings.points * len(self._sweeps)
        with SweepBar(total, len(self._entries)) as bar:

            def watch(sweep: StrategySweep, point: SweepPoint) -> None:
                self._add(sweep, point)
                bar.advance(sweep)

            sweeps = tuple(self._sweeps.values())
            run = SweepRun(sweeps, self._order.options, store=stored, watcher=watch)
            with SolvePool(jobs, bar.report) as pool:
                while not wish.is_set() and run.step(pool):
                    bar.tick()
                if wish.is_set():
                    run.stop(pool)
        if wish.is_set():
            path = self._order.json_path
            places = [
                *([] if path is None else [f"kept in {path}"]),
                *(["stored"] if store else []),
            ]
            kept = " and ".join(places) or "printed below, and kept nowhere"
            say(f"interrupted: the points so far are {kept}")

    def deliver(self) -> None:
        """Write and print what was found."""
        path = self._order.json_path
        document = self._document()
        if path is not None:
            write_output(path, encode_json(document))
        counts = {id(entry.document): entry.counts for entry in self._entries}
        for k, sweep in enumerate(self._sweeps.values()):
            entries = [
                Entry(point, counts[id(point)])
                for point in document.points
                if point.settings.strategy == sweep.strategy
            ]
            lines = sweep_table(sweep, entries)
            if path == STDOUT:
                say("; ".join(lines[:1] + lines[len(entries) + 2 :]))
            else:
                tell([""] * (k > 0) + lines)

    def _document(self) -> SweepDocument:
        order = self._order
        first = next(iter(self._sweeps.values()))
        return sweep_document(
            order.settings.axis,
            [entry.document for entry in self._entries],
            first.problem,
            replace(order.options, strategy=first.strategy),
            order.origin,
            strategies=order.strategies,
        )

    def _add(self, sweep: StrategySweep, point: SweepPoint) -> None:
        order = self._order
        document = point_document(
            replace(sweep.problem, budgets=point.budgets),
            point.outcome,
            replace(order.options, strategy=sweep.strategy),
            order.origin,
            graph=self._graph,
        )
        self._entries.append(Entry(document, action_counts(point.outcome)))
        self._save()

    def _save(self) -> None:
        """Write what there is, at most once a second: a sweep that is killed loses little."""
        path = self._order.json_path
        if path is None or path == STDOUT or is_special(Path(path)):
            return
        if time.monotonic() - self._saved >= _SAVE_EVERY_S:
            write_output(path, encode_json(self._document()))
            self._saved = time.monotonic()


def usable_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
