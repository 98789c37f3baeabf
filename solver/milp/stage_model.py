"""The stage model: POET's decisions per stage, in rows whose relaxation is tight.

    min  sum out_j P + sum in_j I + sum run_j R
    (1)  S + I + R[maker] >= 1                       tensors that op t reads
    (2)  S + I + R[maker] >= R[t,k]                  tensors that a rerun op k reads
    (3)  S[t+1,i] <= S[t,i] + I[t,i] + R[t,maker]    holding needs a supply
    (4)  I <= P                                      reading needs writing
    (5)  I[t,i] <= sum of R[t,j] over readers j      page-ins are read in their stage
    (6)  R[t,k] <= its outputs' use in the stage or beyond it
    (7)  forward op: what is kept across it and its working set fit
    (9)  run of t: sum of sizes S[t+1,i] of tensors that t does not touch + working set <= room
    (10) seconds of transfers and reruns <= what the runtime limit leaves
    (12) stages in detail: the same memory row at every run inside the stage

Without (12) the model is a relaxation of the staged problem: within a stage only its last run's
memory counts. A stage in detail is exact. Rows (11), cuts on what an LP splits, are in cuts.py.
"""

from collections.abc import Sequence

import cvxpy as cp

from solver.milp.assemble import assemble
from solver.milp.rows import Held, RowFamily, Stop, add_fit, never
from solver.milp.stage_columns import StageColumns
from solver.milp.stage_detail import add_detail_rows
from solver.milp.stage_forward import ForwardGaps
from solver.staged import StagedProblem


class StageModel:
    """Columns, rows and the CVXPY problem; the right-hand sides of the budgets are Parameters.

    begin : first stage with columns of its own (0 or the first backward op). detailed : stages
    whose memory is modelled run by run. `impossible` : an op that cannot fit whatever is dropped,
    or None.
    """

    def __init__(
        self,
        staged: StagedProblem,
        *,
        begin: int,
        detailed: frozenset[int],
        scale: float,
        stop: Stop = never,
    ) -> None:
        self.staged = staged
        self.columns = StageColumns(staged, begin, detailed, scale)
        self.begin = begin
        self.supply, self.flow, self.order, self.memory, self.detail = (
            RowFamily(stop) for _ in range(5)
        )
        forward = ForwardGaps(self.columns, self.flow, self.memory)
        self.forward_gaps, self.impossible = forward.gaps, forward.impossible
        for t in range(begin, staged.stages):
            self._add_supply_rows(t)
            self._add_order_rows(t)
            self._add_memory_rows(t)
        for (_, i), column in self.columns.page_in.items():
            if i in self.columns.write:
                self.flow.add([(self.columns.write[i], 1.0), (column, -1.0)], 0.0)
        for t in sorted(detailed):
            add_detail_rows(self.columns, t, self.detail)

    def _available(self, t: int, i: int) -> list[tuple[int, float]]:
        """S + I + R of a tensor in a stage, as terms."""
        columns = self.columns
        found = [columns.hold.get((t, i)), columns.page_in.get((t, i))]
        found.append(columns.rerun.get((t, self.staged.producer[i])))
        return [(column, 1.0) for column in found if column is not None]

    def _add_supply_rows(self, t: int) -> None:
        staged, columns = self.staged, self.columns
        for i in staged.reads[t]:
            self.supply.add(self._available(t, i), 1.0)
        for op in self._reruns(t):
            rerun = columns.rerun[t, op]
            for i in staged.reads[op]:
                self.supply.add([*self._available(t, i), (rerun, -1.0)], 0.0)
        for i in range(staged.tensors):
            held = columns.hold.get((t + 1, i))
            if held is not None and i not in staged.makes[t]:
                self.flow.add([*self._available(t, i), (held, -1.0)], 0.0)

    def _reruns(self, t: int) -> Sequence[int]:
        return [op for op in range(t) if (t, op) in self.columns.rerun]

    def _add_order_rows(self, t: int) -> None:
        staged, columns = self.staged, self.columns
        for i in range(staged.tensors):
            page_in = columns.page_in.get((t, i))
            if page_in is not None and i not in staged.reads[t]:
                readers = [(columns.rerun[t, j], 1.0) for j in self._rerun_readers(t, i)]
                self.order.add([*readers, (page_in, -1.0)], 0.0)
        for op in self._reruns(t):
            if any(i in staged.reads[t] for i in staged.makes[op]):
                continue
            terms = [(columns.rerun[t, op], -1.0)]
            for i in staged.makes[op]:
                terms += [(columns.rerun[t, j], 1.0) for j in self._rerun_readers(t, i)]
                if (t + 1, i) in columns.hold:
                    terms.append((columns.hold[t + 1, i], 1.0))
            self.order.add(terms, 0.0)

    def _rerun_readers(self, t: int, i: int) -> list[int]:
        return [j for j in self.staged.readers[i] if (t, j) in self.columns.rerun]

    def _add_memory_rows(self, t: int) -> None:
        staged = self.staged
        own = {*staged.reads[t], *staged.makes[t]}
        held = [
            Held(staged.size[i], ((column, 1.0),))
            for i in range(staged.tensors)
            if i not in own and (column := self.columns.hold.get((t + 1, i))) is not None
        ]
        if not add_fit(self.memory, held, staged.room - staged.need(t)):
            self.impossible = t

    def problem(self) -> cp.Problem:
        """The CVXPY problem in matrix form; both budgets' right-hand sides are Parameters."""
        columns = self.columns
        return assemble(
            columns.cost,
            [self.supply, self.flow, self.order, self.detail],
            room=self.memory,
            limits=columns.seconds.rows(self.staged),
            upper=columns.upper,
            binary=columns.binary,
        )
