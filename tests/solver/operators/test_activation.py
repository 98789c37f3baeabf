"""What functions of one variable cost and keep: output, input or nothing; Dropout: its mask."""

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
        ("LogSoftmax", 5, 4),  # max, -, exp, sum, -; exp y, sum of dy, *, -
        ("HardSigmoid", 4, 3),  # * alpha, + beta, min, max; two comparisons, * alpha
        ("Exp", 1, 1),  # dy * y
        ("Sqrt", 1, 2),  # dy / 2 y
        ("Reciprocal", 1, 3),  # -dy * y * y
        ("Tan", 1, 3),  # dy * (1 + y * y)
        ("LeakyRelu", 2, 2),  # comparison and product, both ways
        ("Elu", 4, 3),  # comparison, exp, - 1, * alpha; comparison, y + alpha, * dy
        ("Selu", 5, 3),  # the same, * gamma
        ("Celu", 5, 4),  # the same, / alpha both ways
        ("ThresholdedRelu", 1, 1),
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
        ("Swish", 6, 10),  # * alpha, sigmoid 4, * x; s 5, dy * s * (1 + alpha x * (1 - s)) 5
        # softplus 3, tanh, * x; those 4, sigmoid 4, dy * (t + x * s * (1 - t * t)) 6
        ("Mish", 5, 14),
        ("HardSwish", 5, 5),  # / 6, + 1/2, min, max, * x; two comparisons, / 3, + 1/2, * dy
        ("Softplus", 3, 5),  # exp, + 1, log; sigmoid 4, * dy
        ("Softsign", 3, 4),  # abs, + 1, /; abs, + 1, square, dy /
        ("Shrink", 3, 2),
        ("Log", 1, 1),  # dy / x
        ("Abs", 1, 2),  # dy * sign x
        ("Sin", 1, 2),  # dy * cos x
        ("Cos", 1, 3),  # -dy * sin x
        ("Asin", 1, 4),  # dy / sqrt(1 - x * x)
        ("Acos", 1, 5),  # the same, negated
        ("Atan", 1, 3),  # dy / (1 + x * x)
        ("Sinh", 1, 2),
        ("Cosh", 1, 2),
        ("Asinh", 1, 4),  # dy / sqrt(x * x + 1)
        ("Acosh", 1, 4),
        ("Atanh", 1, 3),  # dy / (1 - x * x)
    ],
)
def test_that_a_function_that_cannot_be_undone_keeps_its_input(
    op_type: str, forward: int, backward: int
) -> None:
    graph = graph_of_layer(one_layer(op_type, {"x": SHAPE}, SHAPE))
    assert kept(graph) == {"x"}
    assert op_named(graph, "it").flop == forward * 96
    assert op_named(graph, "it.input_gradient").flop == backward * 96


@pytest.mark.parametrize(("op_type", "forward"), [("Neg", 1), ("Floor", 1), ("Hardmax", 2)])
def test_that_a_gradient_without_the_element_itself_keeps_nothing(
    op_type: str, forward: int
) -> None:
    graph = graph_of_layer(one_layer(op_type, {"x": SHAPE}, SHAPE))
    assert kept(graph) == set()
    assert op_named(graph, "it").flop == forward * 96
    assert op_named(graph, "it.input_gradient").flop == 96  # -dy, or zeros


def test_that_gelu_by_tanh_costs_more_than_by_the_error_function() -> None:
    graph = graph_of_layer(one_layer("Gelu", {"x": SHAPE}, SHAPE, approximate="tanh"))
    # u = c * (x + a * x * x * x): 5, tanh, + 1, * x, / 2
    assert op_named(graph, "it").flop == 9 * 96
    # u and tanh 6, (1 + t) / 2: 2, x / 2 * (1 - t * t) * c * (1 + 3 * a * x * x): 8, +, * dy
    assert op_named(graph, "it.input_gradient").flop == 18 * 96


@pytest.mark.parametrize(
    ("op_type", "attributes", "expected"),
    [
        ("LeakyRelu", {"alpha": 0.2}, "it"),
        ("LeakyRelu", {"alpha": 0.0}, "x"),  # zero for every input below zero
        ("LeakyRelu", {"alpha": -0.2}, "x"),  # -1 and 0.2 give the same output
        ("Elu", {"alpha": -1.0}, "x"),
        ("Selu", {"gamma": -1.0}, "x"),
        ("ThresholdedRelu", {"alpha": 0.0}, "it"),  # an output above zero passed
        ("ThresholdedRelu", {"alpha": -1.0}, "x"),
    ],
)
def test_that_the_input_is_kept_where_the_output_does_not_tell_its_side(
    op_type: str, attributes: dict[str, float], expected: str
) -> None:
    assert kept(graph_of_layer(one_layer(op_type, {"x": SHAPE}, SHAPE, **attributes))) == {expected}


def test_that_a_constant_slope_of_prelu_is_trained() -> None:
    graph = graph_of_layer(one_layer("PRelu", {"x": SHAPE}, SHAPE, constants={"slope": (3, 1, 1)}))
    assert op_named(graph, "it").trainable == ("slope",)
    slope, source = op_named(graph, "it.slope_gradient"), op_named(graph, "it.input_gradient")
    assert slope.inputs == source.inputs == ("loss.input_gradient", "x")
    # comparison, dy * x, +; comparison, dy * slope
    assert (op_named(graph, "it").flop, slope.flop, source.flop) == (2 * 96, 3 * 96, 2 * 96)


def test_that_a_slope_that_is_computed_gets_a_gradient_and_is_kept() -> None:
    graph = graph_of_layer(one_layer("PRelu", {"x": SHAPE, "slope": (1, 3, 1, 1)}, SHAPE))
    assert op_named(graph, "it.input_gradient.1").inputs == ("loss.input_gradient", "x", "slope")
    assert op_named(graph, "it.input_gradient.2").inputs == ("loss.input_gradient", "x")
