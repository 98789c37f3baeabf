"""Arithmetic: what is kept, what broadcasting costs, which constants are trained."""

import pytest

from solver.training import TrainingOptions, expand
from tests.helpers.graph_checks import faults_of
from tests.helpers.networks import NetworkOf, graph_of_layer, kept, one_layer, op_named, trained

SHAPE = (2, 3, 4, 4)  # 96 elements


@pytest.mark.parametrize("op_type", ["Add", "Sub", "Sum"])
def test_that_a_sum_keeps_nothing_and_copies_its_gradient(op_type: str) -> None:
    graph = graph_of_layer(one_layer(op_type, {"a": SHAPE, "b": SHAPE}, SHAPE))
    assert kept(graph) == set()
    assert op_named(graph, "it").flop == 96
    for k in (1, 2):
        gradient = op_named(graph, f"it.input_gradient.{k}")
        assert gradient.inputs == ("loss.input_gradient",)
        assert gradient.flop == 96


def test_that_a_sum_of_three_is_two_additions_per_element() -> None:
    graph = graph_of_layer(one_layer("Sum", {"a": SHAPE, "b": SHAPE, "c": SHAPE}, SHAPE))
    assert op_named(graph, "it").flop == 2 * 96
    assert op_named(graph, "it.input_gradient.3").gradient_of == ("c",)


def test_that_a_product_keeps_the_other_factor() -> None:
    graph = graph_of_layer(one_layer("Mul", {"a": SHAPE, "b": SHAPE}, SHAPE))
    assert op_named(graph, "it.input_gradient.1").inputs == ("loss.input_gradient", "b")
    assert op_named(graph, "it.input_gradient.2").inputs == ("loss.input_gradient", "a")
    assert op_named(graph, "it").flop == 96
    assert op_named(graph, "it.input_gradient.1").flop == 96


def test_that_a_quotient_keeps_the_divisor_and_for_its_gradient_the_output() -> None:
    graph = graph_of_layer(one_layer("Div", {"a": SHAPE, "b": SHAPE}, SHAPE))
    dividend, divisor = (op_named(graph, f"it.input_gradient.{k}") for k in (1, 2))
    assert dividend.inputs == ("loss.input_gradient", "b")
    assert divisor.inputs == ("loss.input_gradient", "it", "b")
    assert op_named(graph, "it").flop == 96
    assert (dividend.flop, divisor.flop) == (96, 3 * 96)  # dy / b; -dy * y / b


def test_that_a_constant_divisor_is_no_tensor_to_keep() -> None:
    graph = graph_of_layer(one_layer("Div", {"a": SHAPE}, SHAPE, constants={"c": ()}))
    assert kept(graph) == set()
    assert op_named(graph, "it.input_gradient").flop == 96


@pytest.mark.parametrize(
    ("op_type", "slot", "flop"),
    [
        ("Add", 2, 96),  # 96 elements summed to 6
        ("Mul", 2, 192),  # dy * a, then the sum
        ("Div", 2, 384),  # -dy * y / b, then the sum
        ("Mul", 1, 96),  # the large operand is not spread
    ],
)
def test_that_the_gradient_of_a_spread_operand_is_summed_to_its_own_size(
    op_type: str, slot: int, flop: int
) -> None:
    graph = graph_of_layer(one_layer(op_type, {"a": SHAPE, "b": (2, 3, 1, 1)}, SHAPE))
    assert op_named(graph, f"it.input_gradient.{slot}").flop == flop
    made = graph.tensors[graph.tensor_index[f"it.input_gradient.{slot}"]]
    assert made.bytes == (96 if slot == 1 else 6) * 4


def test_that_a_square_has_two_gradients_and_their_sum() -> None:
    net = NetworkOf()
    trained("x", SHAPE, net)
    graph = graph_of_layer(net.layer("it", "Mul", "x x", SHAPE).network())
    names = [op.name for op in graph.ops if "it." in op.name or op.kind == "add_gradient"]
    assert names == ["it.input_gradient.1", "it.input_gradient.2", "add_gradient:x"]
    assert op_named(graph, "it").inputs == ("x",)
    assert op_named(graph, "add_gradient:x").flop == 96


