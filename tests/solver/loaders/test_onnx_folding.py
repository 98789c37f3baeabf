"""Constants by reachability from real inputs: sized, never made; shape arithmetic at load."""

import subprocess
import sys
from pathlib import Path

import pytest
from onnx import TensorProto, helper

from solver.errors import ModelError
from solver.training import expand
from tests.helpers.onnx_models import (
    floats,
    integers,
    load,
    model_of,
    node,
    shapes_of,
    weight,
)


def test_that_weights_made_by_nodes_are_sized_constants(tmp_path: Path) -> None:
    nodes = [
        node("ConstantOfShape", "shape", "w"),
        node("Unsqueeze", "flat axes", "b"),
        node("Conv", "x w", "c"),
        node("Add", "c b"),
    ]
    stored = [integers("shape", 8, 3, 3, 3), integers("axes", 1, 2), weight("flat", 8)]
    network = load(model_of(nodes, [floats("x", 1, 3, 5, 5)], stored), tmp_path)
    assert [layer.op_type for layer in network.layers] == ["Conv", "Add"]
    assert network.constants == {"w", "b"}
    assert network.values["w"].bytes == 8 * 3 * 3 * 3 * 4
    assert network.values["b"].shape == (8, 1, 1)


def test_that_a_folded_weight_of_a_terabyte_costs_no_memory(tmp_path: Path) -> None:
    nodes = [node("ConstantOfShape", "shape", "w"), node("MatMul", "x w")]
    stored = [integers("shape", 2**19, 2**19)]
    network = load(model_of(nodes, [floats("x", 1, 2**19)], stored), tmp_path)
    assert network.values["w"].bytes == 2**40


def test_that_small_integer_constants_keep_their_elements(tmp_path: Path) -> None:
    model = model_of([node("Reshape", "x s")], [floats("x", 2, 6)], [integers("s", 3, -1)])
    assert load(model, tmp_path).values["s"].data == (3, -1)


def test_that_weights_do_not_keep_their_elements(tmp_path: Path) -> None:
    stored = helper.make_tensor("w", TensorProto.FLOAT, [2, 1], [1.0, 2.0])
    model = model_of([node("MatMul", "x w")], [floats("x", 1, 2)], [stored])
    assert load(model, tmp_path).values["w"].data is None


def test_that_copies_of_one_constant_stay_one_parameter(tmp_path: Path) -> None:
    nodes = [
        node("Identity", "w", "copy"),
        node("MatMul", "x w", "a"),
        node("MatMul", "a copy"),
    ]
    network = load(model_of(nodes, [floats("x", 1, 4)], [weight("w", 4, 4)]), tmp_path)
    assert network.constants == {"w"}
    assert [layer.inputs[1] for layer in network.layers] == ["w", "w"]


def test_that_a_half_precision_copy_of_a_weight_is_the_weight(tmp_path: Path) -> None:
    nodes = [
        node("Gather", "w ids", "h"),
        node("Cast", "w", "half", to=TensorProto.FLOAT16),
        node("Cast", "half", "head", to=TensorProto.FLOAT),
        node("Transpose", "head", "turned", perm=[1, 0]),
        node("MatMul", "h turned"),
    ]
    ids = helper.make_tensor_value_info("ids", TensorProto.INT64, [1, 3])
    graph = expand(load(model_of(nodes, [ids], [weight("w", 50, 8)]), tmp_path))
    assert [item.name for item in graph.trainable] == ["w"]
    assert graph.weight_bytes == 50 * 8 * 4


def test_that_the_shape_of_a_tensor_is_a_constant_and_no_layer(tmp_path: Path) -> None:
    # 2 x 3 x 4 -> [2] joined with [-1] -> 2 x 12, the usual way of torch's exporter.
    nodes = [
        node("Relu", "x", "a"),
        node("Shape", "a", "shape"),
        node("Constant", "", "zero", value=helper.make_tensor("", TensorProto.INT64, [], [0])),
        node("Gather", "shape zero", "n", axis=0),
        node("Unsqueeze", "n axes", "n1"),
        node("Concat", "n1 rest", "target", axis=0),
        node("Reshape", "a target"),
    ]
    stored = [integers("axes", 0), integers("rest", -1)]
    network = load(model_of(nodes, [floats("x", 2, 3, 4)], stored), tmp_path)
    assert [layer.op_type for layer in network.layers] == ["Relu", "Reshape"]
    assert network.values["target"].data == (2, -1)
    assert network.values["y"].shape == (2, 12)


@pytest.mark.parametrize(
    ("kind", "inputs", "expected"),
    [
        ("Add", "seven two", 9),
        ("Sub", "seven two", 5),
        ("Mul", "seven two", 14),
        ("Div", "seven two", 3),
        ("Div", "minus two", -3),  # toward zero, as ONNX divides integers; numpy would say -4
        ("Mod", "seven two", 1),
        ("Min", "seven two", 2),
        ("Max", "seven two", 7),
        ("Neg", "minus", 7),
    ],
)
def test_that_shape_arithmetic_is_done_as_onnx_defines_it(
    kind: str, inputs: str, expected: int, tmp_path: Path
) -> None:
    nodes = [node(kind, inputs, "n"), node("Reshape", "x n")]
    stored = [integers("seven", 7), integers("two", 2), integers("minus", -7)]
    elements = expected if expected > 0 else 1
    model = model_of(nodes, [floats("x", 1, elements)], stored)
    if expected > 0:
        assert load(model, tmp_path).values["n"].data == (expected,)
    else:
        with pytest.raises(ModelError, match=rf"its shape \({expected},\) is not a shape"):
            load(model, tmp_path)


