"""A maximum keeps where it was found, a mean keeps nothing."""

from dataclasses import replace

import pytest

from solver.graph import Role
from tests.helpers.networks import NetworkOf, graph_of_layer, kept, one_layer, op_named, trained

SOURCE, OUT = (1, 2, 6, 6), (1, 2, 3, 3)  # 72 and 18 elements


def test_that_a_max_pool_keeps_four_byte_indices_and_not_its_input() -> None:
    graph = graph_of_layer(one_layer("MaxPool", {"x": SOURCE}, OUT, kernel_shape=(2, 2)))
    assert op_named(graph, "it").outputs == ("it", "it.indices")
    assert kept(graph) == {"it.indices"}
    indices = graph.tensors[graph.tensor_index["it.indices"]]
    assert (indices.bytes, indices.role) == (18 * 4, Role.INDICES)
    assert graph.saved_extra_bytes == 72


def test_that_a_max_pool_compares_once_per_window_position() -> None:
    graph = graph_of_layer(one_layer("MaxPool", {"x": SOURCE}, OUT, kernel_shape=(3, 3)))
    assert op_named(graph, "it").flop == 9 * 18
    # zeros into 72 elements, 18 additions where the maxima were
    assert op_named(graph, "it.input_gradient").flop == 72 + 18


def test_that_indices_are_made_only_where_a_gradient_reads_them() -> None:
    net = NetworkOf(image=(1, 2, 6, 6)).const("w", (3, 2, 1, 1))
    net.layer("pool", "MaxPool", "image", OUT, kernel_shape=(2, 2))
    net.layer("conv", "Conv", "pool w", (1, 3, 3, 3))
    graph = graph_of_layer(net.network())
    assert op_named(graph, "pool").outputs == ("pool",)
    assert graph.saved_extra_bytes == 0


def test_that_indices_declared_by_the_file_are_the_same_four_bytes() -> None:
    net = NetworkOf(image=(1, 2, 6, 6)).const("w", (2, 2, 1, 1))
    net.layer("conv", "Conv", "image w", SOURCE)
    net.layer("pool", "MaxPool", "conv", OUT, more={"declared": OUT}, kernel_shape=(2, 2))
    graph = graph_of_layer(net.network())
    assert op_named(graph, "pool").outputs == ("pool", "pool.indices")


@pytest.mark.parametrize(
    ("op_type", "shape", "window"),
    [("AveragePool", (1, 2, 3, 3), 4), ("GlobalAveragePool", (1, 2, 1, 1), 36)],
)
def test_that_a_mean_keeps_nothing(op_type: str, shape: tuple[int, ...], window: int) -> None:
    graph = graph_of_layer(one_layer(op_type, {"x": SOURCE}, shape, kernel_shape=(2, 2)))
    outputs = shape[1] * shape[2] * shape[3]
    assert kept(graph) == set()
    assert op_named(graph, "it").flop == (window + 1) * outputs
    # zeros, then per output element one division and an addition for each window position
    assert op_named(graph, "it.input_gradient").flop == 72 + (window + 1) * outputs


def test_that_a_global_maximum_looks_at_everything_behind_the_channels() -> None:
    graph = graph_of_layer(one_layer("GlobalMaxPool", {"x": SOURCE}, (1, 2, 1, 1)))
    assert op_named(graph, "it").flop == 36 * 2
    assert kept(graph) == {"it.indices"}
    assert graph.saved_extra_bytes == 2 * 4


def test_that_a_pool_of_one_dimension_has_a_window_of_one() -> None:
    graph = graph_of_layer(one_layer("MaxPool", {"x": (1, 2, 8)}, (1, 2, 4), kernel_shape=(2,)))
    assert op_named(graph, "it").flop == 2 * 8


@pytest.mark.parametrize(
    ("op_type", "shape", "window"),
    [("LpPool", (1, 2, 3, 3), 4), ("GlobalLpPool", (1, 2, 1, 1), 36)],
)
def test_that_a_norm_keeps_input_and_output(
    op_type: str, shape: tuple[int, ...], window: int
) -> None:
    graph = graph_of_layer(one_layer(op_type, {"x": SOURCE}, shape, kernel_shape=(2, 2)))
    outputs = shape[1] * shape[2] * shape[3]
    assert kept(graph) == {"x", "it"}
    assert op_named(graph, "it").flop == (3 * window + 1) * outputs
    assert op_named(graph, "it.input_gradient").flop == 72 + 6 * window * outputs


def test_that_indices_that_another_layer_reads_are_the_files_own() -> None:
    net = NetworkOf()
    trained("x", SOURCE, net)
    net.layer("pool", "MaxPool", "x", OUT, more={"where": OUT}, kernel_shape=(2, 2))
    net.values["where"] = replace(net.values["where"], dtype="int64")
    net.layer("relu", "Relu", "pool", OUT)
    graph = graph_of_layer(net.layer("it", "MaxUnpool", "relu where", SOURCE).network())
    assert op_named(graph, "pool").outputs == ("pool", "where")
    assert op_named(graph, "pool.input_gradient").inputs == ("relu.input_gradient", "where")
    assert op_named(graph, "it.input_gradient.1").inputs == ("loss.input_gradient", "where")
    assert graph.tensors[graph.tensor_index["where"]].bytes == 18 * 8
    assert graph.saved_extra_bytes == 0


def test_that_going_back_to_where_maxima_were_is_a_copy() -> None:
    net = NetworkOf()
    trained("x", OUT, net)
    net.input("where", OUT, "int64").layer("it", "MaxUnpool", "x where", SOURCE)
    graph = graph_of_layer(net.network())
    assert op_named(graph, "it").flop == 72 + 18  # zeros, and each element
    assert op_named(graph, "it.input_gradient.1").flop == 18
    assert kept(graph) == {"where"}
