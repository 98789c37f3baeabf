"""Claim: a solve goes on from what is known; what is false of it is dropped with a warning."""

import math
from dataclasses import replace

import pytest

from solver import api
from solver.brackets import Known
from solver.events import Bound, Event, Incumbent, StepChanged
from solver.outcome import Infeasible, NoAnswer, Optimal
from solver.problem import Budgets, Problem, SolveOptions
from solver.schedule import Action, ActionKind, Schedule
from solver.staged import stage
from solver.strategies.base import Cancel
from solver.strategies.joint_solve import JointSolve
from solver.strategies.limits import Limits
from solver.strategies.plain import keep_all, page_all
from tests.helpers.builders import chain, device_of, problem_of

# Rerunning f1 .. f3 costs 1 J each, moving one of them 0.01 J each way: paging is cheapest.
PROBLEM = problem_of(chain(6), 4000)


def solved(
    known: Known, problem: Problem = PROBLEM, *, work_limit: float | None = None
) -> tuple[object, list[Event]]:
    events: list[Event] = []
    options = SolveOptions(gap=0.0, work_limit=work_limit)
    return api.solve(problem, options, events.append, known=known), events


def steps(events: list[Event]) -> list[str]:
    return [event.step for event in events if isinstance(event, StepChanged)]


def optimum() -> Optimal:
    outcome, _ = solved(Known())
    assert isinstance(outcome, Optimal)
    return outcome


def test_that_a_stored_optimum_ends_the_solve_at_its_first_step() -> None:
    best = optimum()
    outcome, events = solved(Known((best.trace.schedule,), best.bound_j))
    assert isinstance(outcome, Optimal)
    assert outcome.trace.total_energy_j == best.trace.total_energy_j
    assert steps(events) == ["stored"]


def test_that_nothing_known_leaves_the_first_step_out() -> None:
    _, events = solved(Known())
    assert "stored" not in steps(events)


def test_that_a_stored_schedule_is_the_first_incumbent_and_counts_in_every_case() -> None:
    paged = page_all(stage(PROBLEM))
    cancel = Cancel()
    cancel.request()
    events: list[Event] = []
    outcome = api.solve(PROBLEM, SolveOptions(), events.append, cancel, Known((paged,)))
    (found,) = [event for event in events if isinstance(event, Incumbent)]
    assert found.step == "stored"
    assert found.trace.schedule == paged
    assert not isinstance(outcome, NoAnswer)


def test_that_the_best_stored_schedule_is_the_plan_that_the_search_starts_from() -> None:
    options = SolveOptions(gap=0.0, work_limit=0.0)
    solve = JointSolve("joint", PROBLEM, options, lambda event: None, Limits(options, Cancel()))
    best = optimum().trace.schedule
    solve.run(Known((page_all(stage(PROBLEM)), best)))
    assert solve.plan is not None
    assert solve.plan.schedule() == best


def _cut(schedule: Schedule) -> Schedule:
    return Schedule(schedule.actions[1:])


def _of_another_graph(schedule: Schedule) -> Schedule:
    return Schedule((*schedule.actions, Action(ActionKind.FREE, 10_000)))


@pytest.mark.parametrize("spoil", [_cut, _of_another_graph])
def test_that_an_invalid_stored_schedule_is_dropped_with_a_warning_and_never_shown(
    spoil: object, caplog: pytest.LogCaptureFixture
) -> None:
    assert callable(spoil)
    false = spoil(page_all(stage(PROBLEM)))
    outcome, events = solved(Known((false,)))
    assert isinstance(outcome, Optimal)
    assert all(event.step != "stored" for event in events if isinstance(event, Incumbent))
    assert "not valid and is dropped" in caplog.text


def test_that_a_stored_schedule_over_the_budget_is_dropped(
    caplog: pytest.LogCaptureFixture,
) -> None:
    kept = keep_all(stage(PROBLEM))  # 7004 B
    outcome, _ = solved(Known((kept,)))
    assert isinstance(outcome, Optimal)
    assert "over the RAM budget" in caplog.text


def test_that_a_known_bound_is_reported_and_proves_a_schedule_found_without_proof() -> None:
    best = optimum()
    outcome, events = solved(Known((), best.bound_j), work_limit=50.0)
    assert isinstance(outcome, Optimal)
    first = next(event for event in events if isinstance(event, Bound))
    assert (first.step, first.bound_j) == ("stored", best.bound_j)


def test_that_what_is_known_to_be_impossible_is_not_solved() -> None:
    problem = problem_of(chain(6), 4000, paging=False, recompute=False)
    outcome, events = solved(Known((), math.inf), problem)
    assert isinstance(outcome, Infeasible)
    assert steps(events) == []


def test_that_a_schedule_of_a_looser_budget_starts_a_tighter_solve() -> None:
    """Under a runtime limit that page-all breaks, its schedule is dropped, another is found."""
    limit_s = PROBLEM.costed.baseline_runtime_s * 1.0001
    loose = page_all(stage(PROBLEM))
    tight = replace(PROBLEM, budgets=Budgets(7004, limit_s))
    events: list[Event] = []
    with pytest.MonkeyPatch.context() as patch:
        told: list[str] = []
        patch.setattr(
            "solver.strategies.progress._LOG.warning", lambda *words: told.append(words[-1])
        )
        outcome = api.solve(tight, SolveOptions(), events.append, known=Known((loose,)))
    assert isinstance(outcome, Optimal)
    assert "over the limit" in told[0]


def test_that_the_answer_does_not_depend_on_how_it_is_known() -> None:
    """Told nothing, a poor schedule or the optimum, a solve to the end ends at one energy."""
    device = device_of(joule_per_byte_in=4e-4, joule_per_byte_out=4e-4)
    problem = problem_of(chain(6), 4000, device=device)
    best, _ = solved(Known(), problem)
    poor, _ = solved(Known((page_all(stage(problem)),)), problem)
    assert isinstance(best, Optimal)
    assert isinstance(poor, Optimal)
    assert poor.trace.total_energy_j == pytest.approx(best.trace.total_energy_j, rel=1e-6)
    stop = Known((best.trace.schedule,), best.bound_j)
    again, _ = solved(stop, problem)
    assert isinstance(again, Optimal)
    assert again.trace.total_energy_j == best.trace.total_energy_j
