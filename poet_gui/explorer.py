"""The explorer's state without Qt: the one mutable domain object, changed by its methods only."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from poet_gui.asked import Asked
from poet_gui.compare_state import CompareState
from poet_gui.explored import HistoryRow, Origin, Shown, Topic
from poet_gui.frontier_state import FrontierState
from poet_gui.looking import Looking
from poet_gui.solving.deliveries import OpenedResult, OpenModel
from poet_gui.solving.prepare import starting_budgets
from poet_gui.solving.status import Phase, SolveStatus, status_of
from solver.brackets import StoredBound, StoredSchedule
from solver.device import Device
from solver.events import Event
from solver.outcome import Outcome
from solver.problem import Budgets, Problem, SolveOptions, Switches
from solver.simulate import Trace

__all__ = ["Explorer", "HistoryRow", "Origin", "Shown", "Topic"]

HISTORY_LIMIT: Final = 200


class Explorer(Asked):
    """Model, device, budgets, switches, what is solved and what is shown.

    `notify` is called once per topic that really changed, after the change is complete.
    """

    def __init__(self, device: Device, notify: Callable[[Topic], None]) -> None:
        super().__init__(device)
        self._notify = notify
        self.compare = CompareState(self, partial(notify, Topic.COMPARE))
        self.frontier = FrontierState(
            self,
            self.knowledge,
            known_changed=self._news_of,
            sweep_changed=partial(notify, Topic.SWEEP),
        )
        self.looking = Looking(notify)
        self._own_options = self.options
        self.shown: Shown | None = None
        self.history: tuple[HistoryRow, ...] = ()
        self.opening: str | None = None
        self.reloading = False
        """True while a model that was read again takes its own place: views keep theirs."""

    # Opening

    def set_opening(self, name: str | None) -> None:
        """A file is being opened (its name), or no longer (None)."""
        if name != self.opening:
            self.opening = name
            self._notify(Topic.OPENING)

    def open_model(self, model: OpenModel, result: OpenedResult | None = None) -> None:
        """Put a model on screen: its plain schedule, or the stored result that came with it."""
        device = model.costed.device
        device_changed = device != self.device
        self.device = device
        self._take(model)
        self.shown = None
        self.looking.forget()
        if result is None:
            self.switches = Switches(io=device.io)
            self.budgets = starting_budgets(model)
            self.options = self._own_options  # not those of a result that was open before
        else:
            self.switches, self.budgets = result.problem.switches, result.problem.budgets
            self.options = result.options
        if result is not None:
            self._remember(result.problem, result.outcome)
        if device_changed:
            self._notify(Topic.DEVICE)
        self._notify(Topic.MODEL)
        self._problem_changed()

    def reload_model(self, model: OpenModel) -> None:
        """Take in the open model read again: budgets, switches and the selected tensor stay.

        A graph that is the same as before stays, too, with everything drawn and known of it.
        """
        before = self.model
        if before is None:
            self.open_model(model)
            return
        if before.costed.graph == model.costed.graph and self.device == model.costed.device:
            if before.sha256 != model.sha256:
                self.model = replace(before, sha256=model.sha256)
                self._notify(Topic.MODEL)
            return
        graph = before.costed.graph
        selected, looking = self.looking.tensor, self.looking
        name = None if selected is None else graph.tensors[selected].name
        self._take(model)
        self.shown = None
        looking.tensor = None if name is None else model.costed.graph.tensor_index.get(name)
        self.reloading = True
        try:
            self._notify(Topic.MODEL)
            self._problem_changed()
            self._notify(Topic.SELECTION)
        finally:
            self.reloading = False

    def add_known(self, result: OpenedResult) -> None:
        """Take in another stored result of what is open; it answers its budgets without a solve."""
        present = self.problem
        if present is not None and self.knowledge.same(result.problem, present):
            self._remember(result.problem, result.outcome)
            self._notify(Topic.PROBLEM)

    def set_repriced(self, model: OpenModel, carried: Trace | None = None) -> None:
        """The open model on another device: its RAM, and a runtime limit of the same ratio.

        A device of the same RAM keeps the budget. `carried`, the schedule that was on screen
        executed on the new device, is shown until there is a better one, if it fits.
        """
        before, limit_s = self.model, self.budgets.runtime_s
        same_ram = model.costed.device.ram_bytes == self.device.ram_bytes
        ram_bytes = self.budgets.ram_bytes
        self.device = model.costed.device
        self._take(model)
        self.switches = replace(self.switches, io=self.device.io)
        self.budgets = Budgets(ram_bytes) if same_ram else starting_budgets(model)
        if before is not None and limit_s is not None:
            ratio = limit_s / before.costed.baseline_runtime_s
            limit_s = ratio * model.costed.baseline_runtime_s
            self.budgets = replace(self.budgets, runtime_s=limit_s)
        if carried is not None and self.problem is not None:
            self.knowledge.add_schedule(self.problem, carried)
        self._notify(Topic.DEVICE)
        self._notify(Topic.MODEL)
        self._problem_changed()

    def set_device(self, device: Device) -> None:
        """Choose a device before there is a model; with one, reprice it and use set_repriced."""
        if device != self.device:
            self.device = device
            self.switches = replace(self.switches, io=device.io)
            self.budgets = Budgets(device.ram_bytes)
            self._notify(Topic.DEVICE)

    # The what-if

    def set_ram(self, ram_bytes: int) -> None:
        """RAM budget in bytes."""
        self._set_problem(replace(self.budgets, ram_bytes=ram_bytes), self.switches)

    def set_runtime(self, runtime_s: float | None) -> None:
        """Runtime limit in seconds, None for none."""
        self._set_problem(replace(self.budgets, runtime_s=runtime_s), self.switches)

    def set_switches(self, switches: Switches) -> None:
        """What a schedule may do."""
        self._set_problem(self.budgets, switches)

    def load(self, budgets: Budgets, switches: Switches) -> None:
        """Choose budgets and switches at once: a point of the frontier, say."""
        self._set_problem(budgets, switches)

    def set_options(self, options: SolveOptions) -> None:
        """How hard to try."""
        self._own_options = options
        if options != self.options:
            self.options = options
            self._notify(Topic.PROBLEM)

    def restore(self, row: HistoryRow) -> None:
        """Bring a row of the history back, result included, without solving."""
        changed = row.model is not self.model
        self.model, self.device = row.model, row.model.costed.device
        self.budgets, self.switches = row.problem.budgets, row.problem.switches
        if changed:
            self.shown = None
            self.looking.forget()
            self._notify(Topic.DEVICE)
            self._notify(Topic.MODEL)
        self._problem_changed()

    # The solve

    def set_status(self, status: SolveStatus) -> None:
        """Where the running solve stands."""
        if status != self.status:
            self.status = status
            self._notify(Topic.SOLVE)

    def learn(self, problem: Problem, event: Event, strategy: str) -> None:
        """Take what a solve reports, be it wanted or dropped: it is true of its problem anyway.

        What serves the present budgets better is shown at once.
        """
        if self.knowledge.record(problem, event, strategy):
            self._news_of(problem)

    def learn_stored(
        self, problem: Problem, entries: Sequence[StoredSchedule | StoredBound]
    ) -> None:
        """Take what earlier sessions have stored of a problem, verified again."""
        if self.knowledge.add_stored(problem, entries):
            self._news_of(problem)

    def finish(self, outcome: Outcome, status: SolveStatus) -> None:
        """Take the end of a solve of the present problem."""
        problem = self.problem
        if problem is None:
            return
        outcome = self.knowledge.improved(problem, outcome)
        self._remember(problem, outcome)
        self.status = replace(status, phase=Phase.DONE, outcome=outcome)
        self._refresh_shown()
        self._notify(Topic.SOLVE)

    def take_stored(self) -> None:
        """What is stored answers now: it takes the place of a solve that was under way."""
        outcome = self.stored_answer()
        if outcome is not None:
            self.status = status_of(outcome)
            self.settle()
            self._refresh_shown()
            self._notify(Topic.SOLVE)

    def settle(self) -> None:
        """The budgets rest at an answer that needed no solve: it becomes a row of the history."""
        problem, outcome = self.problem, self.status.outcome
        if problem is None or outcome is None or self.status.phase is not Phase.DONE:
            return
        if not any(row.is_of(problem, outcome) for row in self.history):
            self._remember(problem, outcome)

    # Inside

    def _take(self, model: OpenModel) -> None:
        self.model = model
        self.knowledge.name(model.costed, model.fingerprints)

    def _set_problem(self, budgets: Budgets, switches: Switches) -> None:
        if budgets == self.budgets and switches == self.switches:
            return
        self.budgets, self.switches = budgets, switches
        # A solve that waits for the slider to rest goes on waiting: to call it off and on again at
        # every move would draw all that speaks of it twice.
        self._problem_changed(waiting=self.status.phase is Phase.QUEUED)

    def _problem_changed(self, *, waiting: bool = False) -> None:
        """Show at once what is known of the new problem; whether to solve is not decided here."""
        outcome = self.stored_answer()
        if outcome is not None:
            self.status = status_of(outcome)
        else:
            self.status = SolveStatus(Phase.QUEUED) if waiting else SolveStatus()
        self._refresh_shown()
        self._notify(Topic.PROBLEM)
        self._notify(Topic.SOLVE)

    def _news_of(self, problem: Problem) -> None:
        """Show at once what is better now for the present budgets."""
        present = self.problem
        if present is not None and self.knowledge.same(problem, present):
            outcome = self.stored_answer()
            known = outcome is None or outcome is self.status.outcome
            if outcome is not None and not known and not self.status.phase.is_busy:
                self.status = status_of(outcome)
                self._notify(Topic.SOLVE)
            self._refresh_shown()
        self._notify(Topic.KNOWN)

    def _remember(self, problem: Problem, outcome: Outcome) -> None:
        self.knowledge.add_answer(problem, outcome)
        if self.model is not None:
            row = HistoryRow(self.model, problem, outcome)
            self.history = (*self.history, row)[-HISTORY_LIMIT:]
            self._notify(Topic.HISTORY)

    def _refresh_shown(self) -> None:
        wanted = self.to_show
        if wanted is not None:
            self._show(wanted)

    def _show(self, shown: Shown) -> None:
        before = self.shown
        if before and before.trace is shown.trace and before.origin is shown.origin:
            if before.bound_j != shown.bound_j:
                self.shown = shown
            return
        self.shown = shown
        another = before is None or before.trace.schedule is not shown.trace.schedule
        moved = self.looking.follow(shown.trace, another=another)
        self._notify(Topic.SHOWN)
        for topic in moved:
            self._notify(topic)
