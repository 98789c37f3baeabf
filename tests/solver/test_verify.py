"""Claim: the verifier sees and names every fault of a schedule, and recounts exactly."""

from dataclasses import replace

import pytest

from solver.device import IoMode
from solver.graph import TrainingGraph
from solver.schedule import Action, ActionKind, Schedule
from solver.verify import Report, verify, verify_figures
from tests.helpers.builders import Line, graph_of, problem_of

COMPUTE, RECOMPUTE = ActionKind.COMPUTE, ActionKind.RECOMPUTE
PAGE_OUT, PAGE_IN, FREE = ActionKind.PAGE_OUT, ActionKind.PAGE_IN, ActionKind.FREE

GRAPH = graph_of(
    [
        Line("x", "f", 20, 0, recomputable=False, stored=True),
        Line("a", "f", 100, 1000, ("x",)),
        Line("b", "f", 40, 3000, ("a",), workspace=6, pageable=False),
        Line("g", "b", 10, 2000, ("b", "a")),
    ],
    fixed_bytes=5,
)
X, A, B, G = range(4)
BASELINE = ((COMPUTE, X), (COMPUTE, A), (COMPUTE, B), (COMPUTE, G))
# x 25; x, a 125; x, a, b and workspace 171; x, a, b, g 175.
PEAK = 175


def check(
    *steps: tuple[ActionKind, int],
    ram: int = 1000,
    runtime_s: float | None = None,
    paging: bool = True,
    recompute: bool = True,
    io: IoMode = IoMode.BLOCKING,
    graph: TrainingGraph = GRAPH,
) -> Report:
    problem = problem_of(graph, ram, runtime_s=runtime_s, paging=paging, recompute=recompute, io=io)
    return verify(Schedule(tuple(Action(kind, target) for kind, target in steps)), problem)


def fault(*steps: tuple[ActionKind, int], paging: bool = True, recompute: bool = True) -> str:
    """The only fault of a schedule."""
    (found,) = check(*steps, paging=paging, recompute=recompute).faults
    return found


def test_that_the_baseline_is_legal_and_counted_exactly() -> None:
    report = check(*BASELINE)
    assert report.ok
    assert report.peak_bytes == PEAK
    assert report.energy_j == pytest.approx(0.006)
    assert report.runtime_s == pytest.approx(0.006)


def test_that_paging_and_recomputing_by_the_rules_is_legal() -> None:
    report = check(
        (COMPUTE, X), (COMPUTE, A), (PAGE_OUT, A), (COMPUTE, B), (FREE, A), (FREE, X),
        (PAGE_IN, X), (RECOMPUTE, A), (FREE, A), (PAGE_IN, A), (COMPUTE, G), (FREE, G),
    )  # fmt: skip
    assert report.faults == ()
    # Runs 6 mJ, a again 1 mJ; a out and in 1 mJ each, x in 0.2 mJ.
    assert report.energy_j == pytest.approx(0.0092)
    assert report.runtime_s == pytest.approx(0.0092)


def test_that_a_tensor_freed_too_early_is_missed_by_its_reader() -> None:
    found = fault((COMPUTE, X), (COMPUTE, A), (COMPUTE, B), (FREE, A), (COMPUTE, G))
    assert found == "action 4, compute g: its input a is not in RAM"


def test_that_ops_out_of_order_are_seen() -> None:
    faults = check((COMPUTE, X), (COMPUTE, B), (COMPUTE, A), (COMPUTE, G)).faults
    assert "action 1, compute b: out of order, a comes next" in faults
    assert "action 1, compute b: its input a is not in RAM" in faults


def test_that_an_op_computed_twice_is_seen() -> None:
    faults = check((COMPUTE, X), (COMPUTE, A), (COMPUTE, A), (COMPUTE, B), (COMPUTE, G)).faults
    assert "action 2, compute a: has run before" in faults


def test_that_an_op_computed_after_the_last_one_is_out_of_order() -> None:
    faults = check(*BASELINE, (COMPUTE, X)).faults
    assert "action 4, compute x: out of order, nothing comes next" in faults


def test_that_ops_that_never_run_are_counted() -> None:
    assert fault((COMPUTE, X), (COMPUTE, A)) == "2 ops never run, the first is b"


def test_that_recomputing_a_backward_op_is_seen() -> None:
    assert fault(*BASELINE, (RECOMPUTE, G)) == "action 4, recompute g: may not run twice"


def test_that_recomputing_what_may_not_run_twice_is_seen() -> None:
    assert fault(*BASELINE, (RECOMPUTE, X)) == "action 4, recompute x: may not run twice"


def test_that_recomputing_before_the_first_run_is_seen() -> None:
    faults = check((COMPUTE, X), (RECOMPUTE, A), (COMPUTE, A), (COMPUTE, B), (COMPUTE, G)).faults
    assert "action 1, recompute a: has never run" in faults


def test_that_recomputing_without_inputs_is_seen() -> None:
    found = fault((COMPUTE, X), (COMPUTE, A), (FREE, X), (RECOMPUTE, A), (COMPUTE, B), (COMPUTE, G))
    assert found == "action 3, recompute a: its input x is not in RAM"


def test_that_a_page_in_of_what_was_never_stored_is_seen() -> None:
    found = fault((COMPUTE, X), (COMPUTE, A), (COMPUTE, B), (FREE, A), (PAGE_IN, A), (COMPUTE, G))
    assert found == "action 4, page_in a: is not in storage"


