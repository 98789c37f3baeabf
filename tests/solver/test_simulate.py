"""Claim: a schedule executed on paper takes the time, energy and RAM that the contract says."""

import pytest

from solver.device import IoMode
from solver.schedule import Action, ActionKind, Schedule
from solver.simulate import Trace, simulate
from tests.helpers.builders import Line, graph_of, problem_of

COMPUTE, RECOMPUTE = ActionKind.COMPUTE, ActionKind.RECOMPUTE
PAGE_OUT, PAGE_IN, FREE = ActionKind.PAGE_OUT, ActionKind.PAGE_IN, ActionKind.FREE

GRAPH = graph_of(
    [
        Line("a", "f", 100, 1000),
        Line("b", "f", 40, 3000, ("a",), workspace=6),
        Line("g", "b", 10, 2000, ("b", "a")),
    ],
    fixed_bytes=5,
)


def run(*steps: tuple[ActionKind, int], io: IoMode = IoMode.BLOCKING) -> Trace:
    actions = tuple(Action(kind, target) for kind, target in steps)
    return simulate(Schedule(actions), problem_of(GRAPH, 10**6, io=io))


PAGED = (
    (COMPUTE, 0), (COMPUTE, 1), (PAGE_OUT, 0), (FREE, 0), (PAGE_IN, 0), (COMPUTE, 2), (FREE, 1),
)  # fmt: skip


def test_that_actions_follow_one_another_and_frees_take_no_time() -> None:
    # 1 MFLOP/s: 1, 3, 2 ms. 100 B at 1e5 B/s: 1 ms each way.
    trace = run(*PAGED)
    assert trace.start_s == pytest.approx([0, 0.001, 0.004, 0.005, 0.005, 0.006, 0.008])
    assert trace.duration_s == pytest.approx([0.001, 0.003, 0.001, 0, 0.001, 0.002, 0])
    assert trace.runtime_s == pytest.approx(0.008)


def test_that_energy_is_that_of_runs_and_transfers() -> None:
    trace = run(*PAGED)
    assert trace.energy_j == pytest.approx([0.001, 0.003, 0.001, 0, 0.001, 0.002, 0])
    assert trace.total_energy_j == pytest.approx(0.008)
    kinds = trace.energy_by_kind_j()
    assert kinds[COMPUTE] == pytest.approx(0.006)
    assert (kinds[PAGE_OUT], kinds[PAGE_IN]) == pytest.approx((0.001, 0.001))
    assert (kinds[RECOMPUTE], kinds[FREE]) == (0, 0)


def test_that_an_action_counts_at_its_worst_moment() -> None:
    # 5 fixed: a 105; b and 6 of workspace 151; out frees nothing 145; free 45; in 145; g 155; 115.
    trace = run(*PAGED)
    assert trace.resident_bytes.tolist() == [105, 151, 145, 45, 145, 155, 115]
    assert trace.peak_bytes == 155


def test_that_an_output_made_again_while_resident_counts_once() -> None:
    trace = run((COMPUTE, 0), (COMPUTE, 1), (RECOMPUTE, 0), (FREE, 0), (RECOMPUTE, 0))
    assert trace.resident_bytes.tolist() == [105, 151, 145, 45, 145]
    assert trace.energy_by_kind_j()[RECOMPUTE] == pytest.approx(0.002)


def test_that_ignored_transfers_cost_energy_but_no_time() -> None:
    trace = run(*PAGED, io=IoMode.IGNORED)
    assert trace.runtime_s == pytest.approx(0.006)
    assert trace.total_energy_j == pytest.approx(0.008)


def test_that_a_schedule_without_extra_actions_costs_the_baseline_to_the_last_bit() -> None:
    # Frees add zeros between the terms; pairwise or running sums would then round differently.
    lines = [Line("f0", "f", 8, 0.1)]
    lines += [Line(f"f{k}", "f", 8, 0.1 * (k % 7), (f"f{k - 1}",)) for k in range(1, 300)]
    problem = problem_of(graph_of(lines), 10**6)
    steps: list[Action] = []
    for k in range(300):
        steps += [Action(COMPUTE, k)] + [Action(FREE, k - 1)] * (k > 0)
    trace = simulate(Schedule(tuple(steps)), problem)
    assert trace.total_energy_j == problem.costed.baseline_energy_j


