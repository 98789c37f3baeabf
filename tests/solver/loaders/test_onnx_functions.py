"""A model's own functions: written out in place of their calls."""

from pathlib import Path

import onnx
import pytest
from onnx import helper

from solver.errors import ModelError
from solver.loaders import onnx_reader
from tests.helpers.onnx_models import floats, load, model_of, node, shapes_of, weight

_OPSETS = [helper.make_opsetid("", 17)]


def _function(
    name: str,
    inputs: str,
    outputs: str,
    nodes: list[onnx.NodeProto],
    *,
    opset: int = 17,
    attributes: tuple[str, ...] = (),
    defaults: tuple[onnx.AttributeProto, ...] = (),
) -> onnx.FunctionProto:
    return helper.make_function(
        "local",
        name,
        inputs.split(),
        outputs.split(),
        nodes,
        [helper.make_opsetid("", opset), helper.make_opsetid("local", 1)],
        attributes=list(attributes),
        attribute_protos=list(defaults),
    )


def _call(kind: str, inputs: str, outputs: str = "y", **attributes: float) -> onnx.NodeProto:
    return node(kind, inputs, outputs, domain="local", **attributes)


def _model(
    calls: list[onnx.NodeProto], *functions: onnx.FunctionProto, stored: tuple[str, ...] = ()
) -> onnx.ModelProto:
    model = model_of(calls, [floats("x", 2, 8)], [weight(name, 8, 8) for name in stored])
    model.functions.extend(functions)
    return model


_DENSE = _function("Dense", "a w", "b", [node("MatMul", "a w", "m"), node("Relu", "m", "b")])


def test_that_each_call_becomes_the_nodes_of_its_function(tmp_path: Path) -> None:
    calls = [_call("Dense", "x v", "h", name="one"), _call("Dense", "h w", name="two")]
    network = load(_model(calls, _DENSE, stored=("v", "w")), tmp_path)
    assert [layer.op_type for layer in network.layers] == ["MatMul", "Relu"] * 2
    assert [layer.inputs[1] for layer in network.layers if layer.op_type == "MatMul"] == ["v", "w"]
    assert shapes_of(network) == {
        "one/m": (2, 8), "h": (2, 8), "two/m": (2, 8), "y": (2, 8),
    }  # fmt: skip
    assert network.report is not None
    assert "2 calls of the model's own functions written out: local::Dense" in (
        network.report.sentences()
    )


def test_that_functions_call_functions(tmp_path: Path) -> None:
    outer = _function("Twice", "a w", "c", [
        _call("Dense", "a w", "b"), _call("Dense", "b w", "c"),
    ])  # fmt: skip
    network = load(_model([_call("Twice", "x w")], _DENSE, outer, stored=("w",)), tmp_path)
    assert [layer.op_type for layer in network.layers] == ["MatMul", "Relu"] * 2
    assert len(network.constants) == 1


def test_that_functions_that_call_each_other_are_named(tmp_path: Path) -> None:
    ping = _function("Ping", "a", "b", [_call("Pong", "a", "b")])
    pong = _function("Pong", "a", "b", [_call("Ping", "a", "b")])
    with pytest.raises(ModelError, match="local::Ping -> local::Pong -> local::Ping call each"):
        load(_model([_call("Ping", "x")], ping, pong), tmp_path)


def test_that_functions_that_multiply_without_measure_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(onnx_reader, "MOST_NODES", 1000)  # writing more out takes seconds
    # Each of 30 functions calls the next one twice: a billion nodes.
    functions = [
        _function(f"F{k}", "a", "c", [_call(f"F{k + 1}", "a", "b"), _call(f"F{k + 1}", "b", "c")])
        for k in range(30)
    ]
    functions.append(_function("F30", "a", "c", [node("Relu", "a", "c")]))
    with pytest.raises(ModelError, match="more than 1,000 nodes"):
        load(_model([_call("F0", "x")], *functions), tmp_path)


def test_that_attributes_of_the_call_reach_the_nodes(tmp_path: Path) -> None:
    joined = node("Concat", "a a", "b")
    joined.attribute.append(
        onnx.AttributeProto(name="axis", type=onnx.AttributeProto.INT, ref_attr_name="along")
    )
    function = _function("Double", "a", "b", [joined], attributes=("along",))
    assert load(_model([_call("Double", "x", along=1)], function), tmp_path).values["y"].shape == (
        2,
        16,
    )


def test_that_an_attribute_left_out_has_the_functions_default(tmp_path: Path) -> None:
    joined = node("Concat", "a a", "b")
    joined.attribute.append(
        onnx.AttributeProto(name="axis", type=onnx.AttributeProto.INT, ref_attr_name="along")
    )
    default = helper.make_attribute("along", 0)
    function = _function("Double", "a", "b", [joined], defaults=(default,))
    assert load(_model([_call("Double", "x")], function), tmp_path).values["y"].shape == (4, 8)


def test_that_an_input_left_out_is_absent_inside(tmp_path: Path) -> None:
    function = _function("Affine", "a w c", "b", [node("Gemm", "a w c", "b")])
    network = load(_model([_call("Affine", "x w")], function, stored=("w",)), tmp_path)
    (layer,) = network.layers
    assert layer.inputs == ("x", "w", "")


def test_that_an_output_that_nobody_wants_has_a_name_of_its_own(tmp_path: Path) -> None:
    function = _function("Both", "a", "b c", [node("Relu", "a", "b"), node("Tanh", "b", "c")])
    call = helper.make_node("Both", ["x"], ["", "y"], name="both", domain="local")
    network = load(_model([call], function), tmp_path)
    assert [layer.outputs for layer in network.layers] == [("both/b",), ("y",)]


def test_that_a_function_that_hands_its_input_through_is_a_view(tmp_path: Path) -> None:
    function = _function("Nothing", "a", "a", [])
    network = load(_model([_call("Nothing", "x", "h"), node("Relu", "h")], function), tmp_path)
    assert [layer.op_type for layer in network.layers] == ["Identity", "Relu"]


def test_that_a_function_is_read_with_its_own_operator_set(tmp_path: Path) -> None:
    # In operator set 11 the axes of Unsqueeze are an attribute, in the model's (17) an input.
    old = _function("Wrap", "a", "b", [node("Unsqueeze", "a", "b", axes=[0])], opset=11)
    assert load(_model([_call("Wrap", "x")], old), tmp_path).values["y"].shape == (1, 2, 8)


def test_that_an_operator_that_no_function_describes_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"unsupported operator: local::Other \(node y\)"):
        load(_model([_call("Other", "x")], _DENSE), tmp_path)
