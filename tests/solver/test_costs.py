"""Claim: prices follow the paper's formulas, plain peak and floor the contract's words."""

import pytest

from solver.costs import price
from solver.device import Device, IoMode, Transfer
from solver.graph import Op, Phase, Tensor, TrainingGraph
from tests.helpers.builders import Line, chain, device_of, graph_of

BOARD = Device(
    "b", "B", 2e6, 5e6, 1000, IoMode.BLOCKING, Transfer(0.5, 100.0, 2.0), Transfer(0.25, 50.0, 4.0)
)


def test_that_ops_cost_flop_over_rate_and_transfers_latency_plus_bytes_over_rate() -> None:
    costed = price(graph_of([Line("a", "f", 200, 1e6), Line("b", "f", 0, 0, ("a",))]), BOARD)
    assert costed.op_duration_s.tolist() == [0.5, 0]  # 1e6 / 2e6
    assert costed.op_energy_j.tolist() == [0.2, 0]  # 1e6 / 5e6
    assert costed.page_in_s.tolist() == [2.5, 0.5]  # 0.5 + 200 / 100
    assert costed.page_in_j.tolist() == [5.0, 1.0]  # at 2 W
    assert costed.page_out_s.tolist() == [4.25, 0.25]  # 0.25 + 200 / 50
    assert costed.page_out_j.tolist() == [17.0, 1.0]  # at 4 W
    assert costed.baseline_energy_j == 0.2
    assert costed.baseline_runtime_s == 0.5


def test_that_prices_cannot_be_changed() -> None:
    costed = price(chain(2), BOARD)
    with pytest.raises(ValueError, match="read-only"):
        costed.op_energy_j[0] = 0.0


def test_that_the_plain_peak_frees_each_tensor_after_its_last_reader() -> None:
    graph = graph_of(
        [
            Line("a", "f", 100, 1),
            Line("b", "f", 30, 1, ("a",)),
            Line("c", "f", 500, 1, ("b",)),
            Line("d", "f", 7, 1, ("c",)),
            Line("g", "b", 300, 1, ("d", "b")),
        ]
    )
    # a 100; a+b 130, then a dies; b+c 530; b+c+d 537, then c dies; b+d+g 337.
    assert price(graph, BOARD).plain_peak_bytes == 537


def test_that_the_plain_peak_counts_workspace_unread_outputs_and_fixed_bytes() -> None:
    graph = graph_of(
        [
            Line("a", "f", 100, 1),
            Line("dead", "f", 50, 1, ("a",), workspace=9),
            Line("b", "f", 60, 1, ("a",)),
        ],
        fixed_bytes=1000,
    )
    # While dead is made: 100 + 50 + 9; it is never read, so it is gone when b is made: 160.
    assert price(graph, BOARD).plain_peak_bytes == 1160
    assert price(graph_of([Line("a", "f", 1, 1, workspace=70)]), BOARD).plain_peak_bytes == 71


def test_that_the_floor_is_the_largest_working_set_and_the_first_on_ties() -> None:
    graph = graph_of(
        [
            Line("a", "f", 10, 1),
            Line("b", "f", 20, 1, ("a",), workspace=5),
            Line("c", "f", 15, 1, ("b",)),
        ],
        fixed_bytes=1000,
    )
    costed = price(graph, BOARD)
    assert costed.working_set_bytes == (1010, 1035, 1035)  # 10; 10+20+5; 20+15
    assert costed.floor_bytes == 1035
    assert graph.ops[costed.floor_op].name == "b"


def test_that_an_op_with_several_outputs_or_none_counts_each_tensor_once() -> None:
    tensors = (Tensor("x", 8, "split"), Tensor("y", 16, "split"))
    ops = (
        Op("split", "s", Phase.FORWARD, (), ("x", "y"), 1.0),
        Op("apply", "s", Phase.BACKWARD, ("x", "y"), (), 1.0),
    )
    costed = price(TrainingGraph("t", ops, tensors), BOARD)
    assert costed.working_set_bytes == (24, 24)
    assert costed.plain_peak_bytes == 24


def test_that_bytes_stay_exact_beyond_the_precision_of_floats() -> None:
    graph = graph_of([Line("a", "f", 2**53 + 1, 1), Line("b", "f", 2, 1, ("a",))])
    costed = price(graph, device_of())
    assert costed.plain_peak_bytes == costed.floor_bytes == 2**53 + 3


def test_that_a_chain_has_its_floor_at_the_widest_gradient() -> None:
    # b4 reads b5 and f4 and makes 1000 B: three tensors of 1000; b5 reads the loss (4) and f5.
    costed = price(chain(5), device_of())
    assert costed.floor_bytes == 3000
    assert costed.graph.ops[costed.floor_op].name == "b4"
    # Before b5 runs, f1..f5 and the loss are kept: 5004; with b5's output 6004.
    assert costed.plain_peak_bytes == 6004


def test_that_no_op_sets_a_floor_of_fixed_bytes_alone() -> None:
    # neither a nor b holds a byte: 7 B are fixed
    empty = [Line("a", "f", 0, 1e6), Line("b", "b", 0, 1e6, ("a",))]
    assert price(graph_of(empty, fixed_bytes=7), BOARD).floor_bytes == 7
    assert price(graph_of(empty, fixed_bytes=7), BOARD).floor_op_name is None
    assert price(chain(2), BOARD).floor_op_name is not None
