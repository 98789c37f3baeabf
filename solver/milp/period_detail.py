"""Memory while ops run again, for the period model.

**Somewhere in a period.** What stays through the whole of period p is there during each of its
stages, so also while op k runs again in one of them, beside the inputs and outputs of k:

    sum of size T[p,i] + size of what k touches, where R[p,k] = 1, <= room
    T[p,i] >= H[p,i] - I[p,i] - R[p,maker]      1 in place of H where c(p) reads i or i must stay

For what is there at the end and was not supplied in between was there all the time.

**In a stage of its own period.** The reruns of a stage follow the order of the ops, each once. So
while op k runs again in stage t, these are there, of the tensors made before t:

    its inputs and outputs
    made after k: what is held since before the stage (H[p-1]), as its readers come later still
    made before k: what a later rerun j of the stage, op t or what follows reads, unless it is
    paged in: >= R[t,j] - I[t,i], 1 - I[t,i], H[t,i] - I[t,i]; and where a rerun before k reads it,
    too, and it was neither held nor made again before that, unless it is paged in twice

Where k does not run, the same are there at the next run of the stage, so that the row holds anyway.
"""

from solver.milp.period_columns import PeriodColumns
from solver.milp.rows import Held, RowFamily, Terms

Least = tuple[Terms, int]
"""Terms and a constant whose sum a presence is no less than."""


def detail_row(columns: PeriodColumns, logic: RowFamily, stage: int, op: int) -> list[Held] | None:
    """What is there while `op` runs again in `stage`, a period of its own; None: it never does.

    Adds a column, and rows to `logic`, for each tensor whose presence has more than one reason.
    """
    period = columns.period_of(stage)
    run = columns.run_column(period, op)
    if run is None or columns.stages_of(period) != (stage - 1, stage):
        return None
    return _Detail(columns, logic, (stage, op), run).row()


class Passing:
    """What passes through whole periods, beside ops that run again in them."""

    def __init__(self, columns: PeriodColumns, logic: RowFamily) -> None:
        self._columns, self._logic = columns, logic
        self._known: dict[int, dict[int, Least]] = {}

    def row(self, p: int, op: int) -> list[Held] | None:
        """What is there while `op` runs again in period `p`; None: it never does."""
        columns, staged = self._columns, self._columns.staged
        run = columns.run_column(p, op)
        if run is None or p >= len(columns.ops):
            return None
        passing = self._passing(p)
        touched = (*staged.reads[op], *staged.makes[op])
        found = [
            Held(staged.workspace[op], ((run, 1.0),)),
            *(Held(staged.size[i], *self._beside(passing.get(i), run, i, op)) for i in touched),
            *(
                Held(staged.size[i], tuple(terms), constant)
                for i, (terms, constant) in passing.items()
                if i not in touched
            ),
        ]
        return [held for held in found if held.size]

    def _beside(
        self, passing: Least | None, run: int, i: int, op: int
    ) -> tuple[tuple[tuple[int, float], ...], int]:
        """Presence of a tensor that the rerun touches."""
        if passing is None:
            return ((run, 1.0),), 0
        terms, constant = passing
        if constant:
            return (), 1
        if self._columns.staged.makes[op] == (i,):  # made again, it does not pass
            return (*terms, (run, 1.0)), 0
        return tuple(largest(self._columns, self._logic, [passing, ([(run, 1.0)], 0)])[0]), 0

    def _passing(self, p: int) -> dict[int, Least]:
        if p not in self._known:
            found = {i: self._through(p, i) for i in self._columns.tensors}
            self._known[p] = {i: least for i, least in found.items() if least is not None}
        return self._known[p]

    def _through(self, p: int, i: int) -> Least | None:
        columns, staged = self._columns, self._columns.staged
        column = columns.hold.get((p, i))
        waits = (p, i) in columns.must or staged.op_in[columns.ops[p]] >> i & 1
        if columns.born[i] >= p or (column is None and not waits):
            return None
        supplies = (columns.page_in.get((p, i)), columns.rerun.get((p, staged.producer[i])))
        less: Terms = [(supply, -1.0) for supply in supplies if supply is not None]
        if column is None:
            return largest(columns, self._logic, [(less, 1)])
        return largest(columns, self._logic, [([(column, 1.0), *less], 0)])


