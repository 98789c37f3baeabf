"""Part of the explorer's state: what is known of each strategy, and the sweep that adds to it."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from poet_gui.solving.store import Solved, SolvedStore
from poet_gui.solving.sweep_status import MAIN, PROVES_NOTHING, SweepStatus, switches_of
from solver.brackets import Brackets
from solver.outcome import Feasible, Infeasible, Optimal, Outcome
from solver.problem import Problem, Switches, fingerprint
from solver.simulate import Trace
from solver.sweep import learn
from solver.verify import verify_figures

if TYPE_CHECKING:
    from poet_gui.explorer import Explorer
    from solver.costs import CostedGraph


class FrontierState:
    """What is known per strategy of the open model under its present switches.

    The main strategy and those that only force switches share the explorer's store: what a sweep
    finds tightens what the sliders promise. `known_changed` is called after every change of that
    knowledge, `sweep_changed` after every change of `sweep`. `revision` counts the former.
    """

    def __init__(
        self,
        core: "Explorer",
        store: SolvedStore,
        *,
        known_changed: Callable[[], None],
        sweep_changed: Callable[[], None],
    ) -> None:
        self._core = core
        self._store = store
        self._known_changed = known_changed
        self._sweep_changed = sweep_changed
        self._fingerprints: dict[Switches, str] = {}
        self._costed: CostedGraph | None = None
        self._books: dict[tuple[str, str], Brackets] = {}
        self.sweep = SweepStatus()
        self.revision = 0

    # What can be asked

    def problem_of(self, strategy: str) -> Problem | None:
        """The present problem with the switches of `strategy`; None without a model."""
        core = self._core
        if core.model is None:
            return None
        return Problem(core.model.costed, core.budgets, switches_of(strategy, core.switches))

    def brackets_of(self, strategy: str) -> Brackets:
        """What is known of the open model under that strategy. Raises ValueError without one."""
        problem = self.problem_of(strategy)
        if problem is None:
            raise ValueError("nothing is open")
        key = self._fingerprint(problem)
        own = strategy if strategy in PROVES_NOTHING else ""
        book = self._books.get((key, own))
        if book is None:
            book = self._books[key, own] = Brackets(problem)
        if not own:
            self._take_up(book, key)
        return book

    # What a sweep finds; every trace has passed the verifier

    def learn_schedule(self, strategy: str, trace: Trace) -> None:
        """Remember a schedule that was found on the way."""
        if self.brackets_of(strategy).add_schedule(trace):
            self._store_schedule(strategy, trace, trace.problem.costed.baseline_energy_j, None)
            self._serve_main(strategy, trace)
            self._changed()

    def learn_bound(self, strategy: str, problem: Problem, bound_j: float) -> None:
        """Remember a bound that was proven for `problem`, joules."""
        if strategy not in PROVES_NOTHING and self.brackets_of(strategy).add_bound(
            problem.budgets, bound_j
        ):
            self._changed()

    def learn(self, strategy: str, problem: Problem, outcome: Outcome) -> None:
        """Remember how a solve of `problem` by `strategy` ended."""
        learn(self.brackets_of(strategy), problem.budgets, outcome)
        match outcome:
            case Optimal(trace=trace, bound_j=bound_j) | Feasible(trace=trace, bound_j=bound_j):
                self._store_schedule(strategy, trace, bound_j, outcome)
                self._serve_main(strategy, trace)
            case Infeasible() if strategy not in PROVES_NOTHING:
                key = self._fingerprint(problem)
                self._store.add_impossible(key, problem.budgets, outcome)
            case _:
                pass
        self._changed()

    def set_sweep(self, status: SweepStatus) -> None:
        """Where the sweep stands."""
        if status != self.sweep:
            self.sweep = status
            self._sweep_changed()

    def note_solve(self) -> None:
        """A solve outside the sweep has added to the store."""
        self._changed()

    # Inside

    def _store_schedule(
        self, strategy: str, trace: Trace, bound_j: float, outcome: Outcome | None
    ) -> None:
        if strategy in PROVES_NOTHING:
            return
        problem = trace.problem
        self._store.add(
            self._fingerprint(problem), Solved(problem.budgets, trace, bound_j, outcome)
        )

    def _serve_main(self, strategy: str, trace: Trace) -> None:
        """What a narrower strategy finds is a schedule of the main one, too: it may do more."""
        problem = self.problem_of(MAIN)
        if strategy == MAIN or problem is None:
            return
        book, budgets = self.brackets_of(MAIN), trace.problem.budgets
        best = book.best(budgets)
        if best is not None and best.energy_j <= trace.total_energy_j:
            return
        report = verify_figures(
            trace.schedule,
            Problem(problem.costed, budgets, problem.switches),
            peak_bytes=trace.peak_bytes,
            energy_j=trace.total_energy_j,
            runtime_s=trace.runtime_s,
        )
        if not report.faults:
            book.add_schedule(trace)

    def _take_up(self, book: Brackets, key: str) -> None:
        """Take what solves outside the sweep have stored."""
        for solved in self._store.all(key):
            book.add_schedule(solved.trace)
            book.add_bound(solved.budgets, min(solved.bound_j, solved.trace.total_energy_j))

    def _fingerprint(self, problem: Problem) -> str:
        """The fingerprint, made once per switches: it walks over the whole graph."""
        if problem.costed is not self._costed:
            self._costed = problem.costed
            self._fingerprints.clear()
        if problem.switches not in self._fingerprints:
            self._fingerprints[problem.switches] = fingerprint(problem)
        return self._fingerprints[problem.switches]

    def _changed(self) -> None:
        self.revision += 1
        self._known_changed()
