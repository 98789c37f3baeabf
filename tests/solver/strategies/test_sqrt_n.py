"""Claim: sqrt-n keeps what crosses between segments, makes the rest again, and is always legal."""

from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings

from solver.graph import TrainingGraph
from solver.outcome import Feasible, Infeasible, Limit, NoAnswer, Optimal, StopReason
from solver.problem import Budgets, Problem, Switches
from solver.schedule import ActionKind, Schedule
from solver.simulate import simulate
from solver.staged import stage
from solver.strategies.base import Cancel
from solver.strategies.segments import forward_pass, segmentations, segmented
from solver.verify import verify
from tests.helpers.builders import Line, chain, graph_of, problem_of
from tests.helpers.random_problems import problems
from tests.helpers.solving import run

MANY = settings(
    max_examples=50, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)


def cut(problem: Problem, *ends: int) -> Schedule:
    return segmented(forward_pass(stage(problem)), ends)


def reruns(graph: TrainingGraph, schedule: Schedule) -> list[str]:
    return [
        graph.ops[action.target].name
        for action in schedule.actions
        if action.kind is ActionKind.RECOMPUTE
    ]


def test_that_what_lies_inside_a_segment_is_made_again_once_and_the_last_is_kept() -> None:
    # f1 .. f9 cut after f3 and f6: f3 and f6 are kept, f7 .. f9 too, f4 f5 and f1 f2 made again
    problem = problem_of(chain(9), 10**6, paging=False)
    schedule = cut(problem, 2, 5)

    trace = simulate(schedule, problem)

    assert reruns(problem.costed.graph, schedule) == ["f4", "f5", "f1", "f2"]
    assert verify(schedule, problem).faults == ()
    # 9 J forward, 18 J backward, 1e-6 J the loss, and four reruns of 1 J
    assert trace.total_energy_j == pytest.approx(27.000001 + 4)
    # At b9: f3, f6, f7, f8, f9, b9 of 1000 B and the loss of 4 B; keeping everything needs 10004 B
    assert trace.peak_bytes == 6004
    assert problem.costed.plain_peak_bytes == 10004


def test_that_a_skip_over_a_border_is_kept() -> None:
    # f1 is read by f2 and, over the border after f3, by f4: both f1 and f3 cross it.
    lines = [
        Line("f1", "f", 1000, 1e6),
        Line("f2", "f", 1000, 1e6, ("f1",)),
        Line("f3", "f", 1000, 1e6, ("f2",)),
        Line("f4", "f", 1000, 1e6, ("f1", "f3")),
        Line("b4", "b", 1000, 1e6, ("f4",)),
        Line("b3", "b", 1000, 1e6, ("b4", "f3")),
        Line("b2", "b", 1000, 1e6, ("b3", "f2")),
        Line("b1", "b", 1000, 1e6, ("b2", "f1")),
    ]
    problem = problem_of(graph_of(lines), 10**6, paging=False)

    assert reruns(problem.costed.graph, cut(problem, 2)) == ["f2"]


def test_that_cuts_are_where_one_tensor_crosses_and_besides_anywhere() -> None:
    forward = forward_pass(stage(problem_of(chain(4), 10**6)))

    assert forward.crossing == tuple(1 << op for op in range(4))
    ways = list(segmentations(forward))
    assert ways[0] == ()  # one segment
    assert (0, 1, 2, 3) in ways  # every op its own
    assert len(set(ways)) == len(ways)


@MANY
@given(problems(most_forward=7, most_backward=5))
def test_that_every_way_to_cut_is_legal(problem: Problem) -> None:
    switches = Switches(paging=False, recompute=problem.switches.recompute)
    problem = Problem(problem.costed, Budgets(10**9), switches)
    forward = forward_pass(stage(problem))

    for ends in segmentations(forward):
        schedule = segmented(forward, ends)
        trace = simulate(schedule, problem)
        report = verify(schedule, problem)
        assert report.faults == ()
        assert report.peak_bytes == trace.peak_bytes
        counts = Counter(
            action.target for action in schedule.actions if action.kind is ActionKind.RECOMPUTE
        )
        assert max(counts.values(), default=1) == 1


def test_that_the_cheapest_way_that_fits_is_taken() -> None:
    # At the plain peak nothing is made again; one byte less, something is.
    plenty = run(problem_of(chain(16), 17004), strategy="sqrt-n")
    less = run(problem_of(chain(16), 17003), strategy="sqrt-n")

    assert isinstance(plenty.outcome, Optimal)
    assert plenty.energy_j == pytest.approx(48.000001)
    assert isinstance(less.outcome, Feasible)
    assert less.energy_j is not None
    assert less.energy_j > 48.5
    assert less.outcome.bound_j == pytest.approx(48.000001)


def test_that_it_needs_about_the_square_root_of_the_layers() -> None:
    # 64 layers: about 8 borders and the 8 layers of a segment at a time, 65004 B with everything
    outcome = run(problem_of(chain(64), 3004), strategy="sqrt-n").outcome

    assert isinstance(outcome, Infeasible)
    assert outcome.reason.limit is Limit.RAM
    assert 14_000 <= outcome.reason.needed <= 18_000
    assert f"this strategy needs {outcome.reason.needed:,.0f} B" in outcome.message


def test_that_what_it_says_it_needs_is_enough_and_one_byte_less_is_not() -> None:
    refused = run(problem_of(chain(16), 3004), strategy="sqrt-n").outcome
    assert isinstance(refused, Infeasible)
    needed = int(refused.reason.needed)

    assert isinstance(run(problem_of(chain(16), needed), strategy="sqrt-n").outcome, Feasible)
    assert isinstance(run(problem_of(chain(16), needed - 1), strategy="sqrt-n").outcome, Infeasible)


def test_that_a_runtime_limit_is_kept() -> None:
    # Every rerun takes 1 s on top of 48.000001 s: with 3 s more, at most three.
    problem = problem_of(chain(16), 16004, runtime_s=51.00001)
    outcome = run(problem, strategy="sqrt-n").outcome

    assert isinstance(outcome, Feasible)
    assert outcome.trace.runtime_s <= 51.00001


def test_that_a_cancelled_choice_claims_nothing_of_what_it_has_not_looked_at() -> None:
    wish = Cancel()
    wish.request()
    outcome = run(problem_of(chain(16), 16004), strategy="sqrt-n", cancel=wish).outcome

    assert isinstance(outcome, NoAnswer)
    assert outcome.stop_reason is StopReason.CANCELLED


def test_that_nothing_is_paged_and_nothing_made_again_when_that_is_switched_off() -> None:
    outcome = run(problem_of(chain(16), 17003, recompute=False), strategy="sqrt-n").outcome

    assert isinstance(outcome, Infeasible)
    assert outcome.reason.needed == 17004


def test_that_more_ram_never_costs_more() -> None:
    energies = [
        run(problem_of(chain(16), ram), strategy="sqrt-n").energy_j
        for ram in range(9004, 17005, 1000)
    ]
    known = [energy for energy in energies if energy is not None]

    assert len(known) >= 6
    assert known == sorted(known, reverse=True)
