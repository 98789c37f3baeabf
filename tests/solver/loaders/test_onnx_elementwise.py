"""Shapes and types of functions, comparisons, choices and casts, old operator sets included."""

from pathlib import Path
from typing import Any

import onnx
import pytest
from onnx import TensorProto

from solver.errors import ModelError
from solver.network import Value
from solver.training import expand
from tests.helpers.onnx_models import floats, load, model_of, node, weight


def value_of(
    folder: Path,
    kind: str,
    x: tuple[int, ...],
    *stored: onnx.TensorProto,
    opset: int = 22,
    **attributes: Any,
) -> Value:
    """What the operator makes of x and stored tensors."""
    names = " ".join(["x", *(tensor.name for tensor in stored)])
    model = model_of([node(kind, names, **attributes)], [floats("x", *x)], stored, opset=opset)
    return load(model, folder).values["y"]


@pytest.mark.parametrize(
    "kind",
    [
        "Gelu", "Erf", "Mish", "HardSwish", "HardSigmoid", "LeakyRelu", "Elu", "Selu", "Celu",
        "ThresholdedRelu", "Softplus", "Softsign", "Shrink", "Exp", "Log", "Sqrt", "Reciprocal",
        "Abs", "Neg", "Sign", "Floor", "Ceil", "Round", "Sin", "Cos", "Tan", "Asin", "Acos", "Atan",
        "Sinh", "Cosh", "Asinh", "Acosh", "Atanh", "LogSoftmax", "Hardmax",
    ],
)  # fmt: skip
def test_that_a_function_of_one_variable_keeps_shape_and_type(kind: str, tmp_path: Path) -> None:
    found = value_of(tmp_path, kind, (2, 3, 4))
    assert (found.shape, found.dtype) == ((2, 3, 4), "float32")


@pytest.mark.parametrize("kind", ["Gelu", "QuickGelu", "FastGelu"])
def test_that_forms_of_gelu_of_another_domain_are_known(kind: str, tmp_path: Path) -> None:
    assert value_of(tmp_path, kind, (2, 3), domain="com.microsoft").shape == (2, 3)


@pytest.mark.parametrize("kind", ["IsNaN", "IsInf"])
def test_that_a_question_is_answered_by_truth_values(kind: str, tmp_path: Path) -> None:
    found = value_of(tmp_path, kind, (2, 3))
    assert (found.shape, found.dtype) == ((2, 3), "bool")


@pytest.mark.parametrize("kind", ["Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual"])
def test_that_a_comparison_broadcasts_to_truth_values(kind: str, tmp_path: Path) -> None:
    found = value_of(tmp_path, kind, (2, 1, 4), weight("w", 3, 1))
    assert (found.shape, found.dtype, found.bytes) == ((2, 3, 4), "bool", 24)


def test_that_old_comparisons_broadcast_only_where_they_say_so(tmp_path: Path) -> None:
    found = value_of(tmp_path, "Less", (2, 4), weight("w", 4), opset=1, broadcast=1)
    assert (found.shape, found.dtype) == ((2, 4), "bool")
    with pytest.raises(ModelError, match="shapes 2x4 and 4 differ"):
        value_of(tmp_path, "Less", (2, 4), weight("w", 4), opset=1)


@pytest.mark.parametrize("kind", ["Pow", "Mod", "Max", "Min", "Mean"])
def test_that_arithmetic_on_operands_broadcasts_as_numpy(kind: str, tmp_path: Path) -> None:
    assert value_of(tmp_path, kind, (2, 1, 5), weight("w", 3, 1)).shape == (2, 3, 5)


def test_that_a_choice_broadcasts_its_condition_and_operands(tmp_path: Path) -> None:
    nodes = [node("Greater", "x zero", "above"), node("Where", "above x w")]
    stored = [weight("zero"), weight("w", 3, 1, 1)]
    found = load(model_of(nodes, [floats("x", 2, 1, 4, 5)], stored), tmp_path).values["y"]
    assert (found.shape, found.dtype) == ((2, 3, 4, 5), "float32")


def test_that_a_slope_is_spread_over_the_input(tmp_path: Path) -> None:
    assert value_of(tmp_path, "PRelu", (2, 3, 4), weight("s", 3, 1)).shape == (2, 3, 4)
    with pytest.raises(ModelError, match="slope 5x3x4 does not fit into 1x3x4"):
        value_of(tmp_path, "PRelu", (1, 3, 4), weight("s", 5, 3, 4))


def test_that_an_old_slope_is_one_number_or_one_per_channel(tmp_path: Path) -> None:
    for size in (1, 3):
        assert value_of(tmp_path, "PRelu", (2, 3, 4), weight("s", size), opset=6).shape == (2, 3, 4)
    with pytest.raises(ModelError, match="slope 4 does not fit into 2x3x4"):
        value_of(tmp_path, "PRelu", (2, 3, 4), weight("s", 4), opset=6)


@pytest.mark.parametrize("kind", ["Softmax", "LogSoftmax", "Hardmax"])
def test_that_an_axis_that_is_not_there_is_told(kind: str, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="axis 3 does not exist in 3 dimensions"):
        value_of(tmp_path, kind, (2, 3, 4), axis=3)


def test_that_casts_of_old_files_name_their_type_in_words(tmp_path: Path) -> None:
    assert value_of(tmp_path, "Cast", (2, 3), opset=1, to="DOUBLE").dtype == "float64"
    with pytest.raises(ModelError, match="element type 'REAL' is not one of numbers"):
        value_of(tmp_path, "Cast", (2, 3), opset=1, to="REAL")


def test_that_a_cast_takes_its_type_from_another_tensor(tmp_path: Path) -> None:
    half = onnx.TensorProto(name="h", data_type=TensorProto.FLOAT16, dims=[7])
    found = value_of(tmp_path, "CastLike", (2, 3), half)
    assert (found.shape, found.dtype) == ((2, 3), "float16")


def test_that_gradients_pass_floats_of_eight_bits(tmp_path: Path) -> None:
    nodes = [
        node("MatMul", "x w", "h"),
        node("Cast", "h", "small", to=TensorProto.FLOAT8E4M3FN),
        node("Cast", "small", "wide", to=TensorProto.FLOAT),
        node("MatMul", "wide v"),
    ]
    stored = [weight("w", 6, 3), weight("v", 3, 3)]
    graph = expand(load(model_of(nodes, [floats("x", 2, 6)], stored, opset=19), tmp_path))
    assert [item.name for item in graph.trainable] == ["w", "v"]
    # the gradient of 2 x 3 small floats is as small: 6 B
    made = graph.ops[graph.op_index["wide.input_gradient"]].outputs
    assert [tensor.bytes for tensor in graph.tensors if tensor.name in made] == [6]
