"""What a saved result claims without a schedule to show it, held against what needs no solver.

That nothing fits, or that nothing is cheaper, was proven by a search that is not in the file. What
can be known all the same: whether one op or the runtime of all ops already breaks a budget, what a
strategy that does not search finds when it runs again, and whether one of the two schedules that
decide nothing (keep every tensor, page every tensor) shows the claim to be false.
"""

from collections.abc import Iterator
from math import isclose
from typing import Final

from solver.events import Event
from solver.explain import exact_bytes, too_little_ram, too_little_time
from solver.outcome import BOUND_SLACK, Infeasible, Limit, Outcome, Reason, SolverRecord, bound_of
from solver.overlap import arranged
from solver.problem import Problem, SolveOptions
from solver.schedule import Schedule
from solver.simulate import Trace, simulate
from solver.staged import stage
from solver.strategies.base import Cancel
from solver.strategies.plain import keep_all, page_all
from solver.strategies.registry import PROVING, get_strategy
from solver.units import format_joules, format_seconds
from solver.verify import verify

_SEARCHING: Final = PROVING | {"blocks"}
"""Their claim that nothing fits is one of every schedule."""
REPEATABLE: Final = frozenset({"keep-all", "page-all", "sqrt-n"})
"""They look at a fixed set of schedules: run again, they say the same."""
_NO_RECORD: Final = SolverRecord("", "none", "", 0.0)
_SUM: Final = 1e-9  # relative: sums of the same numbers in another order


def impossible_faults(problem: Problem, outcome: Infeasible, strategy: str) -> Iterator[str]:
    """What is false in the claim that no schedule (of `strategy`) fits, in sentences."""
    against = tuple(_against(problem, outcome.reason, strategy))
    yield from against or (
        *_reason_faults(outcome.reason, problem),
        *_needless_faults(problem, outcome, strategy),
    )


def _needless_faults(problem: Problem, outcome: Infeasible, strategy: str) -> Iterator[str]:
    """What our strategies say only where there is something to say."""
    if strategy not in _SEARCHING | REPEATABLE:
        return
    reason = outcome.reason
    if (reason.op is not None or reason.tensors) and too_little_ram(problem, _NO_RECORD) is None:
        yield "reason.op and reason.tensors blame one op, but every op alone fits"
    if outcome.bound_j is not None and seen_impossible(problem) is not None:
        yield f"bound_j: {outcome.bound_j} J, but nothing was searched: it must be null"


def _against(problem: Problem, reason: Reason, strategy: str) -> Iterator[str]:
    """Schedules that say otherwise."""
    if too_little_ram(problem, _NO_RECORD) is not None:
        return
    if strategy in REPEATABLE:
        if too_little_time(problem, _NO_RECORD) is None:
            yield from _repeated_faults(problem, reason, strategy)
    elif strategy in _SEARCHING:
        for name, schedule in _witnesses(problem):
            yield from _refuted(problem, reason, name, arranged(schedule, problem))


def bound_refuted(problem: Problem, outcome: Outcome, strategy: str) -> Iterator[str]:
    """A bound above the energy of a schedule that decides nothing and fits."""
    bound_j = bound_of(outcome)
    if bound_j is None or strategy not in _SEARCHING or seen_impossible(problem) is not None:
        return
    if bound_j <= problem.costed.baseline_energy_j * (1 + BOUND_SLACK):
        return  # every op once is what any schedule costs at least
    for name, schedule in _witnesses(problem):
        energy_j = simulate(schedule, problem).total_energy_j
        dearer = bound_j > energy_j * (1 + BOUND_SLACK)
        if dearer and verify(arranged(schedule, problem).schedule, problem).ok:
            yield f"the bound of {bound_j} J lies above the {energy_j} J of {name}"


def unchecked(problem: Problem, outcome: Outcome, strategy: str) -> tuple[str, ...]:
    """What the outcome claims and nothing here can confirm, in sentences."""
    if isinstance(outcome, Infeasible):
        if strategy in REPEATABLE or too_little_ram(problem, _NO_RECORD) is not None:
            return ()
        if too_little_time(problem, _NO_RECORD) is not None:
            return _unchecked_time(problem, outcome.reason)
        ram = exact_bytes(problem.budgets.ram_bytes)
        return (f"that no schedule fits into {ram}: its proof is a search, solve again to see it",)
    bound_j, baseline_j = bound_of(outcome), problem.costed.baseline_energy_j
    if bound_j is None or bound_j <= baseline_j * (1 + _SUM):
        return ()
    return (f"the bound of {format_joules(bound_j)}: its proof is a search, solve again to see it",)


