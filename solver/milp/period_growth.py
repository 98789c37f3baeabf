"""What the period model's solutions look like as plans, and at which moments they cheat."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import numpy as np

from solver.costs import FloatArray
from solver.heuristic.plan import Plan
from solver.milp.period_columns import Moments, PeriodColumns
from solver.staged import StagedProblem, bits

_HALF: Final = 0.5
_LEAST_EXCESS: Final = 1e-3
"""Of the room: a relaxation that is beyond it by less is not looked at."""
_LEAST_DIFFERENCE: Final = 1e-4
"""Of the best overhead: by more than this a plan must cost more than its period in the model."""
MOST_CUTS: Final = 3
"""Moments that one solution adds to a period, at most: later ones are chosen better."""
_WORTH: Final = 0.3
"""Of the first further moment's weight: what the next ones must have."""


def masks_of(columns: PeriodColumns, x: FloatArray) -> tuple[list[int], int]:
    """Held masks per stage border and the mask of written tensors, from near-integers.

    Inside a period a tensor is held until its last use there, or from its first; all the time,
    where reruns read what nothing supplies again.
    """
    staged = columns.staged
    held = [0] * (staged.stages + 1)
    for i in range(staged.tensors):
        uses = (staged.producer[i], *staged.readers[i])
        for first, last in _stretches(columns, x, i, uses):
            for border in range(first, last + 1):
                held[border] |= 1 << i
    paged = sum(1 << i for i, column in columns.write.items() if x[column] > _HALF)
    return held, paged


def _stretches(
    columns: PeriodColumns, x: FloatArray, i: int, uses: Sequence[int]
) -> list[tuple[int, int]]:
    """Borders first..last across which a tensor is held."""
    if columns.staged.folded >> i & 1:
        return [(uses[0] + 1, uses[-1])]
    staged = columns.staged
    stuck = not staged.may_page[i] and not staged.may_rerun[staged.producer[i]]
    found = []
    for p in range(columns.born[i], columns.end[i] + 1):
        first, last = columns.stages_of(p)
        here = [op for op in uses if first < op <= last]
        before, after = _passes(columns, x, p - 1, i), _passes(columns, x, p, i)
        feeds = stuck and not after and _feeds(columns, x, p, i)
        end = last + after if after or feeds else here[-1] if here else first
        begin = first + 1 if before else here[0] + 1 if here else last + 1
        found.append((begin, end))
    return found


def _feeds(columns: PeriodColumns, x: FloatArray, p: int, i: int) -> bool:
    """Whether a rerun of the period reads it."""
    runs = (columns.run_column(p, reader) for reader in columns.staged.readers[i])
    return any(column is not None and x[column] > _HALF for column in runs)


def _passes(columns: PeriodColumns, x: FloatArray, p: int, i: int) -> bool:
    """Whether it stays after moment p: what the moment's op touches, only if that is of use."""
    if not columns.born[i] <= p < columns.end[i]:
        return False
    if (p, i) in columns.must:
        return True
    column = columns.hold.get((p, i))
    if column is not None:
        return bool(x[column] > _HALF)
    supplied = any(x[c] > _HALF for c, _ in columns.supplies(p + 1, i))
    if supplied:
        return False
    wanted = p + 1 in columns.uses[i] or _feeds(columns, x, p + 1, i)
    return wanted or _passes(columns, x, p + 1, i)


def crowded(columns: PeriodColumns, x: FloatArray) -> set[int]:
    """Per period, the op at which what is surely there exceeds the room most; `x` a relaxation's.

    Surely there between two uses in a period, or between a use and a moment through which it is
    held, to the degree that it is; and, without a use, to the lesser of both degrees.
    """
    staged = columns.staged
    change = np.zeros(staged.stages + 2)
    for i in columns.tensors:
        uses = sorted({staged.producer[i], *staged.readers[i]})
        for p in range(columns.born[i], columns.end[i] + 1):
            first, last = columns.stages_of(p)
            here = [op for op in uses if first < op <= last]
            before, after = _degree(columns, x, p - 1, i), _degree(columns, x, p, i)
            points = [first, *here, last]
            degrees = [before, *[1.0] * (len(here) - 1), after] if here else [min(before, after)]
            for (a, b), degree in zip(pairwise(points), degrees, strict=True):
                if b > a + 1 and degree:
                    change[a + 1] += degree * staged.size[i]
                    change[b] -= degree * staged.size[i]
    needs = np.array([staged.need(op) for op in range(staged.stages)])
    excess = np.cumsum(change)[: staged.stages] + needs - staged.room
    return _worst_per_period(columns, excess, _LEAST_EXCESS * staged.room)


def _degree(columns: PeriodColumns, x: FloatArray, p: int, i: int) -> float:
    if not columns.born[i] <= p < columns.end[i]:
        return 0.0
    column = columns.hold.get((p, i))
    return 1.0 if column is None else float(x[column])


