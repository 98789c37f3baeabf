"""Where transfers overlap: what each lane does between one moment and the next takes that long.

Two totals alone (assemble.py) would let what has to be written before a moment take time after it.
With L the limit, the begin of its op as the moment, and seconds d[p] from one moment to the next:

    d[p] >= first runs of the period + sum of run_s R[p,k]
    d[p] >= sum of out_s (W[p,i] - W[p-1,i]) + sum of in_s I[p,i] + v[p-1] - v[p]
    sum of d[p] <= L
    W[p,i] tensor i is written by moment p;  W[p-1,i] <= W[p,i] <= P[i];  I[p,i] <= W[p,i]
    W[p,i] + H[p,i] + sum of R[q,maker] >= 1      over p < q <= the next period that reads i

A page-in counts in the period in which it begins, a page-out in that in which it ends. One of them
may go on at moment p: v[p] is what is left of the page-in, or less what is done of the page-out.

The last row: what is read next, neither made again before that nor written yet, is in RAM at the
moment, or its page-out would come too late. So here H[p,i] is 1, too, where i only waits for the
end of its page-out.
"""

from solver.milp.period_columns import PeriodColumns
from solver.milp.rows import RowFamily, Terms


def add_lane_times(columns: PeriodColumns, logic: RowFamily) -> None:
    """Add the columns and rows; only where transfers overlap within a runtime limit."""
    staged = columns.staged
    if staged.limit_s is None or staged.transfer_limit_s is None or not columns.page_in:
        return
    _Lanes(columns, logic, staged.limit_s + sum(staged.run_s)).add()


class _Lanes:
    """Seconds are divided by the limit."""

    def __init__(self, columns: PeriodColumns, logic: RowFamily, limit_s: float) -> None:
        self._columns, self._logic, self._limit_s = columns, logic, limit_s
        staged = columns.staged
        self._in = [seconds / limit_s for seconds in staged.in_s]
        self._out = [seconds / limit_s for seconds in staged.out_s]
        self._paged: list[Terms] = [[] for _ in range(columns.periods)]
        for (p, i), column in columns.page_in.items():
            self._paged[p].append((column, self._in[i]))
        self._run: list[Terms] = [[] for _ in range(columns.periods)]
        for (p, op), column in columns.rerun.items():
            self._run[p].append((column, columns.lineage.run_s[op] / limit_s))

    def add(self) -> None:
        columns, logic = self._columns, self._logic
        for i in columns.write:
            self._add_written(i)
        lasting = [columns.new_measure() for _ in range(columns.periods)]
        logic.add([(column, -1.0) for column in lasting], -1.0)
        before: Terms = []
        for p, column in enumerate(lasting):
            logic.add([(column, 1.0), *_less(self._run[p])], self._first_runs(p))
            after = self._going_on(p, before) if p < len(columns.ops) else []
            moved = [*self._paged[p], *self._writes(p), *before, *_less(after)]
            logic.add([(column, 1.0), *_less(moved)], 0.0)
            before = after

    def _first_runs(self, p: int) -> float:
        """Of the ops that begin at moment p - 1 or later and before moment p."""
        run_s = self._columns.staged.run_s
        first, last = self._columns.stages_of(p)
        end = last if p < len(self._columns.ops) else len(run_s)
        return sum(run_s[max(first, 0) : end]) / self._limit_s

    def _writes(self, p: int) -> Terms:
        """What is written in a period."""
        columns = self._columns
        found: Terms = []
        for i in columns.write:
            now, earlier = columns.written_by(p, i), columns.written_by(p - 1, i)
            if now != earlier:
                found += self._of(now, i)
                found += _less(self._of(earlier, i))
        return found

    def _of(self, column: int | None, i: int) -> Terms:
        return [] if column is None else [(column, self._out[i])]

    def _going_on(self, p: int, before: Terms) -> Terms:
        """v[p]: of a page-in that has begun, less of a page-out that is not done."""
        columns, logic = self._columns, self._logic
        begun, left = columns.new_measure(), columns.new_measure()
        longest_in = max(self._in[i] for _, i in columns.page_in)
        longest_out = max((self._out[i] for i in columns.write), default=0.0)
        still = [term for term in before if term[1] > 0]
        logic.add([*self._paged[p], *still, (begun, -longest_in)], 0.0)
        undone: Terms = []
        for i, write in columns.write.items():
            now = columns.written_by(p, i)
            if now != write:
                undone += [(write, self._out[i]), *_less(self._of(now, i))]
        logic.add([*undone, (left, -longest_out)], 0.0)
        return [(begun, longest_in), (left, -longest_out)]

    def _add_written(self, i: int) -> None:
        columns, logic = self._columns, self._logic
        made = columns.staged.producer[i]
        moments = [p for p in range(columns.born[i], columns.end[i]) if columns.ops[p] > made]
        columns.written.update({(p, i): columns.new_column() for p in moments})
        for p in moments:
            now, later = columns.written[p, i], columns.written_by(p + 1, i)
            assert later is not None
            logic.add([(later, 1.0), (now, -1.0)], 0.0)
            if (p, i) in columns.page_in:
                logic.add([(now, 1.0), (columns.page_in[p, i], -1.0)], 0.0)
            if (p, i) in columns.hold:
                self._add_held_or_written(p, i)

    def _add_held_or_written(self, p: int, i: int) -> None:
        columns = self._columns
        following = min((q for q in columns.uses[i] if q > p), default=None)
        maker, last = columns.staged.producer[i], following or columns.end[i]
        reruns = [columns.rerun.get((q, maker)) for q in range(p + 1, last + 1)]
        found = [columns.hold[p, i], columns.written[p, i], *(c for c in reruns if c is not None)]
        terms: Terms = [(column, 1.0) for column in found]
        if following is None:  # only reruns may read it: perhaps nothing does
            self._logic.add([*terms, (columns.write[i], -1.0)], 0.0)
        else:
            self._logic.add(terms, 1.0)


def _less(terms: Terms) -> Terms:
    return [(column, -value) for column, value in terms]
