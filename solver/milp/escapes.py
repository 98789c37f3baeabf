"""Columns of which one is used when a rerun in a range of stages reads one of some tensors.

Why there is always one: need_rows.py, on escapes.
"""

from dataclasses import dataclass
from typing import Final

from solver.costs import FloatArray
from solver.milp.event_model import EventModel, Segment

_ZERO: Final = 0.03
"""What an earlier solution uses less of is taken for unused."""


@dataclass(frozen=True, slots=True)
class Seen:
    """An earlier model's solution: it says which terms are likely to vanish, nothing more."""

    model: EventModel
    x: FloatArray

    def rerun(self, tensor: int, event: int) -> float:
        """How much the tensor was made again for that event."""
        segment = self.model.ending.get((tensor, event))
        if segment is None:
            return 0.0
        return sum(float(self.x[c]) for c in (segment.remake, segment.early) if c >= 0)

    def absent(self, tensor: int, first: int, last: int) -> float:
        """How much it was absent in segments that meet the stages first < t <= last."""
        found = 0.0
        for segment in self.model.segments[tensor]:
            if segment.first < last and segment.last > first and not segment.free:
                found += 1.0 if not segment.used else self._dropped(segment)
        return found

    def _dropped(self, segment: Segment) -> float:
        return sum(float(self.x[column]) for column, _ in segment.supplies)


class Escapes:
    """Collects the columns for one set of targets.

    `below` : mask of what reruns make of the targets, the first reader being another op than
    `besides` (-1: any). `columns` : one of them is used. `splits` : (target, stage) to cut at next.
    `activated` : (tensor, event) to ask for the inputs of.
    """

    def __init__(
        self,
        model: EventModel,
        seen: Seen | None,
        targets: tuple[int, ...],
        below: int,
        besides: int,
    ) -> None:
        self._model, self._lineage, self._seen = model, model.lineage, seen
        self._targets, self._below, self._besides = targets, below, besides
        self.columns: set[int] = set()
        self.splits: set[tuple[int, int]] = set()
        self.activated: set[tuple[int, int]] = set()

    def to_op(self, t: int) -> None:
        """Paths that end in what op t reads."""
        staged = self._model.staged
        for v in staged.reads[t]:
            segment = self._model.ending.get((v, t))
            if not self._below >> v & 1 or segment is None or segment.remake < 0:
                continue
            if self._reaches(v, t - 1, t):
                self.columns |= {c for c in (segment.remake, segment.early) if c >= 0}
                if self._seen is not None and self._seen.rerun(v, t) > _ZERO:
                    self.splits.update((target, t) for target in self._targets)

    def to_early(self, first: int, last: int) -> None:
        """Paths that end in a run before its output is wanted."""
        model, staged = self._model, self._model.staged
        for y in range(staged.tensors):
            if not self._below >> y & 1 or not self._lineage.can_be_early(y):
                continue
            for segment in model.segments[y]:
                low, high = max(first, segment.first), min(last, segment.critical)
                if low >= high or segment.remake < 0:
                    continue
                if not self._reaches(y, low, high):
                    continue
                self.columns.add(segment.early if segment.early >= 0 else segment.remake)
                if self._seen is not None and self._seen.rerun(y, segment.last) > _ZERO:
                    self.activated.add((y, segment.last))

    def _reaches(self, top: int, low: int, high: int) -> bool:
        """Whether runs in stages low < t <= high lead from a target to `top`, uncut.

        Where a tensor between was present in the earlier solution, its absence is made a term.
        """
        staged = self._model.staged
        stack, known = [top], {top}
        while stack:
            op = staged.producer[stack.pop()]
            for u in self._lineage.needs[op]:
                if u in self._targets and op != self._besides:
                    return True
                if u in known or not self._below >> u & 1:
                    continue
                known.add(u)
                if not self._cut(u, low, high):
                    stack.append(u)
        return False

    def _cut(self, u: int, low: int, high: int) -> bool:
        """Make the absence of `u` a term, if it was present and that can be said in columns."""
        if self._seen is None or self._seen.absent(u, low, high) > _ZERO:
            return False
        segments = self._model.segments[u]
        if not segments or high > segments[-1].last:
            return False
        met = [q for q in segments if q.first < high and q.last > low and not q.free]
        if not all(q.used for q in met):
            return False
        for q in met:
            self.columns |= {column for column, _ in q.supplies}
        return True
