"""Claim: a schedule of the grouped problem is one of all ops, for the same energy and RAM."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings

from solver.blocks import Blocks, Division, name_blocks
from solver.grouping import group
from solver.outcome import Feasible, Optimal, StopReason
from solver.problem import Problem, SolveOptions
from solver.simulate import simulate
from solver.staged import stage
from solver.strategies.base import Cancel
from solver.strategies.joint_solve import JointSolve
from solver.strategies.limits import Limits
from solver.strategies.plain import keep_all, page_all
from solver.verify import verify
from tests.helpers.builders import Line, chain, graph_of, problem_of
from tests.helpers.oracle import least_energy
from tests.helpers.random_problems import problems
from tests.helpers.solving import run

QUICK = settings(
    max_examples=20, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
LONG = settings(QUICK, max_examples=300)


def in_pairs(problem: Problem) -> Blocks:
    """Blocks of two neighbours each, whatever they are."""
    ops = len(problem.costed.graph.ops)
    count = -(-ops // 2)
    return Blocks(
        tuple(f"block {k}" for k in range(count)),
        tuple(k // 2 for k in range(ops)),
        Division.NAMES,
    )


def test_that_backward_neighbours_of_a_block_become_one_op() -> None:
    # f1 f2 f3 loss b3 b2 b1 in pairs: f1 is read by f2 and b1, so f1 f2 stay apart; b3 b2 join.
    # They read loss, f3, f2, make b2, and b3 dies inside: a workspace of 1000.
    problem = problem_of(chain(3), 10**6)
    grouped = group(problem, in_pairs(problem))

    assert grouped.members == ((0,), (1,), (2,), (3,), (4, 5), (6,))
    op = grouped.coarse.costed.graph.ops[4]
    assert (op.name, op.inputs, op.outputs) == ("b3 … b2", ("loss", "f3", "f2"), ("b2",))
    assert op.workspace_bytes == 1000
    assert grouped.coarse.costed.op_energy_j[4] == pytest.approx(4.0)  # 2 MFLOP each at 1 uJ


def test_that_forward_neighbours_join_where_one_alone_reads_the_other() -> None:
    # f2 is read by f3 alone and dies inside; b1 reads f1 and f3
    lines = [
        Line("f1", "f", 10, 1.0),
        Line("f2", "f", 20, 1.0, ("f1",)),
        Line("f3", "f", 30, 1.0, ("f2",)),
        Line("b1", "b", 10, 1.0, ("f1", "f3")),
    ]
    problem = problem_of(graph_of(lines), 10**6)
    blocks = Blocks(("a", "b"), (0, 1, 1, 1), Division.NAMES)

    assert group(problem, blocks).members == ((0,), (1, 2), (3,))


def test_that_a_group_that_takes_too_much_of_the_budget_is_halved() -> None:
    # all of b4 .. b1 need loss + f4 f3 f2 f1 + b1 and two of b4 b3 b2 at a time: 7004 B
    problem = problem_of(chain(4), 7004)
    blocks = Blocks(("a",), (0,) * 9, Division.NAMES)

    assert group(problem, blocks, room_share=1.0).members[-1] == (5, 6, 7, 8)
    tighter = replace(problem, budgets=replace(problem.budgets, ram_bytes=7003))
    assert group(tighter, blocks, room_share=1.0).members[-2:] == ((5, 6), (7, 8))


def assert_expands(problem: Problem) -> None:
    grouped = group(problem, in_pairs(problem), room_share=1.0)
    least, coarse_least = least_energy(problem), least_energy(grouped.coarse)
    if coarse_least is not None:
        assert least is not None
        assert least <= coarse_least * (1 + 1e-9)
    staged = stage(grouped.coarse)
    for schedule in (keep_all(staged), *((page_all(staged),) if problem.switches.paging else ())):
        theirs = simulate(schedule, grouped.coarse)
        mine = simulate(grouped.expand(schedule), problem)
        assert mine.total_energy_j == pytest.approx(theirs.total_energy_j, rel=1e-9)
        assert mine.runtime_s == pytest.approx(theirs.runtime_s, rel=1e-9)
        assert mine.peak_bytes <= theirs.peak_bytes
        wide = replace(problem, budgets=replace(problem.budgets, ram_bytes=10**12, runtime_s=None))
        assert verify(mine.schedule, wide).ok


@QUICK
@given(problems(most_backward=3))
def test_that_every_schedule_expands(problem: Problem) -> None:
    assert_expands(problem)


@LONG
@given(problems(most_backward=3))
@pytest.mark.slow
def test_that_every_schedule_of_many_problems_expands(problem: Problem) -> None:
    assert_expands(problem)


@settings(QUICK, max_examples=10)
@given(problems(most_backward=3))
def test_that_the_strategy_is_legal_and_bounded_against_all_ops(problem: Problem) -> None:
    least = least_energy(problem)

    result = run(problem, strategy="blocks")

    if least is None:
        assert result.energy_j is None
        return
    assert result.energy_j is not None
    assert result.energy_j >= least * (1 - 1e-9)
    assert all(bound <= least * (1 + 1e-6) for bound in result.bounds_j)


def test_that_a_small_problem_is_proven_op_by_op() -> None:
    # at 3500 B without paging chain(4) takes three runs more than 12, a joule each
    result = run(problem_of(chain(4), 3500, paging=False), strategy="blocks")

    assert isinstance(result.outcome, Optimal)
    assert result.energy_j == pytest.approx(15.0, abs=1e-3)


def test_that_the_strategy_reports_schedules_of_all_ops() -> None:
    problem = problem_of(chain(12), 9004)

    result = run(problem, strategy="blocks")

    assert name_blocks(problem.costed.graph).useful
    assert result.incumbents
    assert all(event.trace.problem.costed is problem.costed for event in result.incumbents)
    assert any(event.step.startswith("blocks, ") for event in result.incumbents)


def test_that_a_search_that_ends_by_itself_names_no_limit() -> None:
    problem = problem_of(chain(12), 9004)
    paged = run(problem, strategy="page-all")
    options = SolveOptions()
    whole = JointSolve("blocks", problem, options, lambda _: None, Limits(options, Cancel()))

    whole.offer_outside(paged.incumbents[-1].trace.schedule, "blocks")
    outcome = whole.ended(impossible=False)

    assert isinstance(outcome, Feasible)
    assert outcome.stop_reason is StopReason.WORK
    assert outcome.message.endswith("the search had nothing more to try")
