"""Events and outcomes of a solve <-> the messages that carry them between two processes."""

from dataclasses import replace
from functools import lru_cache
from math import inf, isfinite
from typing import Final, assert_never

from solver import messages
from solver.brackets import Known
from solver.events import Bound, Event, Finished, Incumbent, Started, StepChanged
from solver.messages import (
    PackedKnown,
    PackedLeast,
    PackedOutcome,
    PackedSchedule,
    SolveEvent,
)
from solver.outcome import (
    Failed,
    Feasible,
    Infeasible,
    LeastBudget,
    Limit,
    NoAnswer,
    Optimal,
    Outcome,
    Reason,
    status_of,
)
from solver.problem import Budgets, Problem
from solver.schedule import Action, ActionKind, Schedule
from solver.simulate import Trace, simulate

_KINDS: Final = tuple(ActionKind)
_CODES: Final = {kind: code for code, kind in enumerate(_KINDS)}


def pack_schedule(schedule: Schedule) -> PackedSchedule:
    """The schedule as two arrays of integers."""
    return PackedSchedule(
        [_CODES[action.kind] for action in schedule.actions],
        [action.target for action in schedule.actions],
    )


def unpack_schedule(packed: PackedSchedule) -> Schedule:
    """The schedule again.

    Raises ValueError for arrays of different length, IndexError for an unknown kind.
    """
    pairs = zip(packed.kinds, packed.targets, strict=True)
    return Schedule(tuple(_action(kind, target) for kind, target in pairs))


@lru_cache(maxsize=2**16)
def _action(kind: int, target: int) -> Action:
    """One object for all schedules: a thousand of them are kept, of a thousand actions each."""
    return Action(_KINDS[kind], target)


def pack_known(known: Known) -> PackedKnown:
    """What a solve starts from."""
    bound = known.bound_j if isfinite(known.bound_j) else None
    schedules = tuple(pack_schedule(schedule) for schedule in known.schedules)
    return PackedKnown(schedules, bound, known.bound_j == inf)


def unpack_known(packed: PackedKnown) -> Known:
    """What a solve starts from, again. Raises as `unpack_schedule`."""
    schedules = tuple(unpack_schedule(each) for each in packed.schedules)
    if packed.impossible:
        return Known(schedules, inf)
    return Known(schedules, -inf if packed.bound_j is None else packed.bound_j)


def pack_least(least: LeastBudget, *, known: Trace | None = None) -> PackedLeast:
    """What is known of a least budget; its schedule is left out when it is that of `known`."""
    trace = None if least.trace is known else least.trace
    return PackedLeast(
        least.limit,
        least.lower,
        least.upper,
        least.exact,
        least.hopeless,
        None if trace is None else pack_schedule(trace.schedule),
    )


def unpack_least(packed: PackedLeast, problem: Problem, known: Trace | None = None) -> LeastBudget:
    """What is known of a least budget, again; `known` is the schedule of the message before.

    The trace is simulated on `problem` with the least budget, and not verified. Bytes are integers
    again. Raises as `unpack_schedule`.
    """
    limit, lower, upper = packed.limit, packed.lower, packed.upper
    budgets = problem.budgets
    if limit is Limit.RAM:
        lower, upper = int(lower), None if upper is None else int(upper)
    trace = known
    if packed.schedule is not None and upper is not None:
        needs = (
            replace(budgets, ram_bytes=int(upper))
            if limit is Limit.RAM
            else Budgets(budgets.ram_bytes, upper)
        )
        trace = simulate(unpack_schedule(packed.schedule), replace(problem, budgets=needs))
    return LeastBudget(limit, lower, upper, packed.exact, trace, packed.hopeless)


