"""The best schedule and the best bound of one solve, and the rules that they must keep."""

import logging
from typing import Final

from solver.brackets import highest_bound_j
from solver.events import Bound, Event, Incumbent, Report, StepChanged
from solver.outcome import Progress, is_proven, overhead_gap, proof_slack_j
from solver.problem import Problem, SolveOptions
from solver.schedule import Schedule
from solver.simulate import Trace, simulate
from solver.strategies.limits import Limits
from solver.verify import verify, verify_figures

_LOG = logging.getLogger(__name__)
_MEET: Final = 1e-6
"""Of the energy: what a gap of 0 still leaves open."""


class SolveProgress:
    """Takes schedules and bounds from every step and reports what is better than before.

    Schedules are verified, and each is checked against the bounds and the other way round.

    bound_j starts at the baseline: no schedule costs less than every op once.
    """

    def __init__(
        self, problem: Problem, options: SolveOptions, report: Report, limits: Limits
    ) -> None:
        self.problem = problem
        self._options = options
        self._report = report
        self._limits = limits
        self.trace: Trace | None = None
        self.bound_j = problem.costed.baseline_energy_j
        self.step = ""
        self.history: list[Progress] = []

    @property
    def energy_j(self) -> float:
        """Energy of the best schedule, infinite before there is one."""
        return self.trace.total_energy_j if self.trace else float("inf")

    def enter(self, step: str) -> None:
        """The solve goes on with another step."""
        self.step = step
        self._report(StepChanged(self._limits.elapsed_s, step))

    def tell(self, event: Event) -> None:
        """Pass on what another search on behalf of this solve reports of its course."""
        self._report(event)

    def offer(self, schedule: Schedule) -> bool:
        """Take a schedule that is cheaper than the best; False, nothing changed, when it is not.

        Raises AssertionError when the verifier or the simulator finds a fault: such a schedule is a
        bug of ours, not a result.
        """
        trace = simulate(schedule, self.problem)
        faults = self._faults(trace)
        assert not faults, f"{self.step} made an illegal schedule: {faults[:3]}"
        return self._take(trace)

    def offer_stored(self, schedule: Schedule) -> bool:
        """As `offer`; a schedule that comes from outside and does not stand up is dropped."""
        faults = verify(schedule, self.problem).faults
        if not faults:
            trace = simulate(schedule, self.problem)
            faults = self._faults(trace)
        if faults:
            _LOG.warning("a stored schedule is not valid and is dropped: %s", faults[0])
            return False
        return self._take(trace)

    def _faults(self, trace: Trace) -> tuple[str, ...]:
        """What the verifier finds in a schedule and in what the simulator says of it."""
        return verify_figures(
            trace.schedule,
            self.problem,
            peak_bytes=trace.peak_bytes,
            energy_j=trace.total_energy_j,
            runtime_s=trace.runtime_s,
        ).faults

    def _take(self, trace: Trace) -> bool:
        if trace.total_energy_j >= self.energy_j * (1 - 1e-12):
            return False
        self.trace = trace
        self._agree()
        now = self._limits.elapsed_s
        self.history.append(Progress(now, self.step, trace.total_energy_j, self.bound_j))
        self._report(Incumbent(now, self.step, trace, trace.total_energy_j, self.bound_j))
        return True

    def prove(self, bound_j: float) -> None:
        """Take a bound that is higher than the best one."""
        if bound_j <= self.bound_j:
            return
        self.bound_j = bound_j
        self._agree()
        now = self._limits.elapsed_s
        if self.trace is not None:
            self.history.append(Progress(now, self.step, self.energy_j, self.bound_j))
        self._report(Bound(now, self.step, self.bound_j))

    def _agree(self) -> None:
        """A bound never stands above a schedule; what rounding adds is cut off."""
        if self.bound_j <= self.energy_j:
            return
        allowed_j = highest_bound_j(self.energy_j, self.problem.costed.baseline_energy_j)
        assert self.bound_j <= allowed_j, (
            f"{self.step}: bound {self.bound_j} J above a schedule of {self.energy_j} J"
        )
        self.bound_j = self.energy_j

    @property
    def proven(self) -> bool:
        """True when the best schedule is optimal by the contract's rule."""
        return self.trace is not None and is_proven(self.problem, self.energy_j, self.bound_j)

    @property
    def closed(self) -> bool:
        """True when the gap that was asked for is reached (0: 1e-6 of the energy and proven)."""
        if self.trace is None:
            return False
        if self._options.gap <= 0:
            left = self.energy_j - self.bound_j
            return self.proven and left <= _MEET * self.energy_j
        gap = overhead_gap(self.problem, self.energy_j, self.bound_j)
        return self.proven or (gap is not None and gap <= self._options.gap)

    @property
    def certified(self) -> bool:
        """True when the gap on the total that was asked for is reached (0: they meet).

        Then there is no more need to prove; searching may still lower the overhead, of which even
        1 % of the total can be all.
        """
        total = self._options.total_gap
        return self.trace is not None and self.energy_j - self.bound_j <= total * self.energy_j

    @property
    def allowed_gap_j(self) -> float:
        """The largest energy - bound at which the solve may stop, joules, for the best schedule."""
        proof = proof_slack_j(self.problem, self.energy_j)
        total = self._options.total_gap * self.energy_j
        if self._options.gap <= 0:
            return max(min(proof, _MEET * self.energy_j), total)
        overhead = max(0.0, self.energy_j - self.problem.costed.baseline_energy_j)
        return max(self._options.gap * overhead, proof, total)
