"""What solves prove, written into the brackets of their problem: event by event, or at the end."""

import math
from dataclasses import replace
from typing import Final

from solver.brackets import Brackets
from solver.events import Bound, Event, Finished, Incumbent
from solver.outcome import Feasible, Infeasible, Limit, NoAnswer, Optimal, Outcome
from solver.problem import Budgets
from solver.strategies.registry import PROVING

JUST_BELOW: Final = 1e-5
"""Relative; a limit so far below a runtime excludes it, in spite of the tolerances of the verifier
(1e-9) and of a MIP's rows (1e-6)."""


def record(brackets: Brackets, budgets: Budgets, event: Event, *, proves: bool = True) -> bool:
    """Take what `event` of a solve under `budgets` says; True when it was news.

    The schedules in events are verified ones, and `brackets` are those of the problem as the
    strategy sees it (strategies.registry.adapt). That nothing fits is believed of the strategies
    that search everything only; `proves` False: no bound is, as nobody can check those of a
    strategy from elsewhere.
    """
    if isinstance(event, Finished):
        outcome = event.outcome
        if isinstance(outcome, Infeasible) and outcome.record.strategy not in PROVING:
            return False
        return learn(brackets, budgets, outcome, proves=proves)
    news = isinstance(event, Incumbent) and brackets.add_schedule(event.trace)
    if proves and isinstance(event, Incumbent | Bound):
        return brackets.add_bound(budgets, event.bound_j) or news
    return news


def learn(brackets: Brackets, budgets: Budgets, outcome: Outcome, *, proves: bool = True) -> bool:
    """Take what an outcome says; True when it was news.

    Impossibility is taken whatever the strategy: where it speaks of that strategy alone,
    `brackets` must be the strategy's own. `proves` False: only the schedule is taken.
    """
    match outcome:
        case Optimal(trace=trace, bound_j=bound_j) | Feasible(trace=trace, bound_j=bound_j):
            news = brackets.add_schedule(trace)
            # What rounding may lift a bound above its own schedule says nothing.
            bound_j = min(bound_j, trace.total_energy_j)
            return (proves and brackets.add_bound(budgets, bound_j)) or news
        case NoAnswer(bound_j=float(bound_j)) if proves:
            return brackets.add_bound(budgets, bound_j)
        case Infeasible() if proves:
            news = brackets.add_bound(budgets, math.inf)
            least = least_that_works(budgets, outcome)
            if least is None:
                return news
            return brackets.add_bound(_just_below(least, budgets), math.inf) or news
        case _:
            return False


def least_that_works(budgets: Budgets, outcome: Outcome) -> Budgets | None:
    """The least budgets that work, where a proof of impossibility names them exactly."""
    if not isinstance(outcome, Infeasible) or not outcome.reason.exact:
        return None
    needed = outcome.reason.needed
    if outcome.reason.limit is Limit.RAM:
        return replace(budgets, ram_bytes=int(needed))
    return replace(budgets, runtime_s=needed)


def _just_below(least: Budgets, other: Budgets) -> Budgets:
    """The loosest budgets below `least` in the one that differs from `other`."""
    if least.ram_bytes != other.ram_bytes:
        return replace(least, ram_bytes=least.ram_bytes - 1)
    assert least.runtime_s is not None
    return replace(least, runtime_s=least.runtime_s * (1 - JUST_BELOW))
