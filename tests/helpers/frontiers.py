"""Brackets written out by hand, for the frontier: figures of schedules without their actions."""

from collections.abc import Iterable

from poet_gui.viewmodels.frontier_sources import Source
from solver.brackets import Brackets, StoredSchedule
from solver.problem import Budgets, Problem, Switches
from solver.schedule import Action, ActionKind, Schedule

Figures = tuple[int, float, float]
"""Peak in bytes, runtime in seconds, energy in joules."""


def stored(peak_bytes: int, runtime_s: float, energy_j: float) -> StoredSchedule:
    """A schedule known by its figures; its one action tells it apart from others."""
    schedule = Schedule((Action(ActionKind.COMPUTE, peak_bytes),))
    return StoredSchedule(peak_bytes, runtime_s, energy_j, schedule)


def brackets_of(
    problem: Problem,
    schedules: Iterable[Figures] = (),
    bounds: Iterable[tuple[int, float | None, float]] = (),
) -> Brackets:
    """Brackets of (peak, runtime, energy) and of (RAM, runtime limit, bound)."""
    made = Brackets(problem)
    for figures in schedules:
        assert made.add_stored(stored(*figures))
    for ram_bytes, limit_s, bound_j in bounds:
        assert made.add_bound(Budgets(ram_bytes, limit_s), bound_j)
    return made


def source(brackets: Brackets, strategy: str = "joint") -> Source:
    """What is known of a strategy that leaves every switch on."""
    return Source(strategy, Switches(), Switches(), brackets)
