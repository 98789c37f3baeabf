"""Bodies of control flow for models that tests build."""

from typing import Any

import onnx
from onnx import TensorProto, helper

from solver.network import Network
from tests.helpers.onnx_models import node


def body_of(
    nodes: list[onnx.NodeProto],
    inputs: str = "",
    outputs: str = "",
    stored: list[onnx.TensorProto] | None = None,
) -> onnx.GraphProto:
    """A body: its inputs and outputs by name, without types, as the format allows."""
    names = [
        [onnx.ValueInfoProto(name=name) for name in text.split()] for text in (inputs, outputs)
    ]
    return helper.make_graph(nodes, "body", *names, stored or [])


def flag(name: str, *, value: bool) -> onnx.TensorProto:
    return helper.make_tensor(name, TensorProto.BOOL, [], [value])


def kinds_of(network: Network) -> list[str]:
    """What runs, without the views that only give tensors their names."""
    return [layer.op_type for layer in network.layers if layer.op_type != "Identity"]


def read_by(network: Network, kind: str, position: int = 1) -> list[str]:
    return [layer.inputs[position] for layer in network.layers if layer.op_type == kind]


def loop(body: onnx.GraphProto, inputs: str, outputs: str = "y", **more: Any) -> onnx.NodeProto:
    return node("Loop", inputs, outputs, name="loop", body=body, **more)


def choice(*, then: str = "Relu", otherwise: str = "Tanh") -> onnx.NodeProto:
    return node(
        "If",
        "c",
        name="pick",
        then_branch=body_of([node(then, "x", "a")], outputs="a"),
        else_branch=body_of([node(otherwise, "x", "a")], outputs="a"),
    )