def largest(columns: PeriodColumns, logic: RowFamily, reasons: list[Least]) -> Least:
    """A presence that is no less than each of the reasons."""
    for terms, constant in reasons:
        if constant and not terms:
            return [], 1
    if len(reasons) == 1 and len(reasons[0][0]) == 1 and not reasons[0][1]:
        return reasons[0]
    column = columns.new_column()
    for terms, constant in reasons:
        row = [(column, 1.0), *((other, -value) for other, value in terms)]
        logic.add(row, float(constant))
    return [(column, 1.0)], 0


class _Detail:
    def __init__(
        self, columns: PeriodColumns, logic: RowFamily, rerun: tuple[int, int], run: int
    ) -> None:
        self._columns, self._staged, self._logic = columns, columns.staged, logic
        self._stage, self._op = rerun
        self._period, self._run = columns.period_of(self._stage), run

    def row(self) -> list[Held]:
        staged = self._staged
        found = [Held(staged.workspace[self._op], ((self._run, 1.0),))]
        for i in range(staged.tensors):
            if staged.producer[i] < self._stage:
                presence = self._presence(i)
                if presence is not None:
                    terms, constant = presence
                    found.append(Held(staged.size[i], tuple(terms), constant))
        return [held for held in found if held.size]

    def _presence(self, i: int) -> Least | None:
        staged, op = self._staged, self._op
        before = self._held_before(i)
        if i in staged.makes[op]:
            if before is None or before[1]:
                return before or ([(self._run, 1.0)], 0)
            if len(staged.makes[op]) == 1:  # held: it would not run again
                return [*before[0], (self._run, 1.0)], 0
            return self._largest([before, ([(self._run, 1.0)], 0)])
        if staged.producer[i] > op:
            return before or self._largest(self._wanted_beyond(i, remade=True))
        wanted = self._wanted_beyond(i, remade=False)
        wanted += self._wanted_on_both_sides(i, wanted)
        if op in staged.readers[i]:
            wanted.append(([(self._run, 1.0)], 0))
        return self._largest(wanted)

    def _held_before(self, i: int) -> Least | None:
        """Held since before the stage, and not only by what the last moment's op touches."""
        key = (self._period - 1, i)
        if key in self._columns.must:
            return [], 1
        column = self._columns.hold.get(key)
        if column is None:
            return None
        terms: Terms = [(column, 1.0)]
        earlier = self._columns.written.get(key)
        if earlier is not None:  # perhaps it only waited for its page-out, which has ended now
            now = self._columns.written_by(self._period, i)
            assert now is not None
            terms += [(earlier, 1.0), (now, -1.0)]
        return self._largest([(terms, 0)])

    def _wanted_beyond(self, i: int, *, remade: bool) -> list[Least]:
        """Reasons for it to be there: read later, unless paged in (or `remade`) in between."""
        columns, staged, p = self._columns, self._staged, self._period
        if remade and (p - 1, i) not in columns.touched:
            return []
        later = [columns.page_in.get((p, i))]
        if remade:
            later.append(columns.rerun.get((p, staged.producer[i])))
        without: Terms = [(column, -1.0) for column in later if column is not None]
        found: list[Least] = []
        if self._stage in staged.readers[i] or (p, i) in columns.must:
            found.append((without, 1))
        elif (p, i) in columns.hold:
            found.append(([(columns.hold[p, i], 1.0), *without], 0))
        for reader in staged.readers[i]:
            if self._op < reader < self._stage:
                column = columns.run_column(p, reader)
                if column is not None:
                    found.append(([(column, 1.0), *without], 0))
        return found

    def _wanted_on_both_sides(self, i: int, beyond: list[Least]) -> list[Least]:
        """Reasons where one page-in does not do: it would be for an earlier rerun of the stage."""
        columns, staged, p = self._columns, self._staged, self._period
        page_in = columns.page_in.get((p, i))
        if page_in is None or (p - 1, i) in columns.touched:
            return []
        before = [reader for reader in staged.readers[i] if reader < self._op]
        found_runs = [columns.run_column(p, reader) for reader in before]
        earlier = [column for column in found_runs if column is not None]
        if not earlier or not beyond:
            return []
        others = (columns.hold.get((p - 1, i)), columns.rerun.get((p, staged.producer[i])))
        instead: Terms = [(column, -1.0) for column in others if column is not None]
        instead.append((columns.second_page_in(p, i), -1.0))
        return [
            (
                [*(term for term in terms if term[0] != page_in), (column, 1.0), *instead],
                constant - 1,
            )
            for column in earlier
            for terms, constant in beyond
        ]

    def _largest(self, reasons: list[Least]) -> Least | None:
        return largest(self._columns, self._logic, reasons) if reasons else None
