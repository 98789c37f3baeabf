"""What a solve is doing, as one frozen value: the phase, the steps so far, the two curves."""

from dataclasses import dataclass, field
from enum import StrEnum

from solver.outcome import Failed, Outcome


class Phase(StrEnum):
    """Where a solve stands; DONE covers every way to end, told apart by the outcome."""

    READY = "ready"
    QUEUED = "queued"
    BUILDING = "building"
    SOLVING = "solving"
    IMPROVING = "improving"
    STOPPING = "stopping"
    DONE = "done"

    @property
    def is_busy(self) -> bool:
        """True while the solve process works, or is about to."""
        return self not in {Phase.READY, Phase.DONE}


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the solve and when it began, seconds after the solve did."""

    t_s: float
    name: str


@dataclass(frozen=True, slots=True)
class Point:
    """A value of incumbent or bound, joules, and when it was reached."""

    t_s: float
    joules: float


@dataclass(frozen=True, slots=True)
class SolveStatus:
    """The solve of the present problem; curves in order of time.

    started_at : monotonic clock when the solve was sent, None before.
    outcome : set when and only when the phase is DONE.
    """

    phase: Phase = Phase.READY
    started_at: float | None = None
    steps: tuple[Step, ...] = ()
    incumbents: tuple[Point, ...] = ()
    bounds: tuple[Point, ...] = ()
    outcome: Outcome | None = field(default=None, compare=False)
    wall_s: float | None = None

    @property
    def energy_j(self) -> float | None:
        """Energy of the best schedule of this solve, joules."""
        return self.incumbents[-1].joules if self.incumbents else None

    @property
    def bound_j(self) -> float | None:
        """Best bound of this solve, joules."""
        return max((point.joules for point in self.bounds), default=None)


def status_of(outcome: Outcome) -> SolveStatus:
    """The status of a solve that ended some time ago, its curves from the record."""
    record = outcome.record
    bounds = [Point(p.t_s, p.bound_j) for p in record.incumbents]
    last_j = None if isinstance(outcome, Failed) else outcome.bound_j
    if last_j is not None and (not bounds or last_j > bounds[-1].joules):
        bounds.append(Point(record.wall_s, last_j))
    return SolveStatus(
        Phase.DONE,
        steps=tuple(Step(p.t_s, p.step) for p in record.incumbents if p.step),
        incumbents=tuple(Point(p.t_s, p.energy_j) for p in record.incumbents),
        bounds=tuple(bounds),
        outcome=outcome,
        wall_s=record.wall_s,
    )
