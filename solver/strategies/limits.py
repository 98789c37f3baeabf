"""When a solve must stop: the clock, the work done, somebody's wish."""

from time import perf_counter
from typing import Final

from solver.outcome import StopReason
from solver.problem import SolveOptions
from solver.strategies.base import Cancel

PLANS_PER_UNIT: Final = 40_000
"""Stage plans that one core makes in about a second."""
SIMPLEX_CALLS_PER_UNIT: Final = 3_500
MIP_CALLS_PER_UNIT: Final = 8
"""Times HiGHS asks whether to go on, per second, in a simplex run and in a MIP search (measured on
models of 5,000 to 10,000 columns; the counts are reproducible, the seconds are not)."""


class Limits:
    """Watches one solve. Work is counted in units of about one second of one core."""

    def __init__(self, options: SolveOptions, cancel: Cancel) -> None:
        self._began = perf_counter()
        self._options = options
        self._cancel = cancel
        self.work = 0.0

    @property
    def elapsed_s(self) -> float:
        """Seconds since the solve began."""
        return perf_counter() - self._began

    @property
    def left_s(self) -> float:
        """Seconds until the time limit, negative after it."""
        return self._options.time_limit_s - self.elapsed_s

    def spend(self, units: float) -> None:
        """Count work done."""
        self.work += units

    @property
    def reason(self) -> StopReason | None:
        """Why to stop now, None to go on; a wish comes before the clock, the clock before work."""
        if self._cancel.requested:
            return StopReason.CANCELLED
        if self.elapsed_s >= self._options.time_limit_s:
            return StopReason.TIME
        limit = self._options.work_limit
        if limit is not None and self.work >= limit:
            return StopReason.WORK
        return None