@pytest.mark.parametrize(
    ("source", "constant"),
    [
        ((2, 3, 4, 4), (3, 1, 1)),
        ((2, 3, 4, 4), (1, 3, 1, 1)),
        ((2, 5, 3), (3,)),  # channels last
        ((2, 4, 4, 3), (3,)),
        ((2, 3), (3,)),
        ((2, 3), (1, 3)),
    ],
)
@pytest.mark.parametrize(("op_type", "word"), [("Mul", "scale"), ("Add", "bias")])
def test_that_a_constant_along_the_channels_is_trained(
    op_type: str, word: str, source: tuple[int, ...], constant: tuple[int, ...]
) -> None:
    net = NetworkOf(x=source).const("c", constant).layer("it", op_type, "x c", source)
    graph = graph_of_layer(net.network())
    assert [item.name for item in graph.trainable] == ["c"]
    assert op_named(graph, "it").trainable == ("c",)
    gradient = op_named(graph, f"it.{word}_gradient")
    elements = graph.tensors[graph.tensor_index["it"]].bytes // 4
    # scale: dy * x, then the sum, reading x; bias: the sum alone
    assert gradient.flop == (2 if op_type == "Mul" else 1) * elements
    assert gradient.inputs == (
        ("loss.input_gradient", "x") if op_type == "Mul" else ("loss.input_gradient",)
    )


@pytest.mark.parametrize(
    ("source", "constant"),
    [
        ((2, 3, 4, 4), ()),  # one number
        ((2, 3, 4, 4), (1, 1, 1)),
        ((2, 3, 4, 4), (4, 4)),  # positions
        ((2, 3, 4, 4), (1, 1, 1, 4)),  # along the width
        ((2, 3, 4, 4), (2, 3, 4, 4)),  # everything
        ((2, 3, 4, 4), (2, 1, 1, 1)),  # along the batch
    ],
)
@pytest.mark.parametrize("op_type", ["Mul", "Add"])
def test_that_other_constants_are_not_trained(
    op_type: str, source: tuple[int, ...], constant: tuple[int, ...]
) -> None:
    graph = graph_of_layer(one_layer(op_type, {"x": source}, source, constants={"c": constant}))
    assert [item.name for item in graph.trainable] == ["x.bias"]
    assert kept(graph) == set()


def test_that_a_constant_that_spreads_the_variable_is_not_trained() -> None:
    graph = graph_of_layer(one_layer("Add", {"x": (2, 3)}, (5, 2, 3), constants={"c": (5, 1, 1)}))
    assert [item.name for item in graph.trainable] == ["x.bias"]
    assert op_named(graph, "it.input_gradient").flop == 30  # 30 elements summed to 6


@pytest.mark.parametrize(
    ("source", "constant", "out"),
    [
        ((2, 1, 4), (1, 3, 1), (2, 3, 4)),  # along the output's channels, not the variable's
        ((2, 1, 4), (1, 1, 1), (2, 1, 4)),  # one channel, one number
    ],
)
def test_that_a_constant_must_lie_along_several_channels_of_the_variable(
    source: tuple[int, ...], constant: tuple[int, ...], out: tuple[int, ...]
) -> None:
    net = NetworkOf(x=source).const("w", (4, 4)).const("c", constant)
    net.layer("before", "MatMul", "x w", source).layer("it", "Add", "before c", out)
    assert [item.name for item in graph_of_layer(net.network()).trainable] == ["w"]


@pytest.mark.parametrize(("op_type", "word"), [("Mul", "scale"), ("Add", "bias")])
def test_that_a_constant_along_the_channels_may_stand_first(op_type: str, word: str) -> None:
    net = NetworkOf(x=SHAPE).const("c", (3, 1, 1)).layer("it", op_type, "c x", SHAPE)
    graph = graph_of_layer(net.network())
    assert op_named(graph, f"it.{word}_gradient").gradient_of == ("c",)
    assert kept(graph) == ({"x"} if op_type == "Mul" else set())


@pytest.mark.parametrize("op_type", ["Sub", "Div", "Sum"])
def test_that_only_products_and_additions_train_their_constants(op_type: str) -> None:
    graph = graph_of_layer(one_layer(op_type, {"x": (2, 3)}, (2, 3), constants={"c": (3,)}))
    assert [item.name for item in graph.trainable] == ["x.bias"]


def test_that_an_integer_constant_is_not_trained() -> None:
    net = NetworkOf()
    trained("x", (2, 3), net)
    net.const("c", (3,), "int64").layer("it", "Mul", "x c", (2, 3))
    graph = expand(net.network(), TrainingOptions(loss="sum"))
    assert [item.name for item in graph.trainable] == ["x.bias"]


