"""What an explorer is made of: the topics that change, the schedule on screen, the history."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from poet_gui.solving.deliveries import OpenModel
from solver.outcome import Failed, Feasible, Optimal, Outcome
from solver.problem import Budgets, Problem, Switches
from solver.simulate import Trace


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


class WhatIf(Protocol):
    """What parts of the explorer's state ask of the whole: what is open, asked for, and shown."""

    @property
    def model(self) -> OpenModel | None:
        """The open model."""

    @property
    def budgets(self) -> Budgets:
        """The budgets that are chosen."""

    @property
    def switches(self) -> Switches:
        """The switches that are chosen."""

    @property
    def shown(self) -> Shown | None:
        """The schedule on screen."""


@dataclass(frozen=True, slots=True, eq=False)
class HistoryRow:
    """One what-if that was solved: everything needed to bring it back without solving."""

    model: OpenModel
    problem: Problem
    outcome: Outcome

    def is_of(self, problem: Problem, outcome: Outcome) -> bool:
        """Say whether the row answers `problem`, and with the same energy and bound."""
        mine = self.problem
        if mine.costed is not problem.costed or mine.switches != problem.switches:
            return False
        return mine.budgets == problem.budgets and _figures(self.outcome) == _figures(outcome)


def _figures(outcome: Outcome) -> tuple[float | None, float | None]:
    energy_j = outcome.trace.total_energy_j if isinstance(outcome, Optimal | Feasible) else None
    return energy_j, None if isinstance(outcome, Failed) else outcome.bound_j
