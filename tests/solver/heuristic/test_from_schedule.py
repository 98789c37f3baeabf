"""Claim: a schedule read back is the plan that it was lowered from, and never a dearer one."""

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from solver.heuristic.from_schedule import plan_of
from solver.heuristic.plan import Plan, keep_everything, page_everything
from solver.heuristic.stage_plan import StagePlanner, prices
from solver.problem import Problem
from solver.schedule import Action, ActionKind, Schedule
from solver.simulate import simulate
from solver.staged import bits, stage
from solver.strategies.plain import page_all
from solver.verify import verify
from tests.helpers.builders import chain, problem_of
from tests.helpers.random_problems import problems

MANY = settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)


def planner_of(problem: Problem) -> StagePlanner:
    staged = stage(problem)
    return StagePlanner(staged, prices(staged))


def dropped_at_random(plan: Plan, data: st.DataObject) -> Plan:
    """Some retentions dropped, some tensors written: reruns and page-ins take their place."""
    for _ in range(6):
        held = [(i, b) for b, mask in enumerate(plan.held) for i in bits(mask)]
        if held:
            tensor, border = data.draw(st.sampled_from(held))
            if plan.staged.may_page[tensor] and data.draw(st.booleans()):
                plan.page(tensor, write=True)
            plan.move(tensor, *plan.segment(tensor, border), hold=False)
    return plan


@MANY
@given(problems(most_forward=6, most_backward=5), st.data())
def test_that_a_plan_comes_back_from_its_schedule(problem: Problem, data: st.DataObject) -> None:
    planner = planner_of(problem)
    start = page_everything if problem.switches.paging else keep_everything
    plan = dropped_at_random(start(planner), data)

    again = plan_of(plan.schedule(), planner)

    assert again is not None
    assert again.cost <= plan.cost * (1 + 1e-12)
    assert again.seconds <= plan.seconds * (1 + 1e-12) + 1e-12
    assert max(again.peaks) <= max(plan.peaks)
    before, after = simulate(plan.schedule(), problem), simulate(again.schedule(), problem)
    assert after.total_energy_j <= before.total_energy_j * (1 + 1e-12)
    # A plan that wrote nothing in vain and held nothing in vain is the very same list of actions.
    assert plan_of(again.schedule(), planner) is not None
    twice = plan_of(again.schedule(), planner)
    assert twice is not None
    assert twice.schedule() == again.schedule()


@MANY
@given(problems(most_forward=6, most_backward=5))
def test_that_a_legal_schedule_of_any_strategy_becomes_a_plan_that_fits_where_it_did(
    problem: Problem,
) -> None:
    assume(problem.switches.paging)
    schedule = page_all(stage(problem))
    assume(verify(schedule, problem).ok)

    plan = plan_of(schedule, planner_of(problem))

    assert plan is not None
    assert plan.fits
    assert verify(plan.schedule(), problem).ok


def test_that_page_all_of_a_chain_comes_back_action_by_action() -> None:
    problem = problem_of(chain(4), 10**6)
    schedule = page_all(stage(problem))
    plan = plan_of(schedule, planner_of(problem))
    assert plan is not None
    assert plan.schedule() == schedule
    assert plan.cost == pytest.approx(6 * 0.01)  # f1, f2, f3 out and in, 0.01 J each


def test_that_what_is_written_in_vain_is_not_written_any_more() -> None:
    problem = problem_of(chain(4), 10**6)
    kept = keep_everything(planner_of(problem)).schedule().actions
    first = next(i for i, a in enumerate(kept) if a.kind is ActionKind.COMPUTE)
    written = Action(ActionKind.PAGE_OUT, 0)
    schedule = Schedule((*kept[: first + 1], written, *kept[first + 1 :]))
    assert verify(schedule, problem).ok
    plan = plan_of(schedule, planner_of(problem))
    assert plan is not None
    assert plan.cost == 0.0


def test_that_an_op_run_twice_within_a_stage_is_no_plan() -> None:
    problem = problem_of(chain(4), 10**6)
    kept = list(keep_everything(planner_of(problem)).schedule().actions)
    # after f2 (op 1) has run, f1 (op 0) twice more: legal, but outside the staged problem
    place = next(i for i, a in enumerate(kept) if a == Action(ActionKind.COMPUTE, 1))
    again = Action(ActionKind.RECOMPUTE, 0)
    schedule = Schedule((*kept[: place + 1], again, again, *kept[place + 1 :]))
    assert verify(schedule, problem).ok
    assert plan_of(schedule, planner_of(problem)) is None
