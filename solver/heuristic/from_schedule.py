"""From actions back to a plan: the inverse of solver.lowering, so that a search may start there."""

from typing import NamedTuple

from solver.heuristic.decided_stage import StagePlan, decided_stage, liveness
from solver.heuristic.plan import Plan
from solver.heuristic.stage_plan import StagePlanner
from solver.schedule import ActionKind, Schedule
from solver.staged import StagedProblem, bits


def plan_of(schedule: Schedule, planner: StagePlanner) -> Plan | None:
    """The plan that makes the same runs and page-ins as a legal schedule, at the planner's prices.

    It is no dearer and no larger: tensors are freed as early as possible, what nobody reads is not
    paged in, and what nobody pages in is not written. None when the schedule is no staged one: an
    op runs twice within a stage, or out of order.
    """
    staged = planner.staged
    read = _read(schedule, staged)
    if read is None:
        return None
    during, _, _ = liveness(staged, read.runs, read.loads, 0)
    wanted = [load & here for load, here in zip(read.loads, during, strict=True)]
    held = [0] * (staged.stages + 1)
    decided: dict[int, StagePlan] = {}
    first = loaded = 0
    for t, last in enumerate(read.ends):
        if last < len(during):
            held[t + 1] = during[last] & ~wanted[last]
        loads = wanted[first:last]
        decided[t] = _decided(planner, read.runs[first:last], loads, held[t], held[t + 1])
        for load in loads:
            loaded |= load
        first = last
    return Plan(planner, held, read.paged & loaded & ~staged.stored, decided)


class _Actions(NamedTuple):
    """Runs in order; tensors paged in before each; per stage, the number of runs up to its end."""

    runs: list[int]
    loads: list[int]
    ends: list[int]
    paged: int


def _read(schedule: Schedule, staged: StagedProblem) -> _Actions | None:
    """The actions sorted by run; None when the runs of some stage do not ascend."""
    place = {old: new for new, old in enumerate(staged.original)}
    runs: list[int] = []
    loads: list[int] = []
    ends: list[int] = []
    load = paged = 0
    for kind, target in ((action.kind, action.target) for action in schedule.actions):
        if kind is ActionKind.PAGE_IN:
            load |= 1 << place[target]
        elif kind is ActionKind.PAGE_OUT:
            paged |= 1 << place[target]
        elif kind.runs_op:
            begin = ends[-1] if ends else 0
            if len(runs) > begin and target <= runs[-1]:
                return None
            runs.append(target)
            loads.append(load)
            load = 0
            if kind is ActionKind.COMPUTE:
                ends.append(len(runs))
    return _Actions(runs, loads, ends, paged)


def _decided(
    planner: StagePlanner, runs: list[int], loads: list[int], start: int, end: int
) -> StagePlan:
    price = planner.price
    cost = sum(price.page_in[i] for load in loads for i in bits(load))
    cost += sum(price.run[op] for op in runs[:-1])
    return decided_stage(planner.staged, tuple(runs), loads, start=start, end=end, cost=cost)
