"""The chain model: the gap model with the inputs of reruns, for graphs too large for stages.

A gap is held through, or its tensor is supplied in one chosen stage s of the gap, by a page-in
I[g,s] or a rerun R[g,s], and held from there. An op run again in stage s, O[k,s], needs its inputs
there: used by the stage's own op, held, supplied at s or before, or made by another O[.,s].
Stages in which an op may run again are those that read something it leads to within a few steps.

The model leaves possibilities out, so it bounds nothing; and it looks at memory only while the
stage's own op runs. Its solutions are starts for repair and search: on deep nets whose reruns
depend on each other they are far better than the gap model's.
"""

from collections import deque
from dataclasses import dataclass, field
from typing import Final

import cvxpy as cp
import numpy as np

from solver.costs import FloatArray
from solver.heuristic.plan import Plan
from solver.milp.assemble import LaneSeconds, assemble
from solver.milp.rows import RowFamily, Stop, least_sum_reaching, never
from solver.staged import StagedProblem

MOST_RERUNS: Final = 9_000
_DEPTHS: Final = (16, 12, 8, 5, 3, 1)
_HALF: Final = 0.5


@dataclass
class _Gap:
    """Uses at `first` and `last` > first + 1; columns per stage in which it may be supplied."""

    tensor: int
    first: int
    last: int
    rerun: dict[int, int] = field(default_factory=dict)
    page_in: dict[int, int] = field(default_factory=dict)

    def supplies(self) -> list[tuple[int, int]]:
        """(stage, column) of every supply."""
        return [*self.rerun.items(), *self.page_in.items()]