def test_that_a_power_keeps_its_base_and_for_the_exponent_its_output() -> None:
    graph = graph_of_layer(one_layer("Pow", {"a": SHAPE, "b": SHAPE}, SHAPE))
    base, exponent = (op_named(graph, f"it.input_gradient.{k}") for k in (1, 2))
    assert base.inputs == ("loss.input_gradient", "a", "b")
    assert exponent.inputs == ("loss.input_gradient", "a", "it")
    # pow, * b, * dy; dy * y * log a
    assert (base.flop, exponent.flop) == (3 * 96, 3 * 96)


def test_that_a_constant_exponent_is_a_setting() -> None:
    graph = graph_of_layer(one_layer("Pow", {"a": SHAPE}, SHAPE, constants={"two": ()}))
    assert kept(graph) == {"a"}
    assert [item.name for item in graph.trainable] == ["a.bias"]


def test_that_a_remainder_keeps_its_operands_for_the_divisor_only() -> None:
    graph = graph_of_layer(one_layer("Mod", {"a": SHAPE, "b": SHAPE}, SHAPE, fmod=1))
    dividend, divisor = (op_named(graph, f"it.input_gradient.{k}") for k in (1, 2))
    assert dividend.inputs == ("loss.input_gradient",)
    assert divisor.inputs == ("loss.input_gradient", "a", "b")
    assert (dividend.flop, divisor.flop) == (96, 3 * 96)  # dy; -dy * whole part of a / b


@pytest.mark.parametrize("op_type", ["Max", "Min"])
def test_that_the_larger_of_two_is_found_again_by_comparing_them(op_type: str) -> None:
    graph = graph_of_layer(one_layer(op_type, {"a": SHAPE, "b": SHAPE}, SHAPE))
    assert op_named(graph, "it").flop == 96
    for k in (1, 2):
        gradient = op_named(graph, f"it.input_gradient.{k}")
        assert gradient.inputs == ("loss.input_gradient", "a", "b")
        assert gradient.flop == 2 * 96  # a comparison, a choice


def test_that_the_largest_of_three_is_compared_with_the_output() -> None:
    graph = graph_of_layer(one_layer("Max", {"a": SHAPE, "b": SHAPE, "c": SHAPE}, SHAPE))
    assert op_named(graph, "it").flop == 2 * 96
    assert op_named(graph, "it.input_gradient.2").inputs == ("loss.input_gradient", "b", "it")


def test_that_a_mean_of_operands_divides_both_ways() -> None:
    graph = graph_of_layer(one_layer("Mean", {"a": SHAPE, "b": (1, 3, 1, 1), "c": SHAPE}, SHAPE))
    assert kept(graph) == set()
    assert op_named(graph, "it").flop == 3 * 96  # two additions, one division
    assert op_named(graph, "it.input_gradient.1").flop == 96
    assert op_named(graph, "it.input_gradient.2").flop == 3 + 96  # a third each, summed up


def test_that_a_cast_to_integers_ends_the_gradient() -> None:
    net = NetworkOf()
    trained("x", (2, 3), net)
    net.layer("whole", "Cast", "x", (2, 3), dtype="int32").layer("back", "Cast", "whole", (2, 3))
    net.layer("it", "Add", "x back", (2, 3))
    graph = graph_of_layer(net.network())
    names = [op.name for op in graph.ops[graph.first_backward :]]
    assert names == ["loss.input_gradient", "it.input_gradient.1", "x.bias_gradient"]
    assert faults_of(graph) == []


def test_that_the_type_of_a_cast_is_taken_from_a_tensor_that_is_not_read() -> None:
    graph = graph_of_layer(one_layer("CastLike", {"x": (2, 3), "like": (5, 2)}, (2, 3)))
    assert op_named(graph, "it").inputs == ("x",)
    assert "it.input_gradient.2" not in graph.op_index


def test_that_a_bias_of_an_old_file_says_along_which_axis_it_lies() -> None:
    # Up to opset 6: [3] from axis 1 on lies along the channels of 2x3x4x4, without it it would not.
    net = NetworkOf(x=SHAPE).const("c", (3,)).layer("it", "Add", "x c", SHAPE, axis=1)
    assert [item.name for item in graph_of_layer(net.network()).trainable] == ["c"]
    net = NetworkOf(x=(2, 4, 4)).const("w", (4, 4)).const("c", (4,))
    net.layer("before", "MatMul", "x w", (2, 4, 4))
    net.layer("it", "Add", "before c", (2, 4, 4), axis=2)
    assert [item.name for item in graph_of_layer(net.network()).trainable] == ["w"]
