"""From runs to actions: which ops run, in which order, with what in RAM."""

from dataclasses import dataclass

from solver.schedule import Action, ActionKind, Schedule
from solver.staged import StagedProblem, bits


@dataclass(frozen=True, slots=True)
class Run:
    """One run of an op; `during`: mask of the tensors in RAM meanwhile, new outputs apart."""

    op: int
    during: int


def lower(staged: StagedProblem, runs: list[Run], paged: int) -> Schedule:
    """Write runs as actions: frees as early as possible, page-ins as late as possible.

    A tensor of the mask `paged` is written to storage once, right after it is first made. A tensor
    that is in RAM during a run but was neither there before nor made is paged in.
    """
    actions: list[Action] = []
    resident = ran = 0
    original = staged.original
    for run in runs:
        actions += [Action(ActionKind.FREE, original[i]) for i in bits(resident & ~run.during)]
        actions += [Action(ActionKind.PAGE_IN, original[i]) for i in bits(run.during & ~resident)]
        first = not ran >> run.op & 1
        actions.append(Action(ActionKind.COMPUTE if first else ActionKind.RECOMPUTE, run.op))
        outputs = staged.op_out[run.op]
        if first:
            actions += [Action(ActionKind.PAGE_OUT, original[i]) for i in bits(outputs & paged)]
        ran |= 1 << run.op
        resident = run.during | outputs
    actions += [Action(ActionKind.FREE, original[i]) for i in bits(resident)]
    return Schedule(tuple(actions))
