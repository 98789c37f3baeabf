"""Any operator that the package onnx knows, put where another one stood, with fitting arguments."""

import random
from typing import Any, Final

import onnx
from onnx import helper

_SCHEMAS: Final = {
    schema.name: schema
    for schema in sorted(
        onnx.defs.get_all_schemas(), key=lambda schema: (schema.name, schema.since_version)
    )
    if not schema.domain
}
_OPERATORS: Final = (*sorted(_SCHEMAS), "NoSuchOperator", "")
_WHOLE: Final = (0, 1, 2, 3, -1, -2, 4, 64)
_TEXTS: Final = ("VALID", "SAME_UPPER", "constant", "linear", "sum", "ij,jk->ik", "forward", "")
_MORE: Final = 3
"""Optional inputs are tried up to so many; some operators take any number."""


def reoperate(draw: random.Random, model: onnx.ModelProto, foreign: onnx.ModelProto) -> None:
    """Make one node another operator: as it is, or with inputs and attributes of the right kind."""
    node = draw.choice(model.graph.node)
    node.op_type = draw.choice(_OPERATORS)
    schema = _SCHEMAS.get(node.op_type)
    if schema is None or draw.random() < 0.2:
        return
    _fit_inputs(draw, model.graph, node, schema)
    _fit_attributes(draw, node, schema)
    wanted = draw.randint(schema.min_output, min(schema.max_output, schema.min_output + _MORE))
    del node.output[wanted:]
    node.output.extend(f"more{i}" for i in range(len(node.output), wanted))


def trained(data: bytes) -> bytes | None:
    """The model with a MatMul by a weight before its first float input; None where none fits."""
    model = onnx.ModelProto.FromString(data)
    graph, stored = model.graph, {tensor.name for tensor in model.graph.initializer}
    for entry in graph.input:
        kind = entry.type.tensor_type
        dims = kind.shape.dim
        if kind.elem_type != onnx.TensorProto.FLOAT or entry.name in stored or len(dims) < 2:
            continue
        last = dims[-1].dim_value or 8
        for node in graph.node:
            node.input[:] = ["trained" if name == entry.name else name for name in node.input]
        graph.node.insert(0, helper.make_node("MatMul", [entry.name, "weight"], ["trained"]))
        graph.initializer.append(onnx.TensorProto(name="weight", data_type=1, dims=[last, last]))
        return model.SerializeToString()
    return None


def _fit_inputs(
    draw: random.Random,
    graph: onnx.GraphProto,
    node: onnx.NodeProto,
    schema: onnx.defs.OpSchema,
) -> None:
    wanted = draw.randint(schema.min_input, min(schema.max_input, schema.min_input + _MORE))
    del node.input[wanted:]
    while len(node.input) < wanted:
        match draw.randrange(4):
            case 0:
                node.input.append(draw.choice([entry.name for entry in graph.input] or [""]))
            case 1:
                node.input.append(draw.choice(node.input) if node.input else "")
            case 2:
                values = [draw.choice(_WHOLE) for _ in range(draw.randint(0, 4))]
                node.input.append(_stored(graph, onnx.TensorProto.INT64, [len(values)], values))
            case _:
                dims = [draw.choice((1, 2, 3, 4, 8)) for _ in range(draw.randint(0, 4))]
                node.input.append(_stored(graph, onnx.TensorProto.FLOAT, dims, None))


def _stored(graph: onnx.GraphProto, kind: int, dims: list[int], values: list[int] | None) -> str:
    name = f"stored{len(graph.initializer)}"
    tensor = graph.initializer.add(name=name, data_type=kind, dims=dims)
    if values is not None:
        tensor.int64_data.extend(values)
    return name


def _fit_attributes(draw: random.Random, node: onnx.NodeProto, schema: onnx.defs.OpSchema) -> None:
    del node.attribute[:]
    for name, attribute in sorted(schema.attributes.items()):
        value = _value(draw, attribute.type)
        if value is not None and (attribute.required or draw.random() < 0.4):
            node.attribute.append(helper.make_attribute(name, value, attr_type=attribute.type))


def _value(draw: random.Random, kind: Any) -> Any:  # Any: pybind's own enumeration; any value
    kinds = onnx.defs.OpSchema.AttrType
    if kind == kinds.INT:
        return draw.choice(_WHOLE)
    if kind == kinds.FLOAT:
        return draw.choice((0.0, 0.5, -1.0))
    if kind == kinds.STRING:
        return draw.choice(_TEXTS)
    if kind == kinds.INTS:
        return [draw.choice(_WHOLE) for _ in range(draw.randint(1, 4))]
    if kind == kinds.STRINGS:
        return [draw.choice(_TEXTS) for _ in range(draw.randint(1, 3))]
    return None
