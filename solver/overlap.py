"""Issue orders for overlapped transfers: the same actions, listed so that they end sooner.

Several rules are tried (solver.dispatch); the schedule as it is given stands beside them.
"""

from collections.abc import Callable, Iterator
from itertools import product
from math import inf
from random import Random
from typing import Final

from solver.device import IoMode
from solver.dispatch import Dispatch, Rule
from solver.issue_script import take_apart
from solver.problem import Problem
from solver.schedule import ActionKind, Schedule
from solver.simulate import Trace, simulate

_NEAR: Final = 1.01
"""Times the longer lane, which no order beats: enough where no runtime limit asks for more."""
_UNLIMITED: Final = 1
"""Rules tried where no runtime limit asks for the fastest order: the first is rarely beaten."""
_ACTIONS_PER_UNIT: Final = 150_000
"""Actions executed or dispatched by one core in about a second."""
_CHANCES: Final = 24
_FEW_ACTIONS: Final = 400
"""Up to so many actions random rules are tried too, where the limit is not kept otherwise."""
_RULES: Final = tuple(
    Rule(lead, careful) for lead, careful in product((0.0, inf, -inf), (True, False))
)


def _nobody_counts(units: float) -> None:
    """Work that no limit is kept on."""


def in_time(
    schedule: Schedule, problem: Problem, spend: Callable[[float], None] = _nobody_counts
) -> Schedule | None:
    """An issue order of the actions that keeps the runtime limit, None where none is found.

    `spend` is told the work done, in units of about one second of one core.
    """
    if not problem.budgets.allow_runtime(_longer_lane_s(schedule, problem)):
        return None
    trace = arranged(schedule, problem, spend)
    return trace.schedule if problem.budgets.allow_runtime(trace.runtime_s) else None


def _longer_lane_s(schedule: Schedule, problem: Problem) -> float:
    """Seconds of all runs, or of all transfers if those take longer: no order takes less."""
    run_s = problem.costed.op_duration_s.tolist()
    in_s, out_s = problem.transfer_durations_s()
    runs = moves = 0.0
    for action in schedule.actions:
        if action.kind.runs_op:
            runs += run_s[action.target]
        elif action.kind is ActionKind.PAGE_IN:
            moves += in_s[action.target]
        elif action.kind is ActionKind.PAGE_OUT:
            moves += out_s[action.target]
    return max(runs, moves)


def arranged(
    schedule: Schedule, problem: Problem, spend: Callable[[float], None] = _nobody_counts
) -> Trace:
    """The issue order found in which the actions of a legal schedule end soonest, executed.

    Never slower than the order given; the first that keeps the runtime limit ends the search.
    Blocking and ignored transfers leave nothing to choose: the schedule itself. `spend` as above.
    """
    best = simulate(schedule, problem)
    spend(len(schedule.actions) / _ACTIONS_PER_UNIT)
    if problem.switches.io is not IoMode.OVERLAPPED or not _pages(schedule):
        return best
    script = take_apart(schedule, problem)
    least_s = _longer_lane_s(schedule, problem)
    limited = problem.budgets.runtime_s is not None
    for rule in _rules(len(schedule.actions), limited=limited):
        if limited and problem.budgets.allow_runtime(best.runtime_s):
            break
        if best.runtime_s <= least_s * (1 + 1e-12 if limited else _NEAR):
            break
        order = Dispatch(script, problem, rule).order()
        spend(2 * len(schedule.actions) / _ACTIONS_PER_UNIT)
        if order is None:
            continue
        trace = simulate(order, problem)
        fits = trace.peak_bytes <= problem.budgets.ram_bytes
        if fits and trace.runtime_s < best.runtime_s:
            best = trace
    return best


def _pages(schedule: Schedule) -> bool:
    transfers = {ActionKind.PAGE_IN, ActionKind.PAGE_OUT}
    return any(action.kind in transfers for action in schedule.actions)


def _rules(actions: int, *, limited: bool) -> Iterator[Rule]:
    yield from _RULES if limited else _RULES[:_UNLIMITED]
    if limited and actions <= _FEW_ACTIONS:
        rng = Random(0)
        for seed in range(_CHANCES):
            yield Rule(rng.uniform(-4, 4), rng.random() < 0.5, rng.choice((2.0, 8.0)), seed)  # noqa: PLR2004 - a coin
