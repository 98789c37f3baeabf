"""Claim: a plan changed step by step is the plan made afresh, and what it says is what it does."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from solver.heuristic.improve import hold_back
from solver.heuristic.plan import Plan, keep_everything, page_everything
from solver.heuristic.price_search import energy_j
from solver.heuristic.stage_plan import StagePlanner, prices
from solver.problem import Budgets, Problem
from solver.simulate import simulate
from solver.staged import bits, stage
from solver.verify import verify
from tests.helpers.builders import Line, chain, device_of, graph_of, problem_of
from tests.helpers.random_problems import problems

MANY = settings(
    max_examples=20,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
PROBLEMS = problems(most_forward=6, most_backward=5)


def planner_of(problem: Problem, joule_per_second: float = 0.0) -> StagePlanner:
    staged = stage(problem)
    return StagePlanner(staged, prices(staged, joule_per_second))


class Mover:
    """Random changes of a plan: each either stays, or is taken back at once."""

    def __init__(self, plan: Plan, data: st.DataObject) -> None:
        self.plan = plan
        self.data = data

    def step(self) -> None:
        kind = self.data.draw(st.sampled_from(["drop", "hold", "write", "unwrite"]))
        getattr(self, kind)()

    def drop(self) -> None:
        plan = self.plan
        held = [(i, b) for b, mask in enumerate(plan.held) for i in bits(mask)]
        if not held:
            return
        tensor, border = self.data.draw(st.sampled_from(held))
        first, last = plan.segment(tensor, border)
        assert first <= border <= last
        undo = plan.move(tensor, first, last, hold=False)
        if undo is not None and self.data.draw(st.booleans()):
            plan.undo(tensor, first, last, undo)

    def hold(self) -> None:
        plan = self.plan
        supplied = [
            (t, i)
            for t, planned in enumerate(plan.stages)
            for i in bits((planned.touched & ~plan.held[t]) & ~plan.staged.op_out[t])
        ]
        if supplied:
            t, tensor = self.data.draw(st.sampled_from(supplied))
            hold_back(plan, t, tensor, force=self.data.draw(st.booleans()))

    def write(self) -> None:
        free = [i for i in range(self.plan.staged.tensors) if self.plan.staged.may_page[i]]
        if free:
            self.plan.page(self.data.draw(st.sampled_from(free)), write=True)

    def unwrite(self) -> None:
        plan = self.plan
        written = list(bits(plan.paged))
        if not written:
            return
        tensor = self.data.draw(st.sampled_from(written))
        stages = [t for t, planned in enumerate(plan.stages) if planned.paged_in >> tensor & 1]
        plan.page(tensor, write=False)
        undo = plan.replan(stages)
        if undo is None:
            plan.page(tensor, write=True)
        elif self.data.draw(st.booleans()):
            plan.restore(undo)
            plan.page(tensor, write=True)


def assert_same(plan: Plan, fresh: Plan) -> None:
    """Every derived figure, exact where it is whole, to rounding where it is a sum of floats."""
    assert plan.held == fresh.held
    assert plan.peaks.tolist() == fresh.peaks.tolist()
    assert plan.masses.tolist() == fresh.masses.tolist()
    assert plan.borders == fresh.borders
    assert plan.uses == fresh.uses
    assert plan.touches == fresh.touches
    assert plan.cost == pytest.approx(fresh.cost, rel=1e-12, abs=1e-12)
    assert plan.seconds == pytest.approx(fresh.seconds, rel=1e-12, abs=1e-12)


def moved(problem: Problem, data: st.DataObject, steps: int = 6) -> Plan:
    planner = planner_of(problem, data.draw(st.sampled_from([0.0, 2.0])))
    start = keep_everything if data.draw(st.booleans()) else page_everything
    mover = Mover(start(planner), data)
    for _ in range(steps):
        mover.step()
    return mover.plan


@MANY
@given(PROBLEMS, st.data())
def test_that_a_changed_plan_is_the_plan_made_afresh(problem: Problem, data: st.DataObject) -> None:
    plan = moved(problem, data)

    fresh = Plan(plan.planner, plan.held.copy(), plan.paged, dict(enumerate(plan.stages)))

    assert_same(plan, fresh)


@MANY
@given(PROBLEMS, st.data())
def test_that_a_plan_is_a_legal_schedule_of_its_own_peak_cost_and_time(
    problem: Problem, data: st.DataObject
) -> None:
    plan = moved(problem, data)
    peak = max(plan.peaks) + problem.costed.graph.fixed_bytes
    roomy = replace(problem, budgets=Budgets(peak))

    trace = simulate(plan.schedule(), roomy)

    assert verify(trace.schedule, roomy).faults == ()
    assert trace.peak_bytes == peak
    extra_j = trace.total_energy_j - problem.costed.baseline_energy_j
    # A tensor dropped between neighbouring ops that both touch it is simply kept by the schedule.
    assert extra_j <= energy_j(plan) * (1 + 1e-9) + 1e-12
    extra_s = trace.runtime_s - problem.costed.baseline_runtime_s
    assert extra_s <= plan.seconds * (1 + 1e-9) + 1e-9


@MANY
@given(PROBLEMS, st.data())
def test_that_a_copy_is_left_alone(problem: Problem, data: st.DataObject) -> None:
    plan = moved(problem, data, steps=3)
    twin = plan.copy()
    before = Plan(plan.planner, plan.held.copy(), plan.paged, dict(enumerate(plan.stages)))

    mover = Mover(plan, data)
    for _ in range(4):
        mover.step()

    assert_same(twin, before)


@MANY
@given(PROBLEMS)
def test_that_holding_everything_is_the_baseline(problem: Problem) -> None:
    plan = keep_everything(planner_of(problem))

    assert plan.cost == 0
    assert plan.seconds == 0
    peak = max(plan.peaks) + problem.costed.graph.fixed_bytes
    assert peak == problem.costed.plain_peak_bytes


@MANY
@given(PROBLEMS)
def test_that_paging_everything_reaches_the_floor(problem: Problem) -> None:
    assume(problem.switches.paging)
    assume(all(tensor.pageable for tensor in problem.costed.graph.tensors))

    plan = page_everything(planner_of(problem))

    peak = max(plan.peaks) + problem.costed.graph.fixed_bytes
    assert peak == problem.costed.floor_bytes
    roomy = replace(problem, budgets=Budgets(peak))
    trace = simulate(plan.schedule(), roomy)
    assert verify(trace.schedule, roomy).faults == ()
    extra_j = trace.total_energy_j - problem.costed.baseline_energy_j
    assert extra_j == pytest.approx(energy_j(plan), rel=1e-9, abs=1e-12)


def test_that_the_floor_is_reached_where_making_again_would_cost_less() -> None:
    # Paging f1 in costs 20 J, making it again 1 J; but with its workspace of 3500 B it does not fit
    # beside b2 (400 + 3500 + 1000). Floor: 400 + 3500 at f1, 1000 + 400 + 2500 at b1.
    lines = [
        Line("f1", "f", 400, 1e6, workspace=3500),
        Line("f2", "f", 1000, 1e6, ("f1",)),
        Line("f3", "f", 1000, 1e6, ("f2",)),
        Line("b2", "b", 1000, 1e6, ("f3",)),
        Line("b1", "b", 2500, 1e6, ("b2", "f1")),
    ]
    device = device_of(joule_per_byte_in=5e-2)
    planner = planner_of(problem_of(graph_of(lines), 3900, device=device))

    plan = page_everything(planner)

    assert max(plan.peaks) == 3900  # f1's own run, and 400 + 1000 + 2500 at b1
    assert energy_j(plan) == pytest.approx(400 * 5e-2 + 400 * 1e-5)


def test_that_a_stretch_ends_where_the_tensor_is_read_or_no_longer_held() -> None:
    # chain(3): f1 0, f2 1, f3 2, loss 3, b3 4, b2 5, b1 6; f1 is read by f2 (1) and b1 (6).
    plan = keep_everything(planner_of(problem_of(chain(3), 10**6)))

    assert plan.segment(0, 1) == (1, 1)
    assert plan.segment(0, 4) == (2, 6)
    assert plan.last_seen(0, 6) == 6 - 1  # held across border 5
    plan.page(0, write=True)
    assert plan.move(0, 2, 6, hold=False) is not None
    assert plan.last_seen(0, 6) == 1  # f2 read it


def test_that_a_drop_without_a_supply_is_refused_and_changes_nothing() -> None:
    plan = keep_everything(planner_of(problem_of(chain(3), 10**6, recompute=False)))
    held = plan.held.copy()

    assert plan.move(0, 2, 6, hold=False) is None  # neither made again nor written

    assert plan.held == held
    assert_same(plan, keep_everything(plan.planner))


def test_that_the_peak_of_a_stage_includes_what_passes_through_and_its_workspace() -> None:
    # f1 (1000) waits for b1 while f2 runs with 1000 in, 300 out and 50 of workspace: at f3 1000 of
    # f1, 300 of f2, 200 of its own and 50 of workspace.
    lines = [
        Line("f1", "f", 1000, 1e6),
        Line("f2", "f", 300, 1e6, ("f1",)),
        Line("f3", "f", 200, 1e6, ("f2",), workspace=50),
        Line("b1", "b", 10, 1e6, ("f3", "f1")),
    ]
    plan = keep_everything(planner_of(problem_of(graph_of(lines), 10**6)))

    assert plan.peaks.tolist() == [1000, 1300, 1550, 1210]
