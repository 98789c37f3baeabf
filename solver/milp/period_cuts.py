"""Cuts for the period model: what is read was held, written, or made from what was.

With s a moment and t a later period, f(i) bounds "i is in RAM at some time after s, up to t". Sums
over s < q <= t:

    f(i) = H[s,i] + min(P[i], sum of I[q,i]) + min(sum of R[q,maker], f(u) of an input u)

and f(i) >= 1 where a first run of period t reads i. For i was held through s, or paged in since,
or made again since, and then each input of its maker was there after s, too. The relaxation splits
page-ins and reruns over periods and pays for the write, and for the inputs, once. Where time is
counted per lane, W[s,i] stands for P[i]: the first supply after s is no page-in unless it was
written by then.
"""

from typing import Final

import numpy as np

from solver.costs import FloatArray
from solver.milp.backend import Cut
from solver.milp.period_columns import PeriodColumns

_VIOLATION: Final = 0.02
_MOST: Final = 400


def separate_periods(columns: PeriodColumns, x: FloatArray) -> list[Cut]:
    """The most violated cuts at `x`, the deepest for each read; empty when none is."""
    search = _Search(columns, x)
    found: list[tuple[float, Cut]] = []
    for i in columns.tensors:
        for t in sorted(columns.uses[i] - {columns.born[i]}):
            best, start = min(
                ((search.value(i, s, t), s) for s in range(columns.born[i], t)),
                default=(1.0, 0),
            )
            if best < 1 - _VIOLATION:
                found.append((best, search.cut(i, start, t)))
    found.sort(key=lambda entry: entry[0])
    return [cut for _, cut in found[:_MOST]]


class _Search:
    """Values of f, and the terms that they are the sum of."""

    def __init__(self, columns: PeriodColumns, x: FloatArray) -> None:
        self._columns, self._x = columns, x
        self._paged = _sums(columns.page_in, columns.periods, x)
        self._run = _sums(columns.rerun, columns.periods, x)
        self._known: dict[tuple[int, int, int], tuple[float, int | None, bool]] = {}

    def value(self, i: int, s: int, t: int) -> float:
        """f(i) at `x`; 1 or more where it says nothing."""
        return self._look(i, s, t)[0]

    def _look(self, i: int, s: int, t: int) -> tuple[float, int | None, bool]:
        """f(i), the input that stands for the reruns (None: they do), whether P stands for I."""
        key = (i, s, t)
        if key not in self._known:
            self._known[key] = self._work_out(i, s, t)
        return self._known[key]

    def _work_out(self, i: int, s: int, t: int) -> tuple[float, int | None, bool]:
        columns, x = self._columns, self._x
        if s < columns.born[i] or columns.is_there(s + 1, i):
            return 1.0, None, False
        column = columns.hold.get((s, i))
        total = 0.0 if column is None else float(x[column])
        paged = _between(self._paged.get(i), s, t)
        write = columns.written_by(s, i)
        written = write is not None and float(x[write]) < paged
        total += float(x[write]) if write is not None and written else paged
        maker = columns.staged.producer[i]
        made, through = _between(self._run.get(maker), s, t), None
        if made > 0 and total < 1:
            for u in columns.lineage.needs[maker]:
                instead = self.value(u, s, t)
                if instead < made:
                    made, through = instead, u
        return total + made, through, written

    def cut(self, i: int, s: int, t: int) -> Cut:
        """f(i) >= 1 as a row."""
        columns = self._columns
        terms: dict[int, float] = {}
        while True:
            _, through, written = self._look(i, s, t)
            used = [columns.hold.get((s, i))]
            if written:
                used.append(columns.written_by(s, i))
            else:
                used += [columns.page_in.get((q, i)) for q in range(s + 1, t + 1)]
            if through is None:
                maker = columns.staged.producer[i]
                used += [columns.rerun.get((q, maker)) for q in range(s + 1, t + 1)]
            for column in used:
                if column is not None:
                    terms[column] = terms.get(column, 0.0) + 1.0
            if through is None:
                return Cut(tuple(terms), tuple(terms.values()), 1.0)
            i = through


def _sums(
    columns: dict[tuple[int, int], int], periods: int, x: FloatArray
) -> dict[int, FloatArray]:
    """Per tensor or op, the running sum over periods: of those before p at place p."""
    found: dict[int, FloatArray] = {}
    for (p, item), column in columns.items():
        found.setdefault(item, np.zeros(periods + 1))[p + 1] = x[column]
    return {item: np.cumsum(values) for item, values in found.items()}


def _between(sums: FloatArray | None, s: int, t: int) -> float:
    """The sum over periods s < q <= t."""
    return 0.0 if sums is None else float(sums[t + 1] - sums[s + 1])