def _worst_per_period(columns: PeriodColumns, excess: FloatArray, least: float) -> set[int]:
    found = set()
    for p in range(columns.periods):
        first, last = columns.stages_of(p)
        inside = excess[first + 1 : last + (p == columns.periods - 1)]  # without the moment itself
        if len(inside) and inside.max() > least:
            found.add(first + 1 + int(np.argmax(inside)))
    return found


def grow(moments: Moments, columns: PeriodColumns, x: FloatArray, plan: Plan) -> int:
    """Add moments at which the plan of a MIP solution pays or holds more; returns how many.

    Where the plan supplies the same thing twice in a period, and where its first runs do not fit;
    once it costs what the model says, also inside stages.
    """
    staged = columns.staged
    memory = first_run_memory(plan)
    new = _worst_per_period(columns, memory - float(staged.room), 0.0)
    dearer = _dearer_periods(columns, x, plan)
    for p in dearer:
        new |= _between_supplies(columns, plan, p, memory)
    new -= moments.ops
    crowded_now = {(t, op) for t, op in crowded_reruns(plan) if columns.period_of(t) not in dearer}
    reruns = {op for _, op in crowded_now} - moments.reruns
    within = {run for run in crowded_now if run[1] in moments.reruns} - moments.within
    moments.ops |= new
    moments.reruns |= reruns
    for stage, op in sorted(within):
        moments.add_within(stage, op)
    return len(new) + len(reruns) + len(within)


def halve(moments: Moments, columns: PeriodColumns, x: FloatArray) -> int:
    """Part every period in which something runs again, where a solution is no plan; how many."""
    used = {p for (p, _), column in columns.rerun.items() if x[column] > _HALF}
    middles = {sum(columns.stages_of(p)) // 2 for p in used}
    new = middles - moments.ops - {-1}
    moments.ops |= new
    return len(new)


def first_run_memory(plan: Plan) -> FloatArray:
    """Bytes that are there during each op's first run."""
    staged = plan.staged
    return np.array(
        [_during(plan, t, len(plan.stages[t].runs) - 1) for t in range(staged.stages)],
        dtype=np.float64,
    )


def crowded_reruns(plan: Plan) -> set[tuple[int, int]]:
    """(Stage, op) of the reruns during which more is there than fits."""
    return {
        (t, op)
        for t, peak in enumerate(plan.peaks)
        if peak > plan.staged.room
        for place, op in enumerate(plan.stages[t].runs[:-1])
        if _during(plan, t, place) > plan.staged.room
    }


def _during(plan: Plan, t: int, place: int) -> int:
    staged, stage = plan.staged, plan.stages[t]
    op = stage.runs[place]
    through = plan.held[t] & plan.held[t + 1] & ~stage.touched
    return staged.mass(stage.during[place] | through | staged.op_out[op]) + staged.workspace[op]


def _dearer_periods(columns: PeriodColumns, x: FloatArray, plan: Plan) -> list[int]:
    """Periods in which the plan pays more than the model."""
    difference = [0.0] * columns.periods
    for found in (columns.page_in, columns.rerun):
        for (p, _), column in found.items():
            if x[column] > _HALF:
                difference[p] -= columns.cost[column]
    for t, stage in enumerate(plan.stages):
        difference[columns.period_of(t)] += stage.cost * columns.scale
    least = _LEAST_DIFFERENCE * max(1.0, float(np.dot(columns.cost, x)))
    return [p for p, value in enumerate(difference) if value > least]


def _between_supplies(columns: PeriodColumns, plan: Plan, p: int, memory: FloatArray) -> set[int]:
    """Ops that part most of what the plan supplies again in a period; most in RAM among equals."""
    pairs = _repeated(columns.staged, plan, *columns.stages_of(p))
    found: set[int] = set()
    enough = 0.0
    while pairs and len(found) < MOST_CUTS:
        weight = np.zeros(columns.staged.stages + 1)
        for a, b, value in pairs:
            weight[a] += value
            weight[b] -= value
        weight = np.cumsum(weight)
        top = float(weight.max())
        if top <= enough:
            break
        enough = _WORTH * top if not found else enough
        places = np.flatnonzero(weight >= top * (1 - 1e-9))
        best = int(max(places, key=lambda op: memory[op]))
        found.add(best)
        pairs = [pair for pair in pairs if not pair[0] <= best < pair[1]]
    return found


def _repeated(
    staged: StagedProblem, plan: Plan, first: int, last: int
) -> list[tuple[int, int, float]]:
    """(a, b, joules): a moment at an op a <= op < b says that a supply is for the second time."""
    found = []
    seen: dict[int, int] = {}
    for t in range(first + 1, last + 1):
        stage = plan.stages[t]
        again = {i: staged.in_j[i] for i in bits(stage.paged_in)}
        for op in stage.runs[:-1]:
            again |= {i: staged.run_j[op] / len(staged.makes[op]) for i in staged.makes[op]}
        for i, joules in again.items():
            if i in seen:
                a = seen[i]
                begin = a + 1 if (staged.op_in[a] | staged.op_out[a]) >> i & 1 else a
                if begin < t:
                    found.append((begin, t, joules))
            seen[i] = t
        for i in (*staged.reads[t], *staged.makes[t]):
            seen[i] = t
    return found
