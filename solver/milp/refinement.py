"""Which events and rows the event model has so far, and what a solution shows to be missing."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from solver.costs import FloatArray
from solver.staged import StagedProblem

if TYPE_CHECKING:
    from solver.milp.event_model import EventModel, Segment
    from solver.milp.need_rows import NeedRows

_MARGIN: Final = 1e-6
"""Relative to the best objective: reduced costs carry the solver's tolerances."""
_SLACK: Final = 1e-4
"""By less than this an LP solution may miss a row without its being added."""
_LEAST_IN_LP: Final = 0.02
_LEAST_IN_MIP: Final = 0.5
"""What a solution uses more of is looked at."""
_PARTS: Final = 4
"""Into so many a stretch of stages is cut in which a supply was placed too freely."""


@dataclass(slots=True)
class Refinement:
    """What has been added to the gap model.

    events : per tensor, stages at which its time is cut besides its uses. needs : (tensor, event,
    input): the tensor's rerun in that stage needs the input there. fixed : (what, tensor, event) ->
    first: no better schedule supplies the tensor so between `first` or later and the event.
    """

    events: list[set[int]]
    needs: set[tuple[int, int, int]] = field(default_factory=set)
    fixed: dict[tuple[str, int, int], int] = field(default_factory=dict)

    @classmethod
    def none(cls, staged: StagedProblem) -> "Refinement":
        """The gap model itself."""
        return cls([set() for _ in range(staged.tensors)])

    @property
    def active(self) -> set[tuple[int, int]]:
        """(Tensor, event) whose rerun has rows about its inputs."""
        return {(tensor, event) for tensor, event, _ in self.needs}

    def is_fixed(self, what: str, tensor: int, first: int, last: int) -> bool:
        """Whether that column can be left out."""
        since = self.fixed.get((what, tensor, last))
        return since is not None and since <= first

    def fix(
        self, model: "EventModel", objective: float, reduced_costs: FloatArray, best: float
    ) -> None:
        """Leave out the columns whose use costs more than the best schedule, all in one scale.

        A schedule that uses a column costs at least the relaxation's optimum and its reduced cost.
        """
        slack = best * (1 + _MARGIN) - objective
        for segments in model.segments:
            for segment in segments:
                for what, columns in (
                    ("page_in", (segment.page_in,)),
                    ("remake", (segment.remake, segment.early)),
                ):
                    found = [float(reduced_costs[column]) for column in columns if column >= 0]
                    if found and min(found) > slack:
                        key = (what, segment.tensor, segment.last)
                        self.fixed[key] = min(segment.first, self.fixed.get(key, segment.first))

    def grow(self, model: "EventModel", rows: "NeedRows", x: FloatArray, *, whole: bool) -> int:
        """Add what a solution makes use of without paying for it; returns how much is new.

        model, rows : what `x` solves. whole : `x` solves the MIP, not its relaxation: then where a
        supply was there only for a while is settled too, once nothing else is left to add.
        """
        least = _LEAST_IN_MIP if whole else _LEAST_IN_LP
        added = self._add_needs(model, x, least, everywhere=whole)
        for early, tensor, stage in rows.missing:
            added += self.split(model, tensor, stage) if x[early] > least else 0
        added += sum(self.split(model, *cut) for cut in sorted(rows.splits))
        added += sum(self.activate(model, *run) for run in sorted(rows.activated))
        return added or (self._split_passing(model, x, least) if whole else 0)

    def activate(self, model: "EventModel", tensor: int, event: int) -> int:
        """Ask for all inputs of a tensor's rerun at an event; returns how many are new."""
        needs = model.lineage.needs[model.staged.producer[tensor]]
        return sum(self._add_need(model, tensor, event, u) for u in needs)

    def split(self, model: "EventModel", tensor: int, stage: int) -> int:
        """Cut a tensor's time at a stage; 1 when that is new."""
        if stage in self.events[tensor] or stage <= model.staged.producer[tensor]:
            return 0
        self.events[tensor].add(stage)
        return 1

    def _add_needs(
        self, model: "EventModel", x: FloatArray, least: float, *, everywhere: bool
    ) -> int:
        """Ask for the inputs of every rerun used by more than `least`.

        `everywhere` : where that was new, at the tensor's other events too: else the next solution
        moves the rerun to one of those.
        """
        added = 0
        for segments in model.segments:
            for segment in segments:
                if segment.remake < 0 or x[segment.remake] <= least:
                    continue
                new = self._add_inputs(model, x, segment)
                if new and everywhere:
                    others = [other for other in segments if other.remake >= 0]
                    new += sum(self.activate(model, o.tensor, o.last) for o in others)
                added += new
        return added

    def _split_passing(self, model: "EventModel", x: FloatArray, least: float) -> int:
        """Cut the time in which something used by more than `least` was there only for a while.

        An early rerun takes room at the end of that time only and finds its inputs at the
        beginning; a supply that is lost again asks for none. Shorter stretches leave neither a
        choice.
        """
        added = 0
        for segments in model.segments:
            for segment in segments:
                begin, end = segment.first + 1, segment.first
                if segment.extra >= 0 and x[segment.extra] > least:
                    end = segment.last
                if segment.early >= 0 and x[segment.early] > least:
                    end = max(end, segment.critical + 1)
                cuts = {begin + (end - begin) * part // _PARTS for part in range(1, _PARTS)}
                added += sum(self.split(model, segment.tensor, cut) for cut in cuts if end > begin)
        return added

    def _add_inputs(self, model: "EventModel", x: FloatArray, segment: "Segment") -> int:
        used = float(x[segment.remake])
        return sum(
            self._add_need(model, segment.tensor, segment.last, u)
            for u in model.lineage.needs[model.staged.producer[segment.tensor]]
            if available(model, x, u, segment.last) < used - _SLACK
        )

    def _add_need(self, model: "EventModel", tensor: int, event: int, needed: int) -> int:
        staged = model.staged
        there = event in staged.readers[needed] or staged.producer[needed] == event - 1
        if (tensor, event, needed) in self.needs or there or event > model.lineage.life[needed]:
            return 0
        self.needs.add((tensor, event, needed))
        self.events[needed].add(event)
        return 1


def available(model: "EventModel", x: FloatArray, tensor: int, stage: int) -> float:
    """How much of a tensor a solution has in RAM in some stage, 0 .. 1."""
    staged = model.staged
    if stage in staged.readers[tensor] or staged.producer[tensor] == stage - 1:
        return 1.0
    segment = segment_at(model, tensor, stage)
    if segment is None:
        return 0.0
    if segment.free:
        return 1.0
    if segment.last == stage:
        return sum(float(x[column]) for column, _ in segment.available)
    if segment.used:
        return 1.0 - sum(float(x[column]) for column, _ in segment.supplies)
    return float(x[segment.hold])


def segment_at(model: "EventModel", tensor: int, stage: int) -> "Segment | None":
    """The segment with first < stage <= last; None outside the tensor's events."""
    for segment in model.segments[tensor]:
        if segment.first < stage <= segment.last:
            return segment
    return None
