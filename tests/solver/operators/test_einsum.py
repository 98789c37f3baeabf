"""Einsum: every operand's gradient is a contraction that reads the other operands."""

from tests.helpers.networks import NetworkOf, graph_of_layer, kept, one_layer, op_named


def test_that_a_product_of_stacks_costs_what_matmul_costs() -> None:
    shapes = {"a": (2, 4, 5, 8), "b": (2, 4, 6, 8)}
    equation = "bhqd,bhkd->bhqk"
    graph = graph_of_layer(one_layer("Einsum", shapes, (2, 4, 5, 6), equation=equation))
    # 2 x 4 x 5 x 6 x 8 = 1920 multiply-adds
    assert op_named(graph, "it").flop == 3840
    assert graph.forward_macs == 0  # which counts Conv, Gemm and MatMul
    first, second = (op_named(graph, f"it.input_gradient.{k}") for k in (1, 2))
    assert (first.inputs[1:], second.inputs[1:]) == (("b",), ("a",))
    assert (first.flop, second.flop) == (3840, 3840)


def test_that_a_constant_operand_is_trained() -> None:
    net = NetworkOf(x=(2, 5, 8)).const("w", (8, 3))
    graph = graph_of_layer(net.layer("it", "Einsum", "x w", (2, 5, 3), equation="bsd,de").network())
    assert op_named(graph, "it").trainable == ("w",)
    gradient = op_named(graph, "it.weight_gradient")
    assert gradient.inputs == ("loss.input_gradient", "x")
    assert gradient.flop == 2 * (2 * 5 * 8 * 3)


def test_that_a_sum_keeps_nothing_and_spreads_its_gradient() -> None:
    graph = graph_of_layer(one_layer("Einsum", {"x": (3, 4)}, (3,), equation="ij->i"))
    assert kept(graph) == set()
    assert (op_named(graph, "it").flop, op_named(graph, "it.input_gradient").flop) == (12, 12)