def test_that_a_page_in_of_what_is_in_ram_is_seen() -> None:
    assert fault(*BASELINE, (PAGE_OUT, A), (PAGE_IN, A)) == (
        "action 5, page_in a: is in RAM already"
    )


def test_that_an_input_may_be_paged_in_without_a_page_out() -> None:
    assert check(*BASELINE, (FREE, X), (PAGE_IN, X)).ok


def test_that_a_page_out_of_what_is_absent_is_seen() -> None:
    found = fault(*BASELINE, (FREE, A), (PAGE_OUT, A))
    assert found == "action 5, page_out a: is not in RAM"


def test_that_one_page_out_serves_many_page_ins() -> None:
    again = ((FREE, A), (PAGE_IN, A))
    assert check(*BASELINE, (PAGE_OUT, A), *again, *again).ok


def test_that_a_page_out_frees_nothing() -> None:
    report = check((COMPUTE, X), (COMPUTE, A), (PAGE_OUT, A), (COMPUTE, B), (COMPUTE, G))
    assert report.ok
    assert report.peak_bytes == PEAK


def test_that_paging_what_is_not_pageable_is_seen() -> None:
    assert fault(*BASELINE, (PAGE_OUT, B)) == "action 4, page_out b: is not pageable"


def test_that_freeing_what_is_absent_is_seen() -> None:
    assert fault(*BASELINE, (FREE, A), (FREE, A)) == "action 5, free a: is not in RAM"


def test_that_switches_are_kept() -> None:
    found = fault(*BASELINE, (PAGE_OUT, A), paging=False)
    assert found == "action 4, page_out a: paging is switched off"
    found = fault(*BASELINE, (RECOMPUTE, A), recompute=False)
    assert found == "action 4, recompute a: recomputing is switched off"


def test_that_one_byte_over_the_budget_is_seen() -> None:
    assert check(*BASELINE, ram=PEAK).ok
    assert check(*BASELINE, ram=PEAK - 1).faults == (f"peak {PEAK} B is 1 B over the RAM budget",)


def test_that_workspace_and_fixed_bytes_count_against_the_budget() -> None:
    # Freed in time, b with its workspace is the peak: 5 + 100 + 40 + 6.
    steps = ((COMPUTE, X), (COMPUTE, A), (FREE, X), (COMPUTE, B), (COMPUTE, G))
    graph = replace(GRAPH, ops=(*GRAPH.ops[:3], replace(GRAPH.ops[3], outputs=())))
    assert check(*steps, ram=151, graph=graph).ok
    assert not check(*steps, ram=150, graph=graph).ok


def test_that_an_output_made_again_counts_once() -> None:
    # x, a, b, g stay: making a again in place adds nothing to the peak.
    assert check(*BASELINE, (RECOMPUTE, A)).peak_bytes == PEAK


def test_that_a_runtime_over_the_limit_is_seen_with_its_transfers() -> None:
    paged = (*BASELINE, (PAGE_OUT, A))  # 6 ms + 1 ms
    assert check(*paged, runtime_s=0.00701).ok
    (found,) = check(*paged, runtime_s=0.00699).faults
    assert found.startswith("runtime 0.007")
    assert check(*paged, runtime_s=0.00601, io=IoMode.IGNORED).ok
    assert not check(*paged, runtime_s=0.00599, io=IoMode.IGNORED).ok


def test_that_rounding_of_a_sum_is_no_overrun() -> None:
    seconds = check(*BASELINE).runtime_s
    assert check(*BASELINE, runtime_s=seconds * (1 - 1e-12)).ok
    assert not check(*BASELINE, runtime_s=seconds * (1 - 1e-6)).ok


@pytest.mark.parametrize("target", [-1, 4, 99])
@pytest.mark.parametrize("kind", list(ActionKind))
def test_that_targets_that_do_not_exist_are_seen(kind: ActionKind, target: int) -> None:
    assert fault(*BASELINE, (kind, target)) == f"action 4, {kind}: no such target {target}"


def test_that_every_fault_is_listed() -> None:
    report = check((COMPUTE, B), (FREE, A), (PAGE_IN, A), ram=10, paging=False)
    assert len(report.faults) == 7  # order, input; free; paging, storage; ops missing; budget


def stated(*, peak: int = PEAK, energy_j: float = 0.006, runtime_s: float = 0.006) -> Report:
    schedule = Schedule(tuple(Action(kind, target) for kind, target in BASELINE))
    return verify_figures(
        schedule,
        problem_of(GRAPH, 1000),
        peak_bytes=peak,
        energy_j=energy_j,
        runtime_s=runtime_s,
    )


def test_that_stated_figures_must_be_those_recounted() -> None:
    assert stated().ok
    assert stated(peak=PEAK - 1).faults == (f"peak stated {PEAK - 1} B, is {PEAK} B",)
    assert len(stated(energy_j=0.006 * (1 + 1e-8)).faults) == 1
    assert len(stated(runtime_s=0.006 * (1 - 1e-8)).faults) == 1
    assert len(stated(energy_j=float("nan")).faults) == 1


def test_that_an_unpaid_transfer_shows_in_the_figures() -> None:
    steps = (*BASELINE, (FREE, X), (PAGE_IN, X))  # 0.2 mJ for x
    schedule = Schedule(tuple(Action(kind, target) for kind, target in steps))
    report = verify_figures(
        schedule, problem_of(GRAPH, 1000), peak_bytes=PEAK, energy_j=0.006, runtime_s=0.0062
    )
    (found,) = report.faults
    assert found.startswith("energy stated 0.006 J, is 0.0062")