def test_that_an_empty_schedule_holds_the_fixed_bytes() -> None:
    trace = run()
    assert (trace.runtime_s, trace.total_energy_j, trace.peak_bytes) == (0, 0, 5)


def test_that_overlapped_transfers_run_beside_the_processor() -> None:
    # a 0..1 ms, b 1..4; a written 1..2, freed once b has read it: 4; read back 4..5; g 5..7.
    trace = run(*PAGED, io=IoMode.OVERLAPPED)
    assert trace.start_s == pytest.approx([0, 0.001, 0.001, 0.004, 0.004, 0.005, 0.007])
    assert trace.runtime_s == pytest.approx(0.007)
    assert trace.total_energy_j == pytest.approx(0.008)


def test_that_an_overlapped_action_counts_the_workspace_of_the_op_then_running() -> None:
    # As above, but while a is written b holds 6 B of workspace: 151. At 4 ms b has ended.
    trace = run(*PAGED, io=IoMode.OVERLAPPED)
    assert trace.resident_bytes.tolist() == [105, 151, 151, 45, 145, 155, 115]


def test_that_a_page_in_waits_for_a_workspace_that_leaves_no_room() -> None:
    # x (30 B) comes from storage, 0..0.3 ms; listed after b it finds 5 + 140 + 6 B in use.
    lines = [
        Line("a", "f", 100, 1000),
        Line("x", "f", 30, 0, stored=True),
        Line("b", "f", 40, 3000, ("a",), workspace=6),
        Line("g", "b", 10, 2000, ("b", "x")),
    ]
    steps = ((COMPUTE, 0), (COMPUTE, 1), (FREE, 1), (COMPUTE, 2), (PAGE_IN, 1), (COMPUTE, 3))

    def start_s(ram_bytes: int) -> list[float]:
        problem = problem_of(graph_of(lines, fixed_bytes=5), ram_bytes, io=IoMode.OVERLAPPED)
        schedule = Schedule(tuple(Action(kind, target) for kind, target in steps))
        return [float(second) for second in simulate(schedule, problem).start_s]

    assert start_s(181) == pytest.approx([0, 0.001, 0.001, 0.001, 0.001, 0.004])
    assert start_s(180) == pytest.approx([0, 0.001, 0.001, 0.001, 0.004, 0.0043])


def test_that_a_page_in_waits_for_its_page_out_and_transfers_for_one_another() -> None:
    # b 1..4; out of b, 4..4.4, waits for b; out of a, to 5.4, for the lane; in of a for its out.
    trace = run(
        (COMPUTE, 0), (COMPUTE, 1), (PAGE_OUT, 1), (PAGE_OUT, 0), (FREE, 0), (PAGE_IN, 0),
        io=IoMode.OVERLAPPED,
    )  # fmt: skip
    assert trace.start_s == pytest.approx([0, 0.001, 0.004, 0.0044, 0.0054, 0.0054])


def test_that_no_tensor_is_freed_or_replaced_while_it_is_written() -> None:
    # out of a 1..2; a again would replace it: 2..3; free of a waits for that: 3.
    trace = run((COMPUTE, 0), (PAGE_OUT, 0), (RECOMPUTE, 0), (FREE, 0), io=IoMode.OVERLAPPED)
    assert trace.start_s == pytest.approx([0, 0.001, 0.002, 0.003])
    assert run((COMPUTE, 0), (PAGE_OUT, 0), (FREE, 0), io=IoMode.OVERLAPPED).start_s[
        2
    ] == pytest.approx(0.002)


def test_that_what_is_listed_first_starts_first() -> None:
    # The second page-out waits for the lane until 2; b is listed after it and so starts no earlier.
    steps = ((COMPUTE, 0), (PAGE_OUT, 0), (PAGE_OUT, 0), (COMPUTE, 1))
    assert run(*steps, io=IoMode.OVERLAPPED).start_s == pytest.approx([0, 0.001, 0.002, 0.002])


def test_that_a_trace_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        run(*PAGED).energy_j[0] = 0.0
