"""Which budgets to solve next, so that few solves say what every budget costs.

A pure planner: it names budgets (`next_budgets`), takes outcomes (`take`), and whoever drives it
solves them: a process pool, or one process beside a window. What a solve proved of one budget also
says something of others (solver.brackets), so the planner asks where least is known: where the
bracket [proven bound, best schedule], less the tolerance, is tall and wide.
"""

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

from solver.brackets import Brackets, StoredSchedule
from solver.frontier import Frontier, along_ram, along_runtime
from solver.outcome import Outcome
from solver.problem import Budgets, Problem
from solver.recording import learn, least_that_works
from solver.sweep_axis import LINES, Line, map_budgets
from solver.sweep_open import excess_j, missing_j, open_steps

Axis = Literal["ram", "runtime", "map"]
DEFAULT_POINTS: Final = 20
DEFAULT_TOLERANCE: Final = 0.01
_FLAT: Final = 1e-3
"""Two energies that differ by less than this part of an interval's fall count as one level."""
_FINEST: Final = 1e-3
"""Of the axis: narrower intervals are left open when there is a tolerance."""


@dataclass(frozen=True, slots=True)
class SweepPoint:
    """A budget that was solved, and how that ended."""

    budgets: Budgets
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class _Interval:
    """Part of the axis between two neighbouring points where the bracket is too wide.

    start, end : the open part, its end left out; score : its area above the tolerance.
    """

    left: float
    right: float
    start: float
    end: float
    score: float


