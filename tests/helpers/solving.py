"""Solves of the tests: a strategy run on a problem, with everything that it reported."""

from typing import NamedTuple

import pytest

from solver.events import Bound, Event, Incumbent
from solver.outcome import Feasible, Infeasible, Optimal, Outcome
from solver.problem import Problem, SolveOptions
from solver.strategies.base import Cancel
from solver.strategies.registry import adapt, get_strategy
from solver.verify import verify_figures


class Run(NamedTuple):
    """An outcome and the events that came before it."""

    outcome: Outcome
    events: tuple[Event, ...]

    @property
    def energy_j(self) -> float | None:
        """Energy of the schedule; None when the problem was proven impossible."""
        match self.outcome:
            case Optimal(trace=trace) | Feasible(trace=trace):
                return trace.total_energy_j
            case Infeasible():
                return None
            case _:
                pytest.fail(f"no answer: {self.outcome.message}")

    @property
    def bounds_j(self) -> list[float]:
        """Every bound that was reported, in order."""
        return [event.bound_j for event in self.events if isinstance(event, Bound | Incumbent)]

    @property
    def incumbents(self) -> list[Incumbent]:
        """Every schedule that was reported, in order."""
        return [event for event in self.events if isinstance(event, Incumbent)]


def run(
    problem: Problem,
    *,
    strategy: str = "joint",
    gap: float = 0.0,
    time_limit_s: float = 600.0,
    work_limit: float | None = None,
    seed: int = 0,
    cancel: Cancel | None = None,
) -> Run:
    """Solve with the strategy's own switches; the time limit is a stop that tests do not reach."""
    options = SolveOptions(strategy, gap, time_limit_s, work_limit, seed=seed)
    chosen, events = get_strategy(strategy), list[Event]()
    outcome = chosen.solve(adapt(problem, chosen), options, events.append, cancel or Cancel())
    return Run(outcome, tuple(events))


def exact_energy_j(problem: Problem, *, strategy: str = "joint") -> float | None:
    """The optimum that the strategy finds and proves (or None: it proves that there is none)."""
    result = run(problem, strategy=strategy)
    assert isinstance(result.outcome, Optimal | Infeasible), result.outcome.message
    return result.energy_j


def assert_legal(incumbent: Incumbent) -> None:
    """The verifier finds no fault in the schedule nor in what is said of it."""
    trace = incumbent.trace
    checked = verify_figures(
        trace.schedule,
        trace.problem,
        peak_bytes=trace.peak_bytes,
        energy_j=incumbent.energy_j,
        runtime_s=trace.runtime_s,
    )
    assert checked.faults == ()
