"""Small ONNX models for tests, built with onnx.helper and loaded through a file like any other."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import onnx
from onnx import TensorProto, helper

from solver.loaders.onnx_file import load_onnx
from solver.loaders.options import LoadOptions
from solver.network import Network

LIGHT_FOLDER = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"


def floats(name: str, *dims: int | str | None) -> onnx.ValueInfoProto:
    """A float input or output; a text is a named dimension, None an unknown one."""
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, dims)


def integers(name: str, *values: int) -> onnx.TensorProto:
    """An int64 vector with these elements."""
    return helper.make_tensor(name, TensorProto.INT64, [len(values)], values)


def weight(name: str, *dims: int) -> onnx.TensorProto:
    """A float tensor without a single number: only its size counts."""
    return TensorProto(name=name, data_type=TensorProto.FLOAT, dims=dims)


def model_of(
    nodes: Sequence[onnx.NodeProto],
    inputs: Sequence[onnx.ValueInfoProto],
    stored: Sequence[onnx.TensorProto] = (),
    *,
    outputs: Sequence[str] = ("y",),
    opset: int = 17,
) -> onnx.ModelProto:
    graph = helper.make_graph(nodes, "test", inputs, [floats(name) for name in outputs], stored)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])


def load(
    model: onnx.ModelProto,
    folder: Path,
    *,
    batch: int | None = None,
    dims: dict[str, int] | None = None,
    output: str | None = None,
) -> Network:
    path = folder / "test.onnx"
    path.write_bytes(model.SerializeToString())
    return load_onnx(path, LoadOptions(batch=batch, dims=dims or {}, output=output))


def shapes_of(network: Network) -> dict[str, tuple[int, ...]]:
    """Shapes of everything that layers make."""
    return {
        name: network.values[name].shape
        for layer in network.layers
        for name in layer.outputs
        if name
    }


def node(kind: str, inputs: str, outputs: str = "y", **attributes: Any) -> onnx.NodeProto:
    """A node from texts: names separated by blanks, "-" for what is absent."""
    read, made = (
        ["" if name == "-" else name for name in names.split()] for names in (inputs, outputs)
    )
    return helper.make_node(kind, read, made, **attributes)
