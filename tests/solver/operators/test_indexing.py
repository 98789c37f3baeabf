"""Picking, spreading, replacing: at most indices are kept; only products read more."""

import pytest

from solver.graph import Role
from solver.training import TrainingOptions, expand
from tests.helpers.graph_checks import faults_of
from tests.helpers.networks import NetworkOf, graph_of_layer, kept, one_layer, op_named, trained


@pytest.mark.parametrize(
    ("op_type", "shape"), [("Slice", (2, 2)), ("Trilu", (2, 6)), ("ReverseSequence", (2, 6))]
)
def test_that_a_part_is_copied_and_its_gradient_fills_the_whole(
    op_type: str, shape: tuple[int, int]
) -> None:
    graph = graph_of_layer(one_layer(op_type, {"x": (2, 6)}, shape))
    assert kept(graph) == set()
    assert op_named(graph, "it").flop == shape[0] * shape[1]
    assert op_named(graph, "it.input_gradient").flop == 12


@pytest.mark.parametrize("op_type", ["Expand", "Tile"])
def test_that_the_gradients_of_copies_are_summed(op_type: str) -> None:
    net = NetworkOf()
    trained("x", (1, 6), net)
    net.const("how", (2,), "int64").layer("it", op_type, "x how", (5, 6))
    graph = graph_of_layer(net.network())
    assert kept(graph) == set()
    assert (op_named(graph, "it").flop, op_named(graph, "it.input_gradient").flop) == (30, 30)
    assert graph.tensors[graph.tensor_index["it.input_gradient"]].shape == (1, 6)


@pytest.mark.parametrize(
    ("op_type", "indices"), [("GatherElements", (2, 4)), ("GatherND", (8, 2)), ("Gather", (8,))]
)
def test_that_picked_elements_send_their_gradients_back_by_the_indices(
    op_type: str, indices: tuple[int, ...]
) -> None:
    net = NetworkOf()
    trained("x", (2, 6), net)
    net.input("k", indices, "int64").layer("it", op_type, "x k", (8,))
    graph = graph_of_layer(net.network())
    assert kept(graph) == {"k"}
    assert op_named(graph, "it").flop == 8
    assert op_named(graph, "it.input_gradient.1").flop == 12 + 8  # zeros, additions


def test_that_rows_of_a_table_are_trained_even_where_their_numbers_are_constant() -> None:
    net = NetworkOf(x=(4, 3)).const("table", (10, 3)).const("rows", (4,), "int64")
    net.layer("rows_of", "Gather", "table rows", (4, 3)).layer("it", "Add", "x rows_of", (4, 3))
    graph = graph_of_layer(net.network())
    look_up = op_named(graph, "rows_of")
    assert (look_up.inputs, look_up.trainable) == ((), ("table",))
    names = [op.name for op in graph.ops]
    assert names.index("it") == names.index("rows_of") + 1  # directly before its reader
    assert op_named(graph, "rows_of.weight_gradient").inputs == ("it.input_gradient.2",)
    assert faults_of(graph) == []


def scatter(op_type: str, **attributes: str) -> NetworkOf:
    net = NetworkOf()
    trained("x", (2, 6), net)
    trained("u", (2, 3), net)
    return net.input("k", (2, 3), "int64").layer("it", op_type, "x k u", (2, 6), **attributes)


@pytest.mark.parametrize(
    ("reduction", "data", "updates", "reads"),
    [
        # dy copied, zeros at 6 places; 6 taken
        ("none", 12 + 6, 6, ({"k"}, {"k"})),
        ("add", 12, 6, (set(), {"k"})),
        # dy * y / x; dy * y of all, 6 taken and divided
        ("mul", 24, 12 + 12, ({"x", "it"}, {"k", "u", "it"})),
        # who reached the maximum: 12 and 6 comparisons with 6 taken and 6 counted, 12 divided;
        # 12 products, or 6 taken and multiplied
        ("max", 36 + 18, 24 + 30, ({"x", "k", "u", "it"}, {"x", "k", "u", "it"})),
    ],
)
@pytest.mark.parametrize("op_type", ["ScatterElements", "ScatterND", "Scatter"])
def test_that_a_scatter_keeps_what_its_reduction_asks_for(
    op_type: str, reduction: str, data: int, updates: int, reads: tuple[set[str], set[str]]
) -> None:
    graph = graph_of_layer(scatter(op_type, reduction=reduction).network())
    assert op_named(graph, "it").flop == 12 + 6
    first, third = (op_named(graph, f"it.input_gradient.{k}") for k in (1, 3))
    assert (first.flop, third.flop) == (data, updates)
    assert (set(first.inputs[1:]), set(third.inputs[1:])) == reads
    assert faults_of(graph) == []


def test_that_one_hot_rows_have_no_gradient() -> None:
    net = NetworkOf()
    net.input("k", (4,), "int64").const("depth", (), "int64").const("values", (2,))
    net.layer("rows", "OneHot", "k depth values", (4, 6))
    net.const("w", (6, 3)).layer("it", "MatMul", "rows w", (4, 3))
    graph = expand(net.network(), TrainingOptions(loss="sum"))
    assert op_named(graph, "rows").flop == 24
    assert [item.name for item in graph.trainable] == ["w"]
    assert [name for op in graph.ops for name in op.gradient_of] == ["it", "w"]
    assert graph.tensors[graph.tensor_index["rows"]].role is Role.ACTIVATION
