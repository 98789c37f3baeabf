"""Sweeps worked off in solve processes: what is asked next, what is known, what has come out."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from solver import api
from solver.bracket_store import BracketStore
from solver.brackets import NOTHING_KNOWN, Brackets, StoredSchedule
from solver.outcome import Failed, NoAnswer, Outcome, StopReason
from solver.problem import Budgets, Problem, SolveOptions
from solver.recording import learn
from solver.schedule import Schedule
from solver.solve_pool import PATIENCE_S, SolvePool, SolveTask
from solver.strategies.registry import PROVING, adapt, get_strategy
from solver.sweep import DEFAULT_POINTS, DEFAULT_TOLERANCE, Axis, Sweep, SweepPoint

SLACK: Final = 0.25
"""Of the tolerance: where a single solve may stop proving, so that the rest is left for what lies
between two solves."""
MOST_FAULTS: Final = 3
"""So many failures in a row end a run: the next would fail as well."""
_TICK_S: Final = 0.1


@dataclass(frozen=True, slots=True)
class SweepSettings:
    """What to sweep, and how closely.

    tolerance : part of the total energy within which a budget counts as certified, and within a
    quarter of which a solve stops proving. to_the_last : use all points even so.
    """

    axis: Axis = "ram"
    points: int = DEFAULT_POINTS
    tolerance: float = DEFAULT_TOLERANCE
    to_the_last: bool = False


class StrategySweep:
    """The sweep of one strategy: its problem, its planner, and the brackets that solves start from.

    The planner goes by the answers of this sweep alone, so that one that is resumed asks what it
    would have asked; what a store knows makes the answers quick.
    """

    def __init__(self, strategy: str, problem: Problem, settings: SweepSettings) -> None:
        self.strategy = strategy
        self.problem = adapt(problem, get_strategy(strategy))
        self.settings = settings
        self.planner = Sweep(
            self.problem,
            settings.axis,
            settings.points,
            0.0 if settings.to_the_last else settings.tolerance,
            by_answers=strategy not in PROVING,
            fill=settings.to_the_last,
        )
        self.known = Brackets(self.problem)

    @property
    def proves(self) -> bool:
        """Whether its bounds and impossibilities are those of the problem, not of the strategy."""
        return self.strategy in PROVING

    @property
    def certified_share(self) -> float:
        """Part of the axis (of the grid) that is certified within the tolerance, 0 .. 1."""
        return 1.0 - self.planner.open_within(self.settings.tolerance)

    @property
    def points(self) -> list[SweepPoint]:
        """What was solved, in order of RAM, then of runtime."""
        return sorted(self.planner.taken, key=lambda point: _order(point.budgets))

    def task(self, budgets: Budgets, options: SolveOptions) -> SolveTask:
        """The solve of one point, told what is known of it."""
        options = replace(
            options, strategy=self.strategy, total_gap=SLACK * self.settings.tolerance
        )
        problem = replace(self.problem, budgets=budgets)
        known = self.known.known(budgets) if self.proves else NOTHING_KNOWN
        return SolveTask(problem, options, known)

    def take(self, budgets: Budgets, outcome: Outcome) -> Outcome:
        """Take in an answer; one that does not stand up to the verifier is Failed."""
        outcome = api.audited(outcome)
        self.planner.take(budgets, outcome)
        if self.proves:
            learn(self.known, budgets, outcome)
        return outcome

    def take_saved(self, budgets: Budgets, outcome: Outcome) -> None:
        """Take in a point out of a file whose schedule has passed the verifier.

        Its bound cannot be checked: it decides what is asked next, but no solve starts from it, so
        that nothing which is stored for others rests on a file.
        """
        self.planner.take(budgets, outcome)
        if self.proves:
            learn(self.known, budgets, outcome, proves=False)

    def take_figures(
        self, budgets: Budgets, figures: tuple[int, float, float] | None, bound_j: float | None
    ) -> None:
        """Take in a point of an earlier sweep of which the figures are left.

        figures : peak in bytes, runtime in seconds, energy in joules of its schedule, if it has
        one. As with `take_saved`, no solve starts from them.
        """
        schedule = None if figures is None else StoredSchedule(*figures, Schedule(()))
        self.planner.take_figures(budgets, schedule, bound_j)


Watcher = Callable[[StrategySweep, SweepPoint], None]


class SweepRun:
    """Works off the sweeps of several strategies, one after the other, with what idles in between.

    `watcher` is told of every answer.
    """

    def __init__(
        self,
        sweeps: Sequence[StrategySweep],
        options: SolveOptions,
        *,
        store: BracketStore | None = None,
        watcher: Watcher | None = None,
    ) -> None:
        self.sweeps = tuple(sweeps)
        self._options = options
        self._store = store
        self._watcher = watcher
        self._of: dict[int, StrategySweep] = {}
        self._faults = 0
        for sweep in self.sweeps:
            if store is not None and sweep.proves:
                sweep.known.merge(store.load(sweep.problem))

    @property
    def finished(self) -> bool:
        """True when no sweep has anything left to ask."""
        return all(sweep.planner.finished for sweep in self.sweeps)

    def step(self, pool: SolvePool, timeout_s: float = _TICK_S) -> bool:
        """Hand out what idle processes can do and take the next answer; False when all is done."""
        while pool.idle and self._hand_out(pool):
            pass
        if not pool.busy:
            return False
        answer = pool.wait(timeout_s)
        if answer is not None:
            self._take(*answer)
        return True

    def stop(self, pool: SolvePool) -> None:
        """Cancel what runs and take what it has found; returns within seconds."""
        pool.cancel()
        waited = 0.0
        while pool.busy and waited < PATIENCE_S:
            answer = pool.wait(_TICK_S)
            waited += 0.0 if answer is not None else _TICK_S
            if answer is not None:
                self._take(*answer)
        for answer in pool.drop():
            self._take(*answer)

    def _hand_out(self, pool: SolvePool) -> bool:
        if self._faults >= MOST_FAULTS:
            return False
        for sweep in self.sweeps:
            budgets = sweep.planner.next_budgets()
            if budgets is not None:
                task = sweep.task(budgets, self._options)
                self._of[id(task.problem)] = sweep
                pool.submit(task)
                return True
        return False

    def _take(self, task: SolveTask, outcome: Outcome) -> None:
        sweep = self._of.pop(id(task.problem))
        if isinstance(outcome, NoAnswer) and outcome.stop_reason is StopReason.CANCELLED:
            sweep.planner.give_back(task.problem.budgets)  # nothing came of it
            return
        outcome = sweep.take(task.problem.budgets, outcome)
        self._faults = self._faults + 1 if isinstance(outcome, Failed) else 0
        if self._store is not None and sweep.proves:
            self._store.save(sweep.problem, sweep.known)
        if self._watcher is not None:
            self._watcher(sweep, SweepPoint(task.problem.budgets, outcome))


def _order(budgets: Budgets) -> tuple[int, float]:
    limit = budgets.runtime_s
    return budgets.ram_bytes, math.inf if limit is None else limit
