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
import numpy as np

from solver.milp.gap_model import Gap, chain_costs
from solver.milp.rows import RowFamily, least_sum_reaching
from solver.milp.stage_columns import StageColumns
from solver.staged import StagedProblem

_UNITS = 4  # distinct sizes for which a rounded row is added beside each memory row


class StageModel:
    """Columns, rows and the CVXPY problem; the right-hand sides of the budgets are Parameters.

    begin : first stage with columns of its own (0 or the first backward op). detailed : stages whose
    memory is modelled run by run. `impossible` : an op that cannot fit whatever is dropped, or None.
    """

    def __init__(
        self, staged: StagedProblem, *, begin: int, detailed: frozenset[int], scale: float
    ) -> None:
        self.staged = staged
        self.columns = StageColumns(staged, begin, detailed, scale)
        self.begin = begin
        self.impossible: int | None = None
        self.supply, self.flow, self.order, self.memory, self.detail = (
            RowFamily() for _ in range(5)
        )
        self.forward_gaps: list[Gap] = []
        if begin:
            self._add_forward()
        for t in range(begin, staged.stages):
            self._add_supply_rows(t)
            self._add_order_rows(t)
            self._add_memory_rows(t)
        for (_, i), column in self.columns.page_in.items():
            if i in self.columns.write:
                self.flow.add([(self.columns.write[i], 1.0), (column, -1.0)], 0.0)
        for t in sorted(detailed):
            self._add_detail_rows(t)

    # -- rows -------------------------------------------------------------------------------------

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
        own = set(staged.reads[t]) | set(staged.makes[t])
        held = [
            (column, staged.size[i])
            for i in range(staged.tensors)
            if i not in own and (column := self.columns.hold.get((t + 1, i))) is not None
        ]
        self._fit(t, [([(column, 1.0)], size) for column, size in held])

    def _fit(self, op: int, held: list[tuple[list[tuple[int, float]], int]]) -> None:
        """sum of size * (terms) <= room of the op, with the rounded rows that sharpen it.

        Each entry stands for a 0/1 quantity: what is beside the op's working set when it runs.
        """
        staged = self.staged
        free = staged.room - staged.need(op)
        if free < 0:
            self.impossible = op
            return
        total = sum(size for _, size in held)
        if total <= free:
            return
        sizes = [size for _, size in held]
        most = total - least_sum_reaching(sizes, total - free)
        self._knapsack(held, sizes, most)
        for unit in sorted({size for size in sizes if size}, reverse=True)[:_UNITS]:
            parts = [size // unit for size in sizes]
            if sum(parts) > most // unit:
                self._knapsack(held, parts, most // unit)

    def _knapsack(
        self, held: list[tuple[list[tuple[int, float]], int]], weights: list[int], most: int
    ) -> None:
        unit = max(most, max(weights), 1)
        terms = [
            (column, -weight / unit * factor)
            for (entry, _), weight in zip(held, weights, strict=True)
            for column, factor in entry
            if weight
        ]
        self.memory.add(terms, -most / unit)

    def _add_forward(self) -> None:
        """The forward pass as gaps: (7), with supplies once more at their own price."""
        staged, columns, nf = self.staged, self.columns, self.begin
        chain_j, chain_s = chain_costs(staged, staged.run_j), chain_costs(staged, staged.run_s)
        around: list[list[tuple[list[tuple[int, float]], int]]] = [[] for _ in range(nf)]
        for i in range(staged.tensors):
            if staged.producer[i] >= nf:
                continue
            maker = staged.producer[i]
            share = len(staged.makes[maker])
            uses = [maker, *(op for op in staged.readers[i] if op < nf)]
            for first, last in zip(uses, uses[1:], strict=False):
                if last > first + 1:
                    gap = self._forward_gap(i, first, last, chain_j[maker], chain_s[maker])
                    terms = [(c, -1.0) for c in (gap.page_in, gap.remake) if c >= 0]
                    for op in range(first + 1, last):
                        around[op].append((terms, staged.size[i]))
            if (nf, i) in columns.hold and uses[-1] + 1 < nf:
                columns.add_early(i, chain_j[maker] / share, chain_s[maker] / share)
                terms = [(columns.hold[nf, i], 1.0)]
                for early in (columns.early_in.get(i), columns.early_run.get(i)):
                    if early is not None:
                        terms.append((early, -1.0))
                self.flow.add(terms, 0.0)
                if i in columns.early_in and i in columns.write:
                    self.flow.add([(columns.write[i], 1.0), (columns.early_in[i], -1.0)], 0.0)
                for op in range(uses[-1] + 1, nf):
                    around[op].append((terms, staged.size[i]))
        for op in range(nf):
            self._fit_forward(op, around[op])

    def _forward_gap(self, i: int, first: int, last: int, run_j: float, run_s: float) -> Gap:
        staged, columns = self.staged, self.columns
        share = len(staged.makes[staged.producer[i]])
        page_in = remake = -1
        if staged.may_page[i]:
            page_in = columns.new_free(staged.in_j[i], staged.in_s[i])
            if i not in columns.write and not staged.stored >> i & 1:
                columns.write[i] = columns.new_free(staged.out_j[i], staged.out_s[i])
            if i in columns.write:
                self.flow.add([(columns.write[i], 1.0), (page_in, -1.0)], 0.0)
        if staged.may_rerun[staged.producer[i]]:
            remake = columns.new_free(run_j / share, run_s / share)
        gap = Gap(i, first, last, page_in, remake)
        self.forward_gaps.append(gap)
        if page_in >= 0 and remake >= 0:
            self.flow.add([(page_in, -1.0), (remake, -1.0)], -1.0)
        return gap

    def _fit_forward(self, op: int, around: list[tuple[list[tuple[int, float]], int]]) -> None:
        """Room at a forward op: gap entries read 1 - I - R, kept entries S - FI - FR."""
        staged = self.staged
        always = sum(size for terms, size in around if all(f < 0 for _, f in terms))
        total = sum(size for _, size in around)
        free = staged.room - staged.need(op)
        if free < 0:
            self.impossible = op
            return
        if total <= free:
            return
        sizes = [size for _, size in around]
        most = total - least_sum_reaching(sizes, total - free)
        unit = max(most, max(sizes), 1)
        terms = [(c, -size / unit * f) for entry, size in around for c, f in entry]
        self.memory.add(terms, -(most - always) / unit)

    def _add_detail_rows(self, t: int) -> None:
        """(12): what is in RAM at each run inside stage t, and its memory row."""
        staged, columns = self.staged, self.columns
        runs = columns.runs[t]
        last = len(runs) - 1
        for position, op in enumerate(runs):
            run = columns.rerun.get((t, op))
            weights: list[tuple[int, float]] = []
            for i in range(staged.tensors):
                here = columns.here.get((t, position, i))
                if here is None:
                    continue
                weights.append((here, float(staged.size[i])))
                terms = [(here, -1.0)]
                before = (
                    columns.here.get((t, position - 1, i)) if position else columns.hold.get((t, i))
                )
                if before is not None:
                    terms.append((before, 1.0))
                if (t, position, i) in columns.load:
                    terms.append((columns.load[t, position, i], 1.0))
                made = i in staged.makes[op]
                if made and run is not None:
                    terms.append((run, 1.0))
                self.detail.add(terms, -1.0 if made and run is None else 0.0)
                if made or i in staged.reads[op]:
                    floor = [(here, 1.0)] if run is None else [(here, 1.0), (run, -1.0)]
                    self.detail.add(floor, 1.0 if run is None else 0.0)
            self._add_detail_memory(t, op, run, weights)
            if run is not None:
                for i in staged.reads[op]:
                    load = columns.load.get((t, position, i))
                    if load is not None:
                        self.detail.add([(run, 1.0), (load, -1.0)], 0.0)
        for i in range(staged.tensors):
            held, here = columns.hold.get((t + 1, i)), columns.here.get((t, last, i))
            if held is not None and here is not None:
                self.detail.add([(here, 1.0), (held, -1.0)], 0.0)
        self._add_load_rows(t)

    def _add_detail_memory(
        self, t: int, op: int, run: int | None, weights: list[tuple[int, float]]
    ) -> None:
        staged = self.staged
        unit = float(max(staged.room, 1))
        workspace = staged.workspace[op]
        if run is not None:  # outputs that nothing can use any more still count while the op runs
            dead = [i for i in staged.makes[op] if (t, i) not in self.columns.hold]
            workspace += sum(staged.size[i] for i in dead)
        terms = [(column, -weight / unit) for column, weight in weights]
        room = staged.room
        if run is None:
            room -= workspace
        elif workspace:
            terms.append((run, -workspace / unit))
        self.detail.add(terms, -room / unit)

    def _add_load_rows(self, t: int) -> None:
        """Page-ins before single runs are paid by the stage's page-in and those beyond the first."""
        columns = self.columns
        loads: dict[int, list[int]] = {}
        for (stage, _, i), column in columns.load.items():
            if stage == t:
                loads.setdefault(i, []).append(column)
        for i, found in loads.items():
            first, more = columns.page_in[t, i], columns.again[t, i]
            self.detail.add([(first, 1.0), (more, 1.0), *((c, -1.0) for c in found)], 0.0)
            self.detail.add([(first, columns.upper[more]), (more, -1.0)], 0.0)
            if i in columns.write:
                for column in found:
                    self.detail.add([(columns.write[i], 1.0), (column, -1.0)], 0.0)

    # -- the CVXPY problem ------------------------------------------------------------------------

    def problem(self) -> cp.Problem:
        """The CVXPY problem in matrix form; memory's right-hand sides and the limit are Parameters."""
        columns = self.columns
        lower, upper = columns.bounds()
        x = cp.Variable(
            len(columns), boolean=(np.array(columns.binary, dtype=int),), bounds=[lower, upper]
        )
        constraints = [
            family.matrix(len(columns)) @ x >= family.lower_bounds()
            for family in (self.supply, self.flow, self.order, self.detail)
            if len(family)
        ]
        if len(self.memory):
            room = cp.Parameter(len(self.memory), value=self.memory.lower_bounds())
            constraints.append(self.memory.matrix(len(columns)) @ x >= room)
        limit = self.staged.limit_s
        if limit is not None:
            unit = max(abs(limit), max(columns.seconds, default=0.0), 1e-300)
            seconds = cp.Parameter(value=limit / unit)
            constraints.append(np.array(columns.seconds) / unit @ x <= seconds)
        return cp.Problem(cp.Minimize(np.array(columns.cost) @ x), constraints)
