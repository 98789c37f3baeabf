"""Rows of the event model about the inputs of reruns, and why they hold for every schedule.

Memory counts at first runs only (a relaxation). Then every schedule can be changed, at no cost and
without losing room, until each rerun of an op k in a stage t is of one of these kinds.

late : its output is read in stage t, by op t or by another rerun there.
early : it is not; it stays in RAM, and an input w, no smaller than the output, is dropped in t.

For if nothing reads the output in t, the run can move to stage t + 1, unless that means holding
inputs at op t that together are larger than the output (Lineage.can_be_early).
And w was not simply held since the output was dropped: then hold the output in its place, and save
the rerun. So since then w was supplied, or read by op or rerun. Where all inputs smaller than the
output are together no larger than it, some such w exists. (Of an op with several outputs w must be
no smaller than all of them. "Since" may reach back to the last use of any of them.)

Let i be made by k and absent between two events a and e, and let c be the last critical op before
e; a run after c can move to stage e, because nothing binds in between. Hence

    R[i,e] <= available at e of each input u + escapes(i)
    E[i,e] <= sum over w of (supplies of w since then + escapes(w, other than by k))
    E[i,e] <= 1 - H[u]  of each u without which the inputs are no larger than the output
    E[i,e] <= available at a + 1 of each u + supplies of u after it, up to c

escapes(i) bounds "a rerun in a stage t of a+1 .. c reads an output of k" (its other outputs may
also be read by op t: R[other,t]). Follow the runs that need each other in stage t from i: they end
in a v that op t reads, so that R[v,t] = 1, or in an early run of a y; and each tensor on the way
was absent. So per path from i to such a v or y one term is enough: R[v,t], the early or remake
column of y, or 1 - H of a tensor between. The last is taken where an earlier solution held one: to
drop what was dear to hold costs more than a run. Where none was held, i is cut at t next time.
"""

from collections.abc import Iterable

from solver.milp.escapes import Escapes, Seen
from solver.milp.event_model import EventModel, Segment
from solver.milp.refinement import Refinement


