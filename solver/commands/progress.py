"""A running solve on a terminal: time against its limit, best schedule, bound and gap."""

import sys
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Self

from tqdm import tqdm

from solver.events import Bound, Event, Finished, Incumbent, Started, StepChanged
from solver.least_words import least_text
from solver.outcome import LeastBudget, overhead_gap
from solver.problem import Problem
from solver.units import format_joules, format_percent


class Bar(tqdm):  # type: ignore[type-arg] # generic in its stub only
    """A bar without a thread of its own."""

    monitor_interval = 0  # no thread that redraws a bar that has fallen silent: tick does it


class TerminalBar(AbstractContextManager["TerminalBar"]):
    """A bar on stderr that is gone when it is left; silent unless stderr is a terminal."""

    def __init__(self, *, total: float, bar_format: str, done: int = 0) -> None:
        self._bar = Bar(
            total=total,
            initial=done,
            # None is tqdm's word for: only on a terminal; stderr is None when the caller closed it.
            disable=True if sys.stderr is None else None,
            file=sys.stderr,
            leave=False,
            bar_format=bar_format,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.close()


class ProgressBar(TerminalBar):
    """The bar of one solve, as long as its time limit; `report` may be called from any thread.

    `tick` moves it between events.
    """

    def __init__(self, problem: Problem, time_limit_s: float) -> None:
        super().__init__(
            total=time_limit_s, bar_format="{desc}: |{bar}| {n:.0f}/{total:.0f} s{postfix}"
        )
        self._problem = problem
        self._energy_j: float | None = None
        self._bound_j = problem.costed.baseline_energy_j

    def report(self, event: Event) -> None:
        """Take in one event of the solve."""
        if isinstance(event, Finished):
            return
        self._bar.set_description_str(event.step, refresh=False)
        if isinstance(event, Incumbent):
            self._energy_j = event.energy_j
        if isinstance(event, Incumbent | Bound):
            self._bound_j = max(self._bound_j, event.bound_j)
            self._bar.set_postfix_str(self._figures(), refresh=False)
        if isinstance(event, Started | StepChanged):
            self._bar.refresh()

    def report_least(self, least: LeastBudget) -> None:
        """Take in what is known of the least budget that works."""
        low = least_text(least.limit, least.lower, up=False)
        high = "?" if least.upper is None else least_text(least.limit, least.upper, up=True)
        self._bar.set_description_str(f"least {least.limit.value}", refresh=False)
        self._bar.set_postfix_str(f"{low} .. {high}", refresh=False)

    def tick(self, elapsed_s: float) -> None:
        """Move the bar to `elapsed_s` seconds."""
        if self._bar.disable:
            return
        total = self._bar.total
        self._bar.n = elapsed_s if total is None else min(elapsed_s, total)
        self._bar.refresh()

    def _figures(self) -> str:
        bound = f"bound {format_joules(self._bound_j)}"
        if self._energy_j is None:
            return bound
        gap = overhead_gap(self._problem, self._energy_j, self._bound_j)
        shown = "" if gap is None else f", gap {format_percent(gap)} of the overhead"
        return f"best {format_joules(self._energy_j)}, {bound}{shown}"
