"""The gap model: a small relaxation of the staged problem, whose optimum bounds every schedule.

Between two consecutive uses of a tensor (by first runs of ops, its making included) it is held
through, or paged in (I), or made again (R). A gap that is not held through needs a page-in or a run
of its producer of its own, so charging each for its own I or R, and letting it occupy no memory
meanwhile, can only make schedules cheaper: the model is a relaxation, recomputation and paging
inside the forward pass included.

Rows, per op: what is dropped around it must make room for its working set. Columns per gap:
I, R in {0, 1}; per tensor: P in {0, 1}, written to storage once.
    min  sum in_j I + chain_j R + sum out_j P
    I + R <= 1,  I <= P,  sum over gaps around op k of size (I + R) >= excess(k),  seconds <= limit

chain_j: remaking an op that reads folded tensors (StagedProblem.folded) costs their remaking too;
an op of several outputs charges each for its share (output_shares).
"""

from dataclasses import dataclass
from typing import Final

import cvxpy as cp

from solver.costs import FloatArray
from solver.milp.assemble import LaneSeconds, assemble
from solver.milp.rows import RowFamily, Stop, least_sum_reaching, never
from solver.staged import StagedProblem, bits

_UNITS: Final = 6
"""Distinct sizes for which a rounded row is added beside each memory row, at most."""
_MOST_TERMS: Final = 1_500_000
"""Rounded rows are left out where the memory rows would have more terms than this."""


@dataclass(frozen=True, slots=True)
class Gap:
    """Borders of one gap: the tensor is used at op `first` and again at op `last` > first + 1.

    page_in, remake : the gap's columns, -1 where that is not allowed.
    """

    tensor: int
    first: int
    last: int
    page_in: int
    remake: int


