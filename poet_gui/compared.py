"""What is compared: a schedule with the budgets and the bound that belong to it."""

from dataclasses import dataclass

from solver.problem import Budgets
from solver.simulate import Trace


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """One of two schedules that are compared.

    budgets : what it was asked for, which may be looser than what it needs. bound_j : proven least
    energy under them, joules, None when not known. made_by : name of the strategy when it is not
    the usual one, else empty.
    """

    trace: Trace
    budgets: Budgets
    bound_j: float | None = None
    made_by: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """A and B; every difference is B minus A."""

    a: Side
    b: Side