def _unchecked_time(problem: Problem, reason: Reason) -> tuple[str, ...]:
    """The runtime that works, where it is more than every op once takes."""
    if reason.needed <= problem.costed.baseline_runtime_s * (1 + _SUM):
        return ()
    least = format_seconds(reason.needed)
    return (f"that {least} are needed: the runtime was searched for, solve again to see it",)


def seen_impossible(problem: Problem) -> Infeasible | None:
    """The problem's own proof that nothing fits: one op is too large, or all ops take too long."""
    return too_little_ram(problem, _NO_RECORD) or too_little_time(problem, _NO_RECORD)


def _witnesses(problem: Problem) -> Iterator[tuple[str, Schedule]]:
    """The legal schedules that decide nothing, whether they fit or not."""
    staged = stage(problem)
    yield "keeping everything", keep_all(staged)
    if problem.switches.paging:
        yield "paging everything", page_all(staged)


def _refuted(problem: Problem, reason: Reason, name: str, trace: Trace) -> Iterator[str]:
    """What one schedule says against the claim that none fits, or that more is needed."""
    budgets, ram = problem.budgets, trace.peak_bytes
    in_ram, in_time = ram <= budgets.ram_bytes, budgets.allow_runtime(trace.runtime_s)
    if in_ram and in_time:
        yield f"called impossible at {budgets.ram_bytes} B, but {name} fits: it needs {ram} B"
    elif reason.limit is Limit.RAM and in_time and reason.exact and ram < reason.needed:
        yield f"reason.needed: {reason.needed} as the least, but {name} needs {ram}"
    elif (
        reason.limit is Limit.RUNTIME
        and in_ram
        and reason.exact
        and trace.runtime_s < reason.needed * (1 - _SUM)
    ):
        yield f"reason.needed: {reason.needed} s as the least, but {name} takes {trace.runtime_s} s"


def _repeated_faults(problem: Problem, reason: Reason, strategy: str) -> Iterator[str]:
    """A strategy of few schedules says again whether one fits, and what the nearest one needs."""
    options = SolveOptions(strategy)
    again = get_strategy(strategy).solve(problem, options, _unheard, Cancel())
    if not isinstance(again, Infeasible):
        yield f"called impossible, but {strategy} has a schedule that fits"
    elif reason.limit is not again.reason.limit or not isclose(
        reason.needed, again.reason.needed, rel_tol=_SUM
    ):
        true = again.reason
        yield (
            f"reason: {reason.needed} needed ({reason.limit}), counted {true.needed} ({true.limit})"
        )


def _unheard(event: Event) -> None:
    """Nobody listens."""


def _reason_faults(reason: Reason, problem: Problem) -> Iterator[str]:
    """What is missing is what is needed less the limit; below the floor, its op is to blame."""
    costed, budgets = problem.costed, problem.budgets
    limit = budgets.ram_bytes if reason.limit is Limit.RAM else budgets.runtime_s
    if limit is None:
        yield "reason.limit: runtime, but there is no runtime limit"
        return
    slack = 0.0 if reason.limit is Limit.RAM else _SUM  # of the sum: the limit may be tiny
    if not isclose(reason.needed, limit + reason.missing, rel_tol=slack):
        yield f"reason: {reason.needed} needed, {reason.missing} missing, but the limit is {limit}"
    if reason.limit is Limit.RUNTIME and reason.needed < costed.baseline_runtime_s * (1 - _SUM):
        yield f"reason.needed: {reason.needed} s, but every op once takes longer"
    if reason.limit is Limit.RAM and reason.needed > costed.plain_peak_bytes:
        yield f"reason.needed: {reason.needed}, but keeping everything needs less"
    if reason.missing < 0 or (reason.exact and reason.missing == 0):
        yield f"reason.missing: {reason.missing} is no lack"
    seen = too_little_ram(problem, _NO_RECORD)
    if seen is not None and reason.limit is Limit.RAM:
        yield from _floor_faults(reason, seen.reason, problem)


def _floor_faults(reason: Reason, true: Reason, problem: Problem) -> Iterator[str]:
    """Below the floor there is but one truth: the op, its tensors, and the floor."""
    if reason.needed != true.needed:
        yield f"reason.needed: {reason.needed}, counted {true.needed}"
    graph = problem.costed.graph
    if reason.op != true.op:
        stated, counted = (None if i is None else graph.ops[i].name for i in (reason.op, true.op))
        yield f"reason.op: {stated}, counted {counted}"
    elif sorted(reason.tensors) != sorted(true.tensors):
        yield "reason.tensors are not the inputs and outputs of reason.op, once each"
    if reason.exact is not true.exact:
        yield f"reason.exact: {reason.exact}, counted {true.exact}"