class ChainModel:
    """Columns, rows and the CVXPY problem.

    plan : a schedule to start from; what it runs again is among the columns. scale : what one joule
    is worth in the objective. tighten : per stage, bytes by which its room is made smaller (for
    reruns that need room of their own before the stage's op runs).
    """

    def __init__(
        self, plan: Plan, scale: float, tighten: dict[int, int], stop: Stop = never
    ) -> None:
        self.staged = plan.staged
        self._start = plan
        self.scale = scale
        self._tighten = tighten
        self.cost: list[float] = []
        self._seconds = LaneSeconds()
        self._rows, self._room = RowFamily(stop), RowFamily(stop)
        self.rerun: dict[tuple[int, int], int] = {}
        self.write: dict[int, int] = {}
        self.gaps: list[_Gap] = []
        self._at: list[list[_Gap]] = [[] for _ in range(plan.staged.tensors)]
        self._add_reruns()
        self._add_gaps()
        self._add_needs()
        self._add_room()

    def _new(self, cost: float = 0.0, *, run_s: float = 0.0, move_s: float = 0.0) -> int:
        self.cost.append(cost * self.scale)
        self._seconds.add(run_s, move_s)
        return len(self.cost) - 1

    def _add_reruns(self) -> None:
        staged = self.staged
        for depth in _DEPTHS:
            reach = [_leading(staged, stage, depth) for stage in range(staged.stages)]
            if sum(map(len, reach)) <= MOST_RERUNS:
                break
        for stage, ops in enumerate(reach):
            for op in sorted(ops | set(self._start.stages[stage].runs[:-1])):
                self.rerun[op, stage] = self._new(staged.run_j[op], run_s=staged.run_s[op])

    def _add_gaps(self) -> None:
        staged = self.staged
        stages: list[list[int]] = [[] for _ in range(staged.stages)]
        for op, stage in self.rerun:
            stages[op].append(stage)
        for i in range(staged.tensors):
            maker = staged.producer[i]
            for first, last in staged.uses(i):
                if last <= first + 1:
                    continue
                gap = _Gap(i, first, last)
                for s in sorted({s for s in stages[maker] if first < s < last} | {last}):
                    self._add_supply(gap, s)
                self.gaps.append(gap)
                self._at[i].append(gap)
                chosen = [(column, -1.0) for _, column in gap.supplies()]
                if len(chosen) > 1:
                    self._rows.add(chosen, -1.0)

    def _add_supply(self, gap: _Gap, s: int) -> None:
        staged, i = self.staged, gap.tensor
        again = self.rerun.get((staged.producer[i], s))
        if again is not None:
            gap.rerun[s] = self._new()
            self._rows.add([(again, 1.0), (gap.rerun[s], -1.0)], 0.0)
        if staged.may_page[i]:
            gap.page_in[s] = self._new(staged.in_j[i], move_s=staged.in_s[i])
            if not staged.stored >> i & 1:
                if i not in self.write:
                    self.write[i] = self._new(staged.out_j[i], move_s=staged.out_s[i])
                self._rows.add([(self.write[i], 1.0), (gap.page_in[s], -1.0)], 0.0)

    def _add_needs(self) -> None:
        """Inputs of an op that runs again are there: 1 - supplied later + rerun in this stage."""
        staged = self.staged
        for (op, stage), column in self.rerun.items():
            for i in staged.reads[op]:
                if i in staged.reads[stage]:
                    continue
                terms = [(column, -1.0)]
                made = self.rerun.get((staged.producer[i], stage))
                if made is not None:
                    terms.append((made, 1.0))
                gap = next((g for g in self._at[i] if g.first < stage < g.last), None)
                if gap is None:  # after its last use, or directly after it was made or used
                    self._rows.add(terms, -1.0 if self._fresh(i, stage) else 0.0)
                    continue
                terms += [(c, -1.0) for s, c in gap.supplies() if s > stage]
                self._rows.add(terms, -1.0)

    def _fresh(self, i: int, stage: int) -> bool:
        return stage - 1 in (self.staged.producer[i], *self.staged.readers[i])

    def _add_room(self) -> None:
        staged = self.staged
        around: list[list[_Gap]] = [[] for _ in range(staged.stages)]
        for gap in self.gaps:
            for op in range(gap.first + 1, gap.last):
                around[op].append(gap)
        for op, gaps in enumerate(around):
            excess = staged.need(op) + sum(staged.size[gap.tensor] for gap in gaps)
            excess += self._tighten.get(op, 0) - staged.room
            if excess <= 0:
                continue
            sizes = [staged.size[gap.tensor] for gap in gaps]
            needed = least_sum_reaching(sizes, excess)
            terms = [
                (column, min(size, needed) / needed)
                for gap, size in zip(gaps, sizes, strict=True)
                for s, column in gap.supplies()
                if s > op
            ]
            self._room.add(terms, 1.0)

    def problem(self) -> cp.Problem:
        """The CVXPY problem in matrix form."""
        return assemble(
            self.cost,
            [self._rows],
            room=self._room,
            limits=self._seconds.rows(self.staged),
        )

    def plan_masks(self, x: FloatArray) -> tuple[list[int], int]:
        """Held masks per stage border and the mask of written tensors, from near-integers."""
        staged = self.staged
        held = [0] * (staged.stages + 1)
        paged = 0
        for i in range(staged.tensors):
            for first, last in staged.uses(i):
                if last == first + 1:
                    held[last] |= 1 << i
        for gap in self.gaps:
            chosen = [s for s, column in gap.supplies() if x[column] > _HALF]
            if any(x[column] > _HALF for column in gap.page_in.values()):
                paged |= 1 << gap.tensor
            begin = min(chosen) if chosen else gap.first
            for border in range(begin + 1, gap.last + 1):
                held[border] |= 1 << gap.tensor
        return held, paged & ~staged.stored

    def write_start(self) -> FloatArray:
        """The plan to start from as column values."""
        plan = self._start
        x = np.zeros(len(self.cost))
        for (op, stage), column in self.rerun.items():
            x[column] = op in plan.stages[stage].runs[:-1]
        for gap in self.gaps:
            bit = 1 << gap.tensor
            s = gap.last
            while s > gap.first and plan.held[s] & bit:
                s -= 1
            if s == gap.first:
                continue
            later = [stage for stage, _ in gap.supplies() if stage >= s]
            if not later:
                continue
            stage = min(later)
            paged = plan.stages[s].paged_in & bit and stage in gap.page_in
            ways = gap.page_in if paged or stage not in gap.rerun else gap.rerun
            x[ways[stage]] = 1.0
        for i, column in self.write.items():
            x[column] = plan.paged >> i & 1
        return x


def _leading(staged: StagedProblem, stage: int, depth: int) -> set[int]:
    """Ops that may run again and lead, within `depth` steps, to something that the stage reads."""
    found: set[int] = set()
    queue = deque((i, 1) for i in staged.reads[stage])
    while queue:
        i, steps = queue.popleft()
        op = staged.producer[i]
        if op in found or not staged.may_rerun[op] or op >= stage:
            continue
        found.add(op)
        if steps < depth:
            queue.extend((j, steps + 1) for j in staged.reads[op])
    return found
