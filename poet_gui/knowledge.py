"""What this session knows of every problem: brackets, the answers of its solves, what to store."""

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, NamedTuple

from poet_gui.solving.sweep_status import switches_of
from solver.brackets import (
    NOTHING_KNOWN,
    STORED_STEP,
    Bracket,
    Brackets,
    Known,
    StoredBound,
    StoredSchedule,
)
from solver.device import IoMode
from solver.events import Event, Finished, Incumbent
from solver.explain import finished
from solver.outcome import (
    Failed,
    Feasible,
    Infeasible,
    Optimal,
    Outcome,
    Progress,
    SolverRecord,
    StopReason,
    overhead_gap,
)
from solver.problem import Budgets, Problem, SolveOptions, Switches, fingerprint
from solver.recording import record
from solver.simulate import Trace, simulate
from solver.strategies.registry import PROVING

if TYPE_CHECKING:
    from solver.costs import CostedGraph
    from solver.schedule import Schedule

_TRACES: Final = 64
_LOOKED_UP: Final = 64
_SHELVES: Final = 64
"""Models, devices and switches that a session remembers; the store on disk remembers more."""


@dataclass(slots=True, eq=False)
class Shelf:
    """What is known of the problems that differ in their budgets only; `problem` is one of them.

    brackets : everything. earned : what solves of ours proved and may be stored for other sessions
    (a bound that came with a file cannot be checked). stored : bounds out of that store, and of the
    search for the least budgets. answers : how solves of this session ended.
    """

    problem: Problem
    brackets: Brackets
    earned: Brackets
    stored: Brackets
    answers: dict[Budgets, Outcome] = field(default_factory=dict)
    fetched: bool = False
    unsaved: bool = False
    solved: tuple[Budgets, ...] | None = None
    _looked_up: dict[Budgets, "_Found"] = field(default_factory=dict)

    def find(self, budgets: Budgets) -> "_Found":
        """What is known under these budgets; a move of a slider asks ten times for it."""
        if budgets not in self._looked_up:
            if len(self._looked_up) >= _LOOKED_UP:
                self._looked_up.clear()
            found = _Found(self.brackets.best(budgets), self.brackets.bracket(budgets))
            self._looked_up[budgets] = found
        return self._looked_up[budgets]

    def changed(self) -> None:
        """Something was added: what was derived from it is derived anew."""
        self.solved = None
        self._looked_up.clear()


class _Found(NamedTuple):
    """The cheapest schedule that fits, and what is proven."""

    best: StoredSchedule | None
    bracket: Bracket


