"""The explorer's state without Qt: the one mutable domain object, changed by its methods only."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import Final

from poet_gui.compare_state import CompareState
from poet_gui.frontier_state import FrontierState
from poet_gui.solving.deliveries import OpenedResult, OpenModel
from poet_gui.solving.status import Phase, SolveStatus, status_of
from poet_gui.solving.store import Bracket, Solved, SolvedStore
from poet_gui.viewmodels.first_look import first_look
from solver.device import Device
from solver.explain import finished
from solver.outcome import (
    Failed,
    Feasible,
    Infeasible,
    Optimal,
    Outcome,
    StopReason,
    overhead_gap,
)
from solver.problem import Budgets, Problem, SolveOptions, Switches, fingerprint
from solver.simulate import Trace

HISTORY_LIMIT: Final = 200


class Topic(StrEnum):
    """What changed."""

    MODEL = "model"
    DEVICE = "device"
    PROBLEM = "problem"
    SOLVE = "solve"
    SHOWN = "shown"
    SELECTION = "selection"
    PLAYHEAD = "playhead"
    AXIS = "axis"
    HISTORY = "history"
    OPENING = "opening"
    KNOWN = "known"
    SWEEP = "sweep"
    COMPARE = "compare"


class Origin(StrEnum):
    """Why this schedule is on screen."""

    PLAIN = "plain"
    NEAREST = "nearest"
    PROVISIONAL = "provisional"
    RESULT = "result"


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """The schedule on screen: what it is, and the bound that is valid for it under its budgets."""

    trace: Trace
    origin: Origin
    bound_j: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class HistoryRow:
    """One what-if that was solved: everything needed to bring it back without solving."""

    model: OpenModel
    problem: Problem
    outcome: Outcome


class Explorer:
    """Model, device, budgets, switches, what is solved and what is shown.

    `notify` is called once per topic that really changed, after the change is complete.
    """

    def __init__(self, device: Device, notify: Callable[[Topic], None]) -> None:
        self._notify = notify
        self._store = SolvedStore()
        self._fingerprint = ""
        self.compare = CompareState(self, partial(notify, Topic.COMPARE))
        self.frontier = FrontierState(
            self,
            self._store,
            known_changed=partial(notify, Topic.KNOWN),
            sweep_changed=partial(notify, Topic.SWEEP),
        )
        self.device = device
        self.model: OpenModel | None = None
        self.budgets = Budgets(device.ram_bytes)
        self.switches = Switches(io=device.io)
        self.options = SolveOptions()
        self.status = SolveStatus()
        self.shown: Shown | None = None
        self.history: tuple[HistoryRow, ...] = ()
        self.tensor: int | None = None
        self.playhead = 0
        self.looked_around = False
        self.axis = "step"
        self.opening: str | None = None

    # What can be asked

    @property
    def problem(self) -> Problem | None:
        """What would be solved now; None without a model."""
        if self.model is None:
            return None
        return Problem(self.model.costed, self.budgets, self.switches)

    @property
    def bracket(self) -> Bracket | None:
        """What is proven about the present budgets; None without a model."""
        if self.model is None:
            return None
        baseline_j = self.model.costed.baseline_energy_j
        return self._store.bracket(self._fingerprint, self.budgets, baseline_j)

    @property
    def known_impossible(self) -> bool:
        """True when it is proven already that nothing fits the present budgets."""
        if self.model is None:
            return False
        costed, limit_s = self.model.costed, self.budgets.runtime_s
        if self.budgets.ram_bytes < costed.floor_bytes:
            return True
        if limit_s is not None and limit_s * (1 + 1e-9) < costed.baseline_runtime_s:
            return True
        return self._store.is_impossible(self._fingerprint, self.budgets)

    @property
    def best_trace(self) -> Trace | None:
        """The stored schedule of least energy that fits the present budgets."""
        best = self._store.best(self._fingerprint, self.budgets)
        return best.trace if best else None

    @property
    def solved(self) -> tuple[Solved, ...]:
        """Everything solved for this model, device and switches, in order of RAM."""
        return self._store.all(self._fingerprint)

    @property
    def needs_solve(self) -> bool:
        """False when what is stored already answers the present problem as well as asked for."""
        return self.model is not None and self._stored_answer() is None

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
        self.model = model
        self._forget_place()
        if result is None:
            self.switches = Switches(io=device.io)
            self.budgets = starting_budgets(model)
        else:
            self.switches, self.budgets = result.problem.switches, result.problem.budgets
            self.options = result.options
        self._refresh_fingerprint()
        if result is not None:
            self._remember(result.problem, result.outcome)
        if device_changed:
            self._notify(Topic.DEVICE)
        self._notify(Topic.MODEL)
        self._problem_changed()

    def add_known(self, result: OpenedResult) -> None:
        """Take in another stored result of what is open; it answers its budgets without a solve."""
        if fingerprint(result.problem) == self._fingerprint:
            self._remember(result.problem, result.outcome)
            self._notify(Topic.PROBLEM)

    def set_repriced(self, model: OpenModel) -> None:
        """The open model on another device: its RAM, and a runtime limit of the same ratio."""
        before, limit_s = self.model, self.budgets.runtime_s
        self.device, self.model = model.costed.device, model
        self.switches = replace(self.switches, io=self.device.io)
        self.budgets = starting_budgets(model)
        if before is not None and limit_s is not None:
            ratio = limit_s / before.costed.baseline_runtime_s
            limit_s = ratio * model.costed.baseline_runtime_s
            self.budgets = replace(self.budgets, runtime_s=limit_s)
        self._refresh_fingerprint()
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
        if options != self.options:
            self.options = options
            self._notify(Topic.PROBLEM)

    def restore(self, row: HistoryRow) -> None:
        """Bring a row of the history back, result included, without solving."""
        changed = row.model is not self.model
        self.model, self.device = row.model, row.model.costed.device
        self.budgets, self.switches = row.problem.budgets, row.problem.switches
        self._refresh_fingerprint()
        if changed:
            self._forget_place()
            self._notify(Topic.DEVICE)
            self._notify(Topic.MODEL)
        self._problem_changed()

    # The solve

    def set_status(self, status: SolveStatus) -> None:
        """Where the running solve stands."""
        if status != self.status:
            self.status = status
            self._notify(Topic.SOLVE)

    def add_incumbent(self, trace: Trace, bound_j: float) -> None:
        """Show a verified schedule that a running solve has found."""
        known = Solved(trace.problem.budgets, trace, bound_j)
        self._store.add(fingerprint(trace.problem), known)
        best = self._store.best(self._fingerprint, self.budgets)
        chosen = best.trace if best else trace
        self._show(Shown(chosen, Origin.PROVISIONAL, bound_j))

    def finish(self, outcome: Outcome, status: SolveStatus) -> None:
        """Take the end of a solve of the present problem."""
        problem = self.problem
        if problem is None:
            return
        outcome = self._improved(outcome, problem)
        self._remember(problem, outcome)
        self.status = replace(status, phase=Phase.DONE, outcome=outcome)
        self._refresh_shown()
        self._notify(Topic.SOLVE)

    # Looking around: from its first move on, selection and playhead are the user's

    def set_tensor(self, tensor: int | None) -> None:
        """Select a tensor everywhere (position in the graph)."""
        if tensor != self.tensor:
            self.looked_around = True
            self.tensor = tensor
            self._notify(Topic.SELECTION)

    def set_playhead(self, action: int) -> None:
        """Move the playhead to an action of the schedule on screen."""
        count = len(self.shown.trace.schedule.actions) if self.shown else 0
        action = max(0, min(action, count - 1))
        if action != self.playhead:
            self.looked_around = True
            self.playhead = action
            self._notify(Topic.PLAYHEAD)

    def set_axis(self, axis: str) -> None:
        """Choose the horizontal axis, "step" or "time"."""
        if axis != self.axis:
            self.axis = axis
            self._notify(Topic.AXIS)

    # Inside

    def _set_problem(self, budgets: Budgets, switches: Switches) -> None:
        if budgets == self.budgets and switches == self.switches:
            return
        renew = switches != self.switches
        self.budgets, self.switches = budgets, switches
        if renew:
            self._refresh_fingerprint()
        self._problem_changed()

    def _problem_changed(self) -> None:
        """Show at once what is known of the new problem; whether to solve is not decided here."""
        outcome = self._stored_answer()
        self.status = SolveStatus() if outcome is None else status_of(outcome)
        self._refresh_shown()
        self._notify(Topic.PROBLEM)
        self._notify(Topic.SOLVE)

    def _refresh_fingerprint(self) -> None:
        problem = self.problem
        self._fingerprint = fingerprint(problem) if problem else ""

    def _stored_answer(self) -> Outcome | None:
        """An outcome for the present budgets that needs no solve."""
        problem, bracket = self.problem, self.bracket
        if problem is None or bracket is None:
            return None
        exact = self._store.exact(self._fingerprint, self.budgets)
        if exact is not None:
            return exact.outcome
        refused = self._store.refused(self._fingerprint, self.budgets)
        if refused is not None:
            return refused
        best = self._store.best(self._fingerprint, self.budgets)
        if best is None or best.outcome is None:
            return None
        return _reused(best, problem, bracket, self.options.gap)

    def _improved(self, outcome: Outcome, problem: Problem) -> Outcome:
        """The outcome, or what the store knows better: a cheaper schedule, a higher bound."""
        bracket = self.bracket
        best = self._store.best(self._fingerprint, problem.budgets)
        if bracket is None or best is None or isinstance(outcome, Optimal | Infeasible | Failed):
            return outcome
        bound_j = max(bracket.low_j, outcome.bound_j or 0.0)
        energy_j = best.trace.total_energy_j
        if isinstance(outcome, Feasible):
            same = energy_j >= outcome.trace.total_energy_j and bound_j <= outcome.bound_j
            if same:
                return outcome
            if energy_j >= outcome.trace.total_energy_j:
                return finished(outcome.trace, bound_j, outcome.stop_reason, outcome.record)
        trace = replace(best.trace, problem=problem)
        return finished(trace, bound_j, outcome.stop_reason, outcome.record)

    def _remember(self, problem: Problem, outcome: Outcome) -> None:
        key = fingerprint(problem)
        match outcome:
            case Optimal(trace=trace, bound_j=bound_j) | Feasible(trace=trace, bound_j=bound_j):
                self._store.add(key, Solved(problem.budgets, trace, bound_j, outcome))
            case Infeasible():
                self._store.add_impossible(key, problem.budgets, outcome)
            case _:
                pass
        if self.model is not None:
            row = HistoryRow(self.model, problem, outcome)
            self.history = (*self.history, row)[-HISTORY_LIMIT:]
            self._notify(Topic.HISTORY)

    def _refresh_shown(self) -> None:
        if self.model is None:
            return
        best = self._store.best(self._fingerprint, self.budgets)
        outcome = self.status.outcome
        if isinstance(outcome, Optimal | Feasible):
            self._show(Shown(outcome.trace, Origin.RESULT, outcome.bound_j))
        elif best is not None:
            self._show(Shown(best.trace, Origin.NEAREST))
        else:
            self._show(Shown(self.model.plain, Origin.PLAIN))

    def _show(self, shown: Shown) -> None:
        before = self.shown
        if before and before.trace is shown.trace and before.origin is shown.origin:
            if before.bound_j != shown.bound_j:
                self.shown = shown
            return
        self.shown = shown
        another = before is None or before.trace.schedule is not shown.trace.schedule
        tensor, playhead = self.tensor, self.playhead
        last = len(shown.trace.schedule.actions) - 1
        self.playhead = max(0, min(self.playhead, last))
        if another and not self.looked_around:
            look = first_look(shown.trace, self.tensor)
            self.playhead, self.tensor = look.action, look.tensor
        self._notify(Topic.SHOWN)
        if self.tensor != tensor:
            self._notify(Topic.SELECTION)
        if self.playhead != playhead:
            self._notify(Topic.PLAYHEAD)

    def _forget_place(self) -> None:
        """Another model: nothing of the former one is selected, and nobody has looked at it."""
        self.shown = None
        self.tensor, self.playhead, self.looked_around = None, 0, False


def starting_budgets(model: OpenModel) -> Budgets:
    """The budgets of a freshly opened model: the file's own, else the device's RAM if it matters.

    A device with more RAM than the plain schedule needs starts at that need: more changes nothing.
    """
    suggested = model.costed.graph.budget_bytes
    if suggested is not None:
        return Budgets(suggested)
    return Budgets(min(model.costed.device.ram_bytes, model.costed.plain_peak_bytes))


def _reused(best: Solved, problem: Problem, bracket: Bracket, gap: float) -> Outcome | None:
    """The outcome that a stored schedule is for these budgets, if it is as good as asked for."""
    known = best.outcome
    if not isinstance(known, Optimal | Feasible):
        return None
    trace = replace(best.trace, problem=problem)
    energy_j = trace.total_energy_j
    outcome = finished(trace, min(bracket.low_j, energy_j), StopReason.GAP, known.record)
    if isinstance(outcome, Optimal):
        return outcome
    left = overhead_gap(problem, energy_j, bracket.low_j)
    return outcome if left is not None and left <= gap else None
