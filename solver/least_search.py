"""What both searches for a least budget share: prices in seconds, limits, checked schedules."""

import math
from collections.abc import Callable
from dataclasses import replace
from time import perf_counter
from typing import Final

from solver import api
from solver.costs import price
from solver.device import IoMode
from solver.events import Event
from solver.outcome import Infeasible, LeastBudget
from solver.overlap import arranged
from solver.problem import Budgets, Problem, SolveOptions
from solver.schedule import Schedule
from solver.simulate import Trace, simulate
from solver.strategies.base import Cancel
from solver.verify import verify_figures

BOUND_ROUNDING: Final = 1e-6
"""Relative to what lies above the baseline: by so much rounding may lift a bound in seconds."""

Listener = Callable[[LeastBudget], None]


def priced_in_seconds(problem: Problem, ram_bytes: int, io: IoMode) -> Problem:
    """The problem on a device whose joules are seconds, within `ram_bytes`, without a time limit.

    `io` : blocking, or ignored, where transfers take no time and so cost nothing.
    """
    device = problem.costed.device
    watt = 0.0 if io is IoMode.IGNORED else 1.0
    stopwatch = replace(
        device,
        flop_per_j=device.flop_per_s,
        page_in=replace(device.page_in, power_w=watt),
        page_out=replace(device.page_out, power_w=watt),
        profile=None if device.profile is None else device.profile.in_seconds(),
    )
    priced = price(problem.costed.graph, stopwatch)
    return Problem(priced, Budgets(ram_bytes), replace(problem.switches, io=io))


class _Wish(Cancel):
    """A wish of this search to end one probe, or of its caller to end everything."""

    def __init__(self, outer: Cancel) -> None:
        super().__init__()
        self._outer = outer

    @property
    def requested(self) -> bool:
        """True once either has been wished."""
        return super().requested or self._outer.requested


class LeastSearch:
    """What both searches share: the bracket, the limits, and how a schedule is checked."""

    def __init__(
        self, problem: Problem, options: SolveOptions, report: Listener, cancel: Cancel
    ) -> None:
        self.problem = problem
        self.known: LeastBudget
        self._options = options
        self._report = report
        self._cancel = cancel
        self._began = perf_counter()
        self._work = 0.0

    @property
    def left_work(self) -> float:
        """Units of work that the limit leaves; inf without a limit."""
        limit = self._options.work_limit
        return math.inf if limit is None else limit - self._work

    @property
    def stopped(self) -> bool:
        """Whether a wish or a limit ends the search."""
        return self._cancel.requested or self._left_s <= 0 or self.left_work <= 0

    @property
    def _left_s(self) -> float:
        return self._options.time_limit_s - (perf_counter() - self._began)

    def spend(self, units: float) -> None:
        """Count work that was done."""
        self._work += units

    def show(self, known: LeastBudget) -> None:
        """Take a narrower bracket."""
        self.known = known
        self._report(known)

    def checked(self, schedule: Schedule, ram_bytes: int) -> Trace:
        """The schedule in its fastest order within `ram_bytes`, verified under just what it needs.

        Raises AssertionError when it is illegal: a bug of ours.
        """
        found = arranged(schedule, replace(self.problem, budgets=Budgets(ram_bytes)))
        needs = Budgets(found.peak_bytes, found.runtime_s)
        trace = simulate(found.schedule, replace(self.problem, budgets=needs))
        report = verify_figures(
            trace.schedule,
            trace.problem,
            peak_bytes=found.peak_bytes,
            energy_j=found.total_energy_j,
            runtime_s=found.runtime_s,
        )
        assert report.ok, f"an illegal schedule: {report.faults[:3]}"
        return trace

    def solve(
        self, problem: Problem, effort: float, gap: float, hear: Callable[[Event, Cancel], None]
    ) -> bool:
        """Solve `problem` with that work; `hear` gets every event and a wish that ends this solve.

        True when it is proven that no schedule exists.
        """
        wish = _Wish(self._cancel)
        effort = min(effort, max(0.0, self.left_work))
        options = replace(
            self._options,
            gap=gap,
            time_limit_s=max(0.0, self._left_s),
            work_limit=None if math.isinf(effort) else effort,
        )
        outcome = api.solve(problem, options, lambda event: hear(event, wish), wish)
        return isinstance(outcome, Infeasible)