def test_that_slices_casts_and_products_of_shapes_are_followed(tmp_path: Path) -> None:
    # Height x width of 1 x 3 x 4 x 6 through a float detour: 4 * 6 = 24.
    nodes = [
        node("Shape", "x", "shape"),
        node("Slice", "shape two four", "space"),
        node("Cast", "space", "real", to=TensorProto.FLOAT),
        node("ReduceProd", "real", "area", keepdims=1),
        node("Floor", "area", "floored"),
        node("Cast", "floored", "whole", to=TensorProto.INT64),
        node("Concat", "start whole", "target", axis=0),
        node("Reshape", "x target"),
    ]
    stored = [integers("two", 2), integers("four", 4), integers("start", 1, 3)]
    network = load(model_of(nodes, [floats("x", 1, 3, 4, 6)], stored), tmp_path)
    assert network.values["y"].shape == (1, 3, 24)


def test_that_a_shape_read_backwards_reaches_its_first_entry(tmp_path: Path) -> None:
    # ONNX writes "to the front" as the least number there is.
    nodes = [node("Shape", "x", "s"), node("Slice", "s a b c d", "t"), node("Reshape", "x t")]
    stored = [integers("a", -1), integers("b", -(2**63)), integers("c", 0), integers("d", -1)]
    network = load(model_of(nodes, [floats("x", 2, 3, 4)], stored), tmp_path)
    assert network.values["y"].shape == (4, 3, 2)


def test_that_choices_among_shapes_are_followed(tmp_path: Path) -> None:
    # torch writes expand sizes as Where(Equal(size, -1), ones, size).
    nodes = [
        node("ConstantOfShape", "two", "ones", value=helper.make_tensor("", 7, [1], [1])),
        node("Equal", "wish minus", "same"),
        node("Where", "same ones wish", "target"),
        node("Reshape", "x target"),
    ]
    stored = [integers("two", 2), integers("wish", -1, 6), integers("minus", -1)]
    network = load(model_of(nodes, [floats("x", 2, 3)], stored), tmp_path)
    assert network.values["target"].data == (1, 6)


def test_that_a_shape_read_from_the_end_is_followed(tmp_path: Path) -> None:
    nodes = [node("Shape", "x", "s", start=-2), node("Reshape", "x s")]
    model = model_of(nodes, [floats("x", 1, 4, 6)])
    assert load(model, tmp_path).values["y"].shape == (4, 6)


def test_that_dividing_a_size_by_zero_names_the_node(tmp_path: Path) -> None:
    nodes = [node("Div", "a b", "n"), node("Reshape", "x n")]
    model = model_of(nodes, [floats("x", 4)], [integers("a", 4), integers("b", 0)])
    with pytest.raises(ModelError, match=r"node n \(Div\): it divides a size by zero"):
        load(model, tmp_path)


def test_that_sizes_beyond_64_bits_are_told_and_not_wrapped(tmp_path: Path) -> None:
    nodes = [node("Mul", "a a", "n"), node("Reshape", "x n")]
    model = model_of(nodes, [floats("x", 4)], [integers("a", 2**62)])
    with pytest.raises(ModelError, match=r"node n \(Mul\): a size is beyond 64 bits"):
        load(model, tmp_path)


def test_that_a_picked_entry_outside_of_the_shape_is_refused(tmp_path: Path) -> None:
    nodes = [node("Shape", "x", "s"), node("Gather", "s five", "n"), node("Reshape", "x n")]
    model = model_of(nodes, [floats("x", 4)], [integers("five", 5)])
    with pytest.raises(ModelError, match="picks an entry outside of 1"):
        load(model, tmp_path)


def test_that_a_shape_known_only_at_run_time_is_refused(tmp_path: Path) -> None:
    wish = helper.make_tensor_value_info("wish", TensorProto.INT64, [2])
    model = model_of([node("Reshape", "x wish")], [floats("x", 4, 6), wish])
    with pytest.raises(ModelError, match="its target shape is not known before the network runs"):
        load(model, tmp_path)


def test_that_a_graph_of_constants_alone_is_refused(tmp_path: Path) -> None:
    model = model_of([node("Add", "a a")], [], [weight("a", 2)])
    with pytest.raises(ModelError, match="no output depends on an input"):
        load(model, tmp_path)


def test_that_outputs_without_a_gradient_are_left_out(tmp_path: Path) -> None:
    nodes = [node("Relu", "x", "y"), node("Shape", "x", "s")]
    network = load(model_of(nodes, [floats("x", 2)], outputs=["s", "x", "y"]), tmp_path)
    assert network.outputs == ("y",)


def test_that_only_constants_that_layers_read_are_kept(tmp_path: Path) -> None:
    stored = [weight("w", 4, 2), weight("unused", 99)]
    network = load(model_of([node("MatMul", "x w")], [floats("x", 1, 4)], stored), tmp_path)
    assert set(network.values) == {"x", "w", "y"}
    assert shapes_of(network) == {"y": (1, 2)}


def test_that_a_node_that_reads_text_is_refused(tmp_path: Path) -> None:
    text = helper.make_tensor("t", TensorProto.STRING, [1], [b"a"])
    model = model_of([node("Add", "x t")], [floats("x", 1)], [text])
    with pytest.raises(ModelError, match=r"node y \(Add\): reads text"):
        load(model, tmp_path)


def test_that_loading_the_module_does_not_load_onnx() -> None:
    code = "import sys, solver.loaders.onnx_file; sys.exit('onnx' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
