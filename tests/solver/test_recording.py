"""Claim: every schedule and bound of a solve is recorded, and no claim that is not one."""

import math

import pytest

from solver import api
from solver.brackets import Brackets
from solver.events import Bound, Event, Finished, Incumbent
from solver.outcome import (
    Feasible,
    Infeasible,
    Limit,
    NoAnswer,
    Reason,
    SolverRecord,
    StopReason,
)
from solver.problem import Budgets, SolveOptions
from solver.recording import record
from solver.simulate import simulate
from solver.staged import stage
from solver.strategies.plain import page_all
from tests.helpers.builders import chain, problem_of

PROBLEM = problem_of(chain(5), 4000)
BUDGETS = PROBLEM.budgets


def test_that_the_record_of_a_solve_is_its_answer_whenever_it_is_cut_off() -> None:
    """After every event the bracket is what was shown then; a killed solve loses nothing."""
    events: list[Event] = []
    api.solve(PROBLEM, SolveOptions(gap=0.0), events.append)
    brackets = Brackets(PROBLEM)
    for event in events:
        record(brackets, BUDGETS, event)
        bracket = brackets.bracket(BUDGETS)
        if isinstance(event, Incumbent):
            assert bracket.high_j == event.energy_j
        if isinstance(event, Incumbent | Bound):
            assert bracket.low_j >= event.bound_j
    assert brackets.refuted == []
    final = brackets.bracket(BUDGETS)
    assert final.high_j == pytest.approx(final.low_j, rel=1e-6)


def test_that_news_is_told_from_what_is_known() -> None:
    trace = simulate(page_all(stage(PROBLEM)), PROBLEM)
    event = Incumbent(0.0, "greedy", trace, trace.total_energy_j, 15.01)
    brackets = Brackets(PROBLEM)
    assert record(brackets, BUDGETS, event)
    assert not record(brackets, BUDGETS, event)
    assert record(brackets, BUDGETS, Bound(0.0, "proof", 15.02))
    assert not record(brackets, BUDGETS, Bound(0.0, "proof", 15.01))


def test_that_a_proof_that_nothing_fits_is_recorded() -> None:
    problem = problem_of(chain(5), 4000, paging=False, recompute=False)
    events: list[Event] = []
    outcome = api.solve(problem, SolveOptions(), events.append)
    assert isinstance(outcome, Infeasible)
    brackets = Brackets(problem)
    for event in events:
        record(brackets, problem.budgets, event)
    assert brackets.bracket(Budgets(4000)).impossible
    assert not brackets.bracket(Budgets(4001)).impossible


def test_that_a_strategy_whose_one_schedule_does_not_fit_proves_nothing() -> None:
    events: list[Event] = []
    outcome = api.solve(PROBLEM, SolveOptions("keep-all"), events.append)
    assert isinstance(outcome, Infeasible)  # keep-all needs 6004 B, others less
    brackets = Brackets(PROBLEM)
    for event in events:
        record(brackets, BUDGETS, event)
    assert not brackets.bracket(BUDGETS).impossible


def test_that_of_a_strategy_from_elsewhere_schedules_are_recorded_and_bounds_are_not() -> None:
    trace = simulate(page_all(stage(PROBLEM)), PROBLEM)
    by = SolverRecord("theirs", "none", "", 0.0)
    brackets = Brackets(PROBLEM)
    for event in (
        Incumbent(0.0, "search", trace, trace.total_energy_j, 15.01),
        Bound(0.0, "proof", 15.02),
        Finished(0.0, Feasible(trace, 15.03, StopReason.TIME, "found", by)),
        Finished(0.0, NoAnswer(StopReason.TIME, "none", by, 15.04)),
    ):
        record(brackets, BUDGETS, event, proves=False)
    assert [each.energy_j for each in brackets.schedules] == [trace.total_energy_j]
    assert brackets.bounds == ()


def test_that_the_least_ram_that_works_rules_out_all_below_it() -> None:
    by = SolverRecord("joint", "none", "", 0.0)
    reason = Reason(Limit.RAM, None, (), 3500, 500, exact=True)
    brackets = Brackets(PROBLEM)
    assert record(brackets, Budgets(3004), Finished(0.0, Infeasible(reason, "impossible", by)))
    assert brackets.bracket(Budgets(3499)).impossible
    assert not brackets.bracket(Budgets(3500)).impossible


def test_that_a_bound_without_a_schedule_is_recorded() -> None:
    by = SolverRecord("joint", "none", "", 0.0)
    brackets = Brackets(PROBLEM)
    record(brackets, BUDGETS, Finished(0.0, NoAnswer(StopReason.TIME, "none", by, 15.01)))
    assert brackets.bracket(BUDGETS).low_j == 15.01
    record(brackets, BUDGETS, Finished(0.0, NoAnswer(StopReason.TIME, "none", by)))
    assert not math.isinf(brackets.bracket(BUDGETS).low_j)
