"""Elements of small constants: the arithmetic that exporters do on shapes, done at load time."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from solver.graph import Shape
from solver.loaders.onnx_rules import picking
from solver.loaders.onnx_rules.base import (
    INTEGERS,
    Elements,
    Fact,
    Node,
    RuleError,
    int64_array,
    known_arrays,
)
from solver.loaders.onnx_rules.constants import reduced_axes, slice_bounds

_INT64: Final = range(-(2**63), 2**63)
_BITS: Final = 64


def _exact(function: Callable[..., Any], *operands: Elements) -> Elements:
    """Integers as Python integers, so that nothing wraps; floats as they are."""
    if any(operand.dtype.kind not in "iub" for operand in operands):
        # Division by zero among floats is a legal infinity, not our warning.
        with np.errstate(all="ignore"):
            return np.asarray(function(*operands))
    dtype = np.result_type(*operands)
    result = np.asarray(function(*(operand.astype(object) for operand in operands)), dtype=object)
    if any(int(item) not in _INT64 for item in result.ravel()):
        raise RuleError("a size is beyond 64 bits")
    return result.astype(dtype)


def _truncated(a: Any, b: Any) -> Any:
    if b == 0:
        raise RuleError("it divides a size by zero")
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


_INTEGER_DIVISION: Final = np.frompyfunc(_truncated, 2, 1)


def _div(node: Node) -> Elements:
    """ONNX divides integers toward zero, numpy does not."""
    a, b = known_arrays(node)
    if a.dtype.kind in "iub":
        return _exact(_INTEGER_DIVISION, a, b)
    return _exact(np.true_divide, a, b)


def _mod(node: Node) -> Elements:
    a, b = known_arrays(node)
    if not b.all():
        raise RuleError("it divides a size by zero")
    return np.asarray(np.fmod(a, b) if node.integer("fmod", 0) else np.mod(a, b))


def _power(base: Any, exponent: Any) -> Any:
    if exponent < 0:
        raise RuleError("it raises a size to a negative power")
    if exponent >= _BITS and abs(base) > 1:
        raise RuleError("a size is beyond 64 bits")
    return base**exponent


_INTEGER_POWER: Final = np.frompyfunc(_power, 2, 1)


def _pow(node: Node) -> Elements:
    base, exponent = known_arrays(node)
    if base.dtype.kind in "iu" and exponent.dtype.kind in "iu":
        return _exact(_INTEGER_POWER, base, exponent)
    return _exact(np.power, base.astype(np.float64), exponent.astype(np.float64))


def _clip(node: Node) -> Elements | None:
    """Clip with bounds as inputs; a bound may be absent."""
    x, *_ = known_arrays(node)
    if "min" in node.attributes or "max" in node.attributes:
        return None  # before opset 11, of floats only
    for position, function in ((1, np.maximum), (2, np.minimum)):
        bound = node.given(position)
        if bound is not None and bound.array is not None:
            x = _exact(function, x, bound.array)
    return x


def _real(function: Callable[..., Any]) -> Callable[[Node], Elements]:
    """Of floats only: the result has the operand's type, which integers would lose."""

    def evaluate(node: Node) -> Elements:
        with np.errstate(all="ignore"):
            return np.asarray(function(known_arrays(node)[0]))

    return evaluate


def _mean(node: Node) -> Elements | None:
    x, *_ = known_arrays(node)
    if x.dtype.kind != "f" or not x.size:
        return None
    keep = bool(node.integer("keepdims", 1))
    return np.asarray(np.mean(x, axis=reduced_axes(node), keepdims=keep))


def _fold(function: Callable[..., Any]) -> Callable[[Node], Elements]:
    """Sum, Min, Max over any number of operands."""

    def evaluate(node: Node) -> Elements:
        first, *others = known_arrays(node)
        for other in others:
            first = _exact(function, first, other)
        return first

    return evaluate


def _apply(function: Callable[..., Any]) -> Callable[[Node], Elements]:
    return lambda node: _exact(function, *known_arrays(node))


def _logic(function: Callable[..., Any]) -> Callable[[Node], Elements]:
    return lambda node: np.asarray(function(*known_arrays(node)), dtype=np.bool_)


def _shape(node: Node, shape: Shape, dtype: str) -> Elements:  # noqa: ARG001 - one shape for all
    x = node.need(0)
    part = slice(node.integer("start", 0), node.integer("end", x.rank))
    return int64_array(x.shape[part])


def _gather(node: Node) -> Elements:
    data, indices = known_arrays(node)
    axis = node.integer("axis", 0)
    length = data.shape[axis]
    if any(not -length <= int(i) < length for i in indices.ravel()):
        raise RuleError(f"it picks an entry outside of {length}")
    return np.take(data, indices, axis=axis)


def _slice(node: Node) -> Elements:
    data = known_arrays(node)[0]
    bounds = slice_bounds(node)
    return data[tuple(bounds.get(axis, slice(None)) for axis in range(data.ndim))]


def _cast(node: Node, dtype: str) -> Elements:
    source = known_arrays(node)[0]
    if dtype in INTEGERS and source.dtype.kind == "f" and not np.isfinite(source).all():
        raise RuleError("it turns an infinite number into an integer")
    return source.astype(dtype)