class Knowledge:
    """Shelves by fingerprint. Everything taken in has passed the verifier before."""

    def __init__(self) -> None:
        self._shelves: OrderedDict[str, Shelf] = OrderedDict()
        self._fingerprints: OrderedDict[tuple[int, Switches], tuple[CostedGraph, str]] = (
            OrderedDict()
        )
        self._traces: OrderedDict[tuple[object, ...], Trace] = OrderedDict()

    # What can be asked

    def shelf(self, problem: Problem) -> Shelf:
        """The shelf of a problem; an empty one when nothing is known."""
        key = self.fingerprint(problem)
        if key not in self._shelves:
            everything, earned, stored = (Brackets(problem) for _ in range(3))
            self._shelves[key] = Shelf(problem, everything, earned, stored)
            for old in tuple(self._shelves)[:-_SHELVES]:
                if not self._shelves[old].unsaved:
                    del self._shelves[old]
        self._shelves.move_to_end(key)
        return self._shelves[key]

    def brackets(self, problem: Problem) -> Brackets:
        """What is known of the problem under all its budgets."""
        return self.shelf(problem).brackets

    def bracket(self, problem: Problem) -> Bracket:
        """What is proven of the least energy under the problem's budgets."""
        return self.shelf(problem).find(problem.budgets).bracket

    def name(self, costed: "CostedGraph", fingerprints: Iterable[tuple[Switches, str]]) -> None:
        """Take fingerprints that were made in the background."""
        for switches, made in fingerprints:
            self._fingerprints[id(costed), switches] = costed, made

    def fingerprint(self, problem: Problem) -> str:
        """The problem's fingerprint; made once per graph and switches, it walks over the graph."""
        key = (id(problem.costed), problem.switches)
        if key not in self._fingerprints:  # with the graph: an id is its own while it lives
            self._fingerprints[key] = (problem.costed, fingerprint(problem))
            while len(self._fingerprints) > _SHELVES:
                self._fingerprints.popitem(last=False)
        return self._fingerprints[key][1]

    def same(self, one: Problem, other: Problem) -> bool:
        """Say whether two problems differ in their budgets at most."""
        return self.fingerprint(one) == self.fingerprint(other)

    def known(self, problem: Problem, options: SolveOptions) -> Known:
        """What a solve of the problem starts from: verified schedules, and bounds of our solves.

        No bound out of a file: the solve would report it as its own, and it would be stored.
        """
        if not speaks_for(options.strategy, problem.switches):
            return NOTHING_KNOWN
        shelf, budgets = self.shelf(problem), problem.budgets
        known = shelf.brackets.known(budgets)
        proven_j = max(shelf.earned.bound_j(budgets), shelf.stored.bound_j(budgets))
        return replace(known, bound_j=min(known.bound_j, proven_j))  # none that is refuted

    def best_trace(self, problem: Problem) -> Trace | None:
        """The stored schedule of least energy that fits, executed; None when none does."""
        best = self.shelf(problem).find(problem.budgets).best
        return None if best is None else self._trace(best, problem)

    def solved(self, problem: Problem) -> tuple[Budgets, ...]:
        """Budgets that were solved, or for which something was proven, in order of RAM."""
        shelf = self.shelf(problem)
        if shelf.solved is None:  # asked for at every move of a slider
            budgets = {*shelf.answers, *(bound.budgets for bound in shelf.brackets.bounds)}
            shelf.solved = tuple(sorted(budgets, key=lambda b: (b.ram_bytes, b.runtime_s or 0.0)))
        return shelf.solved

    def answer(self, problem: Problem, options: SolveOptions) -> Outcome | None:
        """An outcome that needs no solve: of this session, or what is stored if it is good enough.

        Good enough: proven, or within the gap of `options`.
        """
        exact = self.shelf(problem).answers.get(problem.budgets)
        if exact is not None:
            return self.improved(problem, exact)
        trace = self.best_trace(problem)
        if trace is None:
            return None
        low_j, energy_j = self.bracket(problem).low_j, trace.total_energy_j
        found = Progress(0.0, STORED_STEP, energy_j, low_j)
        by = SolverRecord(options.strategy, "none", "", 0.0, 0.0, (found,))
        outcome = finished(trace, low_j, StopReason.GAP, by)
        gap = overhead_gap(problem, energy_j, low_j)
        good = isinstance(outcome, Optimal) or (gap is not None and gap <= options.gap)
        return outcome if good else None

    def improved(self, problem: Problem, outcome: Outcome) -> Outcome:
        """The outcome, or what is known better: a cheaper schedule, a higher bound."""
        if isinstance(outcome, Optimal | Infeasible | Failed):
            return outcome
        trace = self.best_trace(problem)
        if trace is None:
            return outcome
        bound_j = self.bracket(problem).low_j
        if isinstance(outcome, Feasible) and outcome.trace.total_energy_j <= trace.total_energy_j:
            if bound_j <= outcome.bound_j:
                return outcome
            trace = outcome.trace
        return finished(trace, bound_j, outcome.stop_reason, outcome.record)

    @property
    def unsaved(self) -> tuple[Shelf, ...]:
        """Shelves with something that is not stored yet."""
        return tuple(shelf for shelf in self._shelves.values() if shelf.unsaved)

    # What is found

    def record(self, problem: Problem, event: Event, strategy: str) -> bool:
        """Take what a solve of `problem` reports, wanted or not; True when it was news."""
        shelf = self.shelf(problem)
        if not _is_at_home(strategy, problem.switches):
            return False
        shelf.changed()
        proves = strategy in PROVING
        news = record(shelf.brackets, problem.budgets, event, proves=proves)
        source = event.outcome if isinstance(event, Finished) else event
        if news and isinstance(source, Incumbent | Optimal | Feasible):
            self._keep(source.trace)
        if record(shelf.earned, problem.budgets, event, proves=proves):
            shelf.unsaved = True
        return news

    def add_schedule(self, problem: Problem, trace: Trace) -> bool:
        """Take a verified schedule that a solve of a narrower problem found."""
        shelf = self.shelf(problem)
        if shelf.earned.add_schedule(trace):
            shelf.unsaved = True
        shelf.changed()
        self._keep(replace(trace, problem=problem))
        return shelf.brackets.add_schedule(trace)

    def add_answer(self, problem: Problem, outcome: Outcome) -> None:
        """Take how a solve ended, of this session or out of a file."""
        shelf = self.shelf(problem)
        shelf.changed()
        strategy, end = outcome.record.strategy, Finished(0.0, outcome)
        if isinstance(outcome, Optimal | Feasible):
            self._keep(outcome.trace)
        if _is_at_home(strategy, problem.switches):
            record(shelf.brackets, problem.budgets, end, proves=strategy in PROVING)
        if isinstance(outcome, Optimal | Feasible | Infeasible):
            shelf.answers[problem.budgets] = outcome

    def add_stored(self, problem: Problem, entries: Iterable[StoredSchedule | StoredBound]) -> bool:
        """Take what other sessions have stored, verified again; True when it was news."""
        shelf, news = self.shelf(problem), False
        shelf.changed()
        for entry in entries:
            if isinstance(entry, StoredSchedule):
                news |= shelf.brackets.add_stored(entry)
            else:
                shelf.stored.add_bound(entry.budgets, entry.bound_j)
                news |= shelf.brackets.add_bound(entry.budgets, entry.bound_j)
        return news

    # Inside

    def _trace(self, stored: StoredSchedule, problem: Problem) -> Trace:
        """The schedule executed, kept for the next move of a slider."""
        trace = self._traces.get(_trace_key(stored.schedule, problem))
        if trace is None:
            trace = simulate(stored.schedule, problem)
        self._keep(trace)
        if trace.problem.budgets == problem.budgets:
            return trace
        return replace(trace, problem=problem)

    def _keep(self, trace: Trace) -> None:
        """Remember a schedule that was executed already: to do it again takes milliseconds."""
        key = _trace_key(trace.schedule, trace.problem)
        self._traces[key] = trace
        self._traces.move_to_end(key)
        while len(self._traces) > _TRACES:
            self._traces.popitem(last=False)


def _trace_key(schedule: "Schedule", problem: Problem) -> tuple[object, ...]:
    """What the execution of a schedule depends on; a trace holds what the ids are of."""
    overlapped = problem.switches.io is IoMode.OVERLAPPED  # RAM to spare lets transfers begin
    budgets = problem.budgets if overlapped else None
    return id(schedule), id(problem.costed), problem.switches, budgets


def speaks_for(strategy: str, switches: Switches) -> bool:
    """Say whether `strategy` searches everything that these switches allow.

    Then its bounds and impossibilities are true of every schedule; of others nobody can check them.
    """
    return strategy in PROVING and _is_at_home(strategy, switches)


def _is_at_home(strategy: str, switches: Switches) -> bool:
    """Say whether a solve by `strategy` is of these switches: it forces no others."""
    return switches_of(strategy, switches) == switches
