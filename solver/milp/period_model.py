"""The period model: all decisions of the staged problem, memory counted at chosen moments only.

A moment is the first run of an op. Moments c(0) < c(1) < ... cut the schedule into periods: p ends
with the run of op c(p), the last one with the schedule. Inside a period nothing is said about time:
whatever is there at some time in it can be used in all of it.

    H[p,i] tensor i stays in RAM during moment p, and is used before it is supplied again
    I[p,i] paged in during period p; P[i] written to storage once; R[p,k] op k run again in p
    min  sum in_j I + sum out_j P + sum run_j R
    H[p-1,i] + I[p,i] + R[p,maker] >= 1      read by a first run; H[p,i] to hold it, R[p,k] for k
    I[p,i] <= P[i]
    sum of size H[p,i] <= room - working set of c(p)      over i that c(p) neither reads nor makes

A tensor that c(p) reads or makes is held at no charge, as is one that a first run in the period
makes or reads; so every schedule gives a solution that costs no more, whatever the moments are: the
optimum bounds all schedules. With few moments the model is small, and most of them do not matter;
which ones do is seen from its solutions (period_growth.py).

Reruns look through folded tensors (Lineage). Memory inside a stage: period_detail.py; time where
transfers overlap: period_time.py; cuts: period_cuts.py.
"""

from collections.abc import Iterable
from typing import Final

import cvxpy as cp

from solver.costs import FloatArray
from solver.milp.assemble import assemble
from solver.milp.lineage import Lineage
from solver.milp.period_columns import PAGE_IN, RERUN, Moments, PeriodColumns
from solver.milp.period_detail import Passing, detail_row
from solver.milp.period_time import add_lane_times
from solver.milp.rows import Held, RowFamily, Stop, add_fit, never

_MARGIN: Final = 1e-6
"""Relative to the best objective: reduced costs carry the solver's tolerances."""


class PeriodModel:
    """Rows and the CVXPY problem.

    impossible : no schedule can exist (or, where columns were left out, none that is better).
    """

    def __init__(
        self, lineage: Lineage, moments: Moments, scale: float, stop: Stop = never
    ) -> None:
        self.columns = PeriodColumns(lineage, moments, scale)
        self.staged = lineage.staged
        self._moments = moments
        self._logic, self._room = RowFamily(stop), RowFamily(stop)
        self.impossible = False
        self._add_flow_rows()
        self._add_need_rows()
        self._add_memory_rows()
        add_lane_times(self.columns, self._logic)
        self._add_detail()

    def _add_detail(self) -> None:
        columns, moments = self.columns, self._moments
        passing = Passing(columns, self._logic)
        for op in sorted(moments.reruns):
            for p in range(columns.period_of(op) + 1, columns.periods):
                self._add_fit(passing.row(p, op), columns.run_column(p, op))
        for stage, op in sorted(moments.within):
            row = detail_row(columns, self._logic, stage, op)
            self._add_fit(row, columns.run_column(columns.period_of(stage), op))

    def _add_fit(self, row: list[Held] | None, run: int | None) -> None:
        """What is there fits; where it never can, `run` does not happen."""
        if row is not None and run is not None and not add_fit(self._room, row, self.staged.room):
            self._logic.add([(run, -1.0)], 0.0)

    def _add_flow_rows(self) -> None:
        columns = self.columns
        for i in columns.tensors:
            for p in range(columns.born[i] + 1, columns.end[i] + 1):
                self._add_supply(p, i)
        for (_, i), column in columns.page_in.items():
            if i in columns.write:
                self._logic.add([(columns.write[i], 1.0), (column, -1.0)], 0.0)

    def _add_supply(self, p: int, i: int) -> None:
        columns = self.columns
        if columns.is_there(p, i):
            return
        terms = columns.supplies(p, i)
        if p in columns.uses[i]:
            self.impossible = self.impossible or not terms
            self._logic.add(terms, 1.0)
        elif (p, i) in columns.hold:
            self._logic.add([*terms, (columns.hold[p, i], -1.0)], 0.0)

    def _add_need_rows(self) -> None:
        columns = self.columns
        for (p, op), column in columns.rerun.items():
            for u in columns.lineage.needs[op]:
                known = p in columns.uses[u] or p > columns.end[u] or columns.is_there(p, u)
                if not known:
                    self._logic.add([*columns.supplies(p, u), (column, -1.0)], 0.0)

    def _add_memory_rows(self) -> None:
        for p, op in enumerate(self.columns.ops):
            held = [*self._held(p)]
            if not add_fit(self._room, held, self.staged.room - self.staged.need(op)):
                self.impossible = True

    def _held(self, p: int) -> Iterable[Held]:
        size = self.staged.size
        for i in self.columns.tensors:
            if (p, i) in self.columns.must:
                yield Held(size[i], (), constant=1)
            elif (p, i) in self.columns.hold:
                yield Held(size[i], ((self.columns.hold[p, i], 1.0),))

    def problem(self) -> cp.Problem:
        """The CVXPY problem in matrix form."""
        columns = self.columns
        whole = [c for c in range(len(columns.cost)) if c not in columns.measures]
        limits = columns.seconds.rows(self.staged)
        return assemble(columns.cost, [self._logic], room=self._room, limits=limits, binary=whole)

    # What a relaxation proves

    def fix(
        self, objective: float, reduced_costs: FloatArray, best: float
    ) -> tuple[list[int], list[int]]:
        """Columns that are 0, and 1, in every solution cheaper than `best`, all in one scale.

        A solution that has a column at its other bound costs at least the relaxation's objective
        and the reduced cost. Page-ins and reruns that are 0 stay out of later models, too: the
        periods of those lie inside.
        """
        columns = self.columns
        slack = best * (1 + _MARGIN) - objective
        costs = [(c, cost) for c, cost in enumerate(reduced_costs) if c not in columns.measures]
        zero = [c for c, cost in costs if cost > slack]
        one = [c for c, cost in costs if -cost > slack]
        dear = set(zero)
        for kind, found in ((PAGE_IN, columns.page_in), (RERUN, columns.rerun)):
            for (p, item), column in found.items():
                if column in dear:
                    stretch = columns.stages_of(p)
                    self._moments.left_out.setdefault((kind, item), []).append(stretch)
        return zero, one
