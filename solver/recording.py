"""What a running solve proves, written into the brackets of its problem event by event."""

import math
from typing import Final

from solver.brackets import Brackets
from solver.events import Bound, Event, Finished, Incumbent
from solver.outcome import Feasible, Infeasible, NoAnswer, Optimal
from solver.problem import Budgets

_SEARCH_EVERYTHING: Final = frozenset({"joint", "remat-only", "paging-only"})
"""Strategies whose "impossible" speaks of every schedule, not only of the ones they would make."""


def record(brackets: Brackets, budgets: Budgets, event: Event) -> bool:
    """Take what `event` of a solve under `budgets` says; True when it was news.

    The schedules in events are verified ones, and `brackets` are those of the problem as the
    strategy sees it (strategies.registry.adapt).
    """
    source = event.outcome if isinstance(event, Finished) else event
    match source:
        case Incumbent(trace=trace) | Optimal(trace=trace) | Feasible(trace=trace):
            news = brackets.add_schedule(trace)
        case _:
            news = False
    match source:
        case Incumbent() | Bound() | Optimal() | Feasible() | NoAnswer(bound_j=float()):
            assert source.bound_j is not None
            return brackets.add_bound(budgets, source.bound_j) or news
        case Infeasible(record=by) if by.strategy in _SEARCH_EVERYTHING:
            return brackets.add_bound(budgets, math.inf)
        case _:
            return news
