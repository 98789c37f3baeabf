"""Quantised operators as training simulates them: in floating point, rounded but not converted.

Quantisation-aware training (Jacob et al., CVPR 2018) computes in floats that are rounded to the
grid of the integers. Rounding has no slope; its gradient is taken to be that of the identity, the
straight-through estimator (Bengio, Leonard, Courville, 2013), outside of the grid's range as well.
So a number that QuantizeLinear has rounded stays a float, DequantizeLinear of it is the number
itself, and integer products are products of floats.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from solver.loaders.onnx_fused_attention import attention_parts
from solver.loaders.onnx_nodes import FileNode
from solver.loaders.onnx_order import unique_name
from solver.loaders.onnx_parts import Fresh, part_of
from solver.loaders.onnx_rules.base import INTEGERS, Fact

_PREFIX: Final = "straight-through::"
QUANTIZE: Final = f"{_PREFIX}QuantizeLinear"
DEQUANTIZE: Final = f"{_PREFIX}DequantizeLinear"
RANGE: Final = f"{_PREFIX}DynamicQuantizeLinear"
UNPACKED: Final = f"{_PREFIX}MatMulNBits weight"
"""What the simulated operators are called, so that nobody takes them for those of the file."""

Nodes = tuple[FileNode, ...]


def simulated(node: FileNode, fresh: Fresh) -> Nodes:
    """The nodes that simulate a quantised one, in order; any other node as it is.

    The last one that makes data keeps the node's name, and the outputs keep theirs.
    """
    write = _WRITTEN.get(node.op_type)
    return (node,) if write is None else write(node, fresh)


def can_simulate(op_type: str) -> bool:
    """Whether an operator of a file is one that `simulated` knows."""
    return op_type in _WRITTEN


def _at(names: tuple[str, ...], position: int) -> str:
    return names[position] if position < len(names) else ""


def _as(op_type: str) -> Callable[[FileNode, Fresh], Nodes]:
    return lambda node, fresh: (replace(node, op_type=op_type),)  # noqa: ARG005 - one shape for all


def _floats(node: FileNode, fresh: Fresh, word: str, first: int) -> FileNode:
    """What stands at `first` as floats: data, scale and zero point follow each other."""
    inputs = tuple(_at(node.inputs, first + k) for k in range(3))
    return part_of(node, fresh, word, DEQUANTIZE, inputs)


def _rounded(node: FileNode, made: FileNode, scale: int) -> FileNode:
    """The end of `node`: what `made` gives, rounded by the scale and zero point at `scale`."""
    inputs = (made.outputs[0], _at(node.inputs, scale), _at(node.inputs, scale + 1))
    return replace(node, op_type=QUANTIZE, inputs=inputs, attributes={})


def _dynamic(node: FileNode, fresh: Fresh) -> Nodes:
    """DynamicQuantizeLinear: scale and zero point are found first, without a gradient."""
    names = [
        _at(node.outputs, position) or fresh(f"{node.name}/{word}")
        for position, word in ((1, "scale"), (2, "zero_point"))
    ]
    found = part_of(node, fresh, "range", RANGE, node.inputs)
    data = (_at(node.inputs, 0), *names)
    return (
        replace(found, outputs=tuple(names)),
        replace(node, op_type=QUANTIZE, inputs=data, outputs=node.outputs[:1]),
    )


def _integer_product(op_type: str) -> Callable[[FileNode, Fresh], Nodes]:
    """MatMulInteger, ConvInteger: data and weight, then their zero points."""

    def write(node: FileNode, fresh: Fresh) -> Nodes:
        parts = [
            part_of(
                node, fresh, word, DEQUANTIZE, (_at(node.inputs, k), "", _at(node.inputs, k + 2))
            )
            for k, word in enumerate(("a", "b"))
        ]
        inputs = tuple(part.outputs[0] for part in parts)
        return (*parts, replace(node, op_type=op_type, inputs=inputs))

    return write


def _linear(op_type: str, bias: int | None = None) -> Callable[[FileNode, Fresh], Nodes]:
    """Two operands with scale and zero point each, then those of the output; a bias at `bias`."""

    def write(node: FileNode, fresh: Fresh) -> Nodes:
        parts = [_floats(node, fresh, "a", 0), _floats(node, fresh, "b", 3)]
        if bias is not None and _at(node.inputs, bias):
            parts.append(part_of(node, fresh, "bias", DEQUANTIZE, (node.inputs[bias],)))
        made = replace(
            part_of(node, fresh, "result", op_type, tuple(part.outputs[0] for part in parts)),
            attributes=node.attributes,
        )
        return (*parts, made, _rounded(node, made, 6))

    return write


def _unary(op_type: str) -> Callable[[FileNode, Fresh], Nodes]:
    """One operand with scale and zero point, then those of the output."""

    def write(node: FileNode, fresh: Fresh) -> Nodes:
        part = _floats(node, fresh, "a", 0)
        made = replace(
            part_of(node, fresh, "result", op_type, part.outputs), attributes=node.attributes
        )
        return part, made, _rounded(node, made, 3)

    return write


_BITS_BIAS: Final = 5  # input of MatMulNBits


def _packed_product(node: FileNode, fresh: Fresh) -> Nodes:
    """MatMulNBits: the data, and a weight of a few bits per number, in blocks with a scale each."""
    packed = (_at(node.inputs, 1), _at(node.inputs, 2))
    weight = replace(part_of(node, fresh, "weight", UNPACKED, packed), attributes=node.attributes)
    operands = (_at(node.inputs, 0), weight.outputs[0])
    bias = _at(node.inputs, _BITS_BIAS)
    if not bias:
        return weight, replace(node, op_type="MatMul", inputs=operands, attributes={})
    product = part_of(node, fresh, "product", "MatMul", operands)
    both = (product.outputs[0], bias)
    return weight, product, replace(node, op_type="Add", inputs=both, attributes={})


def _attention(node: FileNode, fresh: Fresh) -> Nodes:
    """QAttention: attention of data and projections in integers; its other inputs are floats."""
    data, weight, bias, data_scale, weight_scale, mask, data_zero, weight_zero, past = (
        _at(node.inputs, k) for k in range(9)
    )
    parts = (
        part_of(node, fresh, "input", DEQUANTIZE, (data, data_scale, data_zero)),
        part_of(node, fresh, "weight", DEQUANTIZE, (weight, weight_scale, weight_zero)),
    )
    inputs = (parts[0].outputs[0], parts[1].outputs[0], bias, mask, past)
    floats = replace(node, op_type="com.microsoft::Attention", inputs=inputs)
    return (*parts, *attention_parts(floats, fresh))


def tables_in_floats(nodes: Sequence[FileNode], stored: Mapping[str, Fact]) -> list[FileNode]:
    """`nodes` with tables of integers, whose rows all become floats, looked up as floats.

    The rows are floats then, and turning them into floats is a view: so the table is trained.
    """
    readers: dict[str, list[FileNode]] = {}
    for node in nodes:
        for name in node.reads:
            readers.setdefault(name, []).append(node)
    taken = {name for node in nodes for name in (node.name, *node.outputs)} | stored.keys()
    tables: dict[str, str] = {}
    made: list[FileNode] = []
    for node in nodes:
        rows = readers.get(node.outputs[0], []) if node.outputs else []
        table = stored.get(_at(node.inputs, 0)) if node.op_type == "Gather" else None
        if table is None or table.dtype not in INTEGERS or not rows or not _all_floats(rows):
            made.append(node)
            continue
        name = node.inputs[0]
        if name not in tables:
            tables[name] = unique_name(f"{name} in floats", taken)
            inputs = (name, *rows[0].inputs[1:])
            outputs = (tables[name],)
            made.append(
                replace(rows[0], name=tables[name], inputs=inputs, outputs=outputs, attributes={})
            )
        made.append(replace(node, inputs=(tables[name], *node.inputs[1:])))
    return made


def _all_floats(rows: Sequence[FileNode]) -> bool:
    return all(node.op_type == DEQUANTIZE for node in rows)


_WRITTEN: Final[Mapping[str, Callable[[FileNode, Fresh], Nodes]]] = MappingProxyType({
    **{f"{domain}QuantizeLinear": _as(QUANTIZE) for domain in ("", "com.microsoft::")},
    **{f"{domain}DequantizeLinear": _as(DEQUANTIZE) for domain in ("", "com.microsoft::")},
    "DynamicQuantizeLinear": _dynamic,
    "MatMulInteger": _integer_product("MatMul"),
    "ConvInteger": _integer_product("Conv"),
    "QLinearMatMul": _linear("MatMul"),
    "QLinearConv": _linear("Conv", bias=8),
    "com.microsoft::MatMulNBits": _packed_product,
    "com.microsoft::QAttention": _attention,
    "com.microsoft::QLinearAdd": _linear("Add"),
    "com.microsoft::QLinearMul": _linear("Mul"),
    "com.microsoft::QLinearSigmoid": _unary("Sigmoid"),
    "com.microsoft::QLinearLeakyRelu": _unary("LeakyRelu"),
})  # fmt: skip
