"""The least runtime that works: the optimum of the problem priced in seconds."""

import math
from dataclasses import replace
from typing import Final

from solver.device import IoMode
from solver.events import Bound, Event, Incumbent
from solver.least_search import BOUND_ROUNDING, LeastSearch, Listener, priced_in_seconds
from solver.outcome import LeastBudget, Limit
from solver.problem import Problem, SolveOptions
from solver.schedule import Schedule
from solver.strategies.base import Cancel

EXACT_SECONDS: Final = 1e-6
"""Relative; runtimes are sums of floats, a bracket narrower than this counts as one value."""


class LeastRuntime(LeastSearch):
    """The optimum in seconds.

    Where transfers overlap, schedules come from the sum of all seconds, and bounds from those of
    the processor alone.
    """

    def __init__(
        self, problem: Problem, options: SolveOptions, report: Listener, cancel: Cancel
    ) -> None:
        super().__init__(problem, options, report, cancel)
        self.known = LeastBudget(Limit.RUNTIME, problem.costed.baseline_runtime_s)

    def rule_out(self) -> None:
        """Nothing keeps the limit that the problem has."""
        limit_s = self.problem.budgets.runtime_s
        if limit_s is not None:
            self._raise(limit_s)

    def run(self) -> None:
        """Narrow the bracket until its ends meet or a limit stops it."""
        io = self.problem.switches.io
        if io is not IoMode.OVERLAPPED:
            self._solve(io, math.inf, bounds=True)
            return
        self._solve(IoMode.BLOCKING, self.left_work / 2, bounds=False)
        if not (self.known.exact or self.known.hopeless or self.stopped):
            self._solve(IoMode.IGNORED, math.inf, bounds=True)

    def _solve(self, io: IoMode, effort: float, *, bounds: bool) -> None:
        ram_bytes = self.problem.budgets.ram_bytes

        def hear(event: Event, wish: Cancel) -> None:
            if isinstance(event, Incumbent):
                self._offer(event.trace.schedule)
            if bounds and isinstance(event, Incumbent | Bound):
                self._raise(event.bound_j)
            if self.known.exact:
                wish.request()

        if self.solve(priced_in_seconds(self.problem, ram_bytes, io), effort, 0.0, hear):
            self.show(replace(self.known, hopeless=True))
        self.spend(effort)

    def _offer(self, schedule: Schedule) -> None:
        trace = self.checked(schedule, self.problem.budgets.ram_bytes)
        if self.known.upper is None or trace.runtime_s < self.known.upper:
            self._narrow(replace(self.known, upper=trace.runtime_s, trace=trace))

    def _raise(self, bound_s: float) -> None:
        if bound_s > self.known.lower:
            self._narrow(replace(self.known, lower=bound_s))

    def _narrow(self, known: LeastBudget) -> None:
        upper = known.upper
        if upper is not None and known.lower > upper:
            assert known.lower <= upper * (1 + BOUND_ROUNDING), (
                "faster than what is proven possible"
            )
            known = replace(known, lower=upper)
        exact = upper is not None and upper - known.lower <= EXACT_SECONDS * upper
        self.show(replace(known, exact=exact))
