"""What a sweep is asked for and where it stands, as frozen values."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from solver.problem import Budgets, Switches
from solver.sweep import Axis

MAIN: Final = "joint"
STRATEGIES: Final = (MAIN, "remat-only", "paging-only", "sqrt-n")
"""Those that the frontier shows side by side; their switches are known without importing them."""


def switches_of(strategy: str, present: Switches) -> Switches:
    """The switches that `strategy` forces, else the present ones."""
    paging = present.paging and strategy not in {"remat-only", "sqrt-n"}
    recompute = present.recompute and strategy != "paging-only"
    return Switches(paging, recompute, present.io)


@dataclass(frozen=True, slots=True)
class SweepPlan:
    """What to sweep: at most `points` solves per strategy, `limit_s` seconds each."""

    axis: Axis = "ram"
    points: int = 12
    strategies: tuple[str, ...] = (MAIN,)
    limit_s: float = 10.0


class SweepPhase(StrEnum):
    """Where a sweep stands."""

    IDLE = "idle"
    RUNNING = "running"
    DONE = "done"
    CANCELLED = "cancelled"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class SweepStatus:
    """The running or last sweep.

    done : answers so far, over all strategies. strategy, budgets : what is being solved now.
    open_share : part of the axis that is not certified yet for that strategy, 0 .. 1. why : a
    sentence when it ended before its end.
    """

    phase: SweepPhase = SweepPhase.IDLE
    plan: SweepPlan = field(default_factory=SweepPlan)
    done: int = 0
    strategy: str = MAIN
    budgets: Budgets | None = None
    open_share: float | None = None
    why: str = ""

    @property
    def is_running(self) -> bool:
        """True while the second solve process works."""
        return self.phase is SweepPhase.RUNNING