class GapModel:
    """Columns, rows and the CVXPY problem.

    `scale` : what one joule is worth in the objective. `impossible` : an op whose working set
    cannot be made room for whatever is dropped (the problem has no schedule), else None.
    """

    def __init__(self, staged: StagedProblem, scale: float, stop: Stop = never) -> None:
        self.staged = staged
        self.scale = scale
        self.cost: list[float] = []
        self.seconds = LaneSeconds()
        self.gaps: list[Gap] = []
        self.write: dict[int, int] = {}
        self._add_columns()
        self.columns = len(self.cost)
        self._choice, self._room = RowFamily(stop), RowFamily(stop)
        self.impossible = self._add_rows()

    def _column(self, cost: float, *, run_s: float = 0.0, move_s: float = 0.0) -> int:
        self.cost.append(cost * self.scale)
        self.seconds.add(run_s, move_s)
        return len(self.cost) - 1

    def _add_columns(self) -> None:
        staged = self.staged
        chain_j, chain_s = chain_costs(staged, staged.run_j), chain_costs(staged, staged.run_s)
        shares = output_shares(staged)
        for tensor in range(staged.tensors):
            stored = bool(staged.stored >> tensor & 1)
            for first, last in staged.uses(tensor):
                if last <= first + 1:
                    continue
                page_in = remake = -1
                op = staged.producer[tensor]
                if staged.may_page[tensor]:
                    page_in = self._column(staged.in_j[tensor], move_s=staged.in_s[tensor])
                    if not stored and tensor not in self.write:
                        self.write[tensor] = self._column(
                            staged.out_j[tensor], move_s=staged.out_s[tensor]
                        )
                if staged.may_rerun[op]:
                    share = shares[tensor]
                    remake = self._column(chain_j[op] * share, run_s=chain_s[op] * share)
                self.gaps.append(Gap(tensor, first, last, page_in, remake))

    def _add_rows(self) -> int | None:
        for gap in self.gaps:
            if gap.page_in >= 0 and gap.remake >= 0:
                self._choice.add([(gap.page_in, -1.0), (gap.remake, -1.0)], -1.0)
            if gap.page_in >= 0 and gap.tensor in self.write:
                self._choice.add([(self.write[gap.tensor], 1.0), (gap.page_in, -1.0)], 0.0)
        around: list[list[Gap]] = [[] for _ in range(self.staged.stages)]
        for gap in self.gaps:
            for op in range(gap.first + 1, gap.last):
                around[op].append(gap)
        terms = 2 * sum(map(len, around)) or 1
        self._units = min(_UNITS, max(0, _MOST_TERMS // terms - 1))
        for op, gaps in enumerate(around):
            if not self._add_room_rows(op, gaps):
                return op
        return None

    def _add_room_rows(self, op: int, gaps: list[Gap]) -> bool:
        staged = self.staged
        excess = staged.need(op) + sum(staged.size[gap.tensor] for gap in gaps) - staged.room
        if excess <= 0:
            return True
        free = [gap for gap in gaps if gap.page_in >= 0 or gap.remake >= 0]
        sizes = [staged.size[gap.tensor] for gap in free]
        if sum(sizes) < excess:
            return False
        needed = least_sum_reaching(sizes, excess)
        self._cover(free, sizes, needed)
        held = sum(sizes) - needed
        for unit in sorted({size for size in sizes if size}, reverse=True)[: self._units]:
            # Chvatal-Gomory on what is held: sum of floor(size / unit) <= floor(held / unit)
            parts = [size // unit for size in sizes]
            lower = sum(parts) - held // unit
            if lower > 0 and len(set(parts)) > 1:
                self._cover(free, parts, lower)
        return True

    def _cover(self, gaps: list[Gap], weights: list[int], needed: int) -> None:
        """Sum of weight * (I + R) >= needed, coefficients cut off at `needed`, scaled to 1."""
        terms: list[tuple[int, float]] = []
        for gap, weight in zip(gaps, weights, strict=True):
            if weight:
                share = min(weight, needed) / needed
                if gap.page_in >= 0:
                    terms.append((gap.page_in, share))
                if gap.remake >= 0:
                    terms.append((gap.remake, share))
        self._room.add(terms, 1.0)

    @property
    def terms(self) -> int:
        """Number of coefficients in the memory rows, most of the model."""
        return self._room.terms

    def problem(self) -> cp.Problem:
        """The CVXPY problem in matrix form."""
        return assemble(
            self.cost,
            [self._choice],
            room=self._room,
            limits=self.seconds.rows(self.staged),
        )

    def plan_masks(self, x: FloatArray) -> tuple[list[int], int]:
        """Held masks per stage border and the mask of written tensors, from near-integers."""
        staged = self.staged
        held = [0] * (staged.stages + 1)
        dropped = {(gap.tensor, gap.last) for gap in self.gaps if self._drops(gap, x)}
        paged = 0
        for tensor in range(staged.tensors):
            for first, last in staged.uses(tensor):
                if (tensor, last) not in dropped:
                    for border in range(first + 1, last + 1):
                        held[border] |= 1 << tensor
        for gap in self.gaps:
            if gap.page_in >= 0 and x[gap.page_in] > 0.5:  # noqa: PLR2004 - nearest integer
                paged |= 1 << gap.tensor
        return held, paged & ~staged.stored

    @staticmethod
    def _drops(gap: Gap, x: FloatArray) -> bool:
        return any(column >= 0 and x[column] > 0.5 for column in (gap.page_in, gap.remake))  # noqa: PLR2004


def chain_costs(staged: StagedProblem, own: tuple[float, ...]) -> list[float]:
    """Per op, its own cost and that of the producers that must run with it (see the module)."""
    chain = list(own)
    for op in range(staged.stages):
        for tensor in bits(staged.op_in[op] & staged.folded):
            chain[op] += chain[staged.producer[tensor]]
    return chain


def output_shares(staged: StagedProblem) -> list[float]:
    """Per tensor, the part of a run of its producer that making it again is charged for.

    The outputs' parts add up to 1, so that a run is never charged more than once. Large outputs
    carry most: they are what is dropped.
    """
    shares = [0.0] * staged.tensors
    for makes in staged.makes:
        total = sum(staged.size[i] for i in makes)
        for i in makes:
            shares[i] = staged.size[i] / total if total else 1 / len(makes)
    return shares
