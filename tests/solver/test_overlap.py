"""Claim: the issue order found overlaps transfers as far as RAM allows, with the same actions."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from solver.device import IoMode
from solver.dispatch import Dispatch, Rule
from solver.issue_script import take_apart, unhurried
from solver.overlap import arranged, in_time
from solver.problem import Problem
from solver.schedule import Action, ActionKind, Schedule
from solver.simulate import simulate
from solver.staged import stage
from solver.strategies.plain import page_all
from solver.verify import verify
from tests.helpers.builders import Line, graph_of, problem_of
from tests.helpers.issue_orders import issue_orders
from tests.helpers.random_problems import problems
from tests.helpers.schedules import random_legal_schedule
from tests.helpers.traces import big_trace

KINDS = {
    "c": ActionKind.COMPUTE, "r": ActionKind.RECOMPUTE, "o": ActionKind.PAGE_OUT,
    "i": ActionKind.PAGE_IN, "x": ActionKind.FREE,
}  # fmt: skip
MOST_ORDERS = 1500


def overlapped(problem: Problem, ram_bytes: int | None = None) -> Problem:
    budgets = problem.budgets
    if ram_bytes is not None:
        budgets = replace(budgets, ram_bytes=ram_bytes)
    switches = replace(problem.switches, io=IoMode.OVERLAPPED)
    return replace(problem, budgets=budgets, switches=switches)


def limited(problem: Problem, runtime_s: float) -> Problem:
    return replace(problem, budgets=replace(problem.budgets, runtime_s=runtime_s))


LINES = (
    Line("a", "f", 100, 2000),
    Line("b", "f", 100, 2000, ("a",)),
    Line("c", "f", 100, 2000, ("b",)),
    Line("h", "b", 100, 2000, ("c",)),
    Line("g", "b", 100, 2000, ("h", "a")),
)
"""Ops of 2 ms, tensors of 100 B that move in 1 ms; `a` is read by b and, long after, by g."""


def chain_of_two_gradients(ram_bytes: int) -> Problem:
    return problem_of(graph_of(LINES), ram_bytes, io=IoMode.OVERLAPPED)


def script(problem: Problem, text: str) -> Schedule:
    graph = problem.costed.graph
    parts = [part.split(":") for part in text.split()]
    return Schedule(tuple(Action(KINDS[kind], graph.op_index[name]) for kind, name in parts))


def listed(problem: Problem, schedule: Schedule) -> str:
    letters = {kind: letter for letter, kind in KINDS.items()}
    ops = problem.costed.graph.ops
    return " ".join(f"{letters[a.kind]}:{ops[a.target].name}" for a in schedule.actions)


LATE = "c:a o:a c:b x:a c:c x:b c:h x:c i:a c:g x:a x:h x:g"


def test_that_a_page_in_comes_as_early_as_there_is_room_for_it() -> None:
    # 300 B: a may come beside b and c, the most that any run up to g needs is 200 B.
    problem = chain_of_two_gradients(300)
    trace = arranged(script(problem, LATE), problem)
    assert listed(problem, trace.schedule) == (
        "c:a c:b o:a x:a c:c i:a x:b c:h x:c c:g x:h x:a x:g"
    )
    # a 0..2, b 2..4 beside the page-out 2..3, c 4..6 beside the page-in 4..5, h 6..8, g 8..10
    assert trace.runtime_s == pytest.approx(0.010)
    assert trace.peak_bytes == 300


def test_that_a_page_in_waits_while_a_run_before_its_reader_needs_the_room() -> None:
    # h takes 200 B of workspace: with c and h it needs 400, so a (out 2..3) comes back after it.
    lines = list(LINES)
    lines[3] = Line("h", "b", 100, 2000, ("c",), workspace=200)
    problem = problem_of(graph_of(lines), 400, io=IoMode.OVERLAPPED)
    trace = arranged(script(problem, LATE), problem)
    # a 0..2, b 2..4, c 4..6, h 6..8, in 8..9, g 9..11
    assert trace.schedule == script(problem, LATE)  # no other order is faster
    assert trace.runtime_s == pytest.approx(0.011)


def test_that_blocking_transfers_leave_the_order_as_it_is() -> None:
    problem = chain_of_two_gradients(300)
    blocking = replace(problem, switches=replace(problem.switches, io=IoMode.BLOCKING))
    schedule = script(problem, LATE)
    assert arranged(schedule, blocking).schedule is schedule


def test_that_an_order_that_keeps_the_limit_is_found_or_none_is_claimed() -> None:
    problem = chain_of_two_gradients(300)
    schedule = script(problem, LATE)
    kept = in_time(schedule, limited(problem, 0.010))
    assert kept is not None
    assert simulate(kept, problem).runtime_s == pytest.approx(0.010)
    assert in_time(schedule, limited(problem, 0.0099)) is None


def test_that_work_is_told_for_every_order_tried() -> None:
    problem = chain_of_two_gradients(300)
    units: list[float] = []
    assert in_time(script(problem, LATE), limited(problem, 0.010), units.append)
    assert len(units) >= 2
    assert all(unit > 0 for unit in units)


seeds = st.integers(min_value=0, max_value=2**32 - 1)


@settings(max_examples=150, deadline=None)
@given(seeds, st.sampled_from([0, 0, 500, 5000]))
@pytest.mark.slow
def test_that_the_same_actions_end_no_later_within_the_same_ram(seed: int, spare: int) -> None:
    schedule, problem = random_legal_schedule(seed, io=IoMode.BLOCKING)
    blocking = simulate(schedule, problem)
    beside = overlapped(problem, blocking.peak_bytes + spare)
    trace = arranged(schedule, beside)
    assert verify(trace.schedule, beside).faults == ()
    assert Counter(trace.schedule.actions) == Counter(schedule.actions)
    assert trace.runtime_s <= simulate(schedule, beside).runtime_s
    assert trace.runtime_s <= blocking.runtime_s * (1 + 1e-12)
    assert trace.total_energy_j == blocking.total_energy_j


@settings(max_examples=100, deadline=None)
@given(
    seeds,
    st.sampled_from([0.0, float("inf"), -float("inf"), 3.0]),
    st.booleans(),
    st.sampled_from([0.0, 8.0]),
)
def test_that_every_rule_issues_every_action(
    seed: int,
    lead: float,
    careful: bool,  # noqa: FBT001 - drawn
    noise: float,
) -> None:
    schedule, problem = random_legal_schedule(seed, io=IoMode.BLOCKING)
    beside = overlapped(problem, simulate(schedule, problem).peak_bytes)
    order = Dispatch(take_apart(schedule, beside), beside, Rule(lead, careful, noise)).order()
    assert order is not None
    assert Counter(order.actions) == Counter(schedule.actions)
    assert verify(order, beside).faults == ()


@settings(max_examples=100, deadline=None)
@given(seeds)
@pytest.mark.slow
def test_that_the_unhurried_order_is_legal_one_after_the_other(seed: int) -> None:
    schedule, problem = random_legal_schedule(seed, io=IoMode.BLOCKING)
    beside = overlapped(problem, simulate(schedule, problem).peak_bytes)
    back = unhurried(arranged(schedule, beside).schedule, beside)
    one_by_one = replace(beside, switches=problem.switches)
    assert Counter(back.actions) == Counter(schedule.actions)
    assert verify(back, one_by_one).faults == ()


@settings(max_examples=25, deadline=None)
@given(problems(limited=False))
@pytest.mark.slow
def test_that_no_issue_order_at_all_is_faster_than_the_one_found_for_a_limit(
    problem: Problem,
) -> None:
    blocking = replace(problem, switches=replace(problem.switches, paging=True, io=IoMode.BLOCKING))
    schedule = page_all(stage(blocking))
    transfers = sum(a.kind in {KINDS["i"], KINDS["o"]} for a in schedule.actions)
    assume(1 <= transfers <= 6 and verify(schedule, blocking).ok)
    beside = overlapped(blocking)
    fastest = float("inf")
    for count, order in enumerate(issue_orders(schedule, beside)):
        assume(count < MOST_ORDERS)
        fastest = min(fastest, simulate(order, beside).runtime_s)
    assert arranged(schedule, beside).runtime_s >= fastest * (1 - 1e-12)
    assert in_time(schedule, limited(beside, fastest)) is not None


@pytest.mark.slow
def test_that_a_long_schedule_is_arranged_in_seconds() -> None:
    trace = big_trace(depth=300)
    order = arranged(trace.schedule, overlapped(trace.problem)).schedule
    assert Counter(order.actions) == Counter(trace.schedule.actions)
