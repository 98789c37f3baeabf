"""Shapes of quantised operators as training simulates them: floats stay floats."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from solver.loaders.onnx_rules.base import (
    Fact,
    Inference,
    Node,
    Rule,
    RuleError,
    one,
    text_of,
)

_FLOATS: Final = frozenset({"float16", "bfloat16", "float32", "float64"})


def quantize(node: Node) -> Inference:
    """QuantizeLinear: the numbers are rounded, their type is kept."""
    x = node.need(0)
    if x.dtype not in _FLOATS and x.dtype != "int32":
        raise RuleError(f"it rounds {x.dtype}, floats are needed")
    return one(x.shape, x.dtype)


def dequantize(node: Node) -> Inference:
    """DequantizeLinear: integers become floats; floats that were rounded are left as they are."""
    x, scale = node.need(0), node.given(1)
    if x.dtype in _FLOATS:
        return one(x.shape, x.dtype)
    return one(x.shape, scale.dtype if scale is not None else "float32")


def dynamic_range(node: Node) -> Inference:
    """The scale and the zero point that DynamicQuantizeLinear finds."""
    x = node.need(0)
    if x.dtype not in _FLOATS:
        raise RuleError(f"it rounds {x.dtype}, floats are needed")
    return Inference((Fact((), x.dtype), Fact((), "uint8")))


def unpacked(node: Node) -> Inference:
    """The weight of MatMulNBits as a matrix of floats: K rows, N columns, scaled block by block.

    The packed one holds ceil(K / block_size) blocks for each column.
    """
    packed, scales = node.need(0), node.need(1)
    rows, columns, bits = node.integer("K"), node.integer("N"), node.integer("bits", 4)
    block = node.integer("block_size")
    if min(rows, columns, bits, block) < 1:
        raise RuleError("K, N, bits and block_size must be above zero")
    blocks = -(-rows // block)
    needed = columns * blocks * -(-block * bits // 8)
    if packed.elements != needed or scales.elements != columns * blocks:
        raise RuleError(
            f"its weight {text_of(packed.shape)} and its scales {text_of(scales.shape)} do not fit "
            f"{rows}x{columns} numbers of {bits} bits in blocks of {block}"
        )
    return one((rows, columns), scales.dtype if scales.dtype in _FLOATS else "float32")


RULES: Final[Mapping[str, Rule]] = MappingProxyType({
    "straight-through::QuantizeLinear": quantize,
    "straight-through::DequantizeLinear": dequantize,
    "straight-through::DynamicQuantizeLinear": dynamic_range,
})  # fmt: skip

CONSTANT_RULES: Final[Mapping[str, Rule]] = MappingProxyType(
    {"straight-through::MatMulNBits weight": unpacked}
)
"""Operators on constants alone: a packed weight is stored in the file."""
