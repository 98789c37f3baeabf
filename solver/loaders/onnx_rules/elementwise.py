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


def _old_binary(node: Node, left: Fact, right: Fact) -> Inference:
    """Before opset 7 the second operand was spread over the first where `broadcast` said so."""
    if left.shape == right.shape:
        return one(left.shape, left.dtype)
    if not node.integer("broadcast", 0):
        raise RuleError(f"shapes {text_of(left.shape)} and {text_of(right.shape)} differ")
    axis = node.integer("axis", left.rank - right.rank)
    if axis != left.rank - right.rank:
        raise RuleError(
            f"broadcasting from axis {axis} (opset {node.opset}) is not supported; "
            "convert the file with onnx.version_converter"
        )
    if broadcast((left.shape, right.shape)) != left.shape:
        raise RuleError(f"{text_of(right.shape)} does not fit into {text_of(left.shape)}")
    return one(left.shape, left.dtype)


def binary(node: Node) -> Inference:
    """Add, Sub, Mul, Div, Mod, Pow: numpy broadcasting since opset 7."""
    left, right = node.need(0), node.need(1)
    if node.opset < _NUMPY_BROADCASTING:
        return _old_binary(node, left, right)
    return one(broadcast((left.shape, right.shape)), left.dtype)


def comparison(node: Node) -> Inference:
    """Equal, Less, Greater, And, Or: a truth value per element."""
    return one(broadcast([fact.shape for fact in node.present()]), "bool")


def variadic(node: Node) -> Inference:
    """Sum, Min, Max: any number of operands."""
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
    """Softmax: up to opset 12 everything from axis 1 on, after it one axis, the last."""
    x = node.need(0)
    default = 1 if node.opset < _SOFTMAX_LAST_AXIS else -1
    axis = plain_axis(node.integer("axis", default if x.rank > 1 else -1), x.rank)
    return one(x.shape, x.dtype, axis=axis)


def cast(node: Node) -> Inference:
    """Cast: `to` stays ONNX's own number, the value carries the type's name."""
    x = node.need(0)
    if node.opset < _CAST_BY_NUMBER:
        raise RuleError(f"Cast of opset {node.opset} names its type in words; convert the file")
    to = node.integer("to")
    dtype = dtype_of(to)
    if dtype is None or dtype == "string":
        raise RuleError(f"element type {to} is not one of numbers")
    return one(x.shape, dtype, to=to)


RULES: Final[Mapping[str, Rule]] = MappingProxyType({
    "Relu": same_shape,
    "Sigmoid": same_shape,
    "Tanh": same_shape,
    "Identity": same_shape,
    "Clip": clip,
    "Add": binary,
    "Sub": binary,
    "Mul": binary,
    "Div": binary,
    "Sum": variadic,
    "Softmax": softmax,
    "Cast": cast,
})  # fmt: skip

CONSTANT_RULES: Final[Mapping[str, Rule]] = MappingProxyType({
    "Neg": same_shape,
    "Abs": same_shape,
    "Floor": same_shape,
    "Ceil": same_shape,
    "Sqrt": same_shape,
    "Not": same_shape,
    "Mod": binary,
    "Pow": binary,
    "Min": variadic,
    "Max": variadic,
    "Equal": comparison,
    "Less": comparison,
    "Greater": comparison,
    "And": comparison,
    "Or": comparison,
    "Where": where,
})  # fmt: skip
