"""A schedule: the list of actions of one training step, in issue order."""

from dataclasses import dataclass
from enum import StrEnum


class ActionKind(StrEnum):
    """The five things a step of a schedule can be."""

    COMPUTE = "compute"
    RECOMPUTE = "recompute"
    PAGE_OUT = "page_out"
    PAGE_IN = "page_in"
    FREE = "free"

    @property
    def runs_op(self) -> bool:
        """True for compute and recompute, whose target is an op; the others target a tensor."""
        return self in {ActionKind.COMPUTE, ActionKind.RECOMPUTE}


@dataclass(frozen=True, slots=True)
class Action:
    """One step; `target` is a position in graph.ops if it runs an op, else in graph.tensors."""

    kind: ActionKind
    target: int


@dataclass(frozen=True, slots=True)
class Schedule:
    """Actions in issue order; whether they are legal is for the verifier to say."""

    actions: tuple[Action, ...]
