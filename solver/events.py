"""What a running solve reports: a closed union of small frozen events."""

from collections.abc import Callable
from dataclasses import dataclass

from solver.outcome import Outcome
from solver.simulate import Trace


@dataclass(frozen=True, slots=True)
class Started:
    """The solve has begun; `step` names what it does first ("building", "greedy", ...)."""

    t_s: float
    step: str


@dataclass(frozen=True, slots=True)
class StepChanged:
    """The solve goes on with another step."""

    t_s: float
    step: str


@dataclass(frozen=True, slots=True)
class Incumbent:
    """A better schedule, lowered, simulated and verified; `bound_j` the best bound at that time."""

    t_s: float
    step: str
    trace: Trace
    energy_j: float
    bound_j: float


@dataclass(frozen=True, slots=True)
class Bound:
    """A higher proven lower bound on the energy of every schedule, joules."""

    t_s: float
    step: str
    bound_j: float


@dataclass(frozen=True, slots=True)
class Finished:
    """The only terminal event."""

    t_s: float
    outcome: Outcome


Event = Started | StepChanged | Incumbent | Bound | Finished
Report = Callable[[Event], None]
