"""Claim: every outcome and event survives the way through a message."""

import io
import math

import pytest

from solver.brackets import NOTHING_KNOWN, Known
from solver.events import Bound, Event, Finished, Incumbent, Started, StepChanged
from solver.messages import (
    PackedOutcome,
    PackedSchedule,
    Solve,
    encode,
    event_reader,
    request_reader,
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
    Progress,
    Reason,
    SolverRecord,
    StopReason,
)
from solver.packing import (
    pack_event,
    pack_known,
    pack_least,
    pack_outcome,
    unpack_event,
    unpack_known,
    unpack_least,
    unpack_outcome,
    unpack_schedule,
)
from solver.problem import Problem
from solver.simulate import simulate
from solver.staged import stage
from solver.strategies.plain import page_all
from tests.helpers.builders import chain, problem_of

RECORD = SolverRecord("joint", "HiGHS", "1.2", 0.5, 0.25, (Progress(0.25, "greedy", 3.0, 2.0),))


@pytest.fixture
def problem() -> Problem:
    return problem_of(chain(4), 3004)


def _outcomes(problem: Problem) -> list[Outcome]:
    trace = simulate(page_all(stage(problem)), problem)
    return [
        Optimal(trace, trace.total_energy_j, "optimal", RECORD),
        Feasible(trace, 1.0, StopReason.GAP, "feasible", RECORD),
        Infeasible(Reason(Limit.RAM, 2, (0, 1), 3004.0, 4.0, exact=True), "no", RECORD, 1.5),
        NoAnswer(StopReason.TIME, "none", RECORD, None),
        Failed("broke", RECORD, "Traceback ..."),
    ]


def _sent(event: Event, problem: Problem) -> Event:
    message = event_reader(io.BytesIO(encode(pack_event(7, event)))).read()
    assert message.id == 7  # type: ignore[union-attr] # every event has an id
    return unpack_event(message, problem)  # type: ignore[arg-type] # the caller knows which event


@pytest.mark.parametrize("case", range(5))
def test_that_an_outcome_arrives_with_all_its_fields(problem: Problem, case: int) -> None:
    outcome = _outcomes(problem)[case]

    event = _sent(Finished(1.0, outcome), problem)

    assert isinstance(event, Finished)
    arrived = event.outcome
    assert pack_outcome(arrived) == pack_outcome(outcome)
    assert type(arrived) is type(outcome)
    assert arrived.record == RECORD
    if isinstance(outcome, Optimal | Feasible):
        assert isinstance(arrived, Optimal | Feasible)
        assert arrived.trace.schedule == outcome.trace.schedule
        assert arrived.trace.energy_j.tolist() == outcome.trace.energy_j.tolist()
        assert arrived.trace.problem is problem


@pytest.mark.parametrize("event", [Started(0.0, "a"), StepChanged(0.5, "b"), Bound(1.0, "c", 2.5)])
def test_that_an_event_without_a_schedule_arrives_unchanged(problem: Problem, event: Event) -> None:
    assert _sent(event, problem) == event


def test_that_an_incumbent_without_a_bound_arrives_with_the_baseline(problem: Problem) -> None:
    trace = simulate(page_all(stage(problem)), problem)
    sent = Incumbent(0.1, "greedy", trace, trace.total_energy_j, -math.inf)

    event = _sent(sent, problem)

    assert isinstance(event, Incumbent)
    assert event.trace.schedule == trace.schedule
    # chain(4): f1..f4 of 1 MFLOP, a loss of 1 FLOP, b4..b1 of 2 MFLOP at 1e-6 J per FLOP
    assert event.bound_j == pytest.approx(12.000001)


@pytest.mark.parametrize(
    "packed",
    [
        PackedOutcome("optimal", "no schedule", RECORD, bound_j=1.0),
        PackedOutcome("feasible", "no reason to stop", RECORD, PackedSchedule([], []), 1.0),
        PackedOutcome("infeasible", "no reason", RECORD),
        PackedOutcome("no_answer", "no reason to stop", RECORD),
        PackedOutcome("splendid", "unknown", RECORD),
    ],
)
def test_that_an_outcome_with_missing_fields_is_refused(
    problem: Problem, packed: PackedOutcome
) -> None:
    with pytest.raises(ValueError, match="no outcome has the status"):
        unpack_outcome(packed, problem)


def test_that_arrays_of_different_length_are_no_schedule() -> None:
    with pytest.raises(ValueError, match="zip"):
        unpack_schedule(PackedSchedule([0, 0], [1]))


@pytest.mark.parametrize("bound_j", [12.5, math.inf, -math.inf])
def test_that_what_is_known_arrives_with_its_schedules(problem: Problem, bound_j: float) -> None:
    schedule = page_all(stage(problem))
    known = Known((schedule,), bound_j)
    solve = Solve(
        7, "key", problem.costed.device, problem.budgets, problem.switches, known=pack_known(known)
    )

    arrived = request_reader(io.BytesIO(encode(solve))).read()

    assert isinstance(arrived, Solve)
    assert unpack_known(arrived.known) == known


def test_that_a_solve_may_know_nothing(problem: Problem) -> None:
    solve = Solve(7, "key", problem.costed.device, problem.budgets)

    assert unpack_known(solve.known) == NOTHING_KNOWN


def test_that_a_least_budget_arrives_with_its_schedule_once(problem: Problem) -> None:
    trace = simulate(page_all(stage(problem)), problem)
    least = LeastBudget(Limit.RAM, 2999, 3000, exact=False, trace=trace)

    first = unpack_least(pack_least(least), problem)
    narrower = pack_least(LeastBudget(Limit.RAM, 3000, 3000, True, trace), known=trace)
    second = unpack_least(narrower, problem, first.trace)

    assert first.trace is not None
    assert first.trace.schedule == trace.schedule
    assert first.trace.problem.budgets.ram_bytes == 3000  # the budget that it shows to work
    assert (first.lower, first.upper, first.exact) == (2999, 3000, False)
    assert narrower.schedule is None
    assert (second.lower, second.exact, second.trace) == (3000, True, first.trace)
