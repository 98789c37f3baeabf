"""Claim: overlapped transfers cost the energy of blocking ones without a limit, less time with one.

Every result stands up to the contract's own checker, which executes it again.
"""

import json
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings

from solver.brackets import Known
from solver.codec import Origin, encode_json, graph_document, result_document
from solver.device import IoMode
from solver.events import Event
from solver.outcome import Feasible, Infeasible, Limit, NoAnswer, Optimal, Outcome
from solver.problem import Problem, SolveOptions
from solver.simulate import simulate
from solver.strategies.base import Cancel
from solver.strategies.registry import get_strategy
from solver.verify import verify
from tests.helpers.builders import Line, chain, graph_of, problem_of
from tests.helpers.command import checker
from tests.helpers.random_problems import problems
from tests.helpers.solving import assert_legal, run

SLOW_DRAWS = [HealthCheck.too_slow, HealthCheck.filter_too_much]


def in_mode(problem: Problem, io: IoMode, *, limited: bool = True) -> Problem:
    budgets = problem.budgets if limited else replace(problem.budgets, runtime_s=None)
    return replace(problem, budgets=budgets, switches=replace(problem.switches, io=io))


def energy_j(outcome: Outcome) -> float:
    match outcome:
        case Optimal(trace=trace) | Feasible(trace=trace):
            return trace.total_energy_j
        case _:
            return float("inf")


def contract_faults(problem: Problem, outcome: Outcome) -> list[str]:
    """What the contract's checker finds in the documents of an outcome."""
    document = result_document(problem, outcome, SolveOptions(), Origin("test", None))
    result = json.loads(encode_json(document))
    graph = json.loads(encode_json(graph_document(problem.costed)))
    return checker("check_result.py")(graph, result)


def long_skip(ram_bytes: int, runtime_s: float | None, io: IoMode) -> Problem:
    """`a` (100 B) is read by the first and by the last of five ops of 2 ms; it moves in 1 ms."""
    lines = [
        Line("a", "f", 100, 2000, recomputable=False),
        Line("b", "f", 100, 2000, ("a",)),
        Line("c", "f", 100, 2000, ("b",)),
        Line("h", "b", 100, 2000, ("c",), workspace=50),
        Line("g", "b", 100, 2000, ("h", "a")),
    ]
    return problem_of(graph_of(lines), ram_bytes, runtime_s=runtime_s, io=io)


def test_that_transfers_that_hide_keep_a_limit_that_blocking_cannot() -> None:
    # 340 B do not hold a, c, h and 50 B of workspace: a must go out and come in, 2 ms and 2 mJ.
    # Side by side it goes out under c, and comes in after h: 1 ms on top of 10.
    assert isinstance(run(long_skip(340, 0.0111, IoMode.BLOCKING)).outcome, Infeasible)

    outcome = run(long_skip(340, 0.0111, IoMode.OVERLAPPED)).outcome

    assert isinstance(outcome, Optimal)
    assert outcome.trace.total_energy_j == pytest.approx(0.012)
    assert outcome.trace.runtime_s == pytest.approx(0.011)


def test_that_an_order_that_the_relaxation_allows_but_ram_does_not_is_no_schedule() -> None:
    # Each lane alone would keep 10.5 ms; while h runs there is no room for a.
    outcome = run(long_skip(340, 0.0105, IoMode.OVERLAPPED), work_limit=0.3).outcome

    assert isinstance(outcome, NoAnswer)
    assert outcome.bound_j == pytest.approx(0.012)


def test_that_computing_alone_above_the_limit_is_impossible() -> None:
    outcome = run(long_skip(10**6, 0.0099, IoMode.OVERLAPPED)).outcome

    assert isinstance(outcome, Infeasible)
    assert outcome.reason.limit is Limit.RUNTIME


@pytest.mark.parametrize("strategy", ["keep-all", "page-all", "remat-only", "paging-only"])
def test_that_every_strategy_solves_overlapped_transfers(strategy: str) -> None:
    problem = long_skip(450, None, IoMode.OVERLAPPED)

    outcome = run(problem, strategy=strategy).outcome

    assert isinstance(outcome, Optimal | Feasible)
    assert contract_faults(outcome.trace.problem, outcome) == []
    assert outcome.trace.runtime_s <= 0.0121


@settings(max_examples=25, deadline=None, suppress_health_check=SLOW_DRAWS)
@given(problems(limited=False))
def test_that_without_a_limit_the_energy_is_that_of_blocking_and_the_time_no_longer(
    problem: Problem,
) -> None:
    overlapped = run(in_mode(problem, IoMode.OVERLAPPED)).outcome
    blocking = run(in_mode(problem, IoMode.BLOCKING)).outcome

    assert type(overlapped) is type(blocking)
    assert contract_faults(in_mode(problem, IoMode.OVERLAPPED), overlapped) == []
    if isinstance(overlapped, Optimal) and isinstance(blocking, Optimal):
        assert energy_j(overlapped) == pytest.approx(energy_j(blocking), rel=1e-6)
        trace = overlapped.trace
        one_by_one = simulate(trace.schedule, in_mode(problem, IoMode.BLOCKING))
        assert trace.runtime_s <= one_by_one.runtime_s * (1 + 1e-12)


@settings(max_examples=25, deadline=None, suppress_health_check=SLOW_DRAWS)
@given(problems(limited=True))
@pytest.mark.slow
def test_that_a_binding_limit_is_kept_between_the_bounds(problem: Problem) -> None:
    overlapped = in_mode(problem, IoMode.OVERLAPPED)
    result = run(overlapped, work_limit=1.0)
    outcome = result.outcome
    blocking = run(in_mode(problem, IoMode.BLOCKING)).outcome
    free = run(in_mode(problem, IoMode.BLOCKING, limited=False)).outcome

    assert contract_faults(overlapped, outcome) == []
    for incumbent in result.incumbents:
        assert_legal(incumbent)
    # What blocking can do is possible, at least as good, and no better than without a limit.
    if isinstance(outcome, Infeasible):
        assert isinstance(blocking, Infeasible)
    bound_j = max(result.bounds_j, default=0.0)
    assert bound_j <= energy_j(blocking) * (1 + 1e-6)
    assert energy_j(outcome) >= max(bound_j, min(energy_j(free), 1e300)) * (1 - 1e-6)
    if isinstance(blocking, Optimal):
        assert energy_j(outcome) <= energy_j(blocking) * (1 + 1e-6)


def test_that_a_stored_overlapped_schedule_starts_the_next_solve() -> None:
    problem = long_skip(340, 0.0111, IoMode.OVERLAPPED)
    first = run(problem).outcome
    assert isinstance(first, Optimal)
    events = list[Event]()

    again = get_strategy("joint").solve(
        problem,
        SolveOptions(gap=0.0),
        events.append,
        Cancel(),
        Known((first.trace.schedule,), first.bound_j),
    )

    assert isinstance(again, Optimal)
    assert again.record.incumbents[0].step == "stored"
    assert verify(again.trace.schedule, problem).ok


def test_that_a_work_limit_makes_overlapped_solves_reproducible() -> None:
    problem = problem_of(chain(12), 5004, runtime_s=40.0, io=IoMode.OVERLAPPED)
    first, second = (run(problem, work_limit=0.2).outcome for _ in range(2))
    assert isinstance(first, Optimal | Feasible)
    assert isinstance(second, Optimal | Feasible)
    assert first.trace.schedule == second.trace.schedule
