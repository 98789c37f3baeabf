"""The least RAM that works: bisection between proofs and schedules."""

import math
from dataclasses import replace
from typing import Final

from solver.device import IoMode
from solver.events import Bound, Event, Incumbent
from solver.least_search import BOUND_ROUNDING, LeastSearch, Listener, priced_in_seconds
from solver.outcome import LeastBudget, Limit
from solver.problem import RUNTIME_TOLERANCE, Problem, SolveOptions
from solver.schedule import Schedule
from solver.staged import stage
from solver.strategies.base import Cancel
from solver.strategies.plain import keep_all, page_all
from solver.units import MAX_BYTES

_ANY_GAP: Final = 1e12
"""As a gap: the first schedule will do."""
_FIRST_EFFORT: Final = 0.25
"""Work limit of the first probes, in units of about a second; doubled when probes stay open."""
_DECIDED: Final = 0.2
"""Part of its work limit that a probe counts for when it was decided: most need far less."""


class LeastRam(LeastSearch):
    """Bisection between what is proven not to work and the peak of the best schedule.

    Peaks are the fixed bytes and a sum of sizes: multiples of their greatest common divisor, so the
    ends meet in few probes.
    """

    def __init__(
        self, problem: Problem, options: SolveOptions, report: Listener, cancel: Cancel
    ) -> None:
        super().__init__(problem, options, report, cancel)
        graph = problem.costed.graph
        sizes = (*problem.costed.tensor_bytes, *(op.workspace_bytes for op in graph.ops))
        self._grain = max(1, math.gcd(*sizes))
        self._open: list[int] = []
        self._effort = _FIRST_EFFORT
        self.known = LeastBudget(Limit.RAM, problem.costed.floor_bytes)

    def rule_out(self) -> None:
        """Nothing fits the RAM that the problem has."""
        self._raise(self.problem.budgets.ram_bytes)

    def run(self) -> None:
        """Narrow the bracket until its ends meet or a limit stops it."""
        budgets, costed = self.problem.budgets, self.problem.costed
        if not budgets.allow_runtime(costed.baseline_runtime_s):
            self.show(replace(self.known, hopeless=True))
            return
        staged = stage(self.problem)
        self._offer(keep_all(staged), MAX_BYTES)
        if self.problem.switches.paging:
            self._offer(page_all(staged), MAX_BYTES)
        while not self.known.exact and not self.stopped:
            self._probe(self._next())

    def _offer(self, schedule: Schedule, ram_bytes: int) -> None:
        """Lower the upper end to the peak of a schedule that is in time."""
        trace, upper = self.checked(schedule, ram_bytes), self.known.upper
        in_time = self.problem.budgets.allow_runtime(trace.runtime_s)
        if in_time and (upper is None or trace.peak_bytes < upper):
            self._narrow(replace(self.known, upper=trace.peak_bytes, trace=trace))

    def _raise(self, ram_bytes: int) -> None:
        """No schedule is in time within `ram_bytes`: the least is the next possible peak."""
        fixed = self.problem.costed.graph.fixed_bytes
        lower = fixed - (fixed - ram_bytes - 1) // self._grain * self._grain
        if lower > self.known.lower:
            self._narrow(replace(self.known, lower=lower))

    def _narrow(self, known: LeastBudget) -> None:
        upper = known.upper
        assert upper is None or known.lower <= upper, "a schedule below what is proven impossible"
        self.show(replace(known, exact=upper == known.lower))
        self._open = [ram for ram in self._open if known.lower <= ram and not self._found(ram)]

    def _next(self) -> int:
        """The middle of the wider end: below everything left open, or above it."""
        assert self.known.upper is not None
        low, high = int(self.known.lower), int(self.known.upper) - 1
        if self._open:
            first, last = min(self._open), max(self._open)
            below, above = first - low, high - last
            if max(below, above) < max(self._grain, (last - first) / 4):
                self._open.clear()
                self._effort *= 2
            elif below >= above:
                high = first - 1
            else:
                low = last + 1
        return (low + high) // 2

    def _probe(self, ram_bytes: int) -> None:
        """Look for a schedule within `ram_bytes` that is in time, or prove that there is none."""
        late = False

        def hear(event: Event, wish: Cancel) -> None:
            nonlocal late
            if isinstance(event, Incumbent):
                self._offer(event.trace.schedule, ram_bytes)
            late = late or (isinstance(event, Incumbent | Bound) and self._late(event.bound_j))
            if late or self._found(ram_bytes):
                wish.request()

        if self._side_by_side:
            budgets = replace(self.problem.budgets, ram_bytes=ram_bytes)
            problem, gap = replace(self.problem, budgets=budgets), _ANY_GAP
        else:
            problem = priced_in_seconds(self.problem, ram_bytes, self.problem.switches.io)
            gap = _ANY_GAP if self.problem.budgets.runtime_s is None else 0.0
        impossible = self.solve(problem, self._effort, gap, hear)
        if impossible or late:
            self._raise(ram_bytes)
        elif not self._found(ram_bytes):
            self._open.append(ram_bytes)
            self.spend(self._effort)
            return
        self.spend(_DECIDED * self._effort)

    @property
    def _side_by_side(self) -> bool:
        """Whether seconds do not add up, so that the probes must keep the limit as a row."""
        return self.problem.switches.io is IoMode.OVERLAPPED

    def _found(self, ram_bytes: int) -> bool:
        return self.known.upper is not None and self.known.upper <= ram_bytes

    def _late(self, bound_s: float) -> bool:
        """Whether a bound in seconds, less what rounding may add, is beyond the limit."""
        limit_s = self.problem.budgets.runtime_s
        if limit_s is None or self._side_by_side:
            return False
        above = max(0.0, limit_s - self.problem.costed.baseline_runtime_s)
        return bound_s > limit_s * (1 + 2 * RUNTIME_TOLERANCE) + BOUND_ROUNDING * above
