"""Shapes of operators that work element by element, and of those that keep their input's shape."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from solver.loaders.onnx_rules.base import (
    Fact,
    Inference,
    Node,
    Rule,
    RuleError,
    broadcast,
    one,
    plain_axis,
    text_of,
)
from solver.loaders.onnx_tensors import dtype_of

if TYPE_CHECKING:
    from solver.network import AttributeValue

_NUMPY_BROADCASTING: Final = 7  # opset from which Add, Sub, Mul, Div follow numpy
_SUM_BROADCASTING: Final = 8
_CLIP_INPUTS: Final = 11
_SOFTMAX_LAST_AXIS: Final = 13
_CAST_BY_NUMBER: Final = 6
_TYPE_WORDS: Final[Mapping[str, int]] = MappingProxyType({
    "FLOAT": 1, "UINT8": 2, "INT8": 3, "UINT16": 4, "INT16": 5, "INT32": 6, "INT64": 7, "BOOL": 9,
    "FLOAT16": 10, "DOUBLE": 11, "UINT32": 12, "UINT64": 13,
})  # fmt: skip


def same_shape(node: Node) -> Inference:
    """Relu, Sigmoid, Tanh, Identity, ...: the output is like the input."""
    x = node.need(0)
    return one(x.shape, x.dtype, **node.attributes)


def clip(node: Node) -> Inference:
    """Clip: bounds are attributes up to opset 10, scalar inputs after it."""
    x = node.need(0)
    bounds: dict[str, AttributeValue] = {}
    for position, name in enumerate(("min", "max"), start=1):
        if node.opset < _CLIP_INPUTS:
            if name in node.attributes:
                bounds[name] = node.number(name, 0.0)
            continue
        fact = node.given(position)
        if fact is not None and fact.elements != 1:
            raise RuleError(f"bound {name} must be one number, it is {text_of(fact.shape)}")
        if fact is not None and fact.array is not None:
            bounds[name] = float(fact.array.ravel()[0])
    return one(x.shape, x.dtype, **bounds)


def _old_operands(node: Node, left: Fact, right: Fact, dtype: str) -> Inference:
    """Before opset 7 the second operand was spread over the first where `broadcast` said so.

    `axis` is where its dimensions stand in those of the first, else they are the last ones.
    """
    if left.shape == right.shape:
        return one(left.shape, dtype)
    if not node.integer("broadcast", 0):
        raise RuleError(f"shapes {text_of(left.shape)} and {text_of(right.shape)} differ")
    if "axis" not in node.attributes:
        spread, attributes = right.shape, {}
    else:
        axis = node.integer("axis")
        axis += left.rank if axis < 0 else 0
        after = left.rank - axis - right.rank
        if axis < 0 or after < 0:
            raise RuleError(f"{text_of(right.shape)} does not fit from axis {axis} on")
        spread, attributes = (*right.shape, *(1,) * after), {"axis": axis}
    if len(spread) > left.rank or broadcast((left.shape, spread)) != left.shape:
        raise RuleError(f"{text_of(right.shape)} does not fit into {text_of(left.shape)}")
    return one(left.shape, dtype, **attributes)


def _operands(node: Node, dtype: str) -> Inference:
    left, right = node.need(0), node.need(1)
    if node.opset < _NUMPY_BROADCASTING:
        return _old_operands(node, left, right, dtype)
    return one(broadcast((left.shape, right.shape)), dtype)


def binary(node: Node) -> Inference:
    """Add, Sub, Mul, Div, Mod, Pow: numpy broadcasting since opset 7."""
    return _operands(node, node.need(0).dtype)


def comparison(node: Node) -> Inference:
    """Equal, Less, Greater, And, Or: a truth value per element."""
    return _operands(node, "bool")


def truth(node: Node) -> Inference:
    """IsNaN, IsInf, Not: a truth value per element."""
    return one(node.need(0).shape, "bool")


def variadic(node: Node) -> Inference:
    """Sum, Mean, Min, Max: any number of operands."""
    operands = node.present()
    shapes = [fact.shape for fact in operands]
    if node.opset < _SUM_BROADCASTING and len(set(shapes)) > 1:
        raise RuleError("operands differ in shape: " + ", ".join(map(text_of, shapes)))
    return one(broadcast(shapes), operands[0].dtype)


def where(node: Node) -> Inference:
    """Where: a choice between two operands."""
    condition, yes, no = node.need(0), node.need(1), node.need(2)
    return one(broadcast((condition.shape, yes.shape, no.shape)), yes.dtype)


def softmax(node: Node) -> Inference:
    """Softmax, LogSoftmax, Hardmax: up to opset 12 all from axis 1 on, after it one axis, the last.

    The cost is per element in either case.
    """
    x = node.need(0)
    default = 1 if node.opset < _SOFTMAX_LAST_AXIS else -1
    axis = plain_axis(node.integer("axis", default if x.rank > 1 else -1), x.rank)
    return one(x.shape, x.dtype, axis=axis)


def prelu(node: Node) -> Inference:
    """PRelu: the slope is spread over the input; up to opset 6 it is one number, or per channel."""
    x, slope = node.need(0), node.need(1)
    if node.opset < _NUMPY_BROADCASTING:
        fits = slope.elements in {1, x.shape[1] if x.rank > 1 else 1}
    else:
        fits = broadcast((x.shape, slope.shape)) == x.shape
    if not fits:
        raise RuleError(f"slope {text_of(slope.shape)} does not fit into {text_of(x.shape)}")
    return one(x.shape, x.dtype)


def cast(node: Node) -> Inference:
    """Cast: `to` becomes ONNX's own number, the value carries the type's name."""
    x = node.need(0)
    if node.opset < _CAST_BY_NUMBER:
        word = node.text("to", "")
        if word.upper() not in _TYPE_WORDS:
            raise RuleError(f"element type {word!r} is not one of numbers")
        to = _TYPE_WORDS[word.upper()]
    else:
        to = node.integer("to")
    dtype = dtype_of(to)
    if dtype is None or dtype == "string":
        raise RuleError(f"element type {to} is not one of numbers")
    return one(x.shape, dtype, to=to)


def cast_like(node: Node) -> Inference:
    """CastLike: the type is that of the second input."""
    return one(node.need(0).shape, node.need(1).dtype)


_KEEP_THE_SHAPE: Final = (
    "Relu", "Sigmoid", "Tanh", "Identity", "Neg", "Abs", "Sign", "Floor", "Ceil", "Round", "Exp",
    "Log", "Sqrt", "Reciprocal", "Erf", "Sin", "Cos", "Tan", "Asin", "Acos", "Atan", "Sinh", "Cosh",
    "Asinh", "Acosh", "Atanh", "Gelu", "com.microsoft::Gelu", "com.microsoft::FastGelu",
    "com.microsoft::QuickGelu", "Swish", "Mish", "HardSigmoid", "HardSwish", "LeakyRelu",
    "ThresholdedRelu", "Shrink", "Elu", "Selu", "Celu", "Softplus", "Softsign", "BitwiseNot",
)  # fmt: skip

RULES: Final[Mapping[str, Rule]] = MappingProxyType({
    **dict.fromkeys(_KEEP_THE_SHAPE, same_shape),
    **dict.fromkeys(("Softmax", "LogSoftmax", "Hardmax"), softmax),
    **dict.fromkeys(
        (
            "Add", "Sub", "Mul", "Div", "Pow", "Mod", "BitShift", "BitwiseAnd", "BitwiseOr",
            "BitwiseXor",
        ),
        binary,
    ),
    **dict.fromkeys(("Sum", "Mean", "Min", "Max"), variadic),
    **dict.fromkeys(
        ("Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual", "And", "Or", "Xor"),
        comparison,
    ),
    **dict.fromkeys(("Not", "IsNaN", "IsInf"), truth),
    "Clip": clip,
    "PRelu": prelu,
    "Where": where,
    "Cast": cast,
    "CastLike": cast_like,
})  # fmt: skip
