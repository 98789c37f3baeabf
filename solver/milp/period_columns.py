"""Columns of the period model: which decisions exist and what they cost.

Symbols and rows: period_model.py.
"""

from bisect import bisect_left
from dataclasses import dataclass, field
from typing import Final

from solver.milp.assemble import LaneSeconds
from solver.milp.lineage import Lineage
from solver.milp.rows import Terms

PAGE_IN: Final = "page_in"
RERUN: Final = "rerun"


@dataclass(slots=True)
class Moments:
    """What is looked at so far.

    ops : whose first runs are moments. reruns : ops during whose reruns memory counts, too, as far
    as it is known what passes through their period. within : (stage, op): it counts exactly while
    the op runs again in that stage; `add_within` makes the moments around it. left_out : (kind,
    tensor or op) -> stretches first < stage <= last in which no better schedule pages it in or runs
    it again.
    """

    ops: set[int] = field(default_factory=set)
    reruns: set[int] = field(default_factory=set)
    within: set[tuple[int, int]] = field(default_factory=set)
    left_out: dict[tuple[str, int], list[tuple[int, int]]] = field(default_factory=dict)

    def add_within(self, stage: int, op: int) -> None:
        """Count memory while `op` runs again in `stage`."""
        self.within.add((stage, op))
        self.ops |= {stage - 1, stage}

    def is_left_out(self, kind: str, item: int, first: int, last: int) -> bool:
        """Whether no better schedule does it in a stage first < t <= last."""
        found = self.left_out.get((kind, item), ())
        return any(begin <= first and last <= end for begin, end in found)


class PeriodColumns:
    """Column numbers of every decision, costs in joules * scale and seconds per column.

    ops : the moment's op per period but the last. hold, page_in : (period, tensor) -> column;
    rerun : (period, op) -> column; write : tensor -> column. written : (moment, tensor) -> column,
    where time is counted per lane (period_time.py). measures : columns of any value from 0 to 1.
    must : (period, tensor) that has to be held, since nothing supplies it again. touched : (period,
    tensor) of a moment's working set.
    born, uses, end : per tensor the period that makes it, those whose first runs read or make it,
    and the last in which it can be of use (-1: none). tensors : those with columns.
    """

    def __init__(self, lineage: Lineage, moments: Moments, scale: float) -> None:
        self.lineage, self.staged, self.scale = lineage, lineage.staged, scale
        self.ops = tuple(sorted(moments.ops))
        self._moments = moments
        self.cost: list[float] = []
        self.seconds = LaneSeconds()
        self.hold: dict[tuple[int, int], int] = {}
        self.page_in: dict[tuple[int, int], int] = {}
        self.rerun: dict[tuple[int, int], int] = {}
        self.write: dict[int, int] = {}
        self.written: dict[tuple[int, int], int] = {}
        self.measures: set[int] = set()
        self._second: dict[tuple[int, int], int] = {}
        self.must: set[tuple[int, int]] = set()
        self.touched: set[tuple[int, int]] = set()
        staged = self.staged
        self.born = [self.period_of(op) for op in staged.producer]
        self.uses = [
            {self.period_of(op) for op in (staged.producer[i], *readers)}
            for i, readers in enumerate(staged.readers)
        ]
        self.end = [self.period_of(op) if op >= 0 else -1 for op in lineage.life]
        self.tensors = [
            i for i in range(staged.tensors) if self.end[i] >= 0 and not staged.folded >> i & 1
        ]
        self._add_all()

    @property
    def periods(self) -> int:
        """Number of periods."""
        return len(self.ops) + 1

    def period_of(self, op: int) -> int:
        """The period in which an op runs first."""
        return bisect_left(self.ops, op)

    def stages_of(self, period: int) -> tuple[int, int]:
        """(first, last): the period is of the stages first < t <= last."""
        first = self.ops[period - 1] if period else -1
        last = self.ops[period] if period < len(self.ops) else self.staged.stages - 1
        return first, last

    def run_column(self, period: int, op: int) -> int | None:
        """The column of an op's rerun; what makes a folded tensor runs with its reader."""
        staged = self.staged
        while len(staged.makes[op]) == 1 and staged.folded >> staged.makes[op][0] & 1:
            op = staged.readers[staged.makes[op][0]][0]
        return self.rerun.get((period, op))

    def new_column(self, cost: float = 0.0, *, run_s: float = 0.0, move_s: float = 0.0) -> int:
        """A further 0/1 column; joules and seconds that it stands for."""
        self.cost.append(cost * self.scale)
        self.seconds.add(run_s, move_s)
        return len(self.cost) - 1

    def new_measure(self) -> int:
        """A further column of any value from 0 to 1."""
        column = self.new_column()
        self.measures.add(column)
        return column

    def written_by(self, p: int, tensor: int) -> int | None:
        """The column that says that it is written by moment p, or ever where that is not told."""
        write = self.write.get(tensor)
        if not self.written or write is None or p >= self.end[tensor]:
            return write
        return self.written.get((p, tensor))

    def second_page_in(self, period: int, tensor: int) -> int:
        """The column of paging a tensor in once more in a period."""
        key = (period, tensor)
        if key not in self._second:
            staged = self.staged
            self._second[key] = self.new_column(staged.in_j[tensor], move_s=staged.in_s[tensor])
        return self._second[key]

    def _add_all(self) -> None:
        staged = self.staged
        last_run: dict[int, int] = {}
        for i in self.tensors:
            maker = staged.producer[i]
            self._add_holds(i)
            if staged.may_page[i]:
                self._add_page_ins(i)
            if staged.may_rerun[maker]:
                last_run[maker] = max(self.end[i], last_run.get(maker, -1))
        run_j, run_s = self.lineage.run_j, self.lineage.run_s
        for op, last in last_run.items():
            for p in range(self.period_of(op) + 1, last + 1):
                if not self._moments.is_left_out(RERUN, op, *self.stages_of(p)):
                    self.rerun[p, op] = self.new_column(run_j[op], run_s=run_s[op])

    def _add_holds(self, i: int) -> None:
        staged = self.staged
        stuck = not staged.may_page[i] and not staged.may_rerun[staged.producer[i]]
        last = max(self.uses[i])
        for p in range(self.born[i], self.end[i]):
            moment = self.ops[p]
            if moment == staged.producer[i] or staged.op_in[moment] >> i & 1:
                self.touched.add((p, i))
            elif stuck and p < last:
                self.must.add((p, i))
            else:
                self.hold[p, i] = self.new_column()

    def _add_page_ins(self, i: int) -> None:
        staged = self.staged
        for p in range(self.born[i] + 1, self.end[i] + 1):
            if self._moments.is_left_out(PAGE_IN, i, *self.stages_of(p)):
                continue
            self.page_in[p, i] = self.new_column(staged.in_j[i], move_s=staged.in_s[i])
            if not staged.stored >> i & 1 and i not in self.write:
                self.write[i] = self.new_column(staged.out_j[i], move_s=staged.out_s[i])

    def is_there(self, p: int, i: int) -> bool:
        """Whether a tensor is there when period p begins, without a choice."""
        return (p - 1, i) in self.touched or (p - 1, i) in self.must

    def supplies(self, p: int, i: int) -> Terms:
        """H[p-1] + I[p] + R[p] as terms, for a tensor that is not there without a choice."""
        found = (
            self.hold.get((p - 1, i)),
            self.page_in.get((p, i)),
            self.rerun.get((p, self.staged.producer[i])),
        )
        return [(column, 1.0) for column in found if column is not None]
