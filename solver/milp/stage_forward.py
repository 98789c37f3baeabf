"""The forward pass of a stage model that begins at the first backward op: rows (7), as gaps.

A tensor that is kept across the end of the forward pass (K = S[begin,i]) or waits for another
forward op occupies RAM at the ops in between, unless it is supplied once more at its own price:
I, R for a gap between forward uses, FI, FR for the stretch from its last forward use to the end.
As in the gap model this can only make schedules cheaper, so the stage model stays a relaxation.
"""

from itertools import pairwise

from solver.milp.gap_model import Gap, chain_costs
from solver.milp.rows import Held, RowFamily, add_fit
from solver.milp.stage_columns import StageColumns


class ForwardGaps:
    """Columns and rows of the forward pass.

    `gaps` : those between forward uses, for reading solutions. `impossible` : an op that cannot fit
    whatever is dropped, or None.
    """

    def __init__(self, columns: StageColumns, flow: RowFamily, memory: RowFamily) -> None:
        self._columns = columns
        self._flow = flow
        staged = columns.staged
        self._chain_j = chain_costs(staged, staged.run_j)
        self._chain_s = chain_costs(staged, staged.run_s)
        self._around: list[list[Held]] = [[] for _ in range(columns.begin)]
        self.gaps: list[Gap] = []
        self.impossible: int | None = None
        for i in range(staged.tensors):
            if staged.producer[i] < columns.begin:
                self._add_tensor(i)
        for op, around in enumerate(self._around):
            if not add_fit(memory, around, staged.room - staged.need(op)):
                self.impossible = op

    def _add_tensor(self, i: int) -> None:
        staged, begin = self._columns.staged, self._columns.begin
        uses = [staged.producer[i], *(op for op in staged.readers[i] if op < begin)]
        for first, last in pairwise(uses):
            if last > first + 1:
                gap = self._gap(i, first, last)
                terms = tuple((c, -1.0) for c in (gap.page_in, gap.remake) if c >= 0)
                for op in range(first + 1, last):
                    self._around[op].append(Held(staged.size[i], terms, constant=1))
        if (begin, i) in self._columns.hold and uses[-1] + 1 < begin:
            self._add_end(i, uses[-1] + 1)

    def _share(self, i: int) -> tuple[float, float]:
        maker = self._columns.staged.producer[i]
        outputs = len(self._columns.staged.makes[maker])
        return self._chain_j[maker] / outputs, self._chain_s[maker] / outputs

    def _gap(self, i: int, first: int, last: int) -> Gap:
        columns, staged = self._columns, self._columns.staged
        page_in = remake = -1
        if staged.may_page[i]:
            page_in = columns.new_free(staged.in_j[i], move_s=staged.in_s[i])
            if i not in columns.write and not staged.stored >> i & 1:
                columns.write[i] = columns.new_free(staged.out_j[i], move_s=staged.out_s[i])
            if i in columns.write:
                self._flow.add([(columns.write[i], 1.0), (page_in, -1.0)], 0.0)
        if staged.may_rerun[staged.producer[i]]:
            cost_j, run_s = self._share(i)
            remake = columns.new_free(cost_j, run_s=run_s)
        if page_in >= 0 and remake >= 0:
            self._flow.add([(page_in, -1.0), (remake, -1.0)], -1.0)
        gap = Gap(i, first, last, page_in, remake)
        self.gaps.append(gap)
        return gap

    def _add_end(self, i: int, first: int) -> None:
        columns = self._columns
        begin = columns.begin
        columns.add_early(i, *self._share(i))
        early = [columns.early_in.get(i), columns.early_run.get(i)]
        terms = [(columns.hold[begin, i], 1.0), *((c, -1.0) for c in early if c is not None)]
        self._flow.add(terms, 0.0)
        if i in columns.early_in and i in columns.write:
            self._flow.add([(columns.write[i], 1.0), (columns.early_in[i], -1.0)], 0.0)
        for op in range(first, begin):
            self._around[op].append(Held(columns.staged.size[i], tuple(terms), constant=0))
