"""Conv, Gemm, MatMul: the other operand is kept; every gradient costs what the op costs."""

import pytest

from solver.graph import TrainingGraph
from tests.helpers.networks import NetworkOf, graph_of_layer, kept, one_layer, op_named


def conv(
    source: tuple[int, ...], weight: tuple[int, ...], out: tuple[int, ...], *, bias: bool = False
) -> TrainingGraph:
    constants = {"w": weight, "b": weight[:1]} if bias else {"w": weight}
    return graph_of_layer(one_layer("Conv", {"x": source}, out, constants=constants))


@pytest.mark.parametrize(
    ("source", "weight", "out", "macs"),
    [
        # out elements x (channels of a group x kernel): (8*4*4) * (3*3*3) = 128 * 27
        ((1, 3, 4, 4), (8, 3, 3, 3), (1, 8, 4, 4), 3456),
        # two groups of two channels: (4*4*4) * (2*1*1) = 64 * 2
        ((1, 4, 4, 4), (4, 2, 1, 1), (1, 4, 4, 4), 128),
        # depthwise: (4*4*4) * (1*3*3) = 64 * 9
        ((1, 4, 4, 4), (4, 1, 3, 3), (1, 4, 4, 4), 576),
        # 1-D, batch 2: (2*5*6) * (3*4) = 60 * 12
        ((2, 3, 9), (5, 3, 4), (2, 5, 6), 720),
        # 3-D: (2*2*2*2) * (3*1*1*2) = 16 * 6
        ((1, 3, 2, 2, 3), (2, 3, 1, 1, 2), (1, 2, 2, 2, 2), 96),
    ],
)
def test_that_a_convolution_of_any_rank_counts_two_flop_per_multiply_add(
    source: tuple[int, ...], weight: tuple[int, ...], out: tuple[int, ...], macs: int
) -> None:
    graph = conv(source, weight, out)
    assert graph.forward_macs == macs
    names = ("it", "it.weight_gradient", "it.input_gradient")
    assert [op_named(graph, name).flop for name in names] == [2 * macs] * 3


def test_that_the_weight_gradient_reads_the_input_and_the_input_gradient_does_not() -> None:
    graph = conv((1, 3, 4, 4), (8, 3, 3, 3), (1, 8, 4, 4), bias=True)
    assert op_named(graph, "it.weight_gradient").inputs == ("loss.input_gradient", "x")
    assert op_named(graph, "it.bias_gradient").inputs == ("loss.input_gradient",)
    assert op_named(graph, "it.input_gradient").inputs == ("loss.input_gradient",)


def test_that_the_bias_gradient_sums_the_output_gradient_once() -> None:
    graph = conv((1, 3, 4, 4), (8, 3, 3, 3), (1, 8, 4, 4), bias=True)
    assert op_named(graph, "it.bias_gradient").flop == 8 * 4 * 4
    assert op_named(graph, "it").flop == 2 * 3456  # the bias is what the sums start from


def test_that_weight_and_bias_are_what_a_convolution_trains() -> None:
    graph = conv((1, 3, 4, 4), (8, 3, 3, 3), (1, 8, 4, 4), bias=True)
    assert op_named(graph, "it").trainable == ("w", "b")
    sizes = {item.name: item.bytes for item in graph.trainable}
    assert sizes == {"x.bias": 3 * 4, "w": 8 * 27 * 4, "b": 8 * 4}


@pytest.mark.parametrize(("transposed", "source"), [(0, (5, 7)), (1, (7, 5))])
def test_that_a_fully_connected_layer_counts_its_inner_dimension(
    transposed: int, source: tuple[int, int]
) -> None:
    network = one_layer(
        "Gemm", {"x": source}, (5, 3), constants={"w": (7, 3), "b": (3,)}, transA=transposed
    )
    graph = graph_of_layer(network)
    assert graph.forward_macs == 5 * 3 * 7
    assert op_named(graph, "it.weight_gradient").flop == 210
    assert op_named(graph, "it.bias_gradient").flop == 15
    assert kept(graph) == {"x"}


def test_that_a_product_of_two_variables_keeps_both_and_has_two_gradients() -> None:
    # attention scores: (2, 4, 5, 8) x (2, 4, 8, 6) -> 240 elements of 8 products
    graph = graph_of_layer(
        one_layer("MatMul", {"a": (2, 4, 5, 8), "b": (2, 4, 8, 6)}, (2, 4, 5, 6))
    )
    assert graph.forward_macs == 1920
    first, second = (op_named(graph, f"it.input_gradient.{k}") for k in (1, 2))
    assert first.inputs == ("loss.input_gradient", "b")
    assert second.inputs == ("loss.input_gradient", "a")
    assert (first.flop, second.flop) == (3840, 3840)
    sizes = {tensor.name: tensor.bytes for tensor in graph.tensors}
    assert sizes["it.input_gradient.1"] == 2 * 4 * 5 * 8 * 4
    assert sizes["it.input_gradient.2"] == 2 * 4 * 8 * 6 * 4


@pytest.mark.parametrize(
    ("order", "weight", "out"), [("x w", (3, 4), (2, 4)), ("w x", (5, 2), (5, 3))]
)
def test_that_the_constant_of_a_product_is_trained_on_either_side(
    order: str, weight: tuple[int, int], out: tuple[int, int]
) -> None:
    graph = graph_of_layer(
        one_layer("MatMul", {"x": (2, 3)}, out, constants={"w": weight}, order=order)
    )
    assert op_named(graph, "it").trainable == ("w",)
    assert op_named(graph, "it.weight_gradient").inputs == ("loss.input_gradient", "x")


def test_that_a_weight_of_one_number_is_trained_where_it_is_a_weight() -> None:
    net = NetworkOf(x=(4, 1)).const("w", (1, 1)).const("b", (1,))
    graph = graph_of_layer(net.layer("it", "Gemm", "x w b", (4, 1)).network())
    assert [item.name for item in graph.trainable] == ["w", "b"]


def test_that_a_weight_that_is_computed_gets_an_input_gradient() -> None:
    graph = graph_of_layer(one_layer("Conv", {"x": (1, 2, 4, 4), "w": (3, 2, 1, 1)}, (1, 3, 4, 4)))
    assert op_named(graph, "it").trainable == ()
    assert op_named(graph, "it.input_gradient.2").inputs == ("loss.input_gradient", "x")
    assert op_named(graph, "it.input_gradient.2").gradient_of == ("w",)
