"""Copies keep nothing and cost one per element; views are nowhere in the graph."""

import pytest

from tests.helpers.networks import NetworkOf, graph_of_layer, kept, one_layer, op_named, trained


def test_that_joining_copies_and_each_part_gets_its_own_gradient() -> None:
    graph = graph_of_layer(
        one_layer("Concat", {"a": (1, 2, 4, 4), "b": (1, 3, 4, 4)}, (1, 5, 4, 4), axis=1)
    )
    assert kept(graph) == set()
    assert op_named(graph, "it").flop == 80
    assert [op_named(graph, f"it.input_gradient.{k}").flop for k in (1, 2)] == [32, 48]


def test_that_one_op_joins_the_gradients_of_the_parts_of_a_split() -> None:
    net = NetworkOf()
    trained("x", (2, 6), net)
    net.layer("one", "Split", "x", (2, 3), more={"two": (2, 3)}, axis=1)
    net.layer("sum", "Add", "one two", (2, 3))
    graph = graph_of_layer(net.network())
    assert op_named(graph, "one").outputs == ("one", "two")
    assert op_named(graph, "one").flop == 12
    gradient = op_named(graph, "one.input_gradient")
    assert gradient.inputs == ("sum.input_gradient.1", "sum.input_gradient.2")
    assert gradient.flop == 12


def test_that_a_part_that_leads_nowhere_gives_no_gradient() -> None:
    net = NetworkOf()
    trained("x", (2, 6), net)
    net.layer("one", "Split", "x", (2, 3), more={"two": (2, 3)}, axis=1)
    graph = graph_of_layer(net.layer("it", "Relu", "one", (2, 3)).network())
    assert op_named(graph, "one.input_gradient").inputs == ("it.input_gradient",)


def test_that_padding_writes_the_larger_and_its_gradient_the_smaller() -> None:
    net = NetworkOf()
    trained("x", (1, 2, 4, 4), net)
    net.const("pads", (8,), "int64").layer("it", "Pad", "x pads", (1, 2, 6, 6))
    graph = graph_of_layer(net.network())
    assert op_named(graph, "it").flop == 72
    assert op_named(graph, "it.input_gradient").flop == 32


def test_that_a_transpose_is_a_copy() -> None:
    graph = graph_of_layer(one_layer("Transpose", {"x": (2, 3)}, (3, 2), perm=(1, 0)))
    assert (op_named(graph, "it").flop, op_named(graph, "it.input_gradient").flop) == (6, 6)
    assert graph.tensors[graph.tensor_index["it"]].shape == (3, 2)
    assert graph.tensors[graph.tensor_index["it.input_gradient"]].shape == (2, 3)


def test_that_a_cast_between_floats_passes_the_gradient_in_the_types_of_both() -> None:
    net = NetworkOf()
    trained("x", (2, 3), net)
    net.layer("half", "Cast", "x", (2, 3), dtype="float16")
    graph = graph_of_layer(net.layer("it", "Relu", "half", (2, 3), dtype="float16").network())
    made = {tensor.name: (tensor.bytes, tensor.dtype) for tensor in graph.tensors}
    assert made["it.input_gradient"] == (12, "float16")
    assert made["half.input_gradient"] == (24, "float32")


def test_that_no_gradient_passes_a_cast_to_integers() -> None:
    net = NetworkOf()
    trained("x", (2, 3), net)
    net.layer("number", "Cast", "x", (2, 3), dtype="int64")
    net.layer("back", "Cast", "number", (2, 3))
    net.layer("it", "Add", "x back", (2, 3))
    graph = graph_of_layer(net.network())
    backward = [op.name for op in graph.ops[graph.first_backward :]]
    assert backward == ["loss.input_gradient", "it.input_gradient.1", "x.bias_gradient"]


@pytest.mark.parametrize("op_type", ["Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity"])
def test_that_a_view_is_its_base_for_readers_and_gradients(op_type: str) -> None:
    net = NetworkOf()
    trained("x", (2, 3, 4), net)
    net.layer("view", op_type, "x", (2, 12)).layer("again", "Reshape", "view", (24,))
    graph = graph_of_layer(net.layer("it", "Relu", "again", (24,)).network())
    assert {"view", "again"}.isdisjoint(graph.tensor_index)
    assert {"view", "again"}.isdisjoint(graph.op_index)
    assert op_named(graph, "it").inputs == ("x",)
    gradient = op_named(graph, "it.input_gradient")
    assert gradient.gradient_of == ("x",)
    made = graph.tensors[graph.tensor_index["it.input_gradient"]]
    assert made.shape == (2, 3, 4)


def test_that_gradients_through_a_view_and_past_it_are_added() -> None:
    net = NetworkOf()
    trained("x", (2, 3), net)
    net.layer("view", "Reshape", "x", (3, 2)).layer("a", "Relu", "view", (3, 2))
    net.layer("back", "Reshape", "a", (2, 3)).layer("it", "Add", "back x", (2, 3))
    graph = graph_of_layer(net.network())
    assert op_named(graph, "add_gradient:x").inputs == (
        "it.input_gradient.2",
        "a.input_gradient",
    )


def test_that_macs_are_counted_with_the_shape_that_the_reader_sees() -> None:
    net = NetworkOf()
    trained("x", (2, 3, 4), net)
    net.layer("view", "Flatten", "x", (2, 12)).const("w", (12, 5))
    graph = graph_of_layer(net.layer("it", "Gemm", "view w", (2, 5)).network())
    assert graph.forward_macs == 2 * 5 * 12
    assert kept(graph) == {"x"}


def test_that_an_embedding_trains_its_rows_and_keeps_the_indices() -> None:
    net = NetworkOf().const("table", (100, 4)).input("ids", (2, 3), "int64")
    graph = graph_of_layer(net.layer("it", "Gather", "table ids", (2, 3, 4), axis=0).network())
    op, gradient = op_named(graph, "it"), op_named(graph, "it.weight_gradient")
    assert (op.inputs, op.trainable, op.flop) == (("ids",), ("table",), 24)
    assert gradient.inputs == ("loss.input_gradient", "ids")
    assert gradient.flop == 24  # one addition per element read
    assert "it.input_gradient" not in graph.op_index  # nothing is behind numbers of words
    assert graph.trainable_bytes == 100 * 4 * 4


def test_that_taking_one_position_gives_a_gradient_of_the_whole() -> None:
    net = NetworkOf()
    trained("x", (2, 3, 4), net)
    net.const("index", (), "int64").layer("it", "Gather", "x index", (2, 4), axis=1)
    graph = graph_of_layer(net.network())
    gradient = op_named(graph, "it.input_gradient")
    assert gradient.inputs == ("loss.input_gradient",)  # the index is known
    assert graph.tensors[graph.tensor_index[gradient.outputs[0]]].shape == (2, 3, 4)
    assert gradient.flop == 24 + 8  # zeros, then additions


def test_that_indices_that_are_computed_are_kept() -> None:
    net = NetworkOf()
    trained("x", (5, 4), net)
    net.input("rows", (3,), "int64").layer("it", "Gather", "x rows", (3, 4), axis=0)
    assert kept(graph_of_layer(net.network())) == {"rows"}
