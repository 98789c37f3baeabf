"""Claim: the folded problem has the same optimum as the whole one, and expands to its schedules."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from solver.costs import price
from solver.device import IoMode
from solver.events import Event, Incumbent
from solver.folding import fold, freed_early
from solver.graph import Op, Phase, Tensor, TrainingGraph
from solver.grouping import Grouped
from solver.problem import Budgets, Problem, Switches
from solver.schedule import Action, ActionKind, Schedule
from solver.simulate import simulate
from solver.staged import stage
from solver.strategies.plain import keep_all
from solver.verify import verify
from tests.helpers.builders import Line, chain, graph_of, problem_of
from tests.helpers.oracle import least_energy
from tests.helpers.random_problems import devices, problems
from tests.helpers.solving import assert_legal, run

QUICK = settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
LONG = settings(QUICK, max_examples=600)

SIZES = st.sampled_from([k * 1024 for k in (1, 2, 3, 5)])


def names(folded: Grouped) -> list[tuple[str, ...]]:
    ops = folded.fine.costed.graph.ops
    return [tuple(ops[k].name for k in members) for members in folded.members]


def backward(*lines: Line) -> Problem:
    """f and g, then backward ops only; nothing may run again."""
    ahead = (Line("f", "f", 1000, 1e6), Line("g", "f", 1000, 1e6, ("f",)))
    return problem_of(graph_of((*ahead, *lines)), 10**6, recompute=False)


def test_that_an_op_that_makes_nothing_hides_behind_one_that_reads_the_same() -> None:
    # the weight gradient w reads d and f, the bias gradient v reads d: v hides behind w
    graph = TrainingGraph(
        "test",
        (
            Op("f", "test", Phase.FORWARD, (), ("f",), 1e6),
            Op("d", "test", Phase.BACKWARD, ("f",), ("d",), 1e6, recomputable=False),
            Op("w", "test", Phase.BACKWARD, ("d", "f"), (), 1e6, recomputable=False),
            Op("v", "test", Phase.BACKWARD, ("d",), (), 2e6, recomputable=False),
        ),
        (Tensor("f", 1000, "f"), Tensor("d", 1000, "d")),
    )
    folded = fold(problem_of(graph, 10**6))  # recomputing is on, but of no use behind w

    assert names(folded)[-1][-2:] == ("w", "v")
    assert folded.coarse.costed.graph.ops[-1].inputs[-1] == "f"
    assert folded.coarse.costed.op_energy_j[-1] >= 3.0


def test_that_a_chain_whose_inputs_die_folds_to_what_its_worst_moment_needs() -> None:
    # a: 1000 (g, dies) -> x 3000; b: x -> y 500. While a runs 1000 + 3000, while b runs 3500.
    folded = fold(backward(Line("x", "b", 3000, 1e6, ("g",)), Line("y", "b", 500, 1e6, ("x",))))

    assert names(folded)[-1][-2:] == ("x", "y")
    assert folded.coarse.costed.working_set_bytes[-1] == 4000


def test_that_what_another_op_still_reads_keeps_a_chain_apart_where_the_end_needs_most() -> None:
    # f is read by z later: while b runs (1000 + 3000) f may be in storage, or in RAM
    chained = (Line("x", "b", 1000, 1e6, ("f",)), Line("y", "b", 3000, 1e6, ("x",)))
    apart = fold(backward(*chained, Line("z", "b", 10, 1e6, ("y", "f"))))

    assert ("x",) in names(apart)


def test_that_an_input_from_elsewhere_keeps_a_chain_apart_where_the_begin_needs_most() -> None:
    # g is read by y alone: while x is made (3000 + 1000) it may wait in storage
    apart = fold(
        backward(
            Line("d", "b", 3000, 1e6, ("f",)),
            Line("x", "b", 1000, 1e6, ("d",)),
            Line("y", "b", 10, 1e6, ("x", "g")),
        )
    )

    assert ("y",) in names(apart)


def test_that_nothing_is_folded_that_would_need_more_than_either_op() -> None:
    # w reads f, which dies (1000); y reads d (10) and makes 1000: together 2010, apart 1010
    graph = TrainingGraph(
        "test",
        (
            Op("f", "test", Phase.FORWARD, (), ("f",), 1e6),
            Op("d", "test", Phase.BACKWARD, ("f",), ("d",), 1e6, recomputable=False),
            Op("w", "test", Phase.BACKWARD, ("d", "f"), (), 1e6, recomputable=False),
            Op("y", "test", Phase.BACKWARD, ("d",), ("y",), 1e6, recomputable=False),
        ),
        (Tensor("f", 1000, "f"), Tensor("d", 10, "d"), Tensor("y", 1000, "y")),
    )

    assert ("y",) in names(fold(problem_of(graph, 10**6, recompute=False)))


def test_that_what_several_ops_of_one_fold_read_counts_inside_it() -> None:
    # t: made by y from f and g (1000 each), read by v and w in turn: 3000 while y runs, folded or
    # not, though t is seen by nobody outside
    graph = TrainingGraph(
        "test",
        (
            Op("f", "test", Phase.FORWARD, (), ("f",), 1e6),
            Op("g", "test", Phase.FORWARD, ("f",), ("g",), 1e6),
            Op("y", "test", Phase.BACKWARD, ("f", "g"), ("t",), 1e6, recomputable=False),
            Op("v", "test", Phase.BACKWARD, ("t", "f"), (), 1e6, recomputable=False),
            Op("w", "test", Phase.BACKWARD, ("t",), (), 1e6, recomputable=False),
        ),
        tuple(Tensor(name, 1000, op) for name, op in (("f", "f"), ("g", "g"), ("t", "y"))),
    )
    folded = fold(problem_of(graph, 10**6, recompute=False))

    assert names(folded)[-1] == ("y", "v", "w")
    assert folded.coarse.costed.working_set_bytes[-1] == 3000


def test_that_a_stage_that_reruns_can_serve_is_left_alone() -> None:
    # b3 .. b1 read f3 .. f1, each of which can be made again until b1
    assert all(len(ops) == 1 for ops in names(fold(problem_of(chain(3), 10**6))))


def test_that_overlapped_transfers_under_a_runtime_limit_fold_nothing() -> None:
    lines = (Line("x", "b", 3000, 1e6, ("g",)), Line("y", "b", 500, 1e6, ("x",)))
    problem = backward(*lines)
    problem = replace(
        problem,
        budgets=Budgets(10**6, 100.0),
        switches=Switches(recompute=False, io=IoMode.OVERLAPPED),
    )

    assert all(len(ops) == 1 for ops in names(fold(problem)))


def test_that_a_tensor_is_freed_right_after_its_last_use() -> None:
    problem = problem_of(graph_of([Line("f", "f", 4, 1.0), Line("b", "b", 4, 1.0, ("f",))]), 99)
    late = Schedule(tuple(Action(ActionKind.COMPUTE, k) for k in (0, 1)))

    early = freed_early(late, problem.costed.graph)

    assert [action.kind for action in early.actions] == ["compute", "compute", "free", "free"]
    assert verify(early, problem).ok


@st.composite
def run_once(draw: st.DrawFn) -> Problem:
    """Ops that run once each, in chains with side inputs, weight gradients and workspaces."""
    ops: list[Op] = []
    tensors: list[Tensor] = []
    for k in range(draw(st.integers(3, 6))):
        phase = Phase.FORWARD if k < 2 else Phase.BACKWARD
        made = [tensor.name for tensor in tensors]
        reads = made[-1:] if draw(st.integers(0, 9)) else []
        if made and draw(st.integers(0, 2)) == 0:
            reads.append(draw(st.sampled_from(made)))
        makes = (f"t{k}",) if k < 2 or draw(st.integers(0, 3)) else ()
        reads = reads or made[:1]
        workspace = draw(st.sampled_from([0, 0, 1024, 3072]))
        flop = draw(st.sampled_from([1e5, 4e5]))
        ops.append(
            Op(f"o{k}", "test", phase, tuple(dict.fromkeys(reads)), makes, flop,
               workspace_bytes=workspace, recomputable=phase is Phase.FORWARD)
        )  # fmt: skip
        tensors += [
            Tensor(name, draw(SIZES), f"o{k}", pageable=bool(draw(st.integers(0, 4))))
            for name in makes
        ]
    graph = TrainingGraph("run once", tuple(ops), tuple(tensors))
    costed = price(graph, draw(devices()))
    spread = costed.plain_peak_bytes - costed.floor_bytes
    ram = costed.floor_bytes + int(draw(st.sampled_from([-0.2, 0.0, 0.2, 0.5])) * spread)
    io = draw(st.sampled_from([IoMode.BLOCKING, IoMode.IGNORED]))
    return Problem(costed, Budgets(ram), Switches(recompute=False, io=io))


def assert_exact(problem: Problem) -> None:
    """Both directions: the least energies are equal, each schedule found expands to a legal one."""
    folded = fold(problem)
    assume(len(folded.members) < len(problem.costed.graph.ops))
    least, folded_least = least_energy(problem), least_energy(folded.coarse)
    if least is None:
        assert folded_least is None
        return
    assert folded_least == pytest.approx(least, rel=1e-9)
    plain = simulate(keep_all(stage(folded.coarse)), folded.coarse)
    expanded = freed_early(folded.expand(plain.schedule), problem.costed.graph)
    mine = simulate(expanded, problem)
    assert mine.total_energy_j == pytest.approx(plain.total_energy_j, rel=1e-9)
    assert mine.peak_bytes <= plain.peak_bytes


@QUICK
@given(run_once())
def test_that_the_optimum_stays(problem: Problem) -> None:
    assert_exact(problem)


@LONG
@given(run_once())
@pytest.mark.slow
def test_that_the_optimum_stays_in_many_problems(problem: Problem) -> None:
    assert_exact(problem)


@LONG
@given(problems(most_backward=3))
@pytest.mark.slow
def test_that_the_optimum_stays_with_reruns_and_runtime_limits(problem: Problem) -> None:
    assert_exact(problem)


@settings(QUICK, max_examples=6)
@given(run_once())
def test_that_a_solve_without_recomputing_finds_and_proves_the_optimum(problem: Problem) -> None:
    least = least_energy(problem)

    result = run(problem, strategy="paging-only")

    assert result.energy_j == (None if least is None else pytest.approx(least, rel=1e-6))
    events: list[Event] = list(result.events)
    for event in events:
        if isinstance(event, Incumbent):
            assert event.trace.problem.costed is problem.costed
            assert_legal(event)
