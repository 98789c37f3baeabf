"""The least budget that works: RAM with the runtime limit as it is, or runtime with the RAM.

Both ask the same question: how fast can a schedule be within so many bytes? So both solve the
staged problem priced in seconds instead of joules, with the strategies that solve it in joules.
Least runtime is one such optimum. Least RAM is found by bisection: a schedule in time lowers the
upper end to its peak, a proof that there is none raises the lower end.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from time import perf_counter
from typing import Final

from solver import api
from solver.costs import price
from solver.device import IoMode
from solver.events import Bound, Event, Incumbent
from solver.outcome import Infeasible, LeastBudget, Limit
from solver.overlap import arranged
from solver.problem import RUNTIME_TOLERANCE, Budgets, Problem, SolveOptions
from solver.schedule import Schedule
from solver.simulate import Trace, simulate
from solver.staged import stage
from solver.strategies.base import Cancel
from solver.strategies.plain import keep_all, page_all
from solver.strategies.registry import adapt, get_strategy
from solver.units import MAX_BYTES
from solver.verify import verify_figures

EXACT_SECONDS: Final = 1e-6
"""Relative; runtimes are sums of floats, a bracket narrower than this counts as one value."""
_BOUND_SLACK: Final = 1e-6
"""Relative to what lies above the baseline: by so much rounding may lift a bound in seconds."""
_ANY_GAP: Final = 1e12
"""As a gap: the first schedule will do."""
_FIRST_EFFORT: Final = 0.25
"""Work limit of the first probes, in units of about a second; doubled when probes stay open."""
_DECIDED: Final = 0.2
"""Part of its work limit that a probe counts for when it was decided: most need far less."""

Listener = Callable[[LeastBudget], None]


def least_budget(
    problem: Problem,
    limit: Limit,
    options: SolveOptions,
    report: Listener | None = None,
    cancel: Cancel | None = None,
    *,
    impossible: bool = False,
) -> LeastBudget:
    """The least RAM or the least runtime that works, as far as the limits of `options` allow.

    The gap of `options` has no meaning here, and `options.strategy` must be one that searches.
    `report` gets every narrower bracket, `cancel` ends the search with the bracket so far.
    Deterministic for a work limit. `impossible` : it is proven that nothing fits the budgets of
    `problem`, so that what is asked for lies above them.

    Raises
    ------
    UsageError
        An unknown strategy, or options outside their range.
    """
    problem = adapt(problem, get_strategy(options.strategy))
    find = _LeastRam if limit is Limit.RAM else _LeastRuntime
    search = find(problem, options, report or _silent, cancel or Cancel())
    if impossible:
        search.rule_out()
    search.run()
    return search.known


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
    )
    priced = price(problem.costed.graph, stopwatch)
    return Problem(priced, Budgets(ram_bytes), replace(problem.switches, io=io))


def _silent(_: LeastBudget) -> None:
    """Nobody listens."""


class _Wish(Cancel):
    """A wish of this search to end one probe, or of its caller to end everything."""

    def __init__(self, outer: Cancel) -> None:
        super().__init__()
        self._outer = outer

    @property
    def requested(self) -> bool:
        return super().requested or self._outer.requested


class _Search:
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
        limit = self._options.work_limit
        return math.inf if limit is None else limit - self._work

    @property
    def stopped(self) -> bool:
        return self._cancel.requested or self._left_s <= 0 or self.left_work <= 0

    @property
    def _left_s(self) -> float:
        return self._options.time_limit_s - (perf_counter() - self._began)

    def spend(self, units: float) -> None:
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


class _LeastRam(_Search):
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
        return bound_s > limit_s * (1 + 2 * RUNTIME_TOLERANCE) + _BOUND_SLACK * above


class _LeastRuntime(_Search):
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
            assert known.lower <= upper * (1 + _BOUND_SLACK), "faster than what is proven possible"
            known = replace(known, lower=upper)
        exact = upper is not None and upper - known.lower <= EXACT_SECONDS * upper
        self.show(replace(known, exact=exact))
