"""Each operator in a network of its own, from a file to a training graph without a fault."""

from collections.abc import Sequence
from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper

from solver.graph import Phase, TrainingGraph
from solver.training import TrainingOptions, expand
from tests.helpers.graph_checks import faults_of, without_op
from tests.helpers.onnx_models import floats, integers, load, model_of, node, weight

SHAPE = (2, 3, 4)
OPSET = 23


def graph_of(
    folder: Path, nodes: Sequence[onnx.NodeProto], stored: Sequence[onnx.TensorProto] = ()
) -> TrainingGraph:
    """Trained scales h and g of x, then `nodes` from h and g to y, under a loss of sum."""
    scales = [weight("h.scale", 3, 1), weight("g.scale", 3, 1)]
    before = [node("Mul", "x h.scale", "h"), node("Mul", "x g.scale", "g")]
    model = model_of([*before, *nodes], [floats("x", *SHAPE)], [*scales, *stored], opset=OPSET)
    return expand(load(model, folder), TrainingOptions(loss="sum"))


def check_whole(graph: TrainingGraph) -> None:
    """Nothing is missing, and each gradient op is missed when it is."""
    assert faults_of(graph) == []
    for position, op in enumerate(graph.ops):
        if op.phase is Phase.BACKWARD:
            assert faults_of(without_op(graph, position)), f"{op.name} is not missed"


FUNCTIONS = (
    "Relu", "Sigmoid", "Tanh", "Clip", "Softmax", "LogSoftmax", "Hardmax", "Gelu", "Erf", "Mish",
    "HardSwish", "HardSigmoid", "LeakyRelu", "Elu", "Selu", "Celu", "ThresholdedRelu", "Softplus",
    "Softsign", "Shrink", "Exp", "Log", "Sqrt", "Reciprocal", "Abs", "Neg", "Sign", "Floor", "Ceil",
    "Round", "Sin", "Cos", "Tan", "Asin", "Acos", "Atan", "Sinh", "Cosh", "Asinh", "Acosh", "Atanh",
    "LpNormalization", "ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd",
    "ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceLogSum", "ReduceLogSumExp",
)  # fmt: skip


@pytest.mark.parametrize("kind", FUNCTIONS)
def test_that_a_function_of_one_variable_is_differentiated(kind: str, tmp_path: Path) -> None:
    graph = graph_of(tmp_path, [node("Sub", "h g", "d"), node(kind, "d")])
    check_whole(graph)
    assert "y.input_gradient" in graph.op_index


@pytest.mark.parametrize("kind", ["Add", "Sub", "Mul", "Div", "Pow", "Max", "Min", "Mean", "PRelu"])
def test_that_both_operands_are_differentiated(kind: str, tmp_path: Path) -> None:
    graph = graph_of(tmp_path, [node(kind, "h g")])
    check_whole(graph)
    assert {"y.input_gradient.1", "y.input_gradient.2"} <= set(graph.op_index)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("LayerNormalization", "scale bias"),
        ("RMSNormalization", "scale"),
        ("InstanceNormalization", "scale bias"),
        ("GroupNormalization", "scale bias"),
        ("PRelu", "slope"),
    ],
)
def test_that_constants_of_norms_are_trained(kind: str, words: str, tmp_path: Path) -> None:
    size = (3, 1) if kind == "PRelu" else (4,) if kind[:5] in {"Layer", "RMSNo"} else (3,)
    names = [f"y.{word}" for word in words.split()]
    more = {"num_groups": 3} if kind == "GroupNormalization" else {}
    nodes = [node("Sub", "h g", "d"), node(kind, " ".join(["d", *names]), **more)]
    graph = graph_of(tmp_path, nodes, [weight(name, *size) for name in names])
    check_whole(graph)
    assert {f"{name}_gradient" for name in names} <= set(graph.op_index)


@pytest.mark.parametrize("kind", ["Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual"])
def test_that_a_choice_by_comparison_is_differentiated(kind: str, tmp_path: Path) -> None:
    check_whole(graph_of(tmp_path, [node(kind, "h g", "c"), node("Where", "c h g")]))


def test_that_what_a_condition_alone_leads_to_has_no_gradient_and_no_role(tmp_path: Path) -> None:
    nodes = [
        node("Sub", "h g", "d"), node("IsNaN", "d", "c"), node("Not", "c", "n"),
        node("Where", "n h g"),
    ]  # fmt: skip
    graph = graph_of(tmp_path, nodes)
    check_whole(graph)
    roles = {tensor.name: tensor.role for tensor in graph.tensors}
    assert [roles[name] for name in ("d", "c", "n")] == [None, None, None]
    assert not [op.name for op in graph.ops if op.name.startswith(("d.", "c.", "n."))]
    assert graph.forward_bytes == 4 * 24 * 4 + 2 * 24  # h, g, d, y; c, n


def test_that_positions_of_the_largest_lead_nowhere(tmp_path: Path) -> None:
    nodes = [
        node("ArgMax", "h", "place", axis=2), node("Cast", "place", "far", to=TensorProto.FLOAT),
        node("Add", "g far"),
    ]  # fmt: skip
    graph = graph_of(tmp_path, nodes)
    check_whole(graph)
    assert [item.name for item in graph.trainable] == ["g.scale"]


@pytest.mark.parametrize("outputs", ["y places", "y -"])
def test_that_the_largest_elements_are_differentiated(outputs: str, tmp_path: Path) -> None:
    nodes = [node("Sub", "h g", "d"), node("TopK", "d k", outputs)]
    nodes[1].output[:] = [name if name != "-" else "" for name in nodes[1].output]
    check_whole(graph_of(tmp_path, nodes, [integers("k", 2)]))


@pytest.mark.parametrize("kind", ["CumSum", "CastLike"])
def test_that_a_setting_that_is_an_input_is_not_differentiated(kind: str, tmp_path: Path) -> None:
    setting = helper.make_tensor("setting", TensorProto.INT64, [], [1])
    like = onnx.TensorProto(name="setting", data_type=TensorProto.FLOAT16, dims=[1])
    nodes = [node("Sub", "h g", "d"), node(kind, "d setting")]
    check_whole(graph_of(tmp_path, nodes, [setting if kind == "CumSum" else like]))


def test_that_casts_to_integers_and_back_end_the_gradient(tmp_path: Path) -> None:
    nodes = [
        node("Cast", "h", "whole", to=TensorProto.INT32),
        node("Cast", "whole", "steps", to=TensorProto.FLOAT), node("Mul", "h steps", "p"),
        node("Add", "p g"),
    ]  # fmt: skip
    graph = graph_of(tmp_path, nodes)
    check_whole(graph)
    assert kept_for(graph, "p.input_gradient.1") == {"steps"}


def kept_for(graph: TrainingGraph, name: str) -> set[str]:
    """Forward tensors that a gradient op reads."""
    op = graph.ops[graph.op_index[name]]
    return {
        made for made in op.inputs if made not in {"loss.input_gradient"} and "grad" not in made
    }