class Sweep:
    """One sweep along RAM, along runtime, or over a coarse grid of both.

    Along an axis the fixed budget is that of `problem`. `points` is the most that are solved, those
    taken in from an earlier sweep included; `tolerance` is the part of the total energy within
    which a budget counts as certified (0: go on until nothing is open between the answers).
    `by_answers`: the strategy proves nothing, so that a bracket reaches from answer to answer.
    `fill`: where nothing is open, points that are left are spread over what has schedules.
    `brackets` that are handed over need no solve where they are certified.

    `next_budgets` may be called again before the answer to the last one is there: budgets that
    are out divide the axis too.
    """

    def __init__(
        self,
        problem: Problem,
        axis: Axis = "ram",
        points: int = DEFAULT_POINTS,
        tolerance: float = DEFAULT_TOLERANCE,
        *,
        brackets: Brackets | None = None,
        by_answers: bool = False,
        fill: bool = False,
    ) -> None:
        self.problem = problem
        self.axis = axis
        self.points = points
        self.tolerance = tolerance
        self.fill = fill
        self.brackets = Brackets(problem) if brackets is None else brackets
        self._handed_over = brackets is not None
        self.taken: list[SweepPoint] = []
        self._answered: list[Budgets] = []
        self._by_answers = by_answers or tolerance <= 0
        self._out: list[Budgets] = []
        self._hints: list[Budgets] = []
        self._line: Line | None = LINES[axis](problem) if axis != "map" else None

    def next_budgets(self) -> Budgets | None:
        """The budgets to solve next; None when enough is known or all points are used.

        None also while what is out has to be answered first; `finished` tells these apart.
        """
        if len(self._tried()) >= self.points:
            return None
        budgets = self._next_on_map() if self._line is None else self._next_on_line(self._line)
        if budgets is not None:
            self._out.append(budgets)
        return budgets

    def take(self, budgets: Budgets, outcome: Outcome) -> None:
        """Take in the answer to budgets that were asked for, or any other of the same problem."""
        self.give_back(budgets)
        self._answered.append(budgets)
        self.taken.append(SweepPoint(budgets, outcome))
        learn(self.brackets, budgets, outcome)
        least = least_that_works(budgets, outcome)
        along_ram = least is not None and least.ram_bytes != budgets.ram_bytes
        if least is not None and along_ram == (self.axis == "ram"):
            self._hints.append(least)

    def take_figures(
        self, budgets: Budgets, schedule: StoredSchedule | None, bound_j: float | None
    ) -> None:
        """Take in an answer of which the figures are left; its schedule may have no actions.

        bound_j : joules, inf where nothing fits, None where nothing is known.
        """
        self.give_back(budgets)
        self._answered.append(budgets)
        if schedule is not None:
            self.brackets.add_stored(schedule)
        if bound_j is not None:
            self.brackets.add_bound(budgets, bound_j)

    def give_back(self, budgets: Budgets) -> None:
        """Budgets that are out will not be answered after all."""
        self._out = [each for each in self._out if each != budgets]

    @property
    def finished(self) -> bool:
        """True when nothing is out and nothing is left to ask."""
        if self._out:
            return False
        budgets = self.next_budgets()
        if budgets is None:
            return True
        self.give_back(budgets)
        return False

    @property
    def open_share(self) -> float:
        """Part of the axis (of the grid) that is not certified within the tolerance, 0 .. 1."""
        return self.open_within(self.tolerance)

    def open_within(self, tolerance: float) -> float:
        """As `open_share`, for any tolerance."""
        if self._line is None:
            nodes = self._nodes()
            return sum(self._excess_at(node, tolerance) > 0 for node in nodes) / len(nodes)
        low, high = self._line.ends(self.brackets)
        end = self._line.after(high)
        steps = open_steps(self.frontier(), low, end, tolerance)
        return sum(step.end - step.start for step in steps) / (end - low)

    def frontier(self) -> Frontier:
        """What is known along the axis so far. Raises ValueError for a map."""
        costed, budgets = self.problem.costed, self.problem.budgets
        if self.axis == "ram":
            return along_ram(self.brackets, costed, budgets.runtime_s)
        if self.axis == "runtime":
            return along_runtime(self.brackets, costed, budgets.ram_bytes)
        raise ValueError("a map has no single frontier")

    # Along one axis.

    def _next_on_line(self, line: Line) -> Budgets | None:
        tried = self._tried()
        for end in line.first():
            if end not in tried and not self._settled(end):
                return end
        if not line.may_divide(self.brackets, out=bool(self._out)):
            return None
        low, high = line.ends(self.brackets)
        for hint in self._hints:
            inside = low <= line.place(hint, self.brackets) <= high
            if inside and hint not in tried and not self._settled(hint):
                return hint
        frontier = self.frontier()
        intervals = self._intervals(line, frontier)
        for interval in sorted(intervals, key=lambda each: -each.score):
            budgets = self._divide(line, frontier, interval, tried)
            if budgets is not None:
                return budgets
        return self._filling(line, frontier) if self.fill else None

    def _filling(self, line: Line, frontier: Frontier) -> Budgets | None:
        """The middle of the widest stretch without a point that has schedules everywhere."""
        tried = self._tried()
        marks = sorted({line.place(each, self.brackets) for each in tried})
        for left, right in sorted(pairwise(marks), key=lambda pair: pair[0] - pair[1]):
            budgets = line.budgets(line.middle(left, right))
            place = line.place(budgets, self.brackets)
            narrow = right - left <= line.finest(right)
            if left < place < right and not narrow and math.isfinite(frontier.at(left)[1]):
                return budgets
        return None

    def _settled(self, budgets: Budgets) -> bool:
        """Known already from brackets that were handed over: no need to solve it again."""
        if not self._handed_over:
            return False
        low, best = self.brackets.bound_j(budgets), self.brackets.best(budgets)
        if math.isinf(low):
            return True
        return best is not None and best.energy_j - low <= self.tolerance * best.energy_j

    def _intervals(self, line: Line, frontier: Frontier) -> list[_Interval]:
        low, high = line.ends(self.brackets)
        places = {line.place(each, self.brackets) for each in self._tried()}
        marks = sorted({low, high} | {place for place in places if low <= place <= high})
        intervals = [self._interval(line, frontier, *pair) for pair in pairwise(marks)]
        finest = _FINEST * (high - low) if self.tolerance > 0 else 0.0
        return [
            each
            for each in intervals
            if each is not None and each.end - each.start > max(finest, line.finest(each.end))
        ]

    def _interval(
        self, line: Line, frontier: Frontier, left: float, right: float
    ) -> _Interval | None:
        """The part of (left, right) that is open; None when all of it is certified."""
        loose_j = frontier.at(right)[1]
        floor_j = loose_j if self._by_answers and math.isfinite(loose_j) else 0.0
        low, high = line.after(left), line.after(right)
        steps = open_steps(frontier, low, high, self.tolerance, floor_j)
        if not steps:
            return None
        score = sum((step.end - step.start) * step.excess_j for step in steps)
        return _Interval(left, right, steps[0].start, steps[-1].end, score)

    def _divide(
        self, line: Line, frontier: Frontier, interval: _Interval, tried: list[Budgets]
    ) -> Budgets | None:
        """Where to ask inside an interval: just below its upper end, or in its middle."""
        below = line.budgets(line.before(interval.end))
        middle = line.budgets(line.middle(interval.start, interval.end))
        one_step = self._one_step(line, frontier, interval)
        for budgets in (below, middle) if one_step else (middle, below):
            inside = interval.left < line.place(budgets, self.brackets) < interval.right
            if inside and budgets not in tried:
                return budgets
        return None

    def _one_step(self, line: Line, frontier: Frontier, interval: _Interval) -> bool:
        """Whether the curve seems to fall in one step here: then the step is best met from below.

        A schedule found at B with peak p serves from p on, so the step is at p or lower, and an
        answer just below p shows it. That is so where the curve is level at one side; not twice
        in a row, else a fine staircase would be walked down step by step.
        """
        places = [line.place(each, self.brackets) for each in self._tried()]
        if interval.right in {line.before(corner) for corner in frontier.corner.tolist()}:
            return False
        outer = [
            max((place for place in places if place < interval.left), default=None),
            interval.left,
            interval.right,
            min((place for place in places if place > interval.right), default=None),
        ]
        # Not a number where there is no neighbour: no comparison with it holds.
        energies = [math.nan if place is None else frontier.at(place)[1] for place in outer]
        falls = [one - other for one, other in pairwise(energies)]
        alike = energies[0] == energies[1]  # so are two places without a schedule
        return alike or falls[0] <= _FLAT * falls[1] or falls[2] <= _FLAT * falls[1]

    def _tried(self) -> list[Budgets]:
        return [*self._answered, *self._out]

    # Over the grid.

    def _nodes(self) -> list[Budgets]:
        return map_budgets(self.problem, self.points, self.brackets)

    def _excess_at(self, budgets: Budgets, tolerance: float) -> float:
        best = self.brackets.best(budgets)
        known = [each.energy_j for each in self.brackets.schedules]
        cap_j = missing_j(known, self.brackets.baseline_j)
        best_j = math.inf if best is None else best.energy_j
        return excess_j(self.brackets.bound_j(budgets), best_j, cap_j, tolerance)

    def _next_on_map(self) -> Budgets | None:
        tried = self._tried()
        tightest = Budgets(self.problem.costed.floor_bytes, None)
        if tightest not in tried and not self._settled(tightest):
            return tightest
        if not self._answered and self._out:  # how long a schedule takes is not known yet
            return None
        nodes = [node for node in self._nodes() if node not in tried]
        excess = [self._excess_at(node, self.tolerance) for node in nodes]
        widest = max(excess, default=0.0)
        if widest > 0:
            return nodes[excess.index(widest)]
        known = (node for node in nodes if self.fill and self.brackets.best(node) is not None)
        return next(known, None)
