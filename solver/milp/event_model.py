"""The event model: the gap model with the inputs of reruns, added where a solution ignores them.

A tensor's time is cut at events: every use by a first run, and those further stages in which a
rerun may want it. Between two events a and e it is held through (H), or supplied once more: paged
in (I), made in stage e itself (R) or in an earlier stage after a, and then in RAM at the last
critical op before e (E). At an event that is no use it may also be absent.

    min  sum in_j I + run_j (R + E) + sum out_j P + extra
    H + I + R + E = 1 where e is a use, else <= 1;  I <= P
    H <= H + I + R + E of the segment before, where a is no use
    per critical op: sum of size H + size E (at its last critical op) + working set <= room
    R <= H + I + R + E at e of every input of the producer          (rows in need_rows.py)

Without the last rows and further events this is the gap model. Each row is proved in need_rows.py;
all together hold for a relaxation of the staged problem in which memory counts at first runs only,
so the optimum bounds every schedule. Events and rows are chosen by refinement.py.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import cvxpy as cp

from solver.costs import FloatArray
from solver.milp.assemble import LaneSeconds, assemble
from solver.milp.lineage import Lineage
from solver.milp.refinement import Refinement
from solver.milp.rows import RowFamily, Stop, least_sum_reaching, never

Terms = list[tuple[int, float]]

_UNITS: Final = 6
"""Distinct sizes for which a rounded row is added beside each memory row, at most."""
_MOST_TERMS: Final = 1_500_000
"""Rounded rows are left out where the memory rows would have more terms than this."""
_SUM_BITS: Final = 1 << 22
"""Effort for exact subset sums: the model is written many times over."""
_HALF: Final = 0.5


@dataclass(slots=True)
class Segment:
    """The time of a tensor between two of its events; columns are -1 where there is none.

    used : whether `last` is a use. after_use : whether `first` is one (or the making). dangling :
    behind the last use. free : no op runs in between, so it is held at no cost. critical : the
    last critical op strictly inside, -1 if none. extra : a supply that is lost again before `last`.
    """

    tensor: int
    first: int
    last: int
    used: bool
    after_use: bool
    dangling: bool
    critical: int
    page_in: int = -1
    remake: int = -1
    early: int = -1
    extra: int = -1
    hold: int = -1

    @property
    def free(self) -> bool:
        """Held whatever happens."""
        return self.after_use and self.last == self.first + 1

    @property
    def supplies(self) -> Terms:
        """I + R + E."""
        columns = (self.page_in, self.remake, self.early)
        return [(column, 1.0) for column in columns if column >= 0]

    @property
    def available(self) -> Terms:
        """H + I + R + E at `last`, for a segment whose end is no use and that is not free."""
        return [*([(self.hold, 1.0)] if self.hold >= 0 else []), *self.supplies]


class EventModel:
    """Columns, rows and the CVXPY problem.

    `segments` : per tensor, in order. `ending` : (tensor, event) -> the segment that ends there.
    `impossible` : an op whose working set cannot be made room for, else None.
    """

    def __init__(
        self, lineage: Lineage, refinement: Refinement, scale: float, stop: Stop = never
    ) -> None:
        self.staged = lineage.staged
        self.lineage = lineage
        self.scale = scale
        self.cost: list[float] = []
        self._seconds = LaneSeconds()
        self._logic, self._room = RowFamily(stop), RowFamily(stop)
        self.write: dict[int, int] = {}
        self.ending: dict[tuple[int, int], Segment] = {}
        self._extra = {
            u for i, _ in refinement.active for u in lineage.needs[self.staged.producer[i]]
        }
        self.segments = [self._timeline(i, refinement) for i in range(self.staged.tensors)]
        for segments in self.segments:
            self._logic_rows(segments)
        self.impossible = self._room_rows()

    # Columns

    def _new(self, cost: float = 0.0, *, run_s: float = 0.0, move_s: float = 0.0) -> int:
        self.cost.append(cost * self.scale)
        self._seconds.add(run_s, move_s)
        return len(self.cost) - 1

    def _timeline(self, tensor: int, refinement: Refinement) -> list[Segment]:
        staged = self.staged
        uses = {staged.producer[tensor], *staged.readers[tensor]}
        events = sorted(uses | refinement.events[tensor])
        final = max(uses)
        segments = []
        for first, last in pairwise(events):
            critical = self.lineage.last_critical(first, last)
            segment = Segment(
                tensor, first, last, last in uses, first in uses, first >= final, critical
            )
            if not segment.free:
                self._add_columns(segment, refinement)
            self.ending[tensor, last] = segment
            segments.append(segment)
        return segments

    def _add_columns(self, segment: Segment, refinement: Refinement) -> None:
        staged, lineage, i = self.staged, self.lineage, segment.tensor
        if staged.may_page[i] and not refinement.is_fixed("page_in", segment.tensor, segment.first,
                                                          segment.last):  # fmt: skip
            segment.page_in = self._new(staged.in_j[i], move_s=staged.in_s[i])
            if not staged.stored >> i & 1 and i not in self.write:
                self.write[i] = self._new(staged.out_j[i], move_s=staged.out_s[i])
        again = staged.may_rerun[staged.producer[i]]
        if again and not refinement.is_fixed("remake", i, segment.first, segment.last):
            segment.remake = self._new(lineage.run_j[i], run_s=lineage.run_s[i])
            active = (i, segment.last) in refinement.active
            if active and segment.critical >= 0 and lineage.can_be_early(i):
                segment.early = self._new(lineage.run_j[i], run_s=lineage.run_s[i])
        if not segment.used:
            segment.hold = self._new()
        passing = segment.last > segment.first + 1  # in one stage nothing comes and goes between
        if i in self._extra and passing and (staged.may_page[i] or again):
            ways = [staged.in_j[i]] if staged.may_page[i] else []
            segment.extra = self._new(min([*ways, *([lineage.run_j[i]] if again else [])]))

    # Rows

    def add_row(self, terms: Terms, lower: float) -> None:
        """Add sum(value * x[column]) >= lower."""
        self._logic.add(terms, lower)

    def _logic_rows(self, segments: list[Segment]) -> None:
        before: Segment | None = None
        for segment in segments:
            if segment.page_in >= 0 and segment.tensor in self.write:
                self.add_row([(self.write[segment.tensor], 1.0), (segment.page_in, -1.0)], 0.0)
            if not segment.free:
                self._state_rows(segment, before)
            before = segment

    def _state_rows(self, segment: Segment, before: Segment | None) -> None:
        absent = before if before is not None and not segment.after_use else None
        if absent is not None and absent.free:
            absent = None
        if segment.used:
            if len(segment.supplies) > 1:
                self.add_row([(column, -1.0) for column, _ in segment.supplies], -1.0)
            if absent is not None:
                self.add_row([*segment.supplies, *absent.available], 1.0)
            return
        self.add_row([(column, -1.0) for column, _ in segment.available], -1.0)
        if absent is not None:
            self.add_row([*absent.available, (segment.hold, -1.0)], 0.0)

    def _room_rows(self) -> int | None:
        around: list[list[Segment]] = [[] for _ in range(self.staged.stages)]
        for segments in self.segments:
            for segment in segments:
                if not segment.free:
                    for op in range(segment.first + segment.after_use, segment.last):
                        around[op].append(segment)
        terms = 2 * sum(map(len, around)) or 1
        self._units = min(_UNITS, max(0, _MOST_TERMS // terms - 1))
        for op, found in enumerate(around):
            wanted = [segment for segment in found if not segment.dangling]
            for chosen in (wanted, found) if len(wanted) < len(found) else (found,):
                if not self._add_room(op, chosen):
                    return op
        return None

    def _add_room(self, op: int, around: list[Segment]) -> bool:
        staged = self.staged
        sizes = [staged.size[segment.tensor] for segment in around]
        excess = staged.need(op) + sum(sizes) - staged.room
        if excess <= 0:
            return True
        lost = [not segment.used or bool(segment.supplies) for segment in around]
        if sum(size for size, may in zip(sizes, lost, strict=True) if may) < excess:
            return False
        needed = least_sum_reaching(sizes, excess, limit_bits=_SUM_BITS)
        self._cover(op, around, sizes, needed)
        held = sum(sizes) - needed
        for unit in sorted(set(sizes), reverse=True)[: self._units]:
            # Chvatal-Gomory on what is held: sum of floor(size / unit) <= floor(held / unit)
            parts = [size // unit for size in sizes]
            lower = sum(parts) - held // unit
            if lower > 0 and len(set(parts)) > 1:
                self._cover(op, around, parts, lower)
        return True

    def _cover(
        self, op: int, around: list[Segment], weights: Sequence[int], needed: int
    ) -> None:  # fmt: skip
        """Sum of weight * (1 - H) >= needed, coefficients cut off at `needed`, scaled to 1."""
        terms: Terms = []
        lower = 1.0
        for segment, weight in zip(around, weights, strict=True):
            share = min(weight, needed) / needed
            if not share:
                continue
            early = segment.early if op == segment.critical else -1
            if segment.used:
                terms += [(column, share) for column, _ in segment.supplies if column != early]
                continue
            lower -= share
            terms += [(column, -share) for column in (segment.hold, early) if column >= 0]
        self._room.add(terms, lower)

    def problem(self) -> cp.Problem:
        """The CVXPY problem in matrix form."""
        limits = self._seconds.rows(self.staged)
        return assemble(self.cost, [self._logic], room=self._room, limits=limits)

    def plan_masks(self, x: FloatArray) -> tuple[list[int], int]:
        """Held masks per stage border and the mask of written tensors, from near-integers."""
        staged = self.staged
        held = [0] * (staged.stages + 1)
        paged = 0
        for i, segments in enumerate(self.segments):
            for place, segment in enumerate(segments):
                if segment.page_in >= 0 and x[segment.page_in] > _HALF:
                    paged |= 1 << i
                begin = self._held_from(segment, segments[place + 1 :][:1], x)
                for border in range(begin + 1, segment.last + 1):
                    held[border] |= 1 << i
        return held, paged & ~staged.stored

    @staticmethod
    def _held_from(segment: Segment, following: list[Segment], x: FloatArray) -> int:
        """The op after which the tensor stays until the segment's end; `last` where it does not."""
        if segment.free:
            wanted = segment.used or any(x[s.hold] > _HALF for s in following if s.hold >= 0)
            wanted = wanted or any(
                s.used and not any(x[column] > _HALF for column, _ in s.supplies) for s in following
            )
            return segment.first if wanted else segment.last
        if segment.early >= 0 and x[segment.early] > _HALF:
            return segment.critical
        if segment.used:
            dropped = any(x[column] > _HALF for column, _ in segment.supplies)
            return segment.last if dropped else segment.first
        return segment.first if x[segment.hold] > _HALF else segment.last
