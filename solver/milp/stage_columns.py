"""Columns of the stage model: which decisions exist, what they cost, and how a plan looks in them.

Paper symbols: S[t,i] tensor i in RAM when stage t begins; I[t,i] paged in during stage t; R[t,k]
op k run again in stage t; P[i] written to storage once, right after it is made. The first modelled
stage is `begin`: with begin = the first backward op, forward stages have no columns of their own
and S[begin,i] says what is kept across the end of the forward pass; what that takes in the forward
pass is modelled by gaps (FI, FR: supplied once more before the backward pass begins).
"""

from dataclasses import dataclass, field

import numpy as np

from solver.costs import FloatArray
from solver.milp.assemble import LaneSeconds
from solver.staged import StagedProblem, last_uses


@dataclass
class StageColumns:
    """Column numbers of every decision, costs in joules * scale and seconds per column.

    hold, page_in : (stage, tensor) -> column. rerun : (stage, op) -> column. write : tensor ->
    column.
    early_in, early_run : tensor -> column, a page-in or rerun between its last forward use and the
    first backward stage. again : (stage, tensor) -> column, page-ins beyond the first of a stage.
    here : (stage, run position, tensor) -> column of "in RAM at the worst moment of that run".
    load : (stage, run position, tensor) -> column of a page-in directly before that run.
    life : per tensor, the last stage in which it can be of use.
    """

    staged: StagedProblem
    begin: int
    detailed: frozenset[int]
    scale: float
    hold: dict[tuple[int, int], int] = field(default_factory=dict)
    page_in: dict[tuple[int, int], int] = field(default_factory=dict)
    rerun: dict[tuple[int, int], int] = field(default_factory=dict)
    write: dict[int, int] = field(default_factory=dict)
    early_in: dict[int, int] = field(default_factory=dict)
    early_run: dict[int, int] = field(default_factory=dict)
    again: dict[tuple[int, int], int] = field(default_factory=dict)
    here: dict[tuple[int, int, int], int] = field(default_factory=dict)
    load: dict[tuple[int, int, int], int] = field(default_factory=dict)
    cost: list[float] = field(default_factory=list)
    seconds: LaneSeconds = field(default_factory=LaneSeconds)
    upper: list[float] = field(default_factory=list)
    binary: list[int] = field(default_factory=list)
    life: list[int] = field(default_factory=list)
    runs: dict[int, tuple[int, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.life = last_uses(self.staged)
        self._add_tensor_columns()
        self._add_rerun_columns()
        for stage in sorted(self.detailed):
            self._add_detail(stage)

    def __len__(self) -> int:
        return len(self.cost)

    def _new(
        self,
        cost: float = 0.0,
        *,
        run_s: float = 0.0,
        move_s: float = 0.0,
        binary: bool = True,
        upper: float = 1.0,
    ) -> int:
        self.cost.append(cost * self.scale)
        self.seconds.add(run_s, move_s)
        self.upper.append(upper)
        if binary:
            self.binary.append(len(self.cost) - 1)
        return len(self.cost) - 1

    def _add_tensor_columns(self) -> None:
        staged = self.staged
        for i in range(staged.tensors):
            begin = max(self.begin, staged.producer[i] + 1)
            if self.life[i] < begin:
                continue
            pages = staged.may_page[i]
            if pages and not staged.stored >> i & 1:
                self.write[i] = self._new(staged.out_j[i], move_s=staged.out_s[i])
            for t in range(begin, self.life[i] + 1):
                self.hold[t, i] = self._new()
                if pages:
                    self.page_in[t, i] = self._new(staged.in_j[i], move_s=staged.in_s[i])

    def _add_rerun_columns(self) -> None:
        staged = self.staged
        for op in range(staged.stages):
            if not staged.may_rerun[op]:
                continue
            last = max((self.life[i] for i in staged.makes[op]), default=-1)
            for t in range(max(self.begin, op + 1), last + 1):
                self.rerun[t, op] = self._new(staged.run_j[op], run_s=staged.run_s[op])

    def _add_detail(self, stage: int) -> None:
        """Columns of a stage in which memory is modelled run by run."""
        staged = self.staged
        ops = [op for op in range(stage) if (stage, op) in self.rerun]
        self.runs[stage] = (*ops, stage)
        there = [
            i for i in range(staged.tensors) if (stage, i) in self.hold or i in staged.makes[stage]
        ]
        for position, op in enumerate(self.runs[stage]):
            for i in there:
                if i in staged.makes[op] or (stage, i) in self.hold:
                    self.here[stage, position, i] = self._new(binary=False)
            for i in staged.reads[op]:
                if (stage, i) in self.page_in:
                    self.load[stage, position, i] = self._new()
        for i in there:
            if (stage, i) in self.page_in:
                self.again[stage, i] = self._new(
                    staged.in_j[i],
                    move_s=staged.in_s[i],
                    binary=False,
                    upper=float(len(ops) + 1),
                )

    def add_early(self, tensor: int, run_j: float, run_s: float) -> None:
        """Columns for supplying a tensor once more in the forward pass, after its uses there."""
        staged = self.staged
        if staged.may_page[tensor] and tensor not in self.early_in:
            self.early_in[tensor] = self._new(staged.in_j[tensor], move_s=staged.in_s[tensor])
        if staged.may_rerun[staged.producer[tensor]] and tensor not in self.early_run:
            self.early_run[tensor] = self._new(run_j, run_s=run_s)

    def new_free(self, cost: float, *, run_s: float = 0.0, move_s: float = 0.0) -> int:
        """A binary column that no dictionary names (the forward pass's gaps)."""
        return self._new(cost, run_s=run_s, move_s=move_s)

    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """Lower and upper bounds, shape (columns,)."""
        return np.zeros(len(self)), np.array(self.upper)


def count_columns(staged: StagedProblem, begin: int, detailed: frozenset[int]) -> int:
    """About how many columns the stage model would have, without building it."""
    life = last_uses(staged)
    spans = [
        max(0, life[i] - max(begin, staged.producer[i] + 1) + 1) for i in range(staged.tensors)
    ]
    pages = sum(span * (1 + may) for span, may in zip(spans, staged.may_page, strict=True))
    reruns = 0
    for op in range(staged.stages):
        if staged.may_rerun[op]:
            reruns += max((spans[i] for i in staged.makes[op]), default=0)
    alive = [0] * (staged.stages + 1)
    for i, span in enumerate(spans):
        for t in range(life[i] - span + 1, life[i] + 1):
            alive[t] += 1
    detail = sum(
        alive[t] * (1 + sum(1 for op in range(t) if staged.may_rerun[op])) for t in detailed
    )
    return pages + reruns + detail