def pack_outcome(outcome: Outcome) -> PackedOutcome:
    """The outcome without its problem, which both sides know."""
    status = status_of(outcome)
    message, record = outcome.message, outcome.record
    match outcome:
        case Optimal(trace=trace, bound_j=bound_j):
            packed = pack_schedule(trace.schedule)
            return PackedOutcome(status, message, record, packed, bound_j)
        case Feasible(trace=trace, bound_j=bound_j, stop_reason=stop):
            packed = pack_schedule(trace.schedule)
            return PackedOutcome(status, message, record, packed, bound_j, stop)
        case Infeasible(reason=reason, bound_j=bound):
            return PackedOutcome(status, message, record, bound_j=bound, reason=reason)
        case NoAnswer(stop_reason=stop, bound_j=bound):
            return PackedOutcome(status, message, record, bound_j=bound, stop_reason=stop)
        case Failed(details=details):
            return PackedOutcome(status, message, record, details=details)
        case _:
            assert_never(outcome)


def unpack_outcome(packed: PackedOutcome, problem: Problem) -> Outcome:
    """The outcome again, its schedule simulated on `problem`, which is the one that was solved.

    Raises ValueError when the fields do not belong to the status.
    """
    message, record = packed.message, packed.record
    match packed:
        case PackedOutcome(status="optimal", schedule=PackedSchedule() as s, bound_j=float(bound)):
            return Optimal(simulate(unpack_schedule(s), problem), bound, message, record)
        case PackedOutcome(
            status="feasible",
            schedule=PackedSchedule() as s,
            bound_j=float(bound),
            stop_reason=stop,
        ) if stop is not None:
            return Feasible(simulate(unpack_schedule(s), problem), bound, stop, message, record)
        case PackedOutcome(status="infeasible", reason=Reason() as reason):
            return Infeasible(reason, message, record, packed.bound_j)
        case PackedOutcome(status="no_answer", stop_reason=stop) if stop is not None:
            return NoAnswer(stop, message, record, packed.bound_j)
        case PackedOutcome(status="failed"):
            return Failed(message, record, packed.details)
    raise ValueError(f"no outcome has the status {packed.status!r} and these fields")


def pack_event(request_id: int, event: Event) -> SolveEvent:
    """The message that carries `event` as part of the answer to that request."""
    match event:
        case Started(t_s, step):
            return messages.SolveStarted(request_id, t_s, step)
        case StepChanged(t_s, step):
            return messages.SolveStep(request_id, t_s, step)
        case Incumbent(t_s, step, trace, energy_j, bound_j):
            bound = bound_j if isfinite(bound_j) else None
            schedule = pack_schedule(trace.schedule)
            return messages.SolveIncumbent(request_id, t_s, step, schedule, energy_j, bound)
        case Bound(t_s, step, bound_j):
            return messages.SolveBound(request_id, t_s, step, bound_j)
        case Finished(t_s, outcome):
            return messages.SolveFinished(request_id, t_s, pack_outcome(outcome))
        case _:
            assert_never(event)


def unpack_event(message: SolveEvent, problem: Problem) -> Event:
    """The event again; a missing bound becomes the baseline, which no schedule undercuts.

    Raises ValueError when the message contradicts itself.
    """
    match message:
        case messages.SolveStarted(t_s=t_s, step=step):
            return Started(t_s, step)
        case messages.SolveStep(t_s=t_s, step=step):
            return StepChanged(t_s, step)
        case messages.SolveIncumbent(t_s=t_s, step=step, schedule=schedule, energy_j=energy_j):
            bound = message.bound_j
            trace = simulate(unpack_schedule(schedule), problem)
            floor_j = problem.costed.baseline_energy_j
            return Incumbent(t_s, step, trace, energy_j, floor_j if bound is None else bound)
        case messages.SolveBound(t_s=t_s, step=step, bound_j=bound_j):
            return Bound(t_s, step, bound_j)
        case messages.SolveFinished(t_s=t_s, outcome=outcome):
            return Finished(t_s, unpack_outcome(outcome, problem))
        case _:
            assert_never(message)
