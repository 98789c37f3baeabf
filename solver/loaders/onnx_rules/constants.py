"""Shapes of operators that make constants or that only shape arithmetic needs."""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import numpy as np

from solver.loaders.onnx_rules.base import (
    DATA_LIMIT,
    Fact,
    Inference,
    Node,
    Rule,
    RuleError,
    broadcast,
    one,
    plain_axes,
    plain_axis,
    text_of,
)

_SLICE_INPUTS: Final = 10
_AXES_INPUT: Final = 18  # opset from which reductions take their axes as an input
_NUMBERS: Final[Mapping[str, str]] = MappingProxyType({
    "value_int": "int64",
    "value_ints": "int64",
    "value_float": "float32",
    "value_floats": "float32",
})  # fmt: skip


def constant(node: Node) -> Inference:
    """Constant: a tensor, a number or a list of numbers."""
    if "value" in node.tensors:
        return Inference((node.tensors["value"],))
    for name, dtype in _NUMBERS.items():
        if name in node.attributes:
            array = np.array(node.attributes[name], dtype=dtype)
            small = array if array.size <= DATA_LIMIT else None
            return Inference((Fact(array.shape, dtype, small),))
    raise RuleError("it holds no tensor and no number that is supported")


def constant_of_shape(node: Node) -> Inference:
    """ConstantOfShape: a size and one repeated element (float 0 unless told otherwise)."""
    shape = node.constant_integers(0, "shape")
    if shape is None or min(shape, default=0) < 0:
        raise RuleError(f"its shape {shape} is not a shape")
    value = node.tensors.get("value")
    return one(shape, value.dtype if value else "float32")


def _part(node: Node, rank: int) -> slice:
    """Which dimensions Shape answers (opset 15: start and end)."""
    end = node.integer("end", rank)
    return slice(*slice(node.integer("start", 0), end).indices(rank))


def shape(node: Node) -> Inference:
    """Shape: the dimensions, known because every size is."""
    x = node.need(0)
    sizes = x.shape[_part(node, x.rank)]
    return one((len(sizes),), "int64")


def size(node: Node) -> Inference:
    """Size: the number of elements."""
    node.need(0)
    return one((), "int64")


def gather(node: Node) -> Inference:
    """Gather: rows of the data, one per index."""
    data, indices = node.need(0), node.need(1)
    axis = plain_axis(node.integer("axis", 0), data.rank)
    return one((*data.shape[:axis], *indices.shape, *data.shape[axis + 1 :]), data.dtype, axis=axis)


def slice_bounds(node: Node) -> dict[int, slice]:
    """Per sliced dimension, the bounds as written; inputs since opset 10."""
    rank = node.need(0).rank
    if node.opset < _SLICE_INPUTS:
        starts, ends, axes = (node.integers(name) for name in ("starts", "ends", "axes"))
        steps = None
    else:
        names = ("list of starts", "list of ends", "list of axes", "list of steps")
        starts, ends, axes, steps = (
            node.constant_integers(i, name) for i, name in enumerate(names, start=1)
        )
    if starts is None or ends is None or len(starts) != len(ends):
        raise RuleError("its bounds are missing or of different lengths")
    places = axes if axes is not None else tuple(range(len(starts)))
    strides = steps if steps is not None else (1,) * len(starts)
    if not len(places) == len(strides) == len(starts) or 0 in strides:
        raise RuleError("its axes or steps do not fit its bounds")
    return {
        plain_axis(place, rank): slice(start, _end(end, stride), stride)
        for place, start, end, stride in zip(places, starts, ends, strides, strict=True)
    }


def _end(end: int, stride: int) -> int | None:
    """ONNX writes "to the front" as the least number there is, Python as None."""
    return None if stride < 0 and end <= -(2**31) else end


def slice_(node: Node) -> Inference:
    """Slice: Python's rules for bounds outside the dimension."""
    x = node.need(0)
    sizes = list(x.shape)
    for axis, bounds in slice_bounds(node).items():
        sizes[axis] = len(range(*bounds.indices(sizes[axis])))
    return one(sizes, x.dtype)


def range_(node: Node) -> Inference:
    """Range: from start to limit in steps of delta."""
    facts = [node.need(i) for i in range(3)]
    numbers = [fact.array.ravel()[0] for fact in facts if fact.array is not None and fact.elements]
    if len(numbers) < len(facts):
        raise next((f for f in facts if f.unread), facts[0]).unknown("bounds")
    start, limit, delta = (float(number) for number in numbers)
    if not delta or not all(map(math.isfinite, (start, limit, delta))):
        raise RuleError(f"a range from {start} to {limit} in steps of {delta} has no end")
    return one((max(math.ceil((limit - start) / delta), 0),), facts[0].dtype)


def expand(node: Node) -> Inference:
    """Expand: numpy broadcasting to a given shape."""
    x = node.need(0)
    target = node.constant_integers(1, "target shape")
    if target is None or min(target, default=0) < 0:
        raise RuleError(f"its target shape {target} is not a shape")
    return one(broadcast((x.shape, target)), x.dtype)


def reduction(node: Node) -> Inference:
    """ReduceProd, ReduceSum, ReduceMax, ReduceMin of shape arithmetic."""
    x = node.need(0)
    axes = reduced_axes(node)
    if node.integer("keepdims", 1):
        return one([1 if i in axes else n for i, n in enumerate(x.shape)], x.dtype)
    return one([n for i, n in enumerate(x.shape) if i not in axes], x.dtype)


def reduced_axes(node: Node) -> tuple[int, ...]:
    """The dimensions that a reduction removes: all of them unless named."""
    rank = node.need(0).rank
    axes_input = 13 if node.op_type == "ReduceSum" else _AXES_INPUT
    if node.opset < axes_input:
        axes = node.integers("axes")
    else:
        axes = node.constant_integers(1, "list of axes")
    if axes:
        return plain_axes(axes, rank)
    return () if node.integer("noop_with_empty_axes", 0) else tuple(range(rank))


def non_zero(node: Node) -> Inference:
    """NonZero: a column per element that is not zero."""
    x = node.need(0)
    if x.array is None:
        raise RuleError("the elements it looks at are too many, or their numbers are not known")
    return one((max(x.rank, 1), int(np.count_nonzero(x.array))), "int64")


def tile(node: Node) -> Inference:
    """Tile: each dimension repeated."""
    x = node.need(0)
    repeats = node.constant_integers(1, "list of repeats")
    if repeats is None or len(repeats) != x.rank or min(repeats, default=0) < 0:
        raise RuleError(f"its repeats {repeats} do not fit {text_of(x.shape)}")
    return one([n * r for n, r in zip(x.shape, repeats, strict=True)], x.dtype)


RULES: Final[Mapping[str, Rule]] = MappingProxyType({
    "Constant": constant,
    "ConstantOfShape": constant_of_shape,
    "Shape": shape,
    "Size": size,
    "Gather": gather,
    "Slice": slice_,
    "Range": range_,
    "Expand": expand,
    "Tile": tile,
    "NonZero": non_zero,
    "ReduceProd": reduction,
    "ReduceSum": reduction,
    "ReduceMax": reduction,
    "ReduceMin": reduction,
})  # fmt: skip
