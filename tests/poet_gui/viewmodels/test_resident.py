"""RAM at the playhead: rows whose sum is the curve, to the byte, at every action."""

import pytest

from poet_gui.viewmodels.resident import Holder, residents_at
from solver.device import IoMode
from solver.problem import SolveOptions
from solver.simulate import Trace, simulate
from solver.strategies.base import Cancel
from solver.strategies.registry import adapt, get_strategy
from solver.zoo.registry import build_poet_graph
from tests.helpers.builders import device_of, problem_of
from tests.helpers.schedules import random_legal_schedule
from tests.helpers.traces import beside_trace, empty_trace, many_outputs_trace, story


def paged_resnet() -> Trace:
    problem = problem_of(build_poet_graph("resnet18_cifar"), 10**9, device=device_of())
    strategy = get_strategy("page-all")
    outcome = strategy.solve(
        adapt(problem, strategy), SolveOptions(), report=lambda event: None, cancel=Cancel()
    )
    return outcome.trace


def assert_sums(trace: Trace) -> None:
    for action in range(len(trace.start_s)):
        shown = residents_at(trace, action)
        assert sum(row.size_bytes for row in shown.rows) == trace.resident_bytes[action]
        assert shown.total_bytes == shown.curve_bytes
        assert shown.sum_text.endswith("= curve")


def test_that_the_sum_is_the_curve_at_every_action_of_a_real_schedule() -> None:
    assert_sums(paged_resnet())


def test_that_the_sum_is_the_curve_at_every_action_of_random_schedules() -> None:
    for seed in range(25):
        assert_sums(simulate(*random_legal_schedule(seed)))


def test_that_rows_stand_with_the_largest_first_and_say_their_next_use() -> None:
    shown = residents_at(story(), 12)  # b2 runs: f1, f2, b3 and b2 itself
    assert [(row.name, row.size_bytes) for row in shown.rows] == [
        ("b2", 1000), ("b3", 1000), ("f1", 1000), ("f2", 1000)
    ]  # fmt: skip
    uses = {row.name: row.next_use_text for row in shown.rows}
    assert uses == {"b2": "step 10", "b3": "now", "f1": "step 10", "f2": "now"}
    assert shown.rows[0].share == 0.25
    assert shown.title == "In RAM at step 9 · 6.02 s"  # 1 + 1 + 0.01 + 1 + 2 + 0.01 + 1 s before


def test_that_a_copy_that_is_freed_before_its_tensor_is_read_again_has_no_next_use() -> None:
    shown = residents_at(story(), 4)  # f3 runs and reads f2, which is freed and made again later
    assert {row.name: row.next_use_text for row in shown.rows} == {"f2": "now", "f3": "step 5"}
    written = residents_at(story(), 2)  # the page-out of f1 reads it; f2 has been made
    assert {row.name: row.next_use_text for row in written.rows} == {"f1": "now", "f2": "step 4"}


def test_that_workspace_and_fixed_bytes_are_rows_of_their_own() -> None:
    shown = residents_at(many_outputs_trace(), 4)  # `update`: sum 10 + workspace 50 + fixed 7
    assert [(row.holder, row.size_bytes) for row in shown.rows] == [
        (Holder.WORKSPACE, 50), (Holder.TENSOR, 10), (Holder.FIXED, 7)
    ]  # fmt: skip
    assert shown.total_bytes == 67


def test_that_after_a_free_the_tensor_is_gone() -> None:
    shown = residents_at(story(), 3)
    assert [row.name for row in shown.rows] == ["f2"]
    assert shown.title == "In RAM after step 3 · 2.01 s"


def test_that_an_action_outside_the_schedule_is_refused() -> None:
    with pytest.raises(IndexError):
        residents_at(empty_trace(), 0)


def test_that_a_transfer_shares_ram_with_the_workspace_of_the_op_beside_it() -> None:
    # The page-out of a (1..2 ms) begins with b (1..4 ms, 6 B of workspace); a is freed when b ends.
    beside, after = residents_at(beside_trace(), 2), residents_at(beside_trace(), 3)
    assert [(row.name, row.size_bytes) for row in beside.rows] == [
        ("a", 100), ("b", 40), ("workspace of b", 6)
    ]  # fmt: skip
    assert beside.sum_text == "sum 146 B = curve"
    assert [row.name for row in after.rows] == ["b"]


def test_that_the_sum_is_the_curve_at_every_action_of_overlapped_schedules() -> None:
    for seed in range(10):
        schedule, problem = random_legal_schedule(seed, io=IoMode.OVERLAPPED)
        assert_sums(simulate(schedule, problem))
