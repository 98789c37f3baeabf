"""Reductions, largest elements and running sums: what they cost and keep."""

import pytest

from solver.graph import Role
from tests.helpers.networks import NetworkOf, graph_of_layer, kept, one_layer, op_named, trained

SHAPE, REDUCED = (2, 3, 4, 4), (2, 3, 1, 1)  # 96 and 6 elements


@pytest.mark.parametrize(
    ("op_type", "forward", "backward", "reads"),
    [
        ("ReduceSum", 1, 1, set()),  # +; copies
        ("ReduceMean", 1, 1, set()),
        ("ReduceMax", 1, 2, {"x", "it"}),  # comparison; comparison, choice
        ("ReduceMin", 1, 2, {"x", "it"}),
        ("ReduceProd", 1, 2, {"x", "it"}),  # dy * y / x
        ("ReduceL1", 2, 2, {"x"}),  # abs, +; dy * sign
        ("ReduceL2", 2, 2, {"x", "it"}),  # square, +; dy * x / y
        ("ReduceSumSquare", 2, 2, {"x"}),  # square, +; 2 * x * dy
        ("ReduceLogSum", 1, 1, {"it"}),  # +; dy / exp y, spread
        ("ReduceLogSumExp", 4, 3, {"x", "it"}),  # max, -, exp, +; dy * exp(x - y)
    ],
)
def test_that_a_reduction_costs_and_keeps_what_its_sum_needs(
    op_type: str, forward: int, backward: int, reads: set[str]
) -> None:
    graph = graph_of_layer(one_layer(op_type, {"x": SHAPE}, REDUCED))
    assert kept(graph) == reads
    assert op_named(graph, "it").flop == forward * 96
    assert op_named(graph, "it.input_gradient").flop == backward * 96


def test_that_axes_given_as_an_input_are_a_setting() -> None:
    net = NetworkOf()
    trained("x", SHAPE, net)
    net.const("axes", (2,), "int64").layer("it", "ReduceSum", "x axes", REDUCED)
    graph = graph_of_layer(net.network())
    assert [op.name for op in graph.ops if op.name.startswith("it")] == ["it", "it.input_gradient"]


def test_that_positions_of_the_largest_have_no_gradient() -> None:
    net = NetworkOf()
    trained("x", (2, 3), net)
    net.layer("place", "ArgMax", "x", (2, 1), dtype="int64").layer("it", "Relu", "x", (2, 3))
    graph = graph_of_layer(net.network("it", "place"))
    assert op_named(graph, "place").flop == 6
    assert not [op.name for op in graph.ops if op.name.startswith("place.")]


def test_that_the_largest_elements_keep_the_positions_that_the_file_names() -> None:
    net = NetworkOf()
    trained("x", (2, 8), net)
    net.const("k", (1,), "int64")
    net.layer("it", "TopK", "x k", (2, 3), more={"places": (2, 3)}, axis=1)
    graph = graph_of_layer(net.network("it"))
    assert op_named(graph, "it").outputs == ("it", "places")
    assert op_named(graph, "it").flop == 2 * 16  # a heap of 3 is 2 comparisons deep
    gradient = op_named(graph, "it.input_gradient")
    assert gradient.inputs == ("loss.input_gradient", "places")
    assert gradient.flop == 16 + 6  # zeros, 6 additions


def test_that_positions_that_the_file_does_not_name_take_four_bytes_each() -> None:
    net = NetworkOf()
    trained("x", (2, 8), net)
    net.const("k", (1,), "int64").layer("it", "TopK", "x k", (2, 3), axis=1)
    graph = graph_of_layer(net.network())
    tensor = graph.tensors[graph.tensor_index["it.indices"]]
    assert (tensor.bytes, tensor.role) == (24, Role.INDICES)
    assert kept(graph) == {"it.indices"}


@pytest.mark.parametrize(
    ("op_type", "backward", "reads"),
    [
        ("CumSum", 1, set()),
        ("CumProd", 3, {"x", "it"}),  # dy * y, sums from the other end, / x
    ],
)
def test_that_running_sums_run_back(op_type: str, backward: int, reads: set[str]) -> None:
    net = NetworkOf()
    trained("x", SHAPE, net)
    net.const("axis", (), "int64").layer("it", op_type, "x axis", SHAPE)
    graph = graph_of_layer(net.network())
    assert kept(graph) == reads
    assert op_named(graph, "it").flop == 96
    assert op_named(graph, "it.input_gradient").flop == backward * 96
