"""Relu, Sigmoid, Tanh, Clip, Softmax keep their output; Dropout keeps one byte per element."""

import pytest

from solver.graph import Role
from tests.helpers.networks import NetworkOf, graph_of_layer, kept, one_layer, op_named, trained

SHAPE = (2, 3, 4, 4)  # 96 elements


@pytest.mark.parametrize(
    ("op_type", "forward", "backward"),
    [
        ("Relu", 1, 1),
        ("Sigmoid", 4, 3),  # -x, exp, +, /; dy * y * (1 - y)
        ("Tanh", 1, 3),  # dy * (1 - y * y)
        ("Clip", 2, 2),  # two comparisons each way
        ("Softmax", 5, 4),  # max, -, exp, sum, /; dy * y, sum, -, *
    ],
)
def test_that_a_function_keeps_its_output_only(op_type: str, forward: int, backward: int) -> None:
    graph = graph_of_layer(one_layer(op_type, {"x": SHAPE}, SHAPE))
    assert kept(graph) == {"it"}
    assert op_named(graph, "it").flop == forward * 96
    gradient = op_named(graph, "it.input_gradient")
    assert gradient.inputs == ("loss.input_gradient", "it")
    assert gradient.flop == backward * 96


def test_that_the_limits_of_clip_are_settings() -> None:
    graph = graph_of_layer(
        one_layer(
            "Clip", {"x": SHAPE}, SHAPE, constants={"low": (), "high": ()}, order="x low high"
        )
    )
    assert [op.name for op in graph.ops if op.name.startswith("it")] == ["it", "it.input_gradient"]


def test_that_dropout_draws_its_mask_in_an_op_that_never_runs_twice() -> None:
    graph = graph_of_layer(one_layer("Dropout", {"x": SHAPE}, SHAPE, ratio=0.3))
    mask, apply = op_named(graph, "it.mask"), op_named(graph, "it.apply")
    assert (mask.kind, mask.inputs, mask.recomputable, mask.flop) == ("mask", (), False, 96)
    assert (apply.kind, apply.recomputable, apply.flop) == ("apply", True, 2 * 96)
    assert apply.inputs == ("x", "it.mask")
    tensor = graph.tensors[graph.tensor_index["it.mask"]]
    assert (tensor.bytes, tensor.role, tensor.in_storage_at_start) == (96, Role.MASK, False)


def test_that_the_mask_stands_directly_before_its_reader() -> None:
    graph = graph_of_layer(one_layer("Dropout", {"x": SHAPE}, SHAPE))
    names = [op.name for op in graph.ops]
    assert names.index("it.apply") == names.index("it.mask") + 1


def test_that_the_gradient_of_dropout_reads_the_mask_only() -> None:
    graph = graph_of_layer(one_layer("Dropout", {"x": SHAPE}, SHAPE))
    gradient = op_named(graph, "it.input_gradient")
    assert gradient.inputs == ("loss.input_gradient", "it.mask")
    assert gradient.flop == 2 * 96


def test_that_dropout_of_ratio_zero_is_a_view() -> None:
    net = NetworkOf()
    trained("x", (2, 3), net)
    net.layer("nothing", "Dropout", "x", (2, 3), ratio=0.0).layer("it", "Relu", "nothing", (2, 3))
    graph = graph_of_layer(net.network())
    assert op_named(graph, "it").inputs == ("x",)
    assert "nothing" not in graph.tensor_index


def test_that_a_masks_own_output_name_makes_no_second_tensor() -> None:
    net = NetworkOf()
    trained("x", (2, 3), net)
    net.layer("it", "Dropout", "x", (2, 3), more={"declared": (2, 3)})
    graph = graph_of_layer(net.network())
    assert "declared" not in graph.tensor_index
    assert graph.forward_bytes == 2 * 24  # x and it


@pytest.mark.parametrize(
    ("op_type", "forward", "backward"),
    [
        # / sqrt 2, erf, + 1, * x, / 2; the factor again 4, the density 5 (square, * -1/2, exp,
        # * 1 / sqrt 2 pi, * x), their sum, * dy
        ("Gelu", 5, 11),
        ("Erf", 1, 5),  # square, -x, exp, * 2 / sqrt pi, * dy
    ],
)
def test_that_a_function_that_cannot_be_undone_keeps_its_input(
    op_type: str, forward: int, backward: int
) -> None:
    graph = graph_of_layer(one_layer(op_type, {"x": SHAPE}, SHAPE))
    assert kept(graph) == {"x"}
    assert op_named(graph, "it").flop == forward * 96
    assert op_named(graph, "it.input_gradient").flop == backward * 96