def _reduce(function: Callable[..., Any]) -> Callable[[Node], Elements]:
    def evaluate(node: Node) -> Elements:
        keep = bool(node.integer("keepdims", 1))
        axes = reduced_axes(node)
        return _exact(lambda x: function(x, axis=axes, keepdims=keep), known_arrays(node)[0])

    return evaluate


def _constant_of_shape(node: Node, shape: Shape, dtype: str) -> Elements | None:
    value = node.tensors.get("value")
    if value is None:
        return np.zeros(shape, dtype=dtype)
    if value.array is None or value.elements != 1:
        return None
    return np.full(shape, value.array.ravel()[0])


def _range(node: Node, length: int) -> Elements:
    start, _, delta = (array.ravel()[0] for array in known_arrays(node))
    return np.asarray([start + i * delta for i in range(length)], dtype=known_arrays(node)[0].dtype)


_BY_INPUTS: Final[Mapping[str, Callable[[Node], Elements | None]]] = MappingProxyType({
    "Add": _apply(np.add),
    "Sub": _apply(np.subtract),
    "Mul": _apply(np.multiply),
    "Div": _div,
    "Mod": _mod,
    "Neg": _apply(np.negative),
    "Abs": _apply(np.abs),
    "Floor": _real(np.floor),
    "Ceil": _real(np.ceil),
    "Round": _real(np.rint),
    "Sqrt": _real(np.sqrt),
    "Reciprocal": _real(np.reciprocal),
    "Sign": _apply(np.sign),
    "Pow": _pow,
    "Clip": _clip,
    "Sum": _fold(np.add),
    "Min": _fold(np.minimum),
    "Max": _fold(np.maximum),
    "Not": _logic(np.logical_not),
    "And": _logic(np.logical_and),
    "Or": _logic(np.logical_or),
    "Equal": _logic(np.equal),
    "Less": _logic(np.less),
    "LessOrEqual": _logic(np.less_equal),
    "Greater": _logic(np.greater),
    "GreaterOrEqual": _logic(np.greater_equal),
    "Xor": _logic(np.logical_xor),
    "Where": lambda node: np.where(*known_arrays(node)),
    "Identity": lambda node: known_arrays(node)[0],
    "Gather": _gather,
    "Transpose": lambda node: np.transpose(known_arrays(node)[0], node.integers("perm")),
    "Slice": _slice,
    "Concat": lambda node: np.concatenate(known_arrays(node), axis=node.integer("axis", 0)),
    "ReduceProd": _reduce(np.prod),
    "ReduceSum": _reduce(np.sum),
    "ReduceMax": _reduce(np.max),
    "ReduceMin": _reduce(np.min),
    "ReduceMean": _mean,
    **picking.FIRST_OUTPUT,
})  # fmt: skip

_RESHAPED: Final = frozenset({"Reshape", "Flatten", "Squeeze", "Unsqueeze"})


def evaluate(node: Node, outputs: Sequence[Fact]) -> Sequence[Elements] | None:
    """The elements of each output of a constant node, None where they cannot be told.

    `outputs` are what the node's rule answered; the caller has checked that they are small. Raises
    RuleError where the arithmetic itself is wrong (division by zero, beyond 64 bits).
    """
    if any(fact is not None and fact.array is None for fact in node.inputs):
        if node.op_type not in _BY_SIZE:
            return None
    elif node.op_type in picking.ALL_OUTPUTS:
        return picking.ALL_OUTPUTS[node.op_type](node, outputs)
    if len(outputs) > 1:
        return None
    (output,) = outputs
    if node.op_type in _BY_SIZE:
        first = _BY_SIZE[node.op_type](node, output.shape, output.dtype)
    else:
        first = _evaluate_known(node, output.shape, output.dtype)
    return None if first is None else [first]


def _size(node: Node, shape: Shape, dtype: str) -> Elements:
    return np.asarray(int64_array([node.need(0).elements]).reshape(shape).astype(dtype))


def _eye(node: Node, shape: Shape, dtype: str) -> Elements:
    rows, columns = shape
    return np.eye(rows, columns, k=node.integer("k", 0)).astype(dtype)


_BY_SIZE: Final[Mapping[str, Callable[[Node, Shape, str], Elements | None]]] = MappingProxyType({
    "Shape": _shape,
    "Size": _size,
    "ConstantOfShape": _constant_of_shape,
    "EyeLike": _eye,
})  # fmt: skip
"""Operators that need no element of their first input."""


def _evaluate_known(node: Node, shape: Shape, dtype: str) -> Elements | None:
    arrays = known_arrays(node)
    match node.op_type:
        case "Cast" | "CastLike":
            return _cast(node, dtype)
        case "Range":
            return _range(node, shape[0])
        case "Expand":
            return np.broadcast_to(arrays[0], shape)
        case "Tile":
            repeats = node.constant_integers(1, "list of repeats") or ()
            return np.tile(arrays[0], repeats)
        case kind if kind in _RESHAPED:
            return arrays[0].reshape(shape)
        case kind:
            known = _BY_INPUTS.get(kind)
            return known(node) if known is not None else None
