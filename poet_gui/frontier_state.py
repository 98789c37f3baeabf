"""Part of the explorer's state: what is known of each strategy, and the sweep that adds to it."""

from collections.abc import Callable
from dataclasses import replace

from poet_gui.explored import WhatIf
from poet_gui.knowledge import Knowledge
from poet_gui.solving.sweep_status import SweepStatus, switches_of
from solver.brackets import Brackets
from solver.events import Event, Finished, Incumbent
from solver.outcome import Feasible, Optimal
from solver.problem import Problem
from solver.recording import record
from solver.simulate import Trace
from solver.strategies.registry import PROVING
from solver.verify import verify_figures


class FrontierState:
    """What is known per strategy of the open model.

    Strategies that prove bounds share the explorer's knowledge: what a sweep finds tightens what
    the sliders promise. The others have a book of their own besides, else their curves would be
    better than they are. `known_changed` is called after every change of that knowledge with the
    problem that it is about, `sweep_changed` after every change of `sweep`.
    """

    def __init__(
        self,
        core: WhatIf,
        knowledge: Knowledge,
        *,
        known_changed: Callable[[Problem], None],
        sweep_changed: Callable[[], None],
    ) -> None:
        self._core = core
        self._knowledge = knowledge
        self._known_changed = known_changed
        self._sweep_changed = sweep_changed
        self._books: dict[tuple[str, str], Brackets] = {}
        self.sweep = SweepStatus()

    def problem_of(self, strategy: str) -> Problem | None:
        """The present problem with the switches of `strategy`; None without a model."""
        core = self._core
        if core.model is None:
            return None
        return Problem(core.model.costed, core.budgets, switches_of(strategy, core.switches))

    def brackets_of(self, strategy: str, problem: Problem) -> Brackets:
        """What is known of `problem` (with the switches of the strategy) under all its budgets."""
        if strategy in PROVING:
            return self._knowledge.brackets(problem)
        key = (self._knowledge.fingerprint(problem), strategy)
        if key not in self._books:
            self._books[key] = Brackets(problem)
        return self._books[key]

    def learn(self, strategy: str, problem: Problem, event: Event) -> None:
        """Take what a solve of `problem` reports; every trace in it has passed the verifier."""
        news = self._knowledge.record(problem, event, strategy)
        if strategy not in PROVING:
            news |= record(self.brackets_of(strategy, problem), problem.budgets, event)
        found = event.outcome if isinstance(event, Finished) else event
        if isinstance(found, Incumbent | Optimal | Feasible):
            self._serve_all(found.trace)
        if isinstance(event, Finished) and strategy in PROVING:
            self._knowledge.add_answer(problem, event.outcome)
        if news:
            self._known_changed(problem)

    def set_sweep(self, status: SweepStatus) -> None:
        """Where the sweep stands."""
        if status != self.sweep:
            self.sweep = status
            self._sweep_changed()

    def _serve_all(self, trace: Trace) -> None:
        """What a narrower strategy finds is a schedule for all switches on: they allow more."""
        problem = trace.problem
        full = replace(problem, switches=replace(problem.switches, paging=True, recompute=True))
        if full.switches == problem.switches:
            return
        best = self._knowledge.brackets(full).best(problem.budgets)
        if best is not None and best.energy_j <= trace.total_energy_j:
            return
        report = verify_figures(
            trace.schedule,
            full,
            peak_bytes=trace.peak_bytes,
            energy_j=trace.total_energy_j,
            runtime_s=trace.runtime_s,
        )
        if not report.faults and self._knowledge.add_schedule(full, trace):
            self._known_changed(full)