class NeedRows:
    """Adds the rows of every need of a refinement to a model.

    splits : (tensor, stage) to cut at next. activated : (tensor, event) to ask for the inputs of.
    missing : (early column, input, stage) whose row needs a cut there.
    """

    def __init__(self, model: EventModel, refinement: Refinement, seen: Seen | None) -> None:
        self._model = model
        self._lineage = model.lineage
        self._seen = seen
        self.splits: set[tuple[int, int]] = set()
        self.activated: set[tuple[int, int]] = set()
        self.missing: list[tuple[int, int, int]] = []
        for tensor, event in sorted(refinement.active):
            segment = model.ending.get((tensor, event))
            if segment is not None and segment.remake >= 0:
                self._add(segment, refinement)

    def _add(self, segment: Segment, refinement: Refinement) -> None:
        model, staged = self._model, self._model.staged
        op = staged.producer[segment.tensor]
        rows = []
        for u in self._lineage.needs[op]:
            there = model.ending.get((u, segment.last))
            asked = (segment.tensor, segment.last, u) in refinement.needs
            if asked and there is not None and not there.used and not there.free:
                rows.append([*there.available, (segment.remake, -1.0)])
        if rows:
            escapes = self._escapes(staged.makes[op], segment.first, segment.critical, -1)
            escapes |= self._siblings(segment)
            for row in rows:
                model.add_row(_joined(row, escapes), 0.0)
        if segment.early >= 0:
            self._add_early(segment, op)

    def _siblings(self, segment: Segment) -> set[int]:
        """Columns one of which is used when a run after `first` is read by an op for its others."""
        model, staged = self._model, self._model.staged
        found = set()
        for other in staged.makes[staged.producer[segment.tensor]]:
            for t in staged.readers[other] if other != segment.tensor else ():
                if segment.first < t <= segment.critical:
                    there = model.ending[other, t]
                    found |= {c for c in (there.remake, there.early) if c >= 0}
        return found

    def _add_early(self, segment: Segment, op: int) -> None:
        model, size = self._model, self._model.staged.size
        needs = self._lineage.needs[op]
        total, own = sum(size[u] for u in needs), size[segment.tensor]
        for u in needs:
            self._add_presence(segment, u)
            if total - size[u] <= own:
                lost = self._absent(u, segment.first, segment.critical + 1)
                if lost is not None:
                    model.add_row(_joined([(segment.early, -1.0)], lost), 0.0)
        made = sum(size[i] for i in model.staged.makes[op])
        if sum(size[u] for u in needs if size[u] < made) > own:
            return
        first = self._first_absence(segment, op)
        terms: set[int] = set()
        for w in needs:
            if size[w] >= made:
                given = self._given(w, segment, first, op)
                if given is None:
                    return
                terms |= given
        model.add_row(_joined([(segment.early, -1.0)], terms), 0.0)

    def _add_presence(self, segment: Segment, u: int) -> None:
        """E[i,e] <= available at a + 1 or supplied later, up to c, for an input without uses."""
        model, staged = self._model, self._model.staged
        first, last = segment.first, segment.critical
        uses = (staged.producer[u], *staged.readers[u])
        if any(first <= t <= last for t in uses) or first + 1 > self._lineage.life[u]:
            return
        there = model.ending.get((u, first + 1))
        if there is None:
            self.missing.append((segment.early, u, first + 1))
            return
        found = {column for column, _ in there.available}
        for q in model.segments[u]:
            if first + 1 <= q.first < last:
                found |= {column for column, _ in q.supplies}
                found |= {q.extra} if q.extra >= 0 else set()
        model.add_row(_joined([(segment.early, -1.0)], found), 0.0)

    def _first_absence(self, segment: Segment, op: int) -> int:
        """The earliest use after which an output may be absent until a run in the segment."""
        model, staged = self._model, self._model.staged
        first, last = segment.first, segment.critical
        return min(
            max(t for t in (staged.producer[i], *staged.readers[i]) if t <= q.first)
            for i in staged.makes[op]
            for q in model.segments[i]
            if q.first < last and q.last > first
        )

    def _given(self, w: int, segment: Segment, first: int, op: int) -> set[int] | None:
        """Columns one of which is used when w was supplied or read; None: a first run reads it."""
        last = segment.critical
        uses = [t for t in self._model.staged.readers[w] if first < t <= last]
        if uses:
            self.splits.update((segment.tensor, t) for t in uses if t > segment.first)
            return None
        found = self._escapes((w,), first, last, op)
        for q in self._model.segments[w]:
            if q.first < last and q.last > first:
                found |= {q.extra} if q.extra >= 0 else set()
                if q.last <= last:
                    found |= {column for column, _ in q.supplies}
        return found

    def _absent(self, tensor: int, first: int, last: int) -> set[int] | None:
        """Columns one of which is used when it is absent in stages first < t <= last."""
        segments = self._model.segments[tensor]
        if not segments or last > segments[-1].last:
            return None
        found: set[int] = set()
        for q in segments:
            if q.first < last and q.last > first and not q.free:
                if not q.used:
                    return None
                found |= {column for column, _ in q.supplies}
        return found

    def _escapes(self, targets: tuple[int, ...], first: int, last: int, besides: int) -> set[int]:
        """Columns one of which is used when a rerun in stages first < t <= last reads a target."""
        below = 0
        for target in targets:
            below |= self._lineage.below(target, besides)
        if last <= first or not below:
            return set()
        walk = Escapes(self._model, self._seen, targets, below, besides)
        for t in range(first + 1, last + 1):
            walk.to_op(t)
        walk.to_early(first, last)
        self.splits |= walk.splits
        self.activated |= walk.activated
        return walk.columns


def _joined(row: Iterable[tuple[int, float]], more: set[int]) -> list[tuple[int, float]]:
    """The row with each column of `more` at least once."""
    terms = dict(row)
    for column in sorted(more):
        terms.setdefault(column, 1.0)
    return list(terms.items())
