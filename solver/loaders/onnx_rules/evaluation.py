"""Elements of small constants: the arithmetic that exporters do on shapes, done at load time."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from solver.graph import Shape
from solver.loaders.onnx_rules.base import INTEGERS, Elements, Node, RuleError, int64_array
from solver.loaders.onnx_rules.constants import reduced_axes, slice_bounds

_INT64: Final = range(-(2**63), 2**63)


def _arrays(node: Node) -> list[Elements]:
    return [fact.array for fact in node.inputs if fact is not None and fact.array is not None]


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
    a, b = _arrays(node)
    if a.dtype.kind in "iub":
        return _exact(_INTEGER_DIVISION, a, b)
    return _exact(np.true_divide, a, b)


def _mod(node: Node) -> Elements:
    a, b = _arrays(node)
    if not b.all():
        raise RuleError("it divides a size by zero")
    return np.asarray(np.fmod(a, b) if node.integer("fmod", 0) else np.mod(a, b))


def _fold(function: Callable[..., Any]) -> Callable[[Node], Elements]:
    """Sum, Min, Max over any number of operands."""

    def evaluate(node: Node) -> Elements:
        first, *others = _arrays(node)
        for other in others:
            first = _exact(function, first, other)
        return first

    return evaluate


def _apply(function: Callable[..., Any]) -> Callable[[Node], Elements]:
    return lambda node: _exact(function, *_arrays(node))


def _logic(function: Callable[..., Any]) -> Callable[[Node], Elements]:
    return lambda node: np.asarray(function(*_arrays(node)), dtype=np.bool_)


def _shape(node: Node) -> Elements:
    x = node.need(0)
    part = slice(node.integer("start", 0), node.integer("end", x.rank))
    return int64_array(x.shape[part])


def _gather(node: Node) -> Elements:
    data, indices = _arrays(node)
    axis = node.integer("axis", 0)
    length = data.shape[axis]
    if any(not -length <= int(i) < length for i in indices.ravel()):
        raise RuleError(f"it picks an entry outside of {length}")
    return np.take(data, indices, axis=axis)


def _slice(node: Node) -> Elements:
    data = _arrays(node)[0]
    bounds = slice_bounds(node)
    return data[tuple(bounds.get(axis, slice(None)) for axis in range(data.ndim))]


def _cast(node: Node, dtype: str) -> Elements:
    source = _arrays(node)[0]
    if dtype in INTEGERS and source.dtype.kind == "f" and not np.isfinite(source).all():
        raise RuleError("it turns an infinite number into an integer")
    return source.astype(dtype)


def _reduce(function: Callable[..., Any]) -> Callable[[Node], Elements]:
    def evaluate(node: Node) -> Elements:
        keep = bool(node.integer("keepdims", 1))
        axes = reduced_axes(node)
        return _exact(lambda x: function(x, axis=axes, keepdims=keep), _arrays(node)[0])

    return evaluate


def _constant_of_shape(node: Node, shape: Shape, dtype: str) -> Elements | None:
    value = node.tensors.get("value")
    if value is None:
        return np.zeros(shape, dtype=dtype)
    if value.array is None or value.elements != 1:
        return None
    return np.full(shape, value.array.ravel()[0])


def _range(node: Node, length: int) -> Elements:
    start, _, delta = (array.ravel()[0] for array in _arrays(node))
    return np.asarray([start + i * delta for i in range(length)], dtype=_arrays(node)[0].dtype)


_BY_INPUTS: Final[Mapping[str, Callable[[Node], Elements]]] = MappingProxyType({
    "Add": _apply(np.add),
    "Sub": _apply(np.subtract),
    "Mul": _apply(np.multiply),
    "Div": _div,
    "Mod": _mod,
    "Neg": _apply(np.negative),
    "Abs": _apply(np.abs),
    "Floor": lambda node: np.floor(_arrays(node)[0]),
    "Ceil": lambda node: np.ceil(_arrays(node)[0]),
    "Sum": _fold(np.add),
    "Min": _fold(np.minimum),
    "Max": _fold(np.maximum),
    "Not": _logic(np.logical_not),
    "And": _logic(np.logical_and),
    "Or": _logic(np.logical_or),
    "Equal": _logic(np.equal),
    "Less": _logic(np.less),
    "Greater": _logic(np.greater),
    "Where": lambda node: np.where(*_arrays(node)),
    "Identity": lambda node: _arrays(node)[0],
    "Gather": _gather,
    "Transpose": lambda node: np.transpose(_arrays(node)[0], node.integers("perm")),
    "Slice": _slice,
    "Concat": lambda node: np.concatenate(_arrays(node), axis=node.integer("axis", 0)),
    "ReduceProd": _reduce(np.prod),
    "ReduceSum": _reduce(np.sum),
    "ReduceMax": _reduce(np.max),
    "ReduceMin": _reduce(np.min),
})  # fmt: skip

_RESHAPED: Final = frozenset({"Reshape", "Flatten", "Squeeze", "Unsqueeze"})


def evaluate(node: Node, shape: Shape, dtype: str) -> Elements | None:
    """The elements of a constant node's first output, None where they cannot be told.

    `shape`, `dtype` are what the node's rule answered; the caller has checked that
    `shape` is small. Raises RuleError where the arithmetic itself is wrong (division by zero,
    beyond 64 bits).
    """
    kind = node.op_type
    if kind == "Shape":
        return _shape(node)
    if kind == "Size":
        return int64_array([node.need(0).elements]).reshape(())
    if kind == "ConstantOfShape":
        return _constant_of_shape(node, shape, dtype)
    if any(fact is not None and fact.array is None for fact in node.inputs):
        return None
    return _evaluate_known(node, shape, dtype)


def _evaluate_known(node: Node, shape: Shape, dtype: str) -> Elements | None:
    arrays = _arrays(node)
    match node.op_type:
        case "Cast":
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
