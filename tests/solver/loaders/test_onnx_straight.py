"""Quantised networks, simulated in floats: gradients pass straight through the rounding."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
import pytest
from numpy.typing import ArrayLike
from onnx import TensorProto, helper, numpy_helper

from solver.api import load_training_graph
from solver.errors import ModelError, UsageError
from solver.graph import Accounting, Op, Phase, Quantized, TrainingGraph
from solver.graph_request import GraphRequest
from tests.helpers.graph_checks import faults_of
from tests.helpers.onnx_models import floats, model_of, node

CORNER = Path(__file__).parents[2] / "data" / "onnx_corner"


def _held(name: str, numbers: ArrayLike, dtype: str) -> onnx.TensorProto:
    return numpy_helper.from_array(np.asarray(numbers, dtype=dtype), name)


_SCALE = (_held("s", 0.1, "float32"), _held("z", 128, "uint8"))
_KERNEL = _held("w", np.zeros((8, 3, 3, 3)), "int8")
_BIAS = _held("b", np.zeros(8), "int32")


def _graph(model: onnx.ModelProto, folder: Path) -> TrainingGraph:
    path = folder / "test.onnx"
    path.write_bytes(model.SerializeToString())
    graph = load_training_graph(GraphRequest(str(path), quantized=Quantized.STRAIGHT_THROUGH)).graph
    assert faults_of(graph) == []
    return graph


def _op(graph: TrainingGraph, name: str) -> Op:
    return graph.ops[graph.op_index[name]]


def _kinds(graph: TrainingGraph) -> list[str]:
    return [
        op.kind.removeprefix("straight-through::")
        for op in graph.ops
        if op.phase is Phase.FORWARD and op.kind not in {"input", "loss"}
    ]


def _trained(graph: TrainingGraph) -> dict[str, int]:
    return {item.name: item.bytes for item in graph.trainable}


def _pairs(*, inner: Sequence[onnx.NodeProto] = (), last: str = "rq") -> onnx.ModelProto:
    """Conv between pairs of QuantizeLinear and DequantizeLinear, as exporters write it."""
    nodes = [
        node("QuantizeLinear", "x s z", "xq"),
        node("DequantizeLinear", "xq s z", "xd"),
        node("DequantizeLinear", "w s -", "wd"),
        node("DequantizeLinear", "b s -", "bd"),
        node("Conv", "xd wd bd", "h", name="conv"),
        node("QuantizeLinear", "h s z", "rq", name="out"),
        *inner,
        node("DequantizeLinear", f"{last} s z"),
    ]
    return model_of(nodes, [floats("x", 1, 3, 9, 9)], [*_SCALE, _KERNEL, _BIAS])


def test_that_pairs_round_in_floats_and_pass_gradients_on(tmp_path: Path) -> None:
    graph = _graph(_pairs(), tmp_path)
    assert _kinds(graph) == ["QuantizeLinear", "Conv", "QuantizeLinear"]
    tensors = {tensor.name: tensor for tensor in graph.tensors}
    # 1 x 8 x 7 x 7 floats, and what was rounded is no smaller: 1,568 B each.
    assert (tensors["h"].bytes, tensors["rq"].bytes, tensors["rq"].dtype) == (1568, 1568, "float32")
    assert _op(graph, "out").flop == 7 * 392
    back = _op(graph, "out.input_gradient")
    assert (back.flop, back.inputs, back.gradient_of) == (392, ("loss.input_gradient",), ("h",))
    # The convolution keeps its rounded input.
    assert _op(graph, "conv.weight_gradient").inputs == ("out.input_gradient", "xq")


def test_that_weights_stored_as_integers_are_trained_as_float_copies(tmp_path: Path) -> None:
    # 8 x 3 x 3 x 3 and 8 floats.
    assert _trained(_graph(_pairs(), tmp_path)) == {"wd": 864, "bd": 32}


def test_that_a_float_weight_that_is_rounded_in_the_file_stays_one_weight(tmp_path: Path) -> None:
    nodes = [
        node("QuantizeLinear", "v s z", "vq"),
        node("DequantizeLinear", "vq s z", "vd"),
        node("MatMul", "x vd", "h"),
        node("MatMul", "h v"),
    ]
    stored = [*_SCALE, _held("v", np.zeros((4, 4)), "float32")]
    graph = _graph(model_of(nodes, [floats("x", 1, 4)], stored), tmp_path)
    assert list(_trained(graph).values()) == [64]


def test_that_what_lies_between_the_pairs_works_on_floats(tmp_path: Path) -> None:
    pool = node("MaxPool", "rq", "p", kernel_shape=[2, 2], strides=[1, 1])
    graph = _graph(_pairs(inner=[pool], last="p"), tmp_path)
    assert _kinds(graph)[-1] == "MaxPool"
    assert _op(graph, "p.input_gradient").gradient_of == ("rq",)


def test_that_ranges_found_while_running_have_no_gradient(tmp_path: Path) -> None:
    nodes = [
        node("MatMul", "x v", "h"),
        node("DynamicQuantizeLinear", "h", "hq hs hz", name="dynamic"),
        node("MatMulInteger", "hq w hz -", "p", name="product"),
        node("Cast", "p", "f", to=TensorProto.FLOAT),
        node("Mul", "f hs"),
    ]
    stored = [_held("v", np.zeros((4, 6)), "float32"), _held("w", np.zeros((6, 5)), "int8")]
    graph = _graph(model_of(nodes, [floats("x", 2, 4)], stored), tmp_path)
    assert _kinds(graph) == [
        "MatMul", "DynamicQuantizeLinear", "QuantizeLinear", "MatMul", "Cast", "Mul",
    ]  # fmt: skip
    assert _op(graph, "dynamic/range").flop == 2 * 12
    made = {name for op in graph.ops for name in op.gradient_of}
    assert {"h", "hq", "p", "f"} <= made
    assert "hs" not in made
    assert _trained(graph) == {"v": 96, "product/b": 120}


def test_that_operators_on_integers_become_products_of_floats(tmp_path: Path) -> None:
    nodes = [
        node("QuantizeLinear", "x s z", "xq"),
        node("QLinearConv", "xq s z w s wz s z b", "h", name="conv", pads=[1, 1, 1, 1]),
        node("Reshape", "h target", "f"),
        node("QLinearMatMul", "f s z v s wz s z", name="head"),
    ]
    stored = [
        *_SCALE, _KERNEL, _BIAS, _held("wz", 0, "int8"), _held("v", np.zeros((648, 10)), "int8"),
        _held("target", [1, 648], "int64"),
    ]  # fmt: skip
    graph = _graph(model_of(nodes, [floats("x", 1, 3, 9, 9)], stored), tmp_path)
    assert _kinds(graph) == ["QuantizeLinear", "Conv", "QuantizeLinear", "MatMul", "QuantizeLinear"]
    # 648 outputs x 27 multiply-adds, and 648 x 10; the pads of the file apply.
    assert graph.forward_macs == 648 * 27 + 6480
    assert _trained(graph) == {"conv/b": 864, "conv/bias": 32, "head/b": 648 * 10 * 4}
    assert graph.settings.output == "y"


@pytest.mark.parametrize(("kind", "plain"), [("QLinearAdd", "Add"), ("QLinearMul", "Mul")])
def test_that_arithmetic_of_the_runtime_is_simulated(kind: str, plain: str, tmp_path: Path) -> None:
    joined = helper.make_node(
        kind, ["a", "s", "z", "a", "s", "z", "s", "z"], ["y"], domain="com.microsoft"
    )
    nodes = [node("MatMul", "x v", "h"), node("QuantizeLinear", "h s z", "a"), joined]
    stored = [*_SCALE, _held("v", np.zeros((4, 6)), "float32")]
    graph = _graph(model_of(nodes, [floats("x", 2, 4)], stored), tmp_path)
    assert _kinds(graph) == ["MatMul", "QuantizeLinear", plain, "QuantizeLinear"]


def test_that_integers_given_to_the_network_have_no_gradient(tmp_path: Path) -> None:
    picture = helper.make_tensor_value_info("x", TensorProto.UINT8, [1, 4])
    nodes = [node("DequantizeLinear", "x s z", "f", name="in"), node("MatMul", "f v")]
    stored = [*_SCALE, _held("v", np.zeros((4, 6)), "float32")]
    graph = _graph(model_of(nodes, [picture], stored), tmp_path)
    assert _kinds(graph) == ["DequantizeLinear", "MatMul"]
    assert _op(graph, "in").flop == 2 * 4


def test_that_the_choice_and_what_it_assumes_are_told(tmp_path: Path) -> None:
    graph = _graph(_pairs(), tmp_path)
    assert graph.settings.quantized is Quantized.STRAIGHT_THROUGH
    (told,) = [text for text in graph.warnings if "quantised" in text]
    assert "(4 DequantizeLinear, 2 QuantizeLinear)" in told
    assert "gradients pass straight through the rounding" in told


def test_that_what_cannot_be_simulated_is_still_refused(tmp_path: Path) -> None:
    packed = helper.make_node("MatMulBnb4", ["x"], ["y"], domain="com.microsoft")
    with pytest.raises(ModelError, match=r"MatMulBnb4 \(node y\) \(give the float model"):
        _graph(model_of([packed], [floats("x", 1)]), tmp_path)


def _packed(columns: int, inputs: str = "x w s") -> onnx.ModelProto:
    """70 features to `columns`: 3 blocks of 32 numbers of 4 bits, 16 B each, per column."""
    attributes = {"K": 70, "N": columns, "bits": 4, "block_size": 32}
    product = node("MatMulNBits", inputs, name="it", domain="com.microsoft", **attributes)
    stored = [
        onnx.TensorProto(name="w", data_type=TensorProto.UINT8, dims=[20, 3, 16]),
        onnx.TensorProto(name="s", data_type=TensorProto.FLOAT, dims=[60]),
        onnx.TensorProto(name="b", data_type=TensorProto.FLOAT, dims=[20]),
    ]
    return model_of([product], [floats("x", 2, 5, 70)], stored)


def test_that_a_packed_weight_is_trained_as_a_matrix_of_floats(tmp_path: Path) -> None:
    graph = _graph(_packed(20), tmp_path)
    assert _kinds(graph) == ["MatMul"]
    assert _trained(graph) == {"it/weight": 70 * 20 * 4}
    # 10 rows of 70 numbers, times 20 columns
    assert _op(graph, "it").flop == 2 * 10 * 70 * 20
    assert _op(graph, "it.weight_gradient").inputs == ("loss.input_gradient", "x")


def test_that_a_packed_product_adds_its_bias(tmp_path: Path) -> None:
    graph = _graph(_packed(20, "x w s - - b"), tmp_path)
    assert _kinds(graph) == ["MatMul", "Add"]
    assert _trained(graph) == {"it/weight": 70 * 20 * 4, "b": 80}


def test_that_packed_numbers_that_do_not_fit_are_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"it/weight .*20x3x16 and its scales 60 do not fit 70x21"):
        _graph(_packed(21), tmp_path)


def _looked_up(*more: onnx.NodeProto) -> onnx.ModelProto:
    """Rows of a table of 50 x 8 integers, as floats, and a product."""
    nodes = [
        node("Gather", "table ids", "rows"),
        node("DequantizeLinear", "rows s z", "h", name="floats"),
        node("MatMul", "h w", "y" if not more else "m"),
        *more,
    ]
    ids = helper.make_tensor_value_info("ids", TensorProto.INT64, [2, 5])
    stored = [*_SCALE, _held("table", np.zeros((50, 8)), "uint8")]
    stored.append(onnx.TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[8, 3]))
    return model_of(nodes, [ids], stored)


def test_that_a_table_of_integers_is_trained_as_floats(tmp_path: Path) -> None:
    graph = _graph(_looked_up(), tmp_path)
    # the rows are floats when they are looked up: nothing is left to convert
    assert _kinds(graph) == ["Gather", "MatMul"]
    assert _trained(graph) == {"table in floats": 50 * 8 * 4, "w": 8 * 3 * 4}


def test_that_a_table_whose_rows_are_also_read_as_integers_stays_one(tmp_path: Path) -> None:
    cast = [node("Cast", "rows", "r", to=TensorProto.FLOAT), node("ReduceSum", "r", "t")]
    graph = _graph(_looked_up(*cast, node("Add", "m t")), tmp_path)
    assert _trained(graph) == {"w": 8 * 3 * 4}


def test_that_attention_in_integers_is_attention_in_floats(tmp_path: Path) -> None:
    attention = node(
        "QAttention", "x w b s s m zx zw", name="it", domain="com.microsoft", num_heads=2
    )
    inputs = [
        helper.make_tensor_value_info("x", TensorProto.UINT8, [2, 5, 8]),
        helper.make_tensor_value_info("m", TensorProto.INT32, [2]),
    ]
    stored = [
        onnx.TensorProto(name="w", data_type=TensorProto.INT8, dims=[8, 24]),
        onnx.TensorProto(name="b", data_type=TensorProto.FLOAT, dims=[24]),
        _held("s", 0.1, "float32"),
        _held("zx", 128, "uint8"),
        _held("zw", 0, "int8"),
    ]
    graph = _graph(model_of([attention], inputs, stored), tmp_path)
    kinds = ["DequantizeLinear", "MatMul", "Add", "Split", "com.microsoft::MultiHeadAttention"]
    assert _kinds(graph) == kinds
    # 8 x 24 floats of what is stored as 192 B, and the bias
    assert _trained(graph) == {"it/weight": 768, "b": 96}


def test_that_the_shipped_file_is_simulated() -> None:
    request = GraphRequest(str(CORNER / "15_qdq_int8.onnx"), quantized=Quantized.STRAIGHT_THROUGH)
    assert faults_of(load_training_graph(request).graph) == []


@pytest.mark.parametrize("accounting", [None, Accounting.POET])
def test_that_built_in_networks_have_no_such_choice(accounting: Accounting | None) -> None:
    request = GraphRequest("linear", accounting, quantized=Quantized.STRAIGHT_THROUGH)
    with pytest.raises(UsageError, match="--quantized"):
        load_training_graph(request)
