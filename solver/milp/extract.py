"""Between the stage model's columns and plans: a solution read as a plan, a plan as a start."""

from itertools import pairwise

import numpy as np

from solver.costs import FloatArray
from solver.heuristic.decided_stage import StagePlan, decided_stage, late_loads, liveness
from solver.heuristic.plan import Plan
from solver.heuristic.stage_plan import StagePlanner
from solver.milp.gap_model import Gap
from solver.milp.stage_model import StageModel
from solver.staged import bits

_HALF = 0.5


def read_plan(model: StageModel, x: FloatArray, planner: StagePlanner) -> Plan | None:
    """The plan that a solution describes, binaries rounded to nearest; None when it has a hole.

    Whether it fits in RAM is for the caller to see: the model may be a relaxation.
    """
    staged, columns, begin = model.staged, model.columns, model.begin
    runs: list[int] = []
    loads: list[int] = []
    ends: list[int] = []
    for t in range(begin, staged.stages):
        stage_runs = [op for op in range(t) if _on(x, columns.rerun.get((t, op)))] + [t]
        stage_loads = _loads(model, x, t, stage_runs)
        runs += stage_runs
        loads += stage_loads
        ends.append(len(runs))
    during, _, start = liveness(staged, runs, loads, 0)
    held = _forward_held(model, x, start)
    decided: dict[int, StagePlan] = {}
    first = 0
    for t, last in zip(range(begin, staged.stages), ends, strict=True):
        following = during[last] & ~loads[last] if last < len(runs) else 0
        decided[t] = _decided(
            planner, runs[first:last], loads[first:last], start=held[t], end=following
        )
        held[t + 1] = following
        first = last
    paged = 0
    for i, column in columns.write.items():
        if _on(x, column):
            paged |= 1 << i
    if not _supplied(model, held, decided, paged | staged.stored):
        return None
    try:
        return Plan(planner, held, paged, decided)
    except ValueError:
        return None


def _on(x: FloatArray, column: int | None) -> bool:
    return column is not None and bool(x[column] > _HALF)


def _loads(model: StageModel, x: FloatArray, t: int, runs: list[int]) -> list[int]:
    """Page-ins directly before each run of a stage."""
    columns = model.columns
    if t not in columns.detailed:
        mask = 0
        for i in range(model.staged.tensors):
            if _on(x, columns.page_in.get((t, i))):
                mask |= 1 << i
        return late_loads(model.staged, runs, mask)
    positions = {op: position for position, op in enumerate(columns.runs[t])}
    found = []
    for op in runs:
        mask = 0
        for i in model.staged.reads[op]:
            if _on(x, columns.load.get((t, positions[op], i))):
                mask |= 1 << i
        found.append(mask)
    return found


def _decided(
    planner: StagePlanner, runs: list[int], loads: list[int], *, start: int, end: int
) -> StagePlan:
    """The stage as the model decided it, its page-ins cut down to what is wanted."""
    staged, price = planner.staged, planner.price
    during, _, _ = liveness(staged, runs, loads, end)
    wanted = [load & here for load, here in zip(loads, during, strict=True)]
    cost = sum(price.page_in[i] for load in wanted for i in bits(load))
    cost += sum(price.run[op] for op in runs[:-1])
    return decided_stage(staged, tuple(runs), wanted, start=start, end=end, cost=cost)


def _forward_held(model: StageModel, x: FloatArray, start: int) -> list[int]:
    """Held masks of the forward borders: each tensor through its gaps that are not dropped."""
    staged, columns, begin = model.staged, model.columns, model.begin
    held = [0] * (staged.stages + 1)
    held[begin] = start
    dropped = {(gap.tensor, gap.last) for gap in model.forward_gaps if _gap_on(gap, x)}
    for i in range(staged.tensors):
        if staged.producer[i] >= begin:
            continue
        uses = [staged.producer[i], *(op for op in staged.readers[i] if op < begin)]
        for first, last in pairwise(uses):
            if (i, last) not in dropped:
                for border in range(first + 1, last + 1):
                    held[border] |= 1 << i
        early = _on(x, columns.early_in.get(i)) or _on(x, columns.early_run.get(i))
        if start >> i & 1 and not early:
            for border in range(uses[-1] + 1, begin):
                held[border] |= 1 << i
    return held


def _gap_on(gap: Gap, x: FloatArray) -> bool:
    return any(column >= 0 and x[column] > _HALF for column in (gap.page_in, gap.remake))


def _supplied(
    model: StageModel, held: list[int], decided: dict[int, StagePlan], store: int
) -> bool:
    """Whether every page-in is in storage and everything in RAM came from somewhere."""
    staged = model.staged
    for t, planned in decided.items():
        if planned.paged_in & ~store:
            return False
        resident = held[t]
        through = held[t] & held[t + 1] & ~planned.touched
        for op, during in zip(planned.runs, planned.during, strict=True):
            here = during | through
            if here & ~resident & ~planned.paged_in:
                return False
            resident = here | staged.op_out[op]
        if held[t + 1] & ~resident:
            return False
    return True


def write_start(model: StageModel, plan: Plan) -> FloatArray:
    """A plan as values of all columns; NaN where the solver must find the value itself."""
    columns = model.columns
    x = np.zeros(len(columns))
    for (t, i), column in columns.hold.items():
        x[column] = plan.held[t] >> i & 1
    for (t, op), column in columns.rerun.items():
        x[column] = op in plan.stages[t].runs[:-1]
    for (t, i), column in columns.page_in.items():
        x[column] = plan.stages[t].paged_in >> i & 1
    for i, column in columns.write.items():
        x[column] = plan.paged >> i & 1
    _start_detail(model, plan, x)
    _start_forward(model, plan, x)
    return x


def _start_detail(model: StageModel, plan: Plan, x: FloatArray) -> None:
    columns = model.columns
    for column in (*columns.here.values(), *columns.again.values()):
        x[column] = np.nan
    for (t, position, i), column in columns.load.items():
        planned = plan.stages[t]
        op = columns.runs[t][position]
        if op in planned.runs:
            loads = late_loads(model.staged, planned.runs, planned.paged_in)
            x[column] = loads[planned.runs.index(op)] >> i & 1


def _start_forward(model: StageModel, plan: Plan, x: FloatArray) -> None:
    staged, columns, begin = model.staged, model.columns, model.begin
    for gap in model.forward_gaps:
        _start_gap(x, plan, gap)
    for i in sorted({*columns.early_in, *columns.early_run}):
        if plan.held[begin] >> i & 1:
            last_use = max([staged.producer[i], *(op for op in staged.readers[i] if op < begin)])
            page_in, remake = columns.early_in.get(i, -1), columns.early_run.get(i, -1)
            _start_gap(x, plan, Gap(i, last_use, begin, page_in, remake))


def _start_gap(x: FloatArray, plan: Plan, gap: Gap) -> None:
    bit = 1 << gap.tensor
    if all(plan.held[border] & bit for border in range(gap.first + 1, gap.last)):
        return
    inside = plan.stages[gap.first + 1 : gap.last + 1]
    paged = any(stage.paged_in & bit for stage in inside)
    column = gap.page_in if (paged and gap.page_in >= 0) or gap.remake < 0 else gap.remake
    if column >= 0:
        x[column] = 1.0
